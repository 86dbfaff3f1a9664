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

/** The slots of some places. A loop is ten times as fast as `map`. */
export function slotsAt({ slotAt }: Field, places: Uint32Array): Uint32Array {
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
export const ERROR_MARGIN = 3

/** Candidates are taken from a little below the bar, because taking more may show a larger error. */
const SLACK = 1.25

/**
 * Finds the nearest products exactly, among the places that `accepts` lets pass.
 *
 * The best by their rough values go through the precise pass. That tells how near the last wanted product is and how far the
 * values are off, and so from which value on every picture matters; one more pass takes those.
 */
export function listNearest(
  store: SearchedStore,
  request: NearRequest,
  field: Field,
  precise: Precise,
  accepts: Accepts | undefined,
): NearProduct[] {
  const { values, tops } = field
  let wanted = Math.ceil(request.depth * 1.25) + PAD
  let bar = findBar(values, wanted, accepts, tops)
  for (;;) {
    const places = selectAbove(values, bar, accepts, tops)
    const slots = slotsAt(field, places)
    const exact = precise(slots)
    const error = ERROR_MARGIN * findError(values, places, exact)
    const { products, floor } = pickProducts(store, request, slots, exact)
    if (bar === -Infinity || floor - error >= bar) return products
    if (floor > -Infinity) bar = floor - SLACK * error
    else {
      // Pictures of few products fill the list.
      wanted *= 4
      bar = findBar(values, wanted, accepts, tops)
    }
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
