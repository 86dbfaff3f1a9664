import { type Arranging, createArranging, type FoundArranged } from './arranging.ts'
import { type Condition, createMask } from './condition.ts'
import type { SearchQueries } from './queries.ts'
import type { Hit, Ranking } from './ranking.ts'
import type { ScoreMap } from './score.ts'
import type { SearchedStore } from './searched-store.ts'

/** The orders of a list. Popular products come first, by their places; all others by age. */
export type Sort = 'popularity' | 'newest' | 'price_asc' | 'price_desc'

/** Places of popular products, from 0. */
export type Places = ReadonlyMap<number, number>

const NO_PLACES: Places = new Map()

export interface BrowseRequest {
  condition: Condition
  /** The newest first by default, and before them what rules move up. */
  sort?: Sort | undefined
  /** The number of products from the top of the list. */
  depth: number
  places?: Places | undefined
  arranged?: FoundArranged | undefined
}

/** Every product scores 1, whatever it is. */
const ALL_EQUAL: ScoreMap = { slope: 1, midpoint: 0, ceiling: 1 }

/** Lists the products that pass a condition, without comparing anything: each scores 1. */
export function browse(store: SearchedStore, request: BrowseRequest): Ranking {
  const { segment, columns } = store
  const { condition, sort, depth, places, arranged } = request
  const mask = createMask(store, arranged?.shown ?? condition)
  const arranging = createArranging(store, arranged, {
    ...{ condition, accepts: undefined },
    near: { map: ALL_EQUAL, depth, threshold: 0 },
  })
  const bySort = compareBy(store, sort ?? 'newest', places)
  const isBefore = arranging
    ? compareArranged(arranging, sort ? undefined : arranging.stepAt, bySort)
    : bySort
  const pinned = new Set(arranging?.standing.map(({ product }) => product))
  let best: number[] = []
  /** As many as are wanted come before it, or it is the last of them. */
  let bar: number | undefined
  let candidates = 0
  // The newest lie mostly behind, so that few are sorted in vain.
  for (let slot = segment.slots - 1; slot >= 0; slot--) {
    if (!columns.isFirst(slot) || mask?.bytes[slot] === 0) continue
    candidates++
    if (pinned.has(columns.productAt(slot))) continue
    if (bar !== undefined && isBefore(slot, bar) >= 0) continue
    best.push(slot)
    if (best.length < 4 * depth) continue
    best = best.sort(isBefore).slice(0, depth)
    bar = best.at(-1)
  }
  best = best.sort(isBefore).slice(0, depth)
  return {
    hits: best.map((slot) => toHit(store, slot)),
    soldOutFrom: arranging ? best.filter((slot) => !arranging.isGone(slot)).length : best.length,
    pinned: (arranging?.standing ?? []).map(({ pin, slots }) => ({
      pin,
      hit: toHit(store, slots.find(columns.isFirst) ?? (slots[0] as number)),
    })),
    candidates,
    cut: 0,
    isExact: true,
    words: [],
  }
}

/** What is sold out comes last, and of the others what rules move up comes first. */
const compareArranged =
  (
    { isGone }: Pick<Arranging, 'isGone'>,
    stepAt: Arranging['stepAt'] | undefined,
    compare: (a: number, b: number) => number,
  ) =>
  (a: number, b: number): number =>
    Number(isGone(a)) - Number(isGone(b)) || (stepAt ? stepAt(b) - stepAt(a) : 0) || compare(a, b)

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

/** Orders hits that were found by a query; those that are sold out stay behind others where they were. */
export function sortHits(
  store: SearchedStore,
  { hits, soldOutFrom }: Pick<Ranking, 'hits' | 'soldOutFrom'>,
  sort: Sort,
  places?: Places,
): Hit[] {
  const compare = compareBy(store, sort, places)
  return [hits.slice(0, soldOutFrom), hits.slice(soldOutFrom)].flatMap((part) =>
    part.sort((a, b) => compare(a.slot, b.slot)),
  )
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
