import { isoTime } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Base } from '../../module.ts'
import type { MailOwners } from '../../stores/people/owner-mails.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import { disabledMail } from './mails.ts'
import type { WebhookHealth, WebhookQueries, WebhookRow } from './queries.ts'
import type { DisabledReason } from './schema.ts'

export interface HealthDeps extends Pick<Base, 'clock' | 'log' | 'defer' | 'baseUrl'> {
  webhooks: Pick<WebhookQueries, 'find' | 'updateHealth'>
  storeRows: Pick<StoreQueries, 'findStore'>
  mailOwners: MailOwners
}

interface Result {
  isDelivered: boolean
  isGone: boolean
  status: number | null
}

export type WebhookHealthService = ReturnType<typeof webhookHealth>

/** Keeps count of a webhook's failures, and disables one that has stopped answering (contract 9.3). */
export function webhookHealth(deps: HealthDeps) {
  const { webhooks, storeRows, clock } = deps

  function tellOwners(webhook: WebhookRow, reason: DisabledReason): void {
    const store = storeRows.findStore(webhook.storeId)
    if (!store) return
    const facts = {
      url: webhook.url,
      slug: store.slug,
      reason,
      at: isoTime(clock.now()),
      baseUrl: deps.baseUrl(),
    }
    deps.mailOwners(webhook.storeId, (to) => disabledMail(to, facts))
  }

  return {
    /** Records the result of an attempt. Call it inside a transaction. */
    recordResult(storeId: string, id: string, { isDelivered, isGone, status }: Result): void {
      const webhook = webhooks.find(storeId, id)
      if (!webhook) return
      const now = clock.now()
      const failingSince = isDelivered ? null : (webhook.failingSince ?? now)
      const isHopeless = failingSince !== null && now - failingSince >= LIMITS.webhookFailingMaxMs
      const reason = isGone ? 'receiver_gone' : isHopeless ? 'always_failing' : null
      const isNew = webhook.enabled && reason !== null
      const health: WebhookHealth = {
        enabled: webhook.enabled && reason === null,
        disabledReason: isNew ? reason : webhook.disabledReason,
        consecutiveFailures: isDelivered ? 0 : webhook.consecutiveFailures + 1,
        failingSince,
        lastDeliveryAt: now,
        lastStatus: status,
      }
      webhooks.updateHealth(storeId, id, health)
      if (isNew) tellOwners(webhook, reason)
    },
  }
}
