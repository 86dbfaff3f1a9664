import { escapeHtml, page } from '../../../http/page.ts'

/** What runs the pages of links; the token stands behind the # of their address, so the service never sees it. */
const SCRIPT = '/docs/mail-link.js'

const BRAND = `<p class="brand">
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#0b6e5f" />
        <circle cx="13" cy="16" r="7" fill="none" stroke="#fff" stroke-width="3" />
        <circle cx="19" cy="16" r="7" fill="none" stroke="#fff" stroke-width="3" stroke-opacity=".65" />
      </svg>
      Lookalike
    </p>`

/** A page without a script. @param body HTML. */
const plainPage = (heading: string, body: string): string =>
  page(`${heading} · Lookalike`, `${BRAND}\n    <h1>${heading}</h1>\n    ${body}`)

/** What a page of a link asks its reader. All of it is HTML. */
interface Question {
  heading: string
  /** What stands above the field and the button. */
  intro: string
  /** The field for a password, if there is one. */
  field?: string
  button: string
  /** The words on the button while it is being sent. */
  busy: string
  /** What stands below the button. */
  after?: string
  /** What is shown instead, by the status or the error code of the answer. */
  outcomes: Record<string, Outcome>
  /** The same for an address without a token. */
  incomplete: string
}

type Outcome = [heading: string, body: string]

const linkPage = ({ heading, intro, field = '', button, busy, after = '', outcomes, incomplete }: Question) =>
  page(
    `${heading} · Lookalike`,
    `${BRAND}
    <div id="ask">
      <h1>${heading}</h1>
      <noscript><p class="problem">This page needs JavaScript: the code of your link stands behind the # of the address, where only a script can read it. Switch JavaScript on, then open the link again.</p></noscript>
      <form id="form" method="post" hidden>
        ${intro}
        <p class="problem" role="alert" id="problem" tabindex="-1" hidden></p>
        ${field}
        <p><button type="submit" id="send" data-idle="${button}" data-busy="${busy}">${button}</button></p>
        ${after}
      </form>
    </div>
    ${Object.entries({ ...outcomes, incomplete: ['This link is not complete', incomplete] as Outcome })
      .map(([name, [title, body]]) => outcomeSection(name, title, body))
      .join('\n    ')}`,
    SCRIPT,
  )

const outcomeSection = (name: string, heading: string, body: string): string =>
  `<section data-outcome="${name}" hidden>
      <h1 tabindex="-1">${heading}</h1>
      ${body}
    </section>`

/** @param rule HTML of what the password must be. */
const passwordField = (label: string, autocomplete: string, rule = ''): string =>
  `<p>
          <label for="password">${label}</label>
          <input id="password" type="password" autocomplete="${autocomplete}" required aria-describedby="${rule ? 'rule ' : ''}problem" />
        </p>
        ${rule ? `<p class="muted" id="rule">${rule}</p>` : ''}
        <p><label class="choice"><input type="checkbox" id="show" /> Show the password</label></p>`

const HOW_TO_SIGN_IN =
  '<p>This version has no page for signing in yet. Sign in with <code>POST&nbsp;/oauth/login</code>, your e-mail address and your password; the <a href="/docs">API page</a> shows how.</p>'

/** Where the link of a registration leads. */
export const confirmPage = (): string =>
  linkPage({
    heading: 'Confirm your e-mail address',
    intro: `<p>You are confirming the mailbox to which we sent this link. Enter the password that was chosen at registration, and the account opens.</p>`,
    field: passwordField('The password chosen at registration', 'current-password'),
    button: 'Open the account',
    busy: 'Opening the account …',
    after: `<p class="muted">You did not ask for an account? <a href="/verify/cancel" data-with-token>Delete what was asked for with your address</a>.</p>`,
    outcomes: {
      verified: [
        'Your account is open',
        `<p>Your e-mail address is confirmed, and your store <code data-fill="slug"></code> is ready.</p>
      ${HOW_TO_SIGN_IN}`,
      ],
      already_verified: [
        'Your address is confirmed already',
        `<p>The account of the store <code data-fill="slug"></code> is open.</p>
      ${HOW_TO_SIGN_IN}`,
      ],
    },
    incomplete:
      '<p>Open the link in the mail again, all of it. If your address is confirmed already, there is nothing left to do here.</p>',
  })

/** Where somebody says that he never registered. */
export const cancelPage = (): string =>
  linkPage({
    heading: 'Was this not you?',
    intro: `<p>Somebody asked for an account with the e-mail address to which we sent this link. If it was not you, delete every open registration of your address: their links stop working at once.</p>`,
    button: 'Delete the registrations',
    busy: 'Deleting …',
    after: `<p class="muted">If it was you, <a href="/verify" data-with-token>open the account</a> instead.</p>`,
    outcomes: {
      cancelled: [
        'The registrations are deleted',
        `<p>No registration of your e-mail address is open, and no link that we sent before works.</p>
      <p>An account that is open already stays. If we wrote to you that your account is open, use the link for a new password in that mail: the account is yours then, and every other sign-in ends.</p>`,
      ],
    },
    incomplete: '<p>Open the link in the mail again, all of it.</p>',
  })

/** Where the link for a new password leads. */
export const newPasswordPage = (): string =>
  linkPage({
    heading: 'Choose a new password',
    intro: '<p>The new password is for the account of the mailbox to which we sent this link.</p>',
    field: passwordField(
      'New password',
      'new-password',
      'At least 10 characters; a few words are easy to remember. Setting it ends all your sign-ins.',
    ),
    button: 'Set the password',
    busy: 'Setting the password …',
    outcomes: {
      password_reset: [
        'Your new password is set',
        `<p>All sign-ins with the old one have ended. Sign in again with your new password.</p>
      ${HOW_TO_SIGN_IN}`,
      ],
      unauthorized: ['This link does not work', `<p>${LINK_IS_DEAD}</p>`],
    },
    incomplete: '<p>Open the link in the mail again, all of it.</p>',
  })

const LINK_IS_DEAD =
  'It has expired, was used already, or is not complete. Ask for a new link with <code>POST&nbsp;/oauth/password/forgot</code>.'

/** What a form of an older version gets that was still open in a browser, and set a password. */
export const passwordSetPage = (): string =>
  plainPage(
    'Your new password is set',
    '<p>All sign-ins with the old one have ended. Sign in again with your new password.</p>',
  )

/** The same for a link that does not work. */
export const invalidLinkPage = (): string => plainPage('This link does not work', `<p>${LINK_IS_DEAD}</p>`)

/** The same for any other refusal. @param message for people, as an error answer has it. */
export const refusalPage = (message: string): string =>
  plainPage('This did not work', `<p>${escapeHtml(message)} Open the link in the mail again.</p>`)
