import { composeMail, formatUtc } from '../../../core/mail-text.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

// These texts contain nothing that a stranger typed: a stranger who enters your address must not write you a mail.

/** The time of the request tells several mails to one address apart. @param requestedAt Unix ms. */
const describeRequest = (requestedAt: number): string =>
  `Someone, probably you, requested an account with this e-mail address on ${formatUtc(requestedAt).join(' at ')}.`

/** The links of a registration: one activates the account, one refuses it. @param requestedAt Unix ms. */
export const verificationMail = (to: string, token: string, baseUrl: string, requestedAt: number): Mail =>
  composeMail(
    to,
    'Confirm your e-mail address',
    `${describeRequest(requestedAt)} To open the account, follow this link within 24 hours and enter the password chosen at registration:`,
    `${baseUrl}/verify#token=${token}`,
    'If this was not you, do nothing: without the link, no account is created. To delete the request now, follow this link and press the button:',
    `${baseUrl}/verify/cancel#token=${token}`,
  )

/** Tells the owner of a mailbox that an account with its address was activated. @param link sets a new password. */
export const accountOpenMail = (to: string, link: string, baseUrl: string): Mail =>
  composeMail(
    to,
    'Your account is open',
    `An account with this e-mail address is now open at ${baseUrl}. If you requested it, you need not do anything.`,
    'If this was not you, set a new password: the account is then yours. This ends every sign-in with the old password and removes the second factor. It also revokes the keys and the client secret of the store. The link works for 24 hours:',
    link,
    `If the link no longer works, ask for a new one at ${baseUrl}/forgot`,
  )

/** Answers a registration for an address that already has an account. @param requestedAt Unix ms. */
export const knownAccountMail = (to: string, baseUrl: string, requestedAt: number): Mail =>
  composeMail(
    to,
    'You already have an account',
    `${describeRequest(requestedAt)} You already have one, so nothing has changed.`,
    `Sign in with this address and your password at ${baseUrl}/login\nIf you have forgotten the password, ask for a link for a new one at ${baseUrl}/forgot`,
    'If this was not you, do nothing.',
  )
