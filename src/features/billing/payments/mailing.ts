import type { Mail } from '../../../platform/mail/mailer.ts'
import type { OutboxService } from '../../delivery/mail/service.ts'

export interface MailingDeps {
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  /** Calls back once, after the transaction. */
  later(callback: () => void, delayMs: number): void
  log: { warn(fields: Record<string, unknown>, message: string): void }
}

/** Writes mails in the transaction of the caller, and sends them after it. */
export type SendAfterwards = (mails: readonly Mail[]) => void

export const createMailing =
  ({ outbox, later, log }: MailingDeps): SendAfterwards =>
  (mails) => {
    const ids = mails.map((mail) => outbox.write(mail))
    if (ids.length === 0) return
    later(() => {
      for (const id of ids) {
        // An undelivered mail stays in the outbox for another attempt.
        void outbox.deliver(id).catch((err) => log.warn({ err }, 'a mail about billing was not delivered'))
      }
    }, 0)
  }
