import type { Hit } from '#generated/api.ts'
import { call } from '../../api/client.ts'

/** What is shown of a product. */
export type Known = Pick<Hit, 'product_id' | 'metadata' | 'thumbnail_url'>

/** One search answers with at most so many. */
const LIMIT = 100

/** Reads products by their ids in one call; those that are gone are missing in the answer. */
export async function readProducts(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, Known>>> {
  const value = [...new Set(ids)].slice(0, LIMIT)
  if (value.length === 0) return {}
  const { results } = await call('POST /v1/search/filtered', {
    body: {
      filters: [{ field: 'product_id', operator: 'in', value }],
      ...{ limit: LIMIT, threshold: 0, cutoff: 'none', rules: false, sold_out: 'keep', analytics: false },
    },
    signal,
  })
  return Object.fromEntries(results.map((hit) => [hit.product_id, hit]))
}
