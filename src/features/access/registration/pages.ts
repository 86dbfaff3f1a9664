import { HOW_TO_SIGN_IN, linkPage, passwordField } from '../../../http/link-page.ts'

/** The page behind the link that confirms a registration. */
export const confirmPage = (): string =>
  linkPage({
    heading: 'Confirm your e-mail address',
    intro: `<p>You are confirming the e-mail address that we sent this link to. Enter the password chosen at registration to open the account.</p>`,
    field: passwordField('Password chosen at registration', 'current-password'),
    button: 'Open the account',
    busy: 'Opening the account …',
    after: `<p class="muted">You did not request an account? <a href="/verify/cancel" data-with-token>Delete all requests with your address</a>.</p>`,
    outcomes: {
      verified: [
        'Your account is open',
        `<p>Your e-mail address is confirmed, and your store <code data-fill="slug"></code> is ready.</p>
      ${HOW_TO_SIGN_IN}`,
      ],
      already_verified: [
        'Your address is already confirmed',
        `<p>The account for the store <code data-fill="slug"></code> is open.</p>
      ${HOW_TO_SIGN_IN}`,
      ],
    },
    incomplete:
      '<p>Open the complete link from the mail again. If your address is already confirmed, there is nothing left to do here.</p>',
  })

/** The page for people who never registered. */
export const cancelPage = (): string =>
  linkPage({
    heading: 'Was this not you?',
    intro: `<p>Someone requested an account with the e-mail address that we sent this link to. If it was not you, delete every open registration of your address. Their links then stop working at once.</p>`,
    button: 'Delete the registrations',
    busy: 'Deleting …',
    after: `<p class="muted">If it was you, <a href="/verify" data-with-token>open the account</a> instead.</p>`,
    outcomes: {
      cancelled: [
        'The registrations are deleted',
        `<p>Your e-mail address has no open registration, and the links that we sent earlier no longer work.</p>
      <p>An account that is already open stays open. If we told you by mail that your account is open, use the link for a new password in that mail: the account is then yours, and every other sign-in ends.</p>`,
      ],
    },
    incomplete: '<p>Open the complete link from the mail again.</p>',
  })

/** The page behind the link of an invitation to a store. */
export const invitePage = (): string =>
  linkPage({
    heading: 'You are invited to a store',
    intro: `<p data-if="invite_id">You are invited to the store <strong data-fill="store_name"></strong>. You join it with the e-mail address <strong data-fill="email"></strong>.</p>`,
    field: `<div data-unless="is_existing_user">
        <p>You have no account here yet. Choose a name and a password for it.</p>
        <p>
          <label for="name">Your name</label>
          <input id="name" name="full_name" data-called="Your name" type="text" autocomplete="name" maxlength="100" required />
        </p>
        ${passwordField('Password', 'new-password', 'At least 10 characters; a few words are easy to remember.')}
        </div>
        <p data-if="is_existing_user">Your account and its password stay as they are.</p>`,
    button: 'Join the store',
    busy: 'Joining the store …',
    after:
      '<p class="muted" data-if="invite_id">You did not expect this? Close this page: you then join no store.</p>',
    paths: { send: '/v1/team/invites/accept', look: '/v1/team/invites/look' },
    outcomes: {
      accepted: [
        'You have joined the store',
        `<p>You are now a member of the store <code data-fill="slug"></code>, with the role <code data-fill="role"></code>.</p>
      <div data-if="is_existing_user">${HOW_TO_SIGN_IN}</div>
      <p data-unless="is_existing_user">You are signed in in this browser: <a href="/login">open the store</a>.</p>`,
      ],
      was_accepted: [
        'This invitation was already used',
        `<p>Somebody with this link has joined the store. If that was you, there is nothing left to do here.</p>
      ${HOW_TO_SIGN_IN}`,
      ],
      was_cancelled: [
        'This invitation was cancelled',
        '<p>Its link no longer works. Ask an owner of the store for a new invitation.</p>',
      ],
      was_expired: [
        'This invitation has expired',
        '<p>An invitation can be accepted within 7 days. Ask an owner of the store for a new one.</p>',
      ],
      store_suspended: [
        'The store is suspended',
        '<p>Nobody can join it at the moment. Open the link again when an owner of the store says so, within the 7 days of the invitation.</p>',
      ],
      account_not_verified: [
        'Set a new password first',
        `<p>Your e-mail address has an account already, but nobody has shown yet that it belongs to you: somebody else may know its password. Set a new one by the link that we send to your address, then open the link of the invitation again.</p>
      <p>No mail arrives? If this service sends none, its operator has the link.</p>`,
      ],
      unauthorized: [
        'This link does not work',
        '<p>It is incomplete, or it ended long ago. Open the complete link again, or ask an owner of the store for a new invitation.</p>',
      ],
    },
    incomplete: '<p>Open the complete link of the invitation again.</p>',
  })
