import { escapeHtml, page } from '../../../http/page.ts'

/** Script of the pages behind links. The token follows the # of their address, so opening a page never sends it. */
const SCRIPT = '/docs/mail-link.js'

/** Where to go on until there is a page for signing in. */
const NEXT = '<p class="next"><a href="/docs">API page</a> <a href="/">Start page</a></p>'

/** Keeps a browser from breaking a line after the hyphen. */
const withWholeWords = (html: string): string =>
  html.replaceAll('e-mail', '<span class="whole">e-mail</span>')

/** A page without a script. @param body HTML. */
const plainPage = (heading: string, body: string): string =>
  page(`${heading} · Lookalike`, withWholeWords(`<h1>${heading}</h1>\n    ${body}\n    ${NEXT}`))

/** The form on the page behind a link. All texts are HTML. */
interface Question {
  heading: string
  /** Text above the field and the button. */
  intro: string
  /** The password field, if the form has one. */
  field?: string
  button: string
  /** Label of the button while the form is being sent. */
  busy: string
  /** Text below the button. */
  after?: string
  /**
   * Sections that replace the form, by the status or the error code of the answer; `was_…` for an error whose details have
   * a status.
   */
  outcomes: Record<string, Outcome>
  /** Where the form goes, and what tells about the link before the form is shown; by default this page, and nothing. */
  paths?: { send: string; look: string }
  /** Text that replaces the form if the address holds no token. */
  incomplete: string
}

type Outcome = [heading: string, body: string]

/** A page behind a link in a mail: a form, and what takes its place afterwards. */
export const linkPage = ({
  heading,
  intro,
  field = '',
  button,
  busy,
  after = '',
  outcomes,
  incomplete,
  paths,
}: Question) =>
  page(
    `${heading} · Lookalike`,
    withWholeWords(`<div id="ask">
      <h1 tabindex="-1">${heading}</h1>
      <noscript><p class="problem">This page needs JavaScript: the code of your link follows the # in the address, where only a script can read it. Turn JavaScript on, then open the link again.</p></noscript>
      <form id="form" method="post"${paths ? ` data-send="${paths.send}" data-look="${paths.look}"` : ''} hidden>
        ${intro}
        <p class="problem" role="alert" id="problem" tabindex="-1" hidden></p>
        ${field}
        <p><button type="submit" id="send" data-idle="${button}" data-busy="${busy}">${button}</button></p>
        ${after}
      </form>
    </div>
    ${Object.entries({ ...outcomes, incomplete: ['This link is incomplete', incomplete] as Outcome })
      .map(([name, [title, body]]) => outcomeSection(name, title, body))
      .join('\n    ')}`),
    SCRIPT,
  )

const outcomeSection = (name: string, heading: string, body: string): string =>
  `<section data-outcome="${name}" hidden>
      <h1 tabindex="-1">${heading}</h1>
      ${body}
      ${NEXT}
    </section>`

/** @param rule HTML with the rules for the password. */
export const passwordField = (label: string, autocomplete: string, rule = ''): string =>
  `<p>
          <label for="password">${label}</label>
          <input id="password" name="password" type="password" autocomplete="${autocomplete}" required aria-describedby="${rule ? 'rule ' : ''}problem" />
        </p>
        ${rule ? `<p class="muted" id="rule">${rule}</p>` : ''}
        <p><label class="choice"><input type="checkbox" id="show" /> Show the password</label></p>`

const HOW_TO_SIGN_IN =
  '<p>This version has no sign-in page yet. Sign in with <code>POST&nbsp;/oauth/login</code>, your e-mail address and your password; the API page shows how.</p>'

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

/** The page behind the link for a new password. */
export const newPasswordPage = (): string =>
  linkPage({
    heading: 'Choose a new password',
    intro: '<p>The new password is for the account with the e-mail address that we sent this link to.</p>',
    field: passwordField(
      'New password',
      'new-password',
      'At least 10 characters; a few words are easy to remember. Setting a new password ends all your sign-ins.',
    ),
    button: 'Set the password',
    busy: 'Setting the password …',
    outcomes: {
      password_reset: [
        'Your new password is set',
        `<p>All sign-ins with the old password have ended. Sign in again with the new one.</p>
      ${HOW_TO_SIGN_IN}`,
      ],
      unauthorized: ['This link does not work', `<p>${LINK_IS_DEAD}</p>`],
    },
    incomplete: '<p>Open the complete link from the mail again.</p>',
  })

/** Why a link does not work. */
export const LINK_ENDED = 'It has expired, has already been used, or is incomplete.'

const LINK_IS_DEAD = `${LINK_ENDED} Request a new link with <code>POST&nbsp;/oauth/password/forgot</code> and your e-mail address; the API page shows how.`

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
      ${HOW_TO_SIGN_IN}`,
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

/** Answers the form of an older version that was still open in a browser and set a password. */
export const passwordSetPage = (): string =>
  plainPage(
    'Your new password is set',
    '<p>All sign-ins with the old password have ended. Sign in again with the new one.</p>',
  )

/** Answers the same form if its link does not work. */
export const invalidLinkPage = (): string => plainPage('This link does not work', `<p>${LINK_IS_DEAD}</p>`)

/** Answers the same form for any other error. @param message of the error answer. */
export const refusalPage = (message: string): string =>
  plainPage('This did not work', `<p>${escapeHtml(message)} Open the link in the mail again.</p>`)
