import { toHit } from './browse.ts'
import { type Condition, createMask } from './condition.ts'
import type { SearchQueries } from './queries.ts'
import type { GivenProduct } from './query.ts'
import type { Hit, Ranking } from './ranking.ts'
import type { SearchedStore } from './searched-store.ts'

interface Place {
  queries: Pick<SearchQueries, 'findFirstPicture'>
  storeId: string
  store: SearchedStore
  condition: Condition
}

/** Ranks the products of a given list in its order, as far as the store has them and they pass the filters. */
export function rankGiven(
  place: Place,
  products: readonly GivenProduct[],
  threshold = 0,
  depth = products.length,
): Ranking {
  const hits = products.flatMap((product) => (product.score < threshold ? [] : findHit(place, product)))
  return { hits: hits.slice(0, depth), candidates: hits.length, cut: threshold, isExact: true, words: [] }
}

/** Whether the searcher may find any product of a given list. */
export const hasAnyOf = (place: Place, products: readonly GivenProduct[]): boolean =>
  products.some((product) => findHit(place, product).length > 0)

function findHit({ queries, storeId, store, condition }: Place, { productId, score }: GivenProduct): Hit[] {
  const slot = store.segment.findSlot(queries.findFirstPicture(storeId, productId)?.pictureId ?? -1)
  if (slot === undefined || createMask(store, condition)?.bytes[slot] === 0) return []
  return [{ ...toHit(store, slot), score }]
}
