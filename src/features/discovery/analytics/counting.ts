import { BoundedMap } from '../../../core/bounded-map.ts'
import { dayOf } from '../../../core/days.ts'
import { hashName, placeHash } from '../../../core/distinct.ts'
import { binOf } from '../../../core/durations.ts'
import type { FeedbackAction } from '../feedback/schema.ts'
import type { AnsweredSearch } from '../search/history.ts'
import type { FoundSearch, SearchSource } from '../search/queries.ts'
import { type Bursts, isFirstPage } from './bursts.ts'
import type { DayQueries } from './day-queries.ts'
import { nameQuery } from './names.ts'
import type { PageQueries } from './page-queries.ts'
import {
  DURATIONS,
  type Kind,
  PRODUCTS,
  QUERIES,
  REGISTERS,
  SESSIONS,
  type TallyQueries,
} from './tally-queries.ts'

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
  /** The page that told of it; null for a backend. */
  page: SearchSource | null
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
  tallies: TallyQueries
  pages: PageQueries
  bursts: Bursts
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

/** Searches of one burst that are followed to the one that counts. */
const BURST_HOPS_MAX = 1_000

/** Days whose numbers of rows are held in memory. */
const SIZES_MAX = 10_000

/** Counts searches and feedback inside the transactions that write them. */
export function createCounting({ days, tallies, pages, bursts }: CountingDeps) {
  /** Rows of a kind and day, so that none grows beyond its limit. Some too many after a write that was undone. */
  const sizes = new BoundedMap<string, number>(SIZES_MAX)

  function takeRoom(storeId: string, kind: Kind | 'unknown', day: number, max: number): boolean {
    const key = `${storeId} ${kind} ${day}`
    const size = sizes.get(key) ?? (kind === 'unknown' ? 0 : tallies.countRows({ storeId, kind, day }))
    sizes.set(key, size < max ? size + 1 : size)
    return size < max
  }

  function countQuery(search: AnsweredSearch, day: number, sign: 1 | -1): void {
    const name = nameQuery(search.query)
    if (name === undefined) return
    const { storeId, results } = search
    const counts = { a: sign, c: sign * results.length, d: sign * isZero(search) }
    const known = tallies.findNumber(storeId, QUERIES, name)
    if (known !== undefined && tallies.update({ storeId, kind: QUERIES, day, item: known, ...counts })) return
    if (sign === -1 || !takeRoom(storeId, QUERIES, day, QUERIES_PER_DAY_MAX)) return
    const item = known ?? tallies.addItem(storeId, QUERIES, name, day)
    tallies.add({ storeId, kind: QUERIES, day, item, ...counts })
  }

  function countShown({ storeId, results }: AnsweredSearch, day: number, sign: 1 | -1): void {
    const names = [...new Set(results)]
    if (names.length === 0) return
    if (tallies.addShown(storeId, day, names, sign) === names.length || sign === -1) return
    for (const name of names) {
      if (tallies.findNumber(storeId, PRODUCTS, name) !== undefined) continue
      const item = tallies.addItem(storeId, PRODUCTS, name, day)
      tallies.add({ storeId, kind: PRODUCTS, day, item, a: 1 })
    }
  }

  function countSession(storeId: string, sessionId: string, day: number): void {
    const item = hashName(storeId, sessionId)
    if (tallies.update({ storeId, kind: SESSIONS, day, item })) return
    if (takeRoom(storeId, SESSIONS, day, SESSIONS_PER_DAY_EXACT)) {
      tallies.addNew({ storeId, kind: SESSIONS, day, item, a: 1 })
      return
    }
    const { register, rank } = placeHash(item)
    tallies.raise({ storeId, kind: REGISTERS, day, item: register, a: rank })
  }

  /** @param page the number of the page that searched. */
  function countContent(search: AnsweredSearch, sign: 1 | -1, page: number | null): void {
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
    if (page !== null) pages.count({ storeId, day, page, searches: sign, zero: sign * isZero(search) })
    countQuery(search, day, sign)
    countShown(search, day, sign)
  }

  /** The number of the page that searched. */
  function seeSearch({ storeId, searchSource: page, createdAt }: AnsweredSearch): number | null {
    return page && pages.seeSearch({ storeId, ...page, at: createdAt })
  }

  function countSearch(search: AnsweredSearch, replaced: AnsweredSearch | undefined): void {
    const { id, storeId, durationMs, sessionId, createdAt, query } = search
    const day = dayOf(createdAt)
    const page = seeSearch(search)
    if (replaced) {
      countContent(replaced, -1, replaced.searchSource && pages.find(storeId, replaced.searchSource))
      const into = { intoId: id, intoDay: day, intoQuery: query, intoPage: page }
      days.addBurst({ searchId: replaced.id, storeId, ...into, day: dayOf(replaced.createdAt) })
    }
    countContent(search, 1, page)
    tallies.add({ storeId, kind: DURATIONS, day, item: binOf(durationMs), a: 1 })
    if (sessionId !== null) countSession(storeId, sessionId, day)
  }

  /** The search that counts for one that was given feedback. */
  function findCounted(storeId: string, search: NonNullable<CountedEvent['search']>) {
    const page = search.searchSource && pages.find(storeId, search.searchSource)
    let found = { id: search.id, day: dayOf(search.createdAt), query: search.query, page }
    const passed: string[] = []
    while (passed.length < BURST_HOPS_MAX) {
      const next = days.findBurst(found.id)
      if (!next) break
      passed.push(found.id)
      found = { id: next.intoId, day: next.intoDay, query: next.intoQuery, page: next.intoPage }
    }
    // No event follows the same searches again.
    if (passed.length > 1) {
      const { id: intoId, day: intoDay, query: intoQuery, page: intoPage } = found
      days.redirectBursts(passed, { intoId, intoDay, intoQuery, intoPage })
    }
    return found
  }

  function countEngagement(
    { storeId, action, position, isRepeated }: CountedEvent,
    search: NonNullable<CountedEvent['search']>,
  ): void {
    const { id, day, query, page } = findCounted(storeId, search)
    if (action === 'click' && position !== null && !isRepeated) {
      const bucket = position <= 10 ? position : position <= 20 ? 11 : 21
      days.addPosition({ storeId, day, bucket, position })
    }
    const actions = days.findActions(id)
    if (actions & BITS[action]) return
    days.setActions({ searchId: id, storeId, actions: actions | BITS[action], day })
    days.addSearches({ storeId, day, type: search.type, [COLUMNS[action]]: 1 })
    if (page !== null) pages.count({ storeId, day, page, [COLUMNS[action]]: 1 })
    const name = action === 'click' ? nameQuery(query) : undefined
    const item = name === undefined ? undefined : tallies.findNumber(storeId, QUERIES, name)
    if (item !== undefined) tallies.add({ storeId, kind: QUERIES, day, item, b: 1 })
  }

  /** @returns the number of the product; undefined for one too many that the store does not have. */
  function countProduct(
    { storeId, action, productId, isKnownProduct }: CountedEvent,
    day: number,
  ): number | undefined {
    const known = tallies.findNumber(storeId, PRODUCTS, productId)
    const isNew = known === undefined
    if (isNew && !isKnownProduct && !takeRoom(storeId, 'unknown', day, UNKNOWN_PRODUCTS_PER_DAY_MAX))
      return undefined
    const item = known ?? tallies.addItem(storeId, PRODUCTS, productId, day)
    tallies.add({ storeId, kind: PRODUCTS, day, item, [MEASURE[action]]: 1 })
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
    /**
     * Learns of a search as it is answered, when it is decided which search of its session it replaces.
     *
     * @returns the write that counts it, for the group of its row.
     */
    note(search: AnsweredSearch): () => void {
      // The entries of a batch count, each by itself.
      if (!search.isTracked || search.type === 'batch') return () => {}
      const counted = { ...search, vector: undefined }
      const replaced = bursts.take(counted)
      return () => countSearch(counted, replaced)
    },

    /** Learns that a search is given feedback: the next one of the session stands for itself. */
    noteFeedback: bursts.end,

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
      if (event.page) {
        const page = pages.seeEvent({ storeId, ...event.page, at: occurredAt })
        pages.count({ storeId, day, page, [EVENTS[action]]: 1 })
      }
      const product = isReplaced ? undefined : countProduct(event, day)
      if (!isReplaced) countSale(event, day, product)
      if (search?.isTracked && search.type !== 'batch') countEngagement(event, search)
      return product !== undefined
    },

    /** Takes an event out of the totals, in the transaction that replaces it. What it tells of its search and page stays. */
    takeBack({ storeId, action, productId, isProductCounted, sale, occurredAt }: TakenBack): void {
      const day = dayOf(occurredAt)
      days.addEvent({ storeId, day, action, events: 0, attributed: 0, replaced: 1 })
      const product = isProductCounted ? tallies.findNumber(storeId, PRODUCTS, productId) : undefined
      if (product !== undefined)
        tallies.add({ storeId, kind: PRODUCTS, day, item: product, [MEASURE[action]]: -1 })
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
    forgetSession: bursts.forgetSession,

    forgetStore(storeId: string): void {
      bursts.forgetStore(storeId)
      for (const key of sizes.keys()) if (key.startsWith(`${storeId} `)) sizes.delete(key)
    },
  }
}

/** A later page is empty where the list ends; that says nothing of the query. */
const isZero = (search: AnsweredSearch): 0 | 1 => (search.results.length === 0 && isFirstPage(search) ? 1 : 0)

const isLow = ({ topScore }: AnsweredSearch): 0 | 1 => (topScore !== null && topScore < PLAUSIBLE ? 1 : 0)
