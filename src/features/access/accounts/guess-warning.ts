import type { Clock } from '../../../core/clock.ts'
import type { OutboxService } from '../../delivery/mail/service.ts'
import { wrongCodesMail } from './mails.ts'

export interface GuessWarningDeps {
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  baseUrl(): string
  clock: Clock
  later(callback: () => void, delayMs: number): void
  log: { error(fields: Record<string, unknown>, message: string): void }
}

/**
 * Creates the function that tells a person by mail that someone with their password is guessing codes. The function
 * writes the mail in the caller's transaction and sends it afterwards.
 */
export const createGuessWarning =
  ({ outbox, baseUrl, clock, later, log }: GuessWarningDeps) =>
  (email: string, wrongCodes: number): void => {
    const id = outbox.write(wrongCodesMail(email, baseUrl(), wrongCodes, clock.now()))
    later(() => void outbox.deliver(id).catch((err) => log.error({ err }, 'a mail was not sent')), 0)
  }
