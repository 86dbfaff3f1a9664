import { createArranging, type FoundArranged } from './arranging.ts'
import { toHit } from './browse.ts'
import { type Condition, createMask } from './condition.ts'
import type { SearchQueries } from './queries.ts'
import type { GivenProduct } from './query.ts'
import type { Hit, Ranking } from './ranking.ts'
import type { ScoreMap } from './score.ts'
import type { SearchedStore } from './searched-store.ts'

interface Place {
  queries: Pick<SearchQueries, 'findFirstPicture'>
  storeId: string
  store: SearchedStore
  condition: Condition
}

interface GivenRequest {
  threshold?: number | undefined
  /** The number of products from the top of the list. */
  depth: number
  arranged?: FoundArranged | undefined
}

/** The value of a given product is the log-odds of its score, so that rules move it as they move other hits. */
const AS_GIVEN: ScoreMap = { slope: 1, midpoint: 0, ceiling: 1 }
/** Keeps the log-odds of 0 and 1 finite. */
const EDGE = 1e-6

/** Ranks the products of a given list in its order, as far as the store has them and they pass the filters. */
export function rankGiven(
  place: Place,
  products: readonly GivenProduct[],
  { threshold = 0, depth, arranged }: GivenRequest,
): Ranking {
  const { store, condition } = place
  const given = products.flatMap((product) => (product.score < threshold ? [] : findHit(place, product)))
  const arranging = createArranging(store, arranged, {
    ...{ condition, accepts: undefined },
    near: { map: AS_GIVEN, depth: given.length, threshold: 0 },
  })
  const [inStock = [], soldOut = []] = arranging ? arranging.order(given) : [given]
  const pinned = (arranging?.standing ?? []).map(({ pin, product, slots }) => ({
    pin,
    // What a rule puts into the list belongs to it no further.
    hit: given.find((hit) => hit.product === product) ?? {
      ...toHit(store, slots.find(store.columns.isFirst) ?? (slots[0] as number)),
      score: 0,
    },
  }))
  return {
    hits: [...inStock, ...soldOut].slice(0, depth),
    soldOutFrom: Math.min(depth, inStock.length),
    pinned,
    candidates: inStock.length + soldOut.length + pinned.length,
    cut: threshold,
    isExact: true,
    words: [],
  }
}

/** Whether the searcher may find any product of a given list. */
export const hasAnyOf = (place: Place, products: readonly GivenProduct[]): boolean =>
  products.some((product) => findHit(place, product).length > 0)

function findHit({ queries, storeId, store, condition }: Place, { productId, score }: GivenProduct): Hit[] {
  const slot = store.segment.findSlot(queries.findFirstPicture(storeId, productId)?.pictureId ?? -1)
  if (slot === undefined || createMask(store, condition)?.bytes[slot] === 0) return []
  const odds = Math.min(1 - EDGE, Math.max(EDGE, score))
  return [{ ...toHit(store, slot), score, value: Math.log(odds / (1 - odds)) }]
}
