import { HOUR_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLAN_NAMES, PLANS } from '../../../core/plans.ts'
import type { CountedEvent } from '../analytics/event-counting.ts'
import type { FoundSearch } from '../search/queries.ts'
import type { Judged } from './judging.ts'
import {
  type Counting,
  type FeedbackQueries,
  type FeedbackRow,
  type KnownEvent,
  originOf,
  STANDING,
  type Standing,
} from './queries.ts'
import type { RemovalQueries } from './removal-queries.ts'
import type { Reporters } from './reporters.ts'

export interface EventWriterDeps {
  queries: Pick<FeedbackQueries, 'add' | 'findOfOrder' | 'findOfKey' | 'hasOrder' | 'findPlan'>
  removal: Pick<RemovalQueries, 'forgetFirst'>
  reporters: Pick<Reporters, 'findClick' | 'judge' | 'replace'>
  /** Counts an event in its transaction. @returns whether it counts for its product. */
  countEvent(event: CountedEvent): boolean
  /** Counts a click on a product for the rules that had moved it, in the same transaction. */
  countRules(search: FoundSearch, productId: string): void
}

/** The number of events of a reporter that every plan keeps. */
const LEAST_EVENTS_MAX = Math.min(...PLAN_NAMES.map((name) => PLANS[name].feedbackEventsMax))

/** Old events that are deleted for a new one when a store has too many. */
const FORGOTTEN_AT_ONCE = 20

/** Writes and counts each event once. */
export function createEventWriter({ queries, removal, reporters, countEvent, countRules }: EventWriterDeps) {
  /** Finds the event that this one repeats. @throws ApiError `idempotency_key_reused` for another one with the same key. */
  function findKnown(row: FeedbackRow, standing: Standing): KnownEvent | undefined {
    const { orderId, repeatKey, createdAt, searchSource } = row
    const ofOrder =
      orderId === null
        ? undefined
        : queries.findOfOrder({ ...row, orderId }, originOf(searchSource), standing)
    if (ofOrder || repeatKey === null) return ofOrder
    const ofKey = queries.findOfKey({ ...row, repeatKey }, createdAt - LIMITS.idempotencyHours * HOUR_MS)
    if (ofKey && !ofKey.isSame)
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used for another event')
    return ofKey?.event
  }

  /** Adds an event, and deletes the oldest ones if the store has too many of its reporter. */
  function addBounded(row: FeedbackRow, counting: Counting): void {
    const count = queries.add(row, counting)
    if (count <= LEAST_EVENTS_MAX) return
    const { storeId, searchSource } = row
    const surplus = count - PLANS[queries.findPlan(storeId) ?? 'free'].feedbackEventsMax
    if (surplus > 0)
      removal.forgetFirst(storeId, originOf(searchSource), Math.min(surplus, FORGOTTEN_AT_ONCE))
  }

  /** Writes and counts an event, in a transaction. @returns the event that is there afterwards. */
  return function write({ row, search, isKnownProduct, ...judged }: Judged): KnownEvent {
    const known = findKnown(row, judged.standing) ?? reporters.findClick(row)
    if (known) return known
    const { storeId, action, productId, position, searchSource, orderId, orderValue, currency } = row
    const { standing, warning } =
      judged.standing === STANDING.counted && searchSource
        ? reporters.judge(row)
        : { standing: judged.standing }
    if (warning !== undefined) judged.warnings.push(warning)
    if (standing === STANDING.unbelieved) {
      const before = findKnown(row, standing)
      if (before) return before
      addBounded(row, { standing, isProductCounted: false })
      return row
    }
    const isRepeated = searchSource ? standing === STANDING.replaced : reporters.replace(row)
    // The clock of a shop may be ahead, and no report includes tomorrow.
    const occurredAt = Math.min(row.occurredAt, row.createdAt)
    const sale =
      orderValue === null || currency === null
        ? undefined
        : {
            value: orderValue,
            currency,
            isNewOrder: orderId === null || !queries.hasOrder(storeId, orderId, currency),
          }
    const event = {
      storeId,
      action,
      productId,
      isKnownProduct,
      search,
      position,
      sale,
      searchSource,
      occurredAt,
    }
    const isReplaced = standing === STANDING.replaced
    const isProductCounted = countEvent({ ...event, isReplaced, isRepeated })
    // What counts for no product counts for no rule, and the click that this one replaces has counted already.
    if (action === 'click' && search?.isTracked && isProductCounted && !isRepeated)
      countRules(search, productId)
    addBounded(row, { standing, isProductCounted })
    return row
  }
}
