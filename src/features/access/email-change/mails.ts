import { composeMail, formatUtc } from '../../../core/mail-text.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

/** Asks the present address. @param newEmail names the address that the person typed. @param at Unix ms. */
export const approvalMail = (
  to: string,
  newEmail: string,
  token: string,
  baseUrl: string,
  at: number,
): Mail =>
  composeMail(
    to,
    'Approve your new e-mail address',
    `On ${formatUtc(at).join(' at ')}, someone who knows your password asked to change the e-mail address of your account at ${baseUrl} to ${newEmail}. To approve it, follow this link within 24 hours and press the button:`,
    `${baseUrl}/verify/email/approve#token=${token}`,
    'The address changes only after the new one has been confirmed, too. A link in a mail to the new address does that.',
    'If this was not you, do not follow the link. Change your password now: that cancels the request.',
  )

/** Asks the new address. It names nobody, because the asker may have typed a stranger's address. */
export const confirmationMail = (to: string, token: string, baseUrl: string, at: number): Mail =>
  composeMail(
    to,
    'Confirm your new e-mail address',
    `On ${formatUtc(at).join(' at ')}, someone, probably you, asked to use this e-mail address for their account at ${baseUrl}. To confirm it, follow this link within 24 hours and enter the password of the account:`,
    `${baseUrl}/verify/email#token=${token}`,
    'The account keeps its present address until that one has approved the change, too.',
    'If this was not you, do nothing: without the link, nothing changes.',
  )

/** Tells the owner of an address that somebody else wanted it. */
export const addressTakenMail = (to: string, baseUrl: string, at: number): Mail =>
  composeMail(
    to,
    'You already have an account with this address',
    `On ${formatUtc(at).join(' at ')}, someone, perhaps you, asked to use this e-mail address for another account at ${baseUrl}. You already have an account with it, so nothing has changed.`,
    'To use the address for the other account, first change the address of this account, or delete it. If this was not you, do nothing.',
  )

/** Tells the former address. @param newEmail the address that the account has now. */
export const changedMail = (to: string, newEmail: string, baseUrl: string, at: number): Mail =>
  composeMail(
    to,
    'Your e-mail address has changed',
    `On ${formatUtc(at).join(' at ')}, the e-mail address of your account at ${baseUrl} changed to ${newEmail}. Both addresses confirmed it. Your other sign-ins have ended.`,
    'This address no longer belongs to the account. If this was not you, write to the operator of the service at once.',
  )
