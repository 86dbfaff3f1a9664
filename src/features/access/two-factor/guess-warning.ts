import { composeMail, formatUtc } from '../../../core/mail-text.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'

export interface GuessWarningDeps extends Pick<Base, 'clock' | 'baseUrl'> {
  outbox: Pick<OutboxService, 'sendAfterCommit'>
}

/** Mails a person that someone who has their password is guessing codes. Call it in a transaction. */
export type WarnOfGuesses = (email: string, wrongCodes: number) => void

export const createGuessWarning =
  ({ outbox, baseUrl, clock }: GuessWarningDeps): WarnOfGuesses =>
  (email, wrongCodes) =>
    outbox.sendAfterCommit([wrongCodesMail(email, baseUrl(), wrongCodes, clock.now())])

/** @param count wrong codes so far. @param at Unix ms. */
const wrongCodesMail = (to: string, baseUrl: string, count: number, at: number): Mail =>
  composeMail(
    to,
    'Someone knows your password',
    `Since you last signed in at ${baseUrl}, ${count} wrong codes were entered for your account, the last one on ${formatUtc(at).join(' at ')}. The service asks for a code only after the right password, so the person who entered them knows your password.`,
    'If this was not you, change your password now. None of these codes let anyone in.',
    'If it was you, check the clock of your phone, or sign in with one of your recovery codes.',
  )
