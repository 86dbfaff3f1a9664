import { HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import type { Mailer } from '../../../platform/mail/mailer.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base, Module } from '../../module.ts'
import { createCourier } from './courier.ts'
import { outboxQueries } from './queries.ts'
import { type OutboxService, outboxService } from './service.ts'
import { createMailTexts } from './texts.ts'

export interface MailNeeds {
  mailer: Mailer
  /** Seals waiting mails. */
  secretBox: SecretBox
}

/**
 * Wires the outbox. A mail is stored in the transaction that causes it, with its text sealed, because many hold links
 * that open an account. `courier.ts` tries it once the transaction has committed, and again after 1, 5 and 30
 * minutes, 2 and 6 hours. A failing server ends a round; a refused mail does not. Without a mail server the operator
 * reads the mails here. Beyond 10,000, mails that may give way go first.
 */
export function buildMail(base: Base, { mailer, secretBox }: MailNeeds) {
  const queries = outboxQueries(base.db)
  const texts = createMailTexts(secretBox)
  const courier = createCourier({ ...base, queries, mailer, texts })
  const service = outboxService({ ...base, queries, mailer, texts, courier })
  return {
    service,
    chores: [
      { name: 'sending mails', everyMs: MINUTE_MS, reach: 'none', run: service.retryDue },
      { name: 'deleting old mails', everyMs: HOUR_MS, reach: 'none', run: service.prune },
    ],
  } satisfies Module<OutboxService>
}
