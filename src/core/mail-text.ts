import type { Mail } from '../platform/mail/mailer.ts'
import { isoTime } from './clock.ts'

/** A mail of some paragraphs. */
export const composeMail = (to: string, subject: string, ...paragraphs: string[]): Mail => ({
  to,
  subject,
  text: `${paragraphs.join('\n\n')}\n`,
})

/** Date and time in UTC, for people. @param at Unix ms. */
export const formatUtc = (at: number): [date: string, time: string] => {
  const iso = isoTime(at)
  return [iso.slice(0, 10), `${iso.slice(11, 19)} UTC`]
}
