import type { OutboxService } from '../../delivery/mail/service.ts'
import type { Base } from '../../module.ts'
import { wrongCodesMail } from './mails.ts'

export interface GuessWarningDeps extends Pick<Base, 'clock' | 'log' | 'defer' | 'baseUrl'> {
  outbox: Pick<OutboxService, 'write' | 'deliver'>
}

/**
 * Creates the function that tells a person by mail that someone with their password is guessing codes. The function
 * writes the mail in the caller's transaction and sends it afterwards.
 */
export const createGuessWarning =
  ({ outbox, baseUrl, clock, defer, log }: GuessWarningDeps) =>
  (email: string, wrongCodes: number): void => {
    const id = outbox.write(wrongCodesMail(email, baseUrl(), wrongCodes, clock.now()))
    defer(() => void outbox.deliver(id).catch((err) => log.error({ err }, 'a mail was not sent')), 0)
  }
