import type { Base } from '../../module.ts'
import type { SearchHistory } from '../search/history.ts'
import type { FoundSearch } from '../search/queries.ts'
import { type FeedbackQueries, type FeedbackRow, STANDING, type Standing } from './queries.ts'
import type { ReadEvent } from './reading.ts'
import type { Reporters } from './reporters.ts'

export interface JudgingDeps extends Pick<Base, 'clock' | 'ids'> {
  queries: Pick<FeedbackQueries, 'findDearest' | 'findProducts'>
  history: Pick<SearchHistory, 'find'>
  reporters: Pick<Reporters, 'findDisbelief'>
  /** Whether the store keeps the prices of its products from pages. */
  hidesPrices(storeId: string): boolean
}

export interface FeedbackSource {
  /** The page that reports; null for a backend. */
  searchSource: FeedbackRow['searchSource']
  /** The request's Idempotency-Key. */
  idempotencyKey?: string | null
  /** Whether the page may not see every product. Warnings then must not reveal prices. */
  hidesPrices?: boolean
}

/** Shared by the events of one request. */
export interface EventContext {
  storeId: string
  source: FeedbackSource
  /** The named products that the store has. */
  products: ReadonlySet<string>
  /** The highest price of the store, looked up at most once. */
  findDearest(): number | null
}

/** An event, and what the store knows about it. */
export interface Judged {
  row: FeedbackRow
  search: FoundSearch | undefined
  isKnownProduct: boolean
  standing: Standing
  warnings: string[]
}

/** Looks up what the store knows about an event, before it is written. */
export function createJudging({ queries, history, reporters, clock, ids, ...deps }: JudgingDeps) {
  function readContext(storeId: string, productIds: readonly string[], source: FeedbackSource): EventContext {
    let dearest: { price: number | null } | undefined
    return {
      storeId,
      source,
      products: queries.findProducts(storeId, productIds),
      findDearest() {
        dearest ??= { price: queries.findDearest(storeId) }
        return dearest.price
      },
    }
  }

  /** @param index the place of the event in its request. */
  function judge(
    { storeId, source, products, findDearest }: EventContext,
    event: ReadEvent,
    index: number,
  ): Judged {
    const { searchSource, idempotencyKey, hidesPrices } = source
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
    const disbelief = reporters.findDisbelief(row, findDearest)
    if (disbelief && !(disbelief.revealsPrice && (hidesPrices || deps.hidesPrices(storeId))))
      warnings.push(disbelief.warning)
    const standing = disbelief ? STANDING.unbelieved : STANDING.counted
    return { row, search, isKnownProduct, standing, warnings }
  }

  return { readContext, judge }
}
