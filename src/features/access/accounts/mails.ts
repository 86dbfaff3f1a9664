import { isoTime } from '../../../core/clock.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

// Nothing that a stranger typed stands in these texts: whoever names your address must not write you a mail.

const mail = (to: string, subject: string, ...paragraphs: string[]): Mail => ({
  to,
  subject,
  text: `${paragraphs.join('\n\n')}\n`,
})

/** A moment as people read it, in UTC: two words, date and time. @param at Unix ms. */
export const utcWords = (at: number): [date: string, time: string] => {
  const iso = isoTime(at)
  return [iso.slice(0, 10), `${iso.slice(11, 19)} UTC`]
}

/** When it was asked for tells several mails to one address apart. @param askedAt Unix ms. */
const asked = (askedAt: number): string =>
  `Somebody, probably you, asked on ${utcWords(askedAt).join(' at ')} for an account with this e-mail address.`

/** The links of a registration: one to activate the account, one to refuse it. @param askedAt Unix ms. */
export const verificationMail = (to: string, token: string, baseUrl: string, askedAt: number): Mail =>
  mail(
    to,
    'Confirm your e-mail address',
    `${asked(askedAt)} To activate it, open this link within 24 hours and enter the password that was chosen at registration:`,
    `${baseUrl}/verify#token=${token}`,
    'If it was not you, do nothing: no account is made without this link. To delete what was asked for with your address at once, open this link and press the button:',
    `${baseUrl}/verify/cancel#token=${token}`,
  )

/** What the owner of a mailbox is told when an account with its address was activated. @param link sets a new password. */
export const accountOpenMail = (to: string, link: string, baseUrl: string): Mail =>
  mail(
    to,
    'Your account is open',
    `An account with this e-mail address is now open at ${baseUrl}. If you asked for it, there is nothing to do.`,
    'If it was not you, set a new password: the account is yours then. Every sign-in with the old password, its second factor, and the keys and the client secret of its store end. This link works for 24 hours:',
    link,
    `If the link no longer works, ask for a new one with POST ${baseUrl}/oauth/password/forgot.`,
  )

/** The same for an address that has an account. @param askedAt Unix ms. */
export const knownAccountMail = (to: string, baseUrl: string, askedAt: number): Mail =>
  mail(
    to,
    'You have an account already',
    `${asked(askedAt)} You have one already, so nothing was changed.`,
    `Sign in at ${baseUrl} with your password. If you have forgotten it, ask for a new one where you sign in.`,
    'If it was not you, do nothing.',
  )

/** The token with which an address may register where that takes an invitation. */
export const inviteMail = (to: string, token: string, baseUrl: string): Mail =>
  mail(
    to,
    'You are invited to make an account',
    `The operator of ${baseUrl} invites you to make an account with this e-mail address. Register with this code (\`invite\` in POST /register), once and within 7 days:`,
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

/** Told once to whoever has a second factor that somebody guesses at. @param count wrong codes so far. @param at Unix ms. */
export const wrongCodesMail = (to: string, baseUrl: string, count: number, at: number): Mail =>
  mail(
    to,
    'Somebody knows your password',
    `Since you last signed in at ${baseUrl}, ${count} wrong codes were entered for your account, the last one on ${utcWords(at).join(' at ')}. Codes are asked for only after the right password: whoever did this knows it.`,
    'If it was not you, change your password now. Nobody got in with these codes.',
    'If it was you, look whether the clock of your phone is right, or sign in with one of your recovery codes.',
  )
