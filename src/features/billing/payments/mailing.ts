import type { Mail } from '../../../platform/mail/mailer.ts'
import type { OutboxService } from '../../delivery/mail/service.ts'
import type { Base } from '../../module.ts'

export interface MailingDeps extends Pick<Base, 'log' | 'defer'> {
  outbox: Pick<OutboxService, 'write' | 'deliver'>
}

/** Writes mails in the transaction of the caller, and sends them after it. */
export type SendAfterwards = (mails: readonly Mail[]) => void

export const createMailing =
  ({ outbox, defer, log }: MailingDeps): SendAfterwards =>
  (mails) => {
    const ids = mails.map((mail) => outbox.write(mail))
    if (ids.length === 0) return
    defer(() => {
      for (const id of ids) {
        // An undelivered mail stays in the outbox for another attempt.
        void outbox.deliver(id).catch((err) => log.warn({ err }, 'a mail about billing was not delivered'))
      }
    }, 0)
  }
