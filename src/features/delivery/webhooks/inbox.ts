import { isoTime } from '../../../core/clock.ts'
import type { EventOrigin } from '../../../core/events.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import { type Attempts, formatEnvelope } from './attempts.ts'
import type { DeliveryQueries, DeliveryRow } from './delivery-queries.ts'
import type { Inbox, InboxEntry } from './schema.ts'

export interface InboxDeps {
  queries: Pick<DeliveryQueries, 'listNewest' | 'listUntold' | 'findChangeBounds'>
  attempts: Pick<Attempts, 'show'>
  isTold(storeId: string, origin: EventOrigin): boolean
}

/** Each is signed anew, with up to five secrets in two schemes. */
const SIGNED_AT_ONCE = 10

/**
 * Lists what was sent last, and what would have been sent if a webhook had asked for it (contract 9.6). Nothing is stored
 * for it: the bodies are rebuilt from the change log.
 */
export function createInbox({ queries, attempts, isTold }: InboxDeps) {
  function view(row: DeliveryRow): InboxEntry {
    const { url, headers, body } = attempts.show(row)
    return {
      delivery_id: row.id,
      webhook_id: row.endpoint,
      event: row.event,
      state: row.state,
      timestamp: isoTime(row.happenedAt ?? row.createdAt),
      // Of a webhook that was deleted.
      url: url === '' ? null : url,
      headers,
      body,
    }
  }

  async function listSent(storeId: string): Promise<InboxEntry[]> {
    const entries: InboxEntry[] = []
    for (const [n, row] of queries.listNewest(storeId, LIMITS.inboxSize).entries()) {
      if (n % SIGNED_AT_ONCE === SIGNED_AT_ONCE - 1) await turn()
      entries.push(view(row))
    }
    return entries
  }

  function listUnsent(storeId: string): InboxEntry[] {
    const { last } = queries.findChangeBounds(storeId)
    return queries
      .listUntold(storeId, (last ?? 0) - LIMITS.inboxSize)
      .filter(({ origin }) => isTold(storeId, origin as EventOrigin))
      .map(({ event, createdAt, data }) => ({
        delivery_id: null,
        webhook_id: null,
        event,
        state: 'not_sent' as const,
        timestamp: isoTime(createdAt),
        url: null,
        headers: { 'Content-Type': 'application/json', 'X-Webhook-Event': event },
        body: formatEnvelope(event, createdAt, null, data),
      }))
  }

  return async function list(storeId: string): Promise<Inbox> {
    const deliveries = [...(await listSent(storeId)), ...listUnsent(storeId)]
      .sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
      .slice(0, LIMITS.inboxSize)
    return { deliveries, count: deliveries.length }
  }
}
