import { type AnswerDeps, writeResults } from './answer.ts'
import type { SearchResult } from './answer-schema.ts'
import { browse, findSlots, toHit } from './browse.ts'
import { createMask } from './condition.ts'
import type { FilterReader } from './filters.ts'
import type { SearchQueries } from './queries.ts'
import type { Hit } from './ranking.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'

export interface InStockDeps extends Pick<AnswerDeps, 'toPublicUrl' | 'findThumbnailUrl' | 'findFillFacts'> {
  queries: Pick<SearchQueries, 'findHits' | 'findFirstPicture'>
  filters: Pick<FilterReader, 'parse' | 'resolve'>
  findStore(storeId: string): SearchedStore | undefined
}

/**
 * Lists products that are in stock, as far as the searcher may find them: first those of a list, then the newest. Nothing is
 * written to the history.
 *
 * @param productIds best first.
 */
export async function listInStock(
  deps: InStockDeps,
  searcher: Searcher,
  productIds: readonly string[],
  limit: number,
): Promise<SearchResult[]> {
  const { queries, filters, findStore } = deps
  const { storeId } = searcher
  const { condition: reached } = await filters.resolve(storeId, filters.parse(searcher, {}))
  const condition = { ...reached, isInStock: true }
  const store = findStore(storeId)
  if (!store) return []
  const mask = createMask(store, condition)
  const wanted = findSlots(queries, storeId, store, productIds)
    .filter((slot) => mask?.bytes[slot] !== 0)
    .map((slot) => toHit(store, slot))
  const newest = browse(store, { condition, depth: limit }).hits
  const chosen = new Map<number, Hit>()
  for (const hit of [...wanted, ...newest]) if (!chosen.has(hit.product)) chosen.set(hit.product, hit)
  return writeResults(deps, storeId, [...chosen.values()].slice(0, limit))
}
