import { type Condition, createMask } from './condition.ts'
import type { SearchQueries } from './queries.ts'
import type { Hit, Ranking } from './ranking.ts'
import type { SearchedStore } from './searched-store.ts'

/** The orders of a list. Popular products come first, by their places; all others by age. */
export type Sort = 'popularity' | 'newest' | 'price_asc' | 'price_desc'

/** Places of popular products, from 0. */
export type Places = ReadonlyMap<number, number>

const NO_PLACES: Places = new Map()

/** Lists the products that pass a condition, without comparing anything: each scores 1. */
export function browse(
  store: SearchedStore,
  condition: Condition,
  sort: Sort,
  depth: number,
  places?: Places,
): Ranking {
  const { segment, columns } = store
  const mask = createMask(store, condition)
  const isBefore = compareBy(store, sort, places)
  let best: number[] = []
  let candidates = 0
  // The newest lie mostly behind, so that few are sorted in vain.
  for (let slot = segment.slots - 1; slot >= 0; slot--) {
    if (!columns.isFirst(slot) || mask?.bytes[slot] === 0) continue
    candidates++
    const last = best.length >= depth ? (best[depth - 1] as number) : undefined
    if (last !== undefined && isBefore(slot, last) >= 0) continue
    best.push(slot)
    if (best.length >= 4 * depth) best = best.sort(isBefore).slice(0, depth)
  }
  best = best.sort(isBefore).slice(0, depth)
  return {
    hits: best.map((slot) => toHit(store, slot)),
    candidates,
    cut: 0,
    isExact: true,
    words: [],
  }
}

/** Slots of the first pictures of some products, as far as the store has them. */
export function findSlots(
  queries: Pick<SearchQueries, 'findFirstPicture'>,
  storeId: string,
  { segment }: SearchedStore,
  productIds: readonly string[],
): number[] {
  const pictures = productIds.map((productId) => queries.findFirstPicture(storeId, productId)?.pictureId)
  return pictures.flatMap((pictureId) => segment.findSlot(pictureId ?? -1) ?? [])
}

/** A hit that was compared with nothing. */
export const toHit = ({ segment, columns }: SearchedStore, slot: number): Hit => ({
  slot,
  pictureId: segment.keyAt(slot),
  product: columns.productAt(slot),
  value: 0,
  score: 1,
})

/** Orders hits that were found by a query. */
export function sortHits<Hit extends { slot: number }>(
  store: SearchedStore,
  hits: readonly Hit[],
  sort: Sort,
  places?: Places,
): Hit[] {
  const compare = compareBy(store, sort, places)
  return hits.toSorted((a, b) => compare(a.slot, b.slot))
}

/** A comparison of slots. A product without a price comes after all that have one; of equal ones the newer comes first. */
function compareBy(
  { columns }: SearchedStore,
  sort: Sort,
  places = NO_PLACES,
): (a: number, b: number) => number {
  const byAge = (a: number, b: number) => columns.productAt(b) - columns.productAt(a)
  if (sort === 'newest') return byAge
  if (sort === 'popularity') {
    const place = (slot: number) => places.get(columns.productAt(slot)) ?? places.size
    return (a, b) => place(a) - place(b) || byAge(a, b)
  }
  const sign = sort === 'price_asc' ? 1 : -1
  const priceAt = columns.readPrices()
  return (a, b) => {
    const [one, other] = [priceAt(a), priceAt(b)]
    if (Number.isNaN(one) || Number.isNaN(other)) {
      return Number(Number.isNaN(one)) - Number(Number.isNaN(other)) || byAge(a, b)
    }
    return sign * (one - other) || byAge(a, b)
  }
}
