import type { FeedbackAction } from '../feedback/schema.ts'
import type { SearchSource } from '../search/queries.ts'
import type { Columns } from './columns/columns.ts'
import type { ItemQueries } from './columns/item-queries.ts'
import { PRODUCTS, QUERIES } from './columns/kinds.ts'
import type { DayLimits } from './day-limits.ts'
import type { DayQueries, StoreDay } from './day-queries.ts'
import { nameQuery } from './names.ts'
import type { ReferencedSearch, StandingSearch } from './replaced-searches.ts'
import { isCounted } from './search-counting.ts'
import type { SearchSourceQueries } from './search-source-queries.ts'

/** An event of feedback, as it is counted. */
export interface CountedEvent {
  storeId: string
  action: FeedbackAction
  productId: string
  /** Whether the store has the product. */
  isKnownProduct: boolean
  /** The search that it belongs to. */
  search?: ReferencedSearch | undefined
  position: number | null
  /** Of a purchase. */
  sale?: { value: number; currency: string; isNewOrder: boolean } | undefined
  /** The page that reported it; null for a backend. */
  searchSource: SearchSource | null
  /** Whether the backend reports the same as this page. The event then counts only for the page and its search. */
  isReplaced: boolean
  /** Whether the other reporter was first; the position of the click is then counted already. */
  isRepeated: boolean
  /** Unix ms. */
  occurredAt: number
}

/** An event that no longer counts, because another one replaces it. */
export interface TakenBack extends Pick<CountedEvent, 'storeId' | 'action' | 'productId' | 'occurredAt'> {
  isProductCounted: boolean
  /** `isOrder`: no line of its order counts any longer in this currency. */
  sale?: { value: number; currency: string; isAttributed: boolean; isOrder: boolean }
}

export interface EventCountingDeps {
  days: DayQueries
  columns: Pick<Columns, 'add'>
  items: Pick<ItemQueries, 'findNumber' | 'addItem'>
  searchSources: Pick<SearchSourceQueries, 'seeEvent' | 'count'>
  limits: Pick<DayLimits, 'takeUnknownProduct'>
  dayOf: StoreDay
  findStanding(storeId: string, search: ReferencedSearch): StandingSearch
}

/** Products that are counted in one day although the store does not have them. */
const UNKNOWN_PRODUCTS_PER_DAY_MAX = 1_000

/** The bit of an action in `engaged_searches`, the count of searches that led to it, and the count of the events themselves. */
const ACTIONS = {
  click: { bit: 1, searches: 'clicked', events: 'clicks' },
  add_to_cart: { bit: 2, searches: 'carted', events: 'carts' },
  purchase: { bit: 4, searches: 'purchased', events: 'purchases' },
} as const satisfies Record<FeedbackAction, object>

/** Counts events of feedback inside the transactions that write them. */
export function createEventCounting(deps: EventCountingDeps) {
  const { days, columns, items, searchSources, limits, dayOf, findStanding } = deps

  function countPosition(storeId: string, day: number, position: number): void {
    const bucket = position <= 10 ? position : position <= 20 ? 11 : 21
    days.addPosition({ storeId, day, bucket, position })
  }

  function countEngagement(
    { storeId, action, position, isRepeated }: CountedEvent,
    search: ReferencedSearch,
  ): void {
    const { id, day, query, source } = findStanding(storeId, search)
    if (action === 'click' && position !== null && !isRepeated) countPosition(storeId, day, position)
    const { bit, searches } = ACTIONS[action]
    const actions = days.findActions(id)
    if (actions & bit) return
    days.setActions({ searchId: id, storeId, actions: actions | bit, day })
    days.addSearches({ storeId, day, type: search.type, [searches]: 1 })
    if (source !== null) searchSources.count({ storeId, day, source, [searches]: 1 })
    const name = action === 'click' ? nameQuery(query) : undefined
    const item = name === undefined ? undefined : items.findNumber(storeId, QUERIES, name)
    if (item !== undefined) columns.add({ storeId, kind: QUERIES, day }, item, { clicks: 1 })
  }

  function addToProduct(
    storeId: string,
    day: number,
    item: number,
    action: FeedbackAction,
    by: 1 | -1,
  ): void {
    columns.add({ storeId, kind: PRODUCTS, day }, item, { [ACTIONS[action].events]: by })
  }

  /** @returns the number of the product; undefined for an unknown product beyond the limit of the day. */
  function countProduct(
    { storeId, action, productId, isKnownProduct }: CountedEvent,
    day: number,
  ): number | undefined {
    const known = items.findNumber(storeId, PRODUCTS, productId)
    const isInvented = known === undefined && !isKnownProduct
    if (isInvented && !limits.takeUnknownProduct(storeId, day, UNKNOWN_PRODUCTS_PER_DAY_MAX)) return undefined
    const item = known ?? items.addItem(storeId, PRODUCTS, productId, day)
    addToProduct(storeId, day, item, action, 1)
    return item
  }

  function countSale(
    { storeId, sale, search }: CountedEvent,
    day: number,
    product: number | undefined,
  ): void {
    if (!sale) return
    const { value, currency, isNewOrder } = sale
    const [attributed, orders] = [search ? value : 0, isNewOrder ? 1 : 0]
    days.addRevenue({ storeId, day, currency, total: value, attributed, orders })
    if (product !== undefined) days.addProductRevenue({ storeId, product, day, currency, amount: value })
  }

  return {
    /**
     * Counts an event. Call it in its transaction, after the rows of the searches before it are written.
     *
     * @returns whether it counts for its product, too.
     */
    countEvent(event: CountedEvent): boolean {
      const { storeId, action, search, searchSource, isReplaced, occurredAt } = event
      const day = dayOf(storeId, occurredAt)
      const attributed = search ? 1 : 0
      days.addEvent({ storeId, day, action, events: 1, attributed, replaced: isReplaced ? 1 : 0 })
      if (searchSource) {
        const source = searchSources.seeEvent({ storeId, ...searchSource, at: occurredAt })
        searchSources.count({ storeId, day, source, [ACTIONS[action].events]: 1 })
      }
      const product = isReplaced ? undefined : countProduct(event, day)
      if (!isReplaced) countSale(event, day, product)
      if (search && isCounted(search)) countEngagement(event, search)
      return product !== undefined
    },

    /** Takes an event out of the totals, in the transaction that replaces it. It still counts for its search and page. */
    takeBack({ storeId, action, productId, isProductCounted, sale, occurredAt }: TakenBack): void {
      const day = dayOf(storeId, occurredAt)
      days.addEvent({ storeId, day, action, events: 0, attributed: 0, replaced: 1 })
      const product = isProductCounted ? items.findNumber(storeId, PRODUCTS, productId) : undefined
      if (product !== undefined) addToProduct(storeId, day, product, action, -1)
      if (!sale) return
      const { value, currency, isAttributed, isOrder } = sale
      const [attributed, orders] = [isAttributed ? -value : 0, isOrder ? -1 : 0]
      days.addRevenue({ storeId, day, currency, total: -value, attributed, orders })
      if (product !== undefined) days.addProductRevenue({ storeId, product, day, currency, amount: -value })
    },
  }
}
