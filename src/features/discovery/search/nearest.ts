import { calibrate } from '../../../core/calibrate.ts'
import { type Accepts, findBar, selectAbove, sortDown } from '../../../core/select.ts'
import type { LogisticMap } from '../../../platform/embedder/embedder.ts'
import type { IndexedStore } from '../../catalogue/product-index/product-index.ts'

/**
 * Scores by place, about 0.0005 off. The places are the store's slots, or some of them in a list.
 *
 * It is valid for one tick, like the scores of a segment.
 */
export interface Field {
  scores: Float32Array
  /** For each 64 places a number that none of their scores exceeds. */
  tops?: Float32Array | undefined
  slotAt(place: number): number
}

/** One product, represented by its best picture. */
export interface NearProduct {
  slot: number
  pictureId: number
  cosine: number
  /** Calibrated, before any boost. */
  similarity: number
}

export interface NearRequest {
  vector: Float32Array
  map: LogisticMap
  /** The number of products. */
  depth: number
  /** Least similarity. */
  threshold: number
}

export interface NearProducts {
  /** Best first; at most `depth`. */
  products: NearProduct[]
  /** A picture with a cosine below this changes nothing. -Infinity when there is room for any. */
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

/**
 * Finds the nearest products exactly, among the places that `accepts` lets pass.
 *
 * The best by their scores are scored precisely. That tells how near the last wanted product is and how far the scores
 * are off, and so from which score on every picture matters; one more pass takes those.
 */
export function listNearest(
  store: IndexedStore,
  request: NearRequest,
  field: Field,
  accepts: Accepts | undefined,
): NearProduct[] {
  const { scores, tops, slotAt } = field
  let wanted = Math.ceil(request.depth * 1.25) + PAD
  let bar = findBar(scores, wanted, accepts, tops)
  for (;;) {
    const places = selectAbove(scores, bar, accepts, tops)
    const slots = places.map(slotAt)
    const cosines = store.segment.rescore(request.vector, slots)
    const error = ERROR_MARGIN * findError(scores, places, cosines)
    const { products, floor } = pickProducts(store, request, slots, cosines)
    if (bar === -Infinity || floor - error >= bar) return products
    if (floor > -Infinity) bar = floor - SLACK * error
    else {
      // Pictures of few products fill the list.
      wanted *= 4
      bar = findBar(scores, wanted, accepts, tops)
    }
  }
}

function findError(scores: Float32Array, places: Uint32Array, cosines: Float32Array): number {
  let most = 0
  for (let n = 0; n < places.length; n++) {
    most = Math.max(most, Math.abs((scores[places[n] as number] as number) - (cosines[n] as number)))
  }
  return most
}

/**
 * The nearest products among some pictures. Each counts with its best picture. Of equally near ones the older picture
 * comes first, so pages neither repeat nor lose a product.
 *
 * @param cosines of the slots, in their order.
 */
export function pickProducts(
  { segment, columns }: IndexedStore,
  { map, depth, threshold }: Pick<NearRequest, 'map' | 'depth' | 'threshold'>,
  slots: Uint32Array,
  cosines: Float32Array,
): NearProducts {
  const order = sortDown(cosines)
  const seen = new Set<number>()
  const products: NearProduct[] = []
  const keyOf = (n: number) => segment.keyAt(slots[n] as number)
  let end = 0
  for (let start = 0; start < order.length; start = end) {
    const cosine = cosines[order[start] as number] as number
    const similarity = calibrate(cosine, map)
    if (similarity < threshold || cosine === -Infinity) return { products, floor: cosine }
    for (end = start + 1; end < order.length && cosines[order[end] as number] === cosine; ) end++
    const equal = order.subarray(start, end)
    if (equal.length > 1) equal.sort((a, b) => keyOf(a) - keyOf(b))
    for (const n of equal) {
      const slot = slots[n] as number
      const product = columns.productAt(slot)
      if (seen.has(product)) continue
      seen.add(product)
      products.push({ slot, pictureId: keyOf(n), cosine, similarity })
      if (products.length === depth) return { products, floor: cosine }
    }
  }
  return { products, floor: -Infinity }
}
