import { DAY_MS, HOUR_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLAN_NAMES, PLANS } from '../../../core/plans.ts'
import { turn } from '../../../core/turns.ts'
import { validationError } from '../../../http/validation.ts'
import type { WriteTogether } from '../../../platform/db/write-groups.ts'
import type { Base } from '../../module.ts'
import type { CountedEvent, TakenBack } from '../analytics/event-counting.ts'
import type { SearchHistory } from '../search/history.ts'
import type { FoundSearch } from '../search/queries.ts'
import {
  type Counting,
  type FeedbackQueries,
  type FeedbackRow,
  type KnownEvent,
  originOf,
  STANDING,
  type Standing,
} from './queries.ts'
import { type ReadEvent, readEvent } from './reading.ts'
import type { EventOutcome, FeedbackAnswer, RecordedEvent } from './schema.ts'
import { createTellers } from './tellers.ts'

export interface FeedbackDeps extends Pick<Base, 'clock' | 'ids' | 'withoutFsync'> {
  queries: FeedbackQueries
  history: Pick<SearchHistory, 'find' | 'enqueue' | 'flush'>
  /** Learns that a search is given feedback, before its counts are written. */
  noteFeedback(searchId: string): void
  /** Counts an event in its transaction. @returns whether it counts for its product. */
  countEvent(event: CountedEvent): boolean
  /** Takes an event out of the totals, in the transaction that replaces it. */
  takeBack(event: TakenBack): void
  /** Whether the store keeps the prices of its products from pages. */
  hidesPrices(storeId: string): boolean
  writeTogether: WriteTogether
  /** Days that an event is kept. */
  days: number
}

export interface FeedbackSource {
  /** The page that tells; null for a backend. */
  searchSource: FeedbackRow['searchSource']
  /** The request's Idempotency-Key. */
  idempotencyKey?: string | null
  /** Whether the page may not see every product, and so must not learn of their prices. */
  hidesPrices?: boolean
}

/** Events of a list that are recorded in one step. */
const EVENTS_AT_ONCE = 50

/** No plan keeps fewer events of a teller. */
const LEAST_EVENTS_MAX = Math.min(...PLAN_NAMES.map((name) => PLANS[name].feedbackEventsMax))

/** Events that go with a new one of a store that keeps too many. */
const FORGOTTEN_AT_ONCE = 20

/** Events deleted at a time. */
const FORGET_STEP = 200

/** An event with what was found out about it. */
interface Judged {
  row: FeedbackRow
  search: FoundSearch | undefined
  isKnownProduct: boolean
  standing: Standing
  warnings: string[]
}

export type FeedbackService = ReturnType<typeof feedbackService>

/** Records what shoppers did with products, and which search led to it. */
export function feedbackService(deps: FeedbackDeps) {
  const { queries, history, noteFeedback, countEvent, writeTogether, withoutFsync, clock, ids, days } = deps
  const tellers = createTellers(deps)

  /** Looks up the highest price of a store at most once. */
  function createPriceReader(storeId: string): () => number | null {
    let found: { price: number | null } | undefined
    return () => {
      found ??= { price: queries.findDearest(storeId) }
      return found.price
    }
  }

  function judge(
    storeId: string,
    event: ReadEvent,
    products: ReadonlySet<string>,
    { searchSource, idempotencyKey, hidesPrices }: FeedbackSource,
    index: number,
    findDearest: () => number | null,
  ): Judged {
    const { searchId, productId, sale, ...rest } = event
    const search = searchId === null ? undefined : history.find(storeId, searchId)
    const found = search ? search.results.indexOf(productId) : -1
    const isKnownProduct = products.has(productId)
    const warnings: string[] = []
    if (searchId !== null && !search)
      warnings.push('the store has no such search; the event counts without it')
    if (search && found === -1) warnings.push('the search did not show this product')
    if (!isKnownProduct) warnings.push('the store has no such product')
    const row: FeedbackRow = {
      ...rest,
      id: ids.uuid(),
      storeId,
      searchId,
      productId,
      position: search && found !== -1 ? search.offset + found + 1 : null,
      isAttributed: search !== undefined,
      orderValue: sale?.value ?? null,
      currency: sale?.currency ?? null,
      repeatKey: idempotencyKey ? `${idempotencyKey} ${index}` : null,
      searchSource,
      createdAt: clock.now(),
    }
    const disbelief = tellers.findDisbelief(row, findDearest)
    if (disbelief && !(disbelief.tellsPrice && (hidesPrices || deps.hidesPrices(storeId))))
      warnings.push(disbelief.warning)
    const standing = disbelief ? STANDING.unbelieved : STANDING.counted
    return { row, search, isKnownProduct, standing, warnings }
  }

  /** The event that this one repeats. @throws ApiError `idempotency_key_reused` for another one with the same key. */
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

  /** Writes and counts an event, in a transaction. @returns the event that is there afterwards. */
  function write({ row, search, isKnownProduct, ...judged }: Judged): KnownEvent {
    const known = findKnown(row, judged.standing) ?? tellers.findClick(row)
    if (known) return known
    const { storeId, action, productId, position, searchSource, orderId, orderValue, currency } = row
    const { standing, warning } =
      judged.standing === STANDING.counted && searchSource
        ? tellers.judge(row)
        : { standing: judged.standing }
    if (warning !== undefined) judged.warnings.push(warning)
    if (standing === STANDING.unbelieved) {
      const before = findKnown(row, standing)
      if (before) return before
      addBounded(row, { standing, isProductCounted: false })
      return row
    }
    const isRepeated = searchSource ? standing === STANDING.replaced : tellers.replace(row)
    // The clock of a shop may be ahead, and no report has tomorrow.
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
    addBounded(row, { standing, isProductCounted })
    return row
  }

  /** Adds an event, and lets the first ones go where the store keeps too many of its teller. */
  function addBounded(row: FeedbackRow, counting: Counting): void {
    const count = queries.add(row, counting)
    if (count <= LEAST_EVENTS_MAX) return
    const { storeId, searchSource } = row
    const surplus = count - PLANS[queries.findPlan(storeId) ?? 'free'].feedbackEventsMax
    if (surplus > 0)
      queries.forgetFirst(storeId, originOf(searchSource), Math.min(surplus, FORGOTTEN_AT_ONCE))
  }

  /** What the shop must be able to rely on waits for the disk; the rest is written with the next searches. */
  async function keep(judged: readonly Judged[]): Promise<KnownEvent[]> {
    for (const { search } of judged) if (search) noteFeedback(search.id)
    const isAwaited = ({ row }: Judged) =>
      row.action === 'purchase' || row.orderId !== null || row.repeatKey !== null
    for (const event of judged) if (!isAwaited(event)) history.enqueue(() => void write(event))
    if (!judged.some(isAwaited)) return judged.map(({ row }) => row)
    // The searches that the events belong to are counted first.
    history.flush()
    return Promise.all(
      judged.map((event) => (isAwaited(event) ? writeTogether({ write: () => write(event) }) : event.row)),
    )
  }

  const describe = ({ id, isAttributed, position }: KnownEvent, warnings: string[]): RecordedEvent => ({
    status: 'recorded',
    feedback_id: id,
    attributed: isAttributed,
    position,
    ...(warnings.length > 0 && { warnings }),
  })

  async function recordOne(storeId: string, body: unknown, source: FeedbackSource): Promise<RecordedEvent> {
    const event = readEvent(body, clock.now())
    const judged = judge(
      storeId,
      event,
      queries.findProducts(storeId, [event.productId]),
      source,
      0,
      createPriceReader(storeId),
    )
    const [kept = judged.row] = await keep([judged])
    return describe(kept, judged.warnings)
  }

  async function recordSome(
    storeId: string,
    values: readonly unknown[],
    first: number,
    source: FeedbackSource,
  ): Promise<EventOutcome[]> {
    const now = clock.now()
    const read = values.map((value) => tryTo(() => readEvent(value, now)))
    const sound = read.flatMap((event) => (event instanceof ApiError ? [] : [event.productId]))
    const products = queries.findProducts(storeId, sound)
    const findDearest = createPriceReader(storeId)
    const judged = read.map((event, n) =>
      event instanceof ApiError ? event : judge(storeId, event, products, source, first + n, findDearest),
    )
    const kept = await keep(judged.flatMap((event) => (event instanceof ApiError ? [] : [event])))
    let next = 0
    return judged.map((event, n): EventOutcome => {
      const index = first + n
      if (!(event instanceof ApiError))
        return { index, ...describe(kept[next++] ?? event.row, event.warnings) }
      const { code: error, message, extras } = event
      return { index, status: 'failed', error, message, ...(extras.details && { details: extras.details }) }
    })
  }

  return {
    /**
     * Records one event, or each of the list `events` by itself.
     *
     * @throws ApiError `validation_error` for a single event, or for a list that is none.
     */
    async record(storeId: string, body: unknown, source: FeedbackSource): Promise<FeedbackAnswer> {
      if (!isObject(body)) throw validationError([NO_OBJECT])
      const events = body['events']
      if (events === undefined) return recordOne(storeId, body, source)
      const results: EventOutcome[] = []
      const list = readList(events)
      for (let first = 0; first < list.length; first += EVENTS_AT_ONCE) {
        if (first > 0) {
          // As a group of its own, so that no group takes long.
          history.flush()
          await turn()
        }
        results.push(...(await recordSome(storeId, list.slice(first, first + EVENTS_AT_ONCE), first, source)))
      }
      return {
        status: 'recorded',
        count: results.filter(({ status }) => status === 'recorded').length,
        results,
      }
    },

    /** Deletes events that are too old, a few at a time. */
    async prune(): Promise<void> {
      const before = clock.now() - days * DAY_MS
      while (withoutFsync(() => queries.forgetBefore(before, FORGET_STEP)) === FORGET_STEP) await turn()
    },
  }
}

/** @throws ApiError `validation_error`. */
function readList(events: unknown): unknown[] {
  const max = LIMITS.feedbackEventsMax
  const problem = (code: string, message: string) =>
    validationError([{ in: 'body', pointer: '/events', code, message }])
  if (!Array.isArray(events)) throw problem('type', 'must be an array')
  if (events.length === 0) throw problem('min_items', 'must have at least 1 item')
  if (events.length > max) throw problem('max_items', `must have at most ${max} items`)
  return events
}

function tryTo<Result>(work: () => Result): Result | ApiError {
  try {
    return work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** The schema of the body is one of several, which only this service tells apart. */
const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body)

const NO_OBJECT = {
  in: 'body',
  pointer: '',
  code: 'type',
  message: 'must be an object',
  expected: 'object',
} as const
