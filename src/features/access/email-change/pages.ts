import { LINK_ENDED, linkPage, passwordField } from '../../../http/link-page.ts'

const CHANGED: [heading: string, body: string] = [
  'Your e-mail address has changed',
  '<p>Sign in with the new address and your password from now on. Your other sign-ins have ended.</p>',
]

const DEAD: [heading: string, body: string] = [
  'This link does not work',
  `<p>${LINK_ENDED} To change your address, ask for it again with <code>POST&nbsp;/v1/me/email</code>.</p>`,
]

const INCOMPLETE = '<p>Open the complete link from the mail again.</p>'

/** The page behind the link to the present address. */
export const approvePage = (): string =>
  linkPage({
    heading: 'Approve your new e-mail address',
    intro:
      '<p>Someone who knows your password asked to change the e-mail address of your account. The mail with this link names the new address. Approve it only if it was you.</p>',
    button: 'Approve the new address',
    busy: 'Approving …',
    after:
      '<p class="muted">This was not you? Leave this page and change your password: that cancels the request.</p>',
    outcomes: {
      email_changed: CHANGED,
      waiting: [
        'The new address is approved',
        '<p>It still has to be confirmed. Open the link in the mail to the new address, and enter your password there.</p>',
      ],
      unauthorized: DEAD,
    },
    incomplete: INCOMPLETE,
  })

/** The page behind the link to the new address. */
export const confirmNewPage = (): string =>
  linkPage({
    heading: 'Confirm your new e-mail address',
    intro:
      '<p>You are confirming the e-mail address that we sent this link to. Enter the password of the account that is to have it.</p>',
    field: passwordField('Password of the account', 'current-password'),
    button: 'Confirm the address',
    busy: 'Confirming …',
    outcomes: {
      email_changed: CHANGED,
      waiting: [
        'The address is confirmed',
        '<p>The present address of the account still has to approve it. Open the link in the mail to that address.</p>',
      ],
    },
    incomplete: INCOMPLETE,
  })
