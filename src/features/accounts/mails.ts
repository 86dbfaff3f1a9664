import type { Mail } from '../../platform/mail/mailer.ts'

// Nothing that a stranger typed stands in these texts: whoever names your address must not write you a mail.

const mail = (to: string, subject: string, ...paragraphs: string[]): Mail => ({
  to,
  subject,
  text: `${paragraphs.join('\n\n')}\n`,
})

/** The link that activates an account. */
export const verificationMail = (to: string, link: string): Mail =>
  mail(
    to,
    'Confirm your e-mail address',
    'Somebody, probably you, asked for an account with this e-mail address. To activate it, open this link within 24 hours:',
    link,
    'If it was not you, do nothing: without the link no account is made.',
  )

/** The same for an address that has an account. */
export const knownAccountMail = (to: string, baseUrl: string): Mail =>
  mail(
    to,
    'You have an account already',
    'Somebody, probably you, asked for an account with this e-mail address. You have one already, so nothing was changed.',
    `Sign in with your password at ${baseUrl}, or ask there for a new password if you have forgotten it.`,
    'If it was not you, do nothing.',
  )

/** The token with which an address may register where that takes an invitation. */
export const inviteMail = (to: string, token: string, baseUrl: string): Mail =>
  mail(
    to,
    'You are invited to make an account',
    `The operator of ${baseUrl} invites you to make an account with this e-mail address. You need this code, once and within 7 days:`,
    token,
    'If you did not expect this, do nothing.',
  )

/** The link that sets a new password. */
export const passwordResetMail = (to: string, link: string): Mail =>
  mail(
    to,
    'Choose a new password',
    'Somebody, probably you, asked for a new password of your account. To choose one, open this link within an hour:',
    link,
    'If it was not you, do nothing: your password stays as it is.',
  )
