import type { SearchService } from '../features/discovery/search/service.ts'

/** Makes the searches by which two nodes compare what they have of a store: as the API would, and uncounted. */
export const createProofSearch =
  (search: Pick<SearchService, 'byText' | 'bySimilar'>) =>
  async (storeId: string, body: { query: string; limit: number } | { product_id: string; limit: number }) => {
    const searcher = { storeId, isUnlogged: true }
    const common = { limit: body.limit, fields: [], analytics: false }
    const { results } =
      'query' in body
        ? await search.byText(searcher, { ...common, query: body.query })
        : await search.bySimilar(searcher, body.product_id, common)
    return results
  }
