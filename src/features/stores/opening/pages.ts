import { linkPage, passwordField } from '../../../http/link-page.ts'

/** The page behind the set-up link. Its code follows the # of the address. */
export const setupPage = (): string =>
  linkPage({
    heading: 'Make the first account',
    intro: `<p>This makes the owner of this installation, with a first store. Nothing is sent anywhere else.</p>`,
    field: `<p>
          <label for="store">Name of your store</label>
          <input id="store" name="store" data-called="The name of the store" type="text" autocomplete="organization" maxlength="100" required />
        </p>
        <p>
          <label for="email">E-mail address</label>
          <input id="email" name="email" data-called="The e-mail address" type="email" autocomplete="username" maxlength="320" required />
        </p>
        ${passwordField('Password', 'new-password', 'At least 10 characters; a few words are easy to remember.')}`,
    button: 'Make my store',
    busy: 'Making your store …',
    secret: 'code',
    paths: { send: '/setup' },
    outcomes: {
      done: [
        'Your store is ready',
        `<p>You own this installation and the store <code data-fill="slug"></code>. Its backend signs in with these credentials. The secret is shown only now.</p>
      <pre><code>CLIENT_ID=<span data-fill="client_id"></span>
CLIENT_SECRET=<span data-fill="client_secret"></span></code></pre>
      <p><a href="/login">Open your store</a> in this browser: you are signed in. <a href="/docs/guide">The guide</a> shows how to add products and search.</p>`,
      ],
      unauthorized: [
        'This link does not work any more',
        '<p>It was used, is older than 30 minutes, or is incomplete. Run <code>lookalike setup-link</code> for a new one, or restart the service.</p>',
      ],
    },
    incomplete:
      '<p>Open the complete link that the service printed in its terminal. Lost it? <code>lookalike setup-link</code> prints a new one.</p>',
  })
