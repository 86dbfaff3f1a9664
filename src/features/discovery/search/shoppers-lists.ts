import { notFound } from '../../../core/errors.ts'
import type { SearchResponse, TogetherResponse, TrendingResponse } from './answer-schema.ts'
import type { FilterReader } from './filters.ts'
import { hasAnyOf } from './given-list.ts'
import type { SearchKind, SearchQueries } from './queries.ts'
import type { GivenProduct, RankBy } from './query.ts'
import type { PendingQuery } from './query-reader.ts'
import type { CommonSearch, PictureSource } from './schema.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'
import { readSimilar, type SimilarQuery } from './similar.ts'
import type { TrendingQuery } from './trending.ts'

/** Products in an order that comes from what shoppers did. */
export interface ShoppersList {
  basis: 'purchases' | 'clicks'
  products: readonly GivenProduct[]
}

export interface ShoppersListDeps {
  queries: Pick<SearchQueries, 'findFirstPicture'>
  findStore(storeId: string): SearchedStore | undefined
  filters: Pick<FilterReader, 'resolve' | 'reaches'>
  begin(searcher: Searcher, body: CommonSearch, kind: SearchKind): PendingQuery
  /** Answers a search that was begun. */
  finish(begun: PendingQuery, rankBy: RankBy): Promise<SearchResponse>
  byPicture(searcher: Searcher, body: CommonSearch & PictureSource, kind: SearchKind): Promise<SearchResponse>
  /** What shoppers take with a product, best first; undefined where too little is known. */
  findTogether(storeId: string, productId: string): ShoppersList | undefined
  /** What shoppers take more and more of, best first; undefined without clicks and purchases. */
  findTrending(storeId: string, days: number): Promise<ShoppersList | undefined>
}

/** Creates the searches whose order comes from what shoppers did. */
export function createShoppersLists(deps: ShoppersListDeps) {
  const { queries, findStore, filters, begin, finish, byPicture } = deps

  /**
   * Shows a list that another feature made; undefined where the searcher may find none of its products. The store's defaults
   * for scores concern likeness, so they do not count here.
   */
  async function showGiven(
    begun: PendingQuery,
    products: readonly GivenProduct[],
    { threshold = 0 }: CommonSearch,
  ): Promise<SearchResponse | undefined> {
    const { storeId } = begun.searcher
    const { condition } = await filters.resolve(storeId, begun.filters)
    const store = findStore(storeId)
    const shown = begun.wanted.sold_out === 'hide' ? { ...condition, isInStock: true } : condition
    if (!store || !hasAnyOf({ queries, storeId, store, condition: shown }, products)) return undefined
    const wanted = { ...begun.wanted, threshold, cutoff: 'none' as const }
    return finish({ ...begun, wanted }, { kind: 'given', products })
  }

  const verbs = {
    /**
     * GET /v1/products/{product_id}/together: what shoppers take with a product, and what is similar to it while nobody knows
     * that.
     */
    byTogether: (searcher: Searcher, productId: string, asked: SimilarQuery) =>
      verbs.byTogetherWith(searcher, productId, readSimilar(asked)),

    /** The same with a body. @throws ApiError `not_found` for a product that the searcher does not reach. */
    async byTogetherWith(
      searcher: Searcher,
      productId: string,
      asked: CommonSearch,
    ): Promise<TogetherResponse> {
      const begun = begin(searcher, asked, 'together')
      const isThere = queries.findFirstPicture(searcher.storeId, productId) !== undefined
      if (!isThere || !(await filters.reaches(searcher.storeId, begun.filters, productId)))
        throw notFound('product')
      const list = deps.findTogether(searcher.storeId, productId)
      const given = list && (await showGiven(begun, list.products, asked))
      if (given) return { ...given, basis: list.basis }
      const similar = await byPicture(searcher, { ...asked, product_id: productId }, 'together')
      return { ...similar, basis: 'similar' }
    },

    /** GET /v1/search/trending. */
    async byTrend(searcher: Searcher, { days = 7, ...query }: TrendingQuery): Promise<TrendingResponse> {
      const asked = readSimilar(query)
      const begun = begin(searcher, asked, 'trending')
      const list = await deps.findTrending(searcher.storeId, days)
      const given = list && (await showGiven(begun, list.products, asked))
      if (given) return { ...given, basis: list.basis }
      return { ...(await finish({ ...begun, sort: 'newest' }, { kind: 'nothing' })), basis: 'newest' }
    },
  }
  return verbs
}
