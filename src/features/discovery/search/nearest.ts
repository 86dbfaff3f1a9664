import { type Accepts, findBar, selectAbove, sortDown } from '../../../core/select.ts'
import { type ScoreMap, toScore } from './score.ts'
import type { SearchedStore } from './searched-store.ts'

/**
 * Values by place, as exact as a scan is: about 0.0005 off for each cosine. The places are the store's slots, or some of
 * them in a list.
 *
 * It is valid for one tick, like the scores of a segment.
 */
export interface Field {
  values: Float32Array
  /** For each 64 places a number that none of their values exceeds. */
  tops?: Float32Array | undefined
  slotAt(place: number): number
}

/** The slot of a place where the places are all slots. */
export const itself = (place: number): number => place

/** The slots of some places. A loop is ten times as fast as `map`. */
export function slotsAt({ slotAt }: Field, places: Uint32Array): Uint32Array {
  if (slotAt === itself) return places
  const slots = new Uint32Array(places.length)
  for (let n = 0; n < slots.length; n++) slots[n] = slotAt(places[n] as number)
  return slots
}

/** Computes the precise values of some slots, in their order. */
export type Precise = (slots: Uint32Array) => Float32Array

/** One product, represented by its best picture. */
export interface NearProduct {
  slot: number
  pictureId: number
  /** Row of the product. */
  product: number
  /** The list is sorted by it. */
  value: number
  /** As it is answered. */
  score: number
}

export interface NearRequest {
  map: ScoreMap
  /** The number of products. */
  depth: number
  /** Least score. */
  threshold: number
}

export interface NearProducts {
  /** Best first; at most `depth`. */
  products: NearProduct[]
  /** A picture with a value below this changes nothing. -Infinity while any fits. */
  floor: number
}

/** Candidates beyond the wanted number, so that the first pass mostly suffices; also a sample of the scan's errors. */
const PAD = 48

/**
 * The scan's largest possible error, in multiples of its largest error among the candidates, which is two to three
 * standard errors for at least 36 candidates.
 */
const ERROR_MARGIN = 3

/** Candidates are taken from a little below the bar, because taking more may show a larger error. */
const SLACK = 1.25

/** Places with their precise values. */
export interface Candidates {
  /** In ascending order: all whose values reach the bar. */
  places: Uint32Array
  slots: Uint32Array
  /** Not changed by anybody. */
  exact: Float32Array
  /** -Infinity where these are all that take part. */
  bar: number
  /** How far the values of the field are off, at most. */
  error: number
}

/** Where a list is searched for. */
export interface Search {
  store: SearchedStore
  field: Field
  precise: Precise
  /** Whether a place takes part; undefined where all do. */
  accepts: Accepts | undefined
}

/** Takes the best places by the field, mostly enough for a list of some products. */
export const takeCandidates = (search: Search, depth: number): Candidates =>
  takeBest(search, Math.ceil(depth * 1.25) + PAD)

/** Takes more of them: pictures of few products fill the list. */
export const takeMore = (search: Search, { slots }: Candidates): Candidates =>
  takeBest(search, 4 * slots.length)

function takeBest(search: Search, wanted: number): Candidates {
  const { field, accepts } = search
  return takeFrom(search, findBar(field.values, wanted, accepts, field.tops))
}

function takeFrom({ field, precise, accepts }: Search, bar: number): Candidates {
  const { values, tops } = field
  const places = selectAbove(values, bar, accepts, tops)
  const slots = slotsAt(field, places)
  const exact = precise(slots)
  return { places, slots, exact, bar, error: ERROR_MARGIN * findError(values, places, exact) }
}

/**
 * Finds the nearest products exactly, among the places that take part.
 *
 * The best by their rough values go through the precise pass. That tells how near the last wanted product is and how far the
 * values are off, and so from which value on every picture matters; one more pass takes those.
 *
 * @param first candidates that were taken already, for a list of any length.
 */
export function listNearest(search: Search, request: NearRequest, first: Candidates): NearProduct[] {
  for (let candidates = first; ; ) {
    const { slots, exact, bar, error } = candidates
    const { products, floor } = pickProducts(search.store, request, slots, exact)
    if (bar === -Infinity || floor - error >= bar) return products
    candidates = floor > -Infinity ? takeFrom(search, floor - SLACK * error) : takeMore(search, candidates)
  }
}

/** By how much the values of some places are off, at most. */
export function findError(values: Float32Array, places: Uint32Array, exact: Float32Array): number {
  let most = 0
  for (let n = 0; n < places.length; n++) {
    most = Math.max(most, Math.abs((values[places[n] as number] as number) - (exact[n] as number)))
  }
  return most
}

/**
 * The nearest products among some pictures. Each counts with its best picture. Of equally near ones the older picture
 * comes first, so pages neither repeat nor lose a product.
 *
 * @param values precise ones of the slots, in their order.
 */
export function pickProducts(
  { segment, columns }: SearchedStore,
  { map, depth, threshold }: NearRequest,
  slots: Uint32Array,
  values: Float32Array,
): NearProducts {
  const order = sortDown(values)
  const seen = new Set<number>()
  const products: NearProduct[] = []
  const keyOf = (n: number) => segment.keyAt(slots[n] as number)
  let end = 0
  for (let start = 0; start < order.length; start = end) {
    const value = values[order[start] as number] as number
    const score = toScore(value, map)
    if (score < threshold || value === -Infinity) return { products, floor: value }
    for (end = start + 1; end < order.length && values[order[end] as number] === value; ) end++
    const equal = order.subarray(start, end)
    if (equal.length > 1) equal.sort((a, b) => keyOf(a) - keyOf(b))
    for (const n of equal) {
      const slot = slots[n] as number
      const product = columns.productAt(slot)
      if (seen.has(product)) continue
      seen.add(product)
      products.push({ slot, pictureId: keyOf(n), product, value, score })
      if (products.length === depth) return { products, floor: value }
    }
  }
  return { products, floor: -Infinity }
}

/** The floor that {@link pickProducts} would give. */
export function findFloor(
  { columns }: SearchedStore,
  { map, depth, threshold }: NearRequest,
  slots: Uint32Array,
  values: Float32Array,
): number {
  const order = sortDown(values)
  const seen = new Set<number>()
  for (let n = 0; n < order.length; n++) {
    const value = values[order[n] as number] as number
    seen.add(columns.productAt(slots[order[n] as number] as number))
    if (seen.size === depth || value === -Infinity || (threshold > 0 && toScore(value, map) < threshold))
      return value
  }
  return -Infinity
}
