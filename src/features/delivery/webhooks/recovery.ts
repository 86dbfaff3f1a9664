import { isoTime } from '../../../core/clock.ts'
import type { EventOrigin } from '../../../core/events.ts'
import { turn } from '../../../core/turns.ts'
import { readMoment } from '../../../http/paging.ts'
import type { Base } from '../../module.ts'
import type { DeliveryQueries } from './delivery-queries.ts'
import type { WebhookRow } from './queries.ts'
import type { DeliveryScheduler } from './scheduler.ts'
import type { RecoverBody, Recovered, WebhookEvent } from './schema.ts'

export interface RecoveryDeps extends Pick<Base, 'clock' | 'ids' | 'atomically'> {
  queries: Pick<DeliveryQueries, 'addOrRepeat' | 'listChangesAfter' | 'findChangeBounds' | 'findChangeTime'>
  scheduler: Pick<DeliveryScheduler, 'expect'>
  isTold(storeId: string, origin: EventOrigin): boolean
}

/** Changes looked at in one transaction, and in one call. */
const STEP = 200
const LOOKED_AT_MAX = 20_000

/** Sends to a webhook what it has missed (contract 9.5). */
export function createRecovery({ queries, scheduler, isTold, clock, ids, atomically }: RecoveryDeps) {
  /** Finds the last change before a moment by binary search: times rise with the numbers. */
  function findLastBefore(storeId: string, moment: number): number {
    const { oldest, last } = queries.findChangeBounds(storeId)
    let low = (oldest ?? 1) - 1
    let high = last ?? 0
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const isBefore = (queries.findChangeTime(storeId, middle) ?? 0) < moment
      if (isBefore) low = middle
      else high = middle - 1
    }
    return low
  }

  /**
   * Queues the changes since a moment that were not delivered to a webhook: those that it never got, and those whose
   * delivery failed. What waits already is left as it is.
   *
   * @throws ApiError `validation_error` for a moment that does not exist.
   */
  return async function recover(webhook: WebhookRow, body: RecoverBody): Promise<Recovered> {
    const { storeId, id: endpoint } = webhook
    const since = readMoment('since', body.since)
    const until = body.until === undefined ? clock.now() + 1 : readMoment('until', body.until)
    let after = findLastBefore(storeId, since)
    let queued = 0
    for (let seen = 0; seen < LOOKED_AT_MAX; seen += STEP) {
      const changes = queries.listChangesAfter(storeId, after, STEP)
      const wanted = changes.filter(
        ({ event, origin, createdAt }) =>
          createdAt < until &&
          webhook.events.includes(event as WebhookEvent) &&
          isTold(storeId, origin as EventOrigin),
      )
      atomically(() => {
        for (const { number, event } of wanted) {
          const delivery = { id: ids.uuid(), storeId, endpoint, event, changeNumber: number }
          if (queries.addOrRepeat({ ...delivery, createdAt: clock.now() })) queued++
        }
      })
      if (wanted.length > 0) scheduler.expect(endpoint, storeId)
      const last = changes.at(-1)
      if (changes.length < STEP || !last || last.createdAt >= until) return done(queued, null)
      after = last.number
      await turn()
    }
    return done(queued, queries.findChangeTime(storeId, after) ?? null)
  }
}

const done = (queued: number, nextSince: number | null): Recovered => ({
  status: 'queued',
  queued,
  next_since: nextSince === null ? null : isoTime(nextSince),
})
