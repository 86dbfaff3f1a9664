import { BoundedMap } from '../../../core/bounded-map.ts'
import { dayOf } from '../../../core/days.ts'
import { hashName, placeHash } from '../../../core/distinct.ts'
import { binOf } from '../../../core/durations.ts'
import type { FeedbackAction } from '../feedback/schema.ts'
import type { FoundSearch, SearchRow, SearchSource } from '../search/queries.ts'
import { type KeystrokeBursts, isFirstPage } from './keystroke-bursts.ts'
import type { DayQueries } from './day-queries.ts'
import { nameQuery } from './names.ts'
import type { SearchSourceQueries } from './search-source-queries.ts'
import {
  DURATIONS,
  type Kind,
  PRODUCTS,
  QUERIES,
  REGISTERS,
  SESSIONS,
  type CounterQueries,
} from './counter-queries.ts'

/** What feedback tells the counts of one event. */
export interface CountedEvent {
  storeId: string
  action: FeedbackAction
  productId: string
  /** Whether the store has the product. */
  isKnownProduct: boolean
  /** The search that it belongs to. */
  search?: Pick<FoundSearch, 'id' | 'type' | 'query' | 'isTracked' | 'searchSource' | 'createdAt'> | undefined
  position: number | null
  /** Of a purchase. */
  sale?: { value: number; currency: string; isNewOrder: boolean } | undefined
  /** The page that reported it; null for a backend. */
  searchSource: SearchSource | null
  /** Whether a page tells what the backend tells as well: it counts for the page and its search alone. */
  isReplaced: boolean
  /** Whether another teller has told of the same; its click has a position already. */
  isRepeated: boolean
  /** Unix ms. */
  occurredAt: number
}

/** An event that counts no more, because another one has taken its place. */
export interface TakenBack extends Pick<CountedEvent, 'storeId' | 'action' | 'productId' | 'occurredAt'> {
  isProductCounted: boolean
  /** `isOrder`: nothing of its order counts any more in this currency. */
  sale?: { value: number; currency: string; isAttributed: boolean; isOrder: boolean }
}

export interface CountingDeps {
  days: DayQueries
  counters: CounterQueries
  searchSources: SearchSourceQueries
  keystrokeBursts: KeystrokeBursts
}

/** Different queries of a store that are counted in one day; the others count in the totals alone. */
const QUERIES_PER_DAY_MAX = 5_000
/** Products of a store that are counted in one day without being in its catalogue. */
const UNKNOWN_PRODUCTS_PER_DAY_MAX = 1_000
/** Sessions of a store and day that are counted exactly; with more of them the number becomes an estimate. */
const SESSIONS_PER_DAY_EXACT = 10_000

/** The score from which a result is plausible. */
export const PLAUSIBLE = 0.5

const BITS: Readonly<Record<FeedbackAction, number>> = { click: 1, add_to_cart: 2, purchase: 4 }
const COLUMNS = { click: 'clicked', add_to_cart: 'carted', purchase: 'purchased' } as const
const EVENTS = { click: 'clicks', add_to_cart: 'carts', purchase: 'purchases' } as const
const MEASURE = { click: 'b', add_to_cart: 'c', purchase: 'd' } as const

/** Searches of one keystroke burst that are followed to the one that counts. */
const KEYSTROKES_FOLLOWED_MAX = 1_000

/** Days whose numbers of rows are held in memory. */
const SIZES_MAX = 10_000

/** Counts searches and feedback inside the transactions that write them. */
export function createCounting({ days, counters, searchSources, keystrokeBursts }: CountingDeps) {
  /** Rows of a kind and day, so that none grows beyond its limit. Some too many after a write that was undone. */
  const sizes = new BoundedMap<string, number>(SIZES_MAX)

  function takeRoom(storeId: string, kind: Kind | 'unknown', day: number, max: number): boolean {
    const key = `${storeId} ${kind} ${day}`
    const size = sizes.get(key) ?? (kind === 'unknown' ? 0 : counters.countRows({ storeId, kind, day }))
    sizes.set(key, size < max ? size + 1 : size)
    return size < max
  }

  function countQuery(search: SearchRow, day: number, sign: 1 | -1): void {
    const name = nameQuery(search.query)
    if (name === undefined) return
    const { storeId, results } = search
    const counts = { a: sign, c: sign * results.length, d: sign * isZero(search) }
    const known = counters.findNumber(storeId, QUERIES, name)
    if (known !== undefined && counters.update({ storeId, kind: QUERIES, day, item: known, ...counts })) return
    if (sign === -1 || !takeRoom(storeId, QUERIES, day, QUERIES_PER_DAY_MAX)) return
    const item = known ?? counters.addItem(storeId, QUERIES, name, day)
    counters.add({ storeId, kind: QUERIES, day, item, ...counts })
  }

  function countShown({ storeId, results }: SearchRow, day: number, sign: 1 | -1): void {
    const names = [...new Set(results)]
    if (names.length === 0) return
    if (counters.addShown(storeId, day, names, sign) === names.length || sign === -1) return
    for (const name of names) {
      if (counters.findNumber(storeId, PRODUCTS, name) !== undefined) continue
      const item = counters.addItem(storeId, PRODUCTS, name, day)
      counters.add({ storeId, kind: PRODUCTS, day, item, a: 1 })
    }
  }

  function countSession(storeId: string, sessionId: string, day: number): void {
    const item = hashName(storeId, sessionId)
    if (counters.update({ storeId, kind: SESSIONS, day, item })) return
    if (takeRoom(storeId, SESSIONS, day, SESSIONS_PER_DAY_EXACT)) {
      counters.addNew({ storeId, kind: SESSIONS, day, item, a: 1 })
      return
    }
    const { register, rank } = placeHash(item)
    counters.raise({ storeId, kind: REGISTERS, day, item: register, a: rank })
  }

  /** @param source the number of the search source; null for a backend. */
  function countContent(search: SearchRow, sign: 1 | -1, source: number | null): void {
    const { storeId, type, createdAt } = search
    const day = dayOf(createdAt)
    days.addSearches({
      storeId,
      day,
      type,
      searches: sign,
      zero: sign * isZero(search),
      low: sign * isLow(search),
    })
    if (source !== null) searchSources.count({ storeId, day, source, searches: sign, zero: sign * isZero(search) })
    countQuery(search, day, sign)
    countShown(search, day, sign)
  }

  /** The number of the search source. */
  function seeSearch({ storeId, searchSource, createdAt }: SearchRow): number | null {
    return searchSource && searchSources.seeSearch({ storeId, ...searchSource, at: createdAt })
  }

  function countSearch(search: SearchRow, replaced: SearchRow | undefined): void {
    const { id, storeId, durationMs, sessionId, createdAt, query } = search
    const day = dayOf(createdAt)
    const source = seeSearch(search)
    if (replaced) {
      countContent(replaced, -1, replaced.searchSource && searchSources.find(storeId, replaced.searchSource))
      const into = { intoId: id, intoDay: day, intoQuery: query, intoSource: source }
      days.addKeystroke({ searchId: replaced.id, storeId, ...into, day: dayOf(replaced.createdAt) })
    }
    countContent(search, 1, source)
    counters.add({ storeId, kind: DURATIONS, day, item: binOf(durationMs), a: 1 })
    if (sessionId !== null) countSession(storeId, sessionId, day)
  }

  /** The search that counts for one that was given feedback. */
  function findCounted(storeId: string, search: NonNullable<CountedEvent['search']>) {
    const source = search.searchSource && searchSources.find(storeId, search.searchSource)
    let found = { id: search.id, day: dayOf(search.createdAt), query: search.query, source }
    const passed: string[] = []
    while (passed.length < KEYSTROKES_FOLLOWED_MAX) {
      const next = days.findKeystroke(found.id)
      if (!next) break
      passed.push(found.id)
      found = { id: next.intoId, day: next.intoDay, query: next.intoQuery, source: next.intoSource }
    }
    // No event follows the same searches again.
    if (passed.length > 1) {
      const { id: intoId, day: intoDay, query: intoQuery, source: intoSource } = found
      days.redirectKeystrokes(passed, { intoId, intoDay, intoQuery, intoSource })
    }
    return found
  }

  function countEngagement(
    { storeId, action, position, isRepeated }: CountedEvent,
    search: NonNullable<CountedEvent['search']>,
  ): void {
    const { id, day, query, source } = findCounted(storeId, search)
    if (action === 'click' && position !== null && !isRepeated) {
      const bucket = position <= 10 ? position : position <= 20 ? 11 : 21
      days.addPosition({ storeId, day, bucket, position })
    }
    const actions = days.findActions(id)
    if (actions & BITS[action]) return
    days.setActions({ searchId: id, storeId, actions: actions | BITS[action], day })
    days.addSearches({ storeId, day, type: search.type, [COLUMNS[action]]: 1 })
    if (source !== null) searchSources.count({ storeId, day, source, [COLUMNS[action]]: 1 })
    const name = action === 'click' ? nameQuery(query) : undefined
    const item = name === undefined ? undefined : counters.findNumber(storeId, QUERIES, name)
    if (item !== undefined) counters.add({ storeId, kind: QUERIES, day, item, b: 1 })
  }

  /** @returns the number of the product; undefined for one too many that the store does not have. */
  function countProduct(
    { storeId, action, productId, isKnownProduct }: CountedEvent,
    day: number,
  ): number | undefined {
    const known = counters.findNumber(storeId, PRODUCTS, productId)
    const isNew = known === undefined
    if (isNew && !isKnownProduct && !takeRoom(storeId, 'unknown', day, UNKNOWN_PRODUCTS_PER_DAY_MAX))
      return undefined
    const item = known ?? counters.addItem(storeId, PRODUCTS, productId, day)
    counters.add({ storeId, kind: PRODUCTS, day, item, [MEASURE[action]]: 1 })
    return item
  }

  function countSale(
    { storeId, sale, search }: CountedEvent,
    day: number,
    product: number | undefined,
  ): void {
    if (!sale) return
    const { value, currency, isNewOrder } = sale
    days.addRevenue({
      ...{ storeId, day, currency, total: value },
      attributed: search ? value : 0,
      orders: isNewOrder ? 1 : 0,
    })
    if (product !== undefined) days.addProductRevenue({ storeId, product, day, currency, amount: value })
  }

  return {
    /** Decides which search of its session a search replaces. Call it as the search is answered. */
    replaceKeystroke: (search: SearchRow): SearchRow | undefined =>
      isCounted(search) ? keystrokeBursts.take(search) : undefined,

    /** Counts a search, in the transaction that writes its row. */
    recordSearch(search: SearchRow, replaced: SearchRow | undefined): void {
      if (isCounted(search)) countSearch(search, replaced)
    },

    /** Learns that a search is given feedback: the next one of the session stands for itself. */
    noteFeedback: keystrokeBursts.end,

    /**
     * Counts an event. To be called in its transaction, after the rows of the searches before it are written.
     *
     * @returns whether it counts for its product, too.
     */
    countEvent(event: CountedEvent): boolean {
      const { storeId, action, search, isReplaced, occurredAt } = event
      const day = dayOf(occurredAt)
      const attributed = search ? 1 : 0
      days.addEvent({ storeId, day, action, events: 1, attributed, replaced: isReplaced ? 1 : 0 })
      if (event.searchSource) {
        const source = searchSources.seeEvent({ storeId, ...event.searchSource, at: occurredAt })
        searchSources.count({ storeId, day, source, [EVENTS[action]]: 1 })
      }
      const product = isReplaced ? undefined : countProduct(event, day)
      if (!isReplaced) countSale(event, day, product)
      if (search && isCounted(search)) countEngagement(event, search)
      return product !== undefined
    },

    /** Takes an event out of the totals, in the transaction that replaces it. What it tells of its search and page stays. */
    takeBack({ storeId, action, productId, isProductCounted, sale, occurredAt }: TakenBack): void {
      const day = dayOf(occurredAt)
      days.addEvent({ storeId, day, action, events: 0, attributed: 0, replaced: 1 })
      const product = isProductCounted ? counters.findNumber(storeId, PRODUCTS, productId) : undefined
      if (product !== undefined)
        counters.add({ storeId, kind: PRODUCTS, day, item: product, [MEASURE[action]]: -1 })
      if (!sale) return
      const { value, currency, isAttributed, isOrder } = sale
      days.addRevenue({
        ...{ storeId, day, currency, total: -value },
        attributed: isAttributed ? -value : 0,
        orders: isOrder ? -1 : 0,
      })
      if (product !== undefined) days.addProductRevenue({ storeId, product, day, currency, amount: -value })
    },

    /** Forgets the last search of a shopper's session. */
    forgetSession: keystrokeBursts.forgetSession,

    forgetStore(storeId: string): void {
      keystrokeBursts.forgetStore(storeId)
      for (const key of sizes.keys()) if (key.startsWith(`${storeId} `)) sizes.delete(key)
    },
  }
}

/** Of a batch its entries count, each by itself. */
const isCounted = ({ isTracked, type }: Pick<SearchRow, 'isTracked' | 'type'>): boolean =>
  isTracked && type !== 'batch'

/** A later page is empty where the list ends; that says nothing of the query. */
const isZero = (search: SearchRow): 0 | 1 => (search.results.length === 0 && isFirstPage(search) ? 1 : 0)

const isLow = ({ topScore }: SearchRow): 0 | 1 => (topScore !== null && topScore < PLAUSIBLE ? 1 : 0)
