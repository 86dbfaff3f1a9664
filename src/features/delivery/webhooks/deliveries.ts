import { Type } from '@sinclair/typebox'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { EventOrigin } from '../../../core/events.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createShares } from '../../../core/shares.ts'
import { turn } from '../../../core/turns.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import type { Base } from '../../module.ts'
import type { Attempts } from './attempts.ts'
import type { DeliveryQueries, DeliveryRow } from './delivery-queries.ts'
import type { WebhookQueries, WebhookRow } from './queries.ts'
import { sampleOf } from './samples.ts'
import type { DeliveryScheduler } from './scheduler.ts'
import {
  type AdminDeliveryList,
  type AdminDeliveryQuery,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryDetail,
  type DeliveryList,
  type DeliveryQuery,
  type WebhookEvent,
} from './schema.ts'

export interface DeliveriesDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'withoutFsync'> {
  queries: DeliveryQueries
  webhooks: Pick<WebhookQueries, 'find' | 'listEnabled' | 'listDeleted' | 'removeDeleted'>
  attempts: Pick<Attempts, 'show' | 'attemptAnyway'>
  scheduler: Pick<DeliveryScheduler, 'expect'>
  /** Whether webhooks of a store tell of changes that do not come from a client. */
  isSwitchedOn(storeId: string, origin: Exclude<EventOrigin, 'client'>): boolean
}

/** Rows deleted in one step, and steps of one run of the chore. */
const PRUNED_AT_ONCE = 200
const PRUNE_STEPS_MAX = 5_000
const DELETED_AT_ONCE = 100

/** A test that a crash kept from being sent at once goes out with the others after this time. */
const TEST_GRACE_MS = 60_000

const cursors = createCursors({ list: 'deliveries' }, { id: CursorId })
/** Rows of this database: the list is that of the node, and no store takes it along. */
const allCursors = createCursors({ list: 'admin_deliveries' }, { row: Type.Integer({ minimum: 1 }) })
/** Greater than every id. */
const END = '~'

export type Deliveries = ReturnType<typeof deliveryService>

/** The log of deliveries: written with each event, read and repeated by clients (contract 9.3, 9.5). */
export function deliveryService(deps: DeliveriesDeps) {
  const { queries, webhooks, attempts, scheduler, isSwitchedOn, clock, ids, atomically } = deps

  const tests = createShares(LIMITS.webhookTests)

  /** Whether webhooks tell of a change, by where it comes from. */
  const isTold = (storeId: string, origin: EventOrigin): boolean =>
    origin === 'client' || isSwitchedOn(storeId, origin)

  /** @throws ApiError `not_found`, also for a delivery of another store or to a deleted webhook. */
  function findOwned(storeId: string, id: string): DeliveryRow {
    const row = queries.find(storeId, id)
    if (!row || (row.callbackUrl === null && !webhooks.find(storeId, row.endpoint)))
      throw notFound('delivery')
    return row
  }

  function detail(row: DeliveryRow): DeliveryDetail {
    const { lastStatus, lastAnswer } = row
    return {
      ...view(row),
      request: attempts.show(row),
      answer: lastStatus === null ? null : { status: lastStatus, body: lastAnswer ?? '' },
    }
  }

  /** Queues an event for every webhook that asks for it. Call it inside the transaction that causes the event. */
  function queue(
    storeId: string,
    event: WebhookEvent,
    content: { changeNumber: number } | { data: string },
  ): void {
    for (const { id: endpoint, events } of webhooks.listEnabled(storeId)) {
      if (!events.includes(event)) continue
      queries.add({ ...content, id: ids.uuid(), storeId, endpoint, event, createdAt: clock.now() })
      scheduler.expect(endpoint, storeId)
    }
  }

  return {
    isTold,
    queue,

    /** Whether an enabled webhook of the store asks for an event. */
    isAskedFor: (storeId: string, event: WebhookEvent): boolean =>
      webhooks.listEnabled(storeId).some(({ events }) => events.includes(event)),

    /**
     * Lists the deliveries to a webhook, newest first.
     *
     * @throws ApiError `invalid_cursor`.
     */
    list(
      webhook: WebhookRow,
      { limit = LIMITS.deliveriesPageDefault, cursor, state }: DeliveryQuery,
    ): DeliveryList {
      const found = queries.listLog(webhook.storeId, webhook.id, {
        beforeId: cursors.read(cursor)?.id ?? END,
        states: state === undefined ? DELIVERY_STATES : [state],
        limit: limit + 1,
      })
      const { rows, nextCursor } = cursors.page(found, limit, ({ id }) => ({ id }))
      return { deliveries: rows.map(view), count: rows.length, next_cursor: nextCursor }
    },

    /** GET /v1/admin/deliveries: those of all stores. @throws ApiError `invalid_cursor`. */
    listForOperator({
      limit = LIMITS.deliveriesPageDefault,
      cursor,
      state,
    }: AdminDeliveryQuery): AdminDeliveryList {
      const found = queries.listOfAll(state, allCursors.read(cursor)?.row, limit + 1)
      const { rows, nextCursor } = allCursors.page(found, limit, ({ row }) => ({ row }))
      return {
        deliveries: rows.map((row) => ({ store: { id: row.storeId, slug: row.slug }, ...view(row) })),
        count: rows.length,
        next_cursor: nextCursor,
      }
    },

    /** Reads a delivery with its request and its answer. @throws ApiError `not_found`. */
    read: (storeId: string, id: string): DeliveryDetail => detail(findOwned(storeId, id)),

    /** Makes a delivery due again, with the same id, whatever became of it. @throws ApiError `not_found`. */
    resend(storeId: string, id: string): Delivery {
      return atomically(() => {
        const row = findOwned(storeId, id)
        queries.makeDue(storeId, id, clock.now())
        scheduler.expect(row.endpoint, storeId)
        return view(findOwned(storeId, id))
      })
    },

    /**
     * Sends a sample to a webhook, once and at once, even if the webhook is off.
     *
     * @returns the delivery with its answer.
     * @throws ApiError `overloaded` while too many tests wait for their receivers, of the store or of all.
     */
    async test({ storeId, id: endpoint }: WebhookRow, event: WebhookEvent): Promise<DeliveryDetail> {
      const place = tests.tryTake(storeId)
      if (!place) throw tooManyTests()
      try {
        const id = ids.uuid()
        const now = clock.now()
        const data = JSON.stringify({ ...sampleOf(event, isoTime(now)), test: true })
        queries.add({
          ...{ id, storeId, endpoint, event, data, isTest: true },
          ...{ createdAt: now, dueAt: now + TEST_GRACE_MS },
        })
        await attempts.attemptAnyway(storeId, id)
        return detail(findOwned(storeId, id))
      } finally {
        place.release()
      }
    },

    /** Deletes deliveries that are older than 30 days and those of deleted webhooks, in small steps. */
    async prune(): Promise<void> {
      const before = clock.now() - LIMITS.changesKeptDays * DAY_MS
      let step = 0
      const remove = async (some: () => number) => {
        while (step++ < PRUNE_STEPS_MAX) {
          if (deps.withoutFsync(some) < PRUNED_AT_ONCE) return true
          await turn()
        }
        return false
      }
      await remove(() => queries.prune(before, PRUNED_AT_ONCE))
      for (const { storeId, id } of webhooks.listDeleted(DELETED_AT_ONCE)) {
        const isEmpty = await remove(() => queries.removeSome(storeId, id, PRUNED_AT_ONCE))
        if (isEmpty) webhooks.removeDeleted(storeId, id)
      }
    },
  }
}

const tooManyTests = () =>
  new ApiError('overloaded', 'Too many tests of webhooks are waiting for answers', { retryAfterSeconds: 15 })

const optionalTime = (at: number | null) => (at === null ? null : isoTime(at))

const view = (row: Omit<DeliveryRow, 'happenedAt' | 'data'>): Delivery => ({
  id: row.id,
  webhook_id: row.endpoint,
  event: row.event,
  change_number: row.changeNumber,
  is_test: row.isTest,
  state: row.state,
  attempts: row.attempts,
  created_at: isoTime(row.createdAt),
  next_attempt_at: optionalTime(row.nextAttemptAt),
  last_attempt_at: optionalTime(row.lastAttemptAt),
  last_status: row.lastStatus,
  last_error: row.lastError,
  duration_ms: row.lastMs,
})
