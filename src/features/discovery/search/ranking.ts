import { LIMITS } from '../../../core/limits.ts'
import { topSlots } from '../../../core/select.ts'
import type { LogisticMap } from '../../../platform/embedder/embedder.ts'
import type { Segment } from '../../../platform/vectors/arena.ts'
import type { SearchFilter, StoreColumns } from '../../catalogue/product-index/columns.ts'
import type { IndexedStore } from '../../catalogue/product-index/product-index.ts'
import { findNamedCategory, VOTERS, voteForCategory } from './category.ts'
import { boost, calibrate } from './score.ts'

export interface RankingRequest {
  /** A vector of Euclidean length 1. */
  vector: Float32Array
  /** The words of a text query. Without them the nearest products decide the query's category. */
  text?: string | undefined
  /** The store's own picture that has the vector. Its product is left out, and its category is the query's own. */
  ownPictureId?: number | undefined
  filter: SearchFilter
  map: LogisticMap
  /** Least similarity before the boost. */
  threshold: number
  categoryBoost: number
  /** The number of products from the top of the list. */
  depth: number
}

/** One product, represented by its best picture. */
export interface Hit {
  pictureId: number
  cosine: number
  /** Calibrated, before the boost. */
  similarity: number
  /** Similarity after the boost; the list is sorted by it. */
  score: number
}

export interface Ranking {
  /** Best first; at most `depth`. */
  hits: Hit[]
  /** The number of products that pass the filter. */
  candidates: number
  /** The boosted category, as the store spells it. */
  boostedCategory: string | undefined
}

/** The number of slots that surely hold the pictures of enough products to vote. */
const VOTER_SLOTS = VOTERS * (1 + LIMITS.additionalPicturesMax)

/** If the filter passes less than this share of the slots, only those are scored. */
const NARROW = 0.1

/**
 * The scan's largest possible error, in multiples of its largest error among the candidates, which is two to three
 * standard errors for at least 36 candidates.
 */
const ERROR_MARGIN = 3

/**
 * Ranks the products of a store exactly: every vector that passes the filter is compared.
 *
 * The scan reads eight bits of each dimension. Every picture that could be among the best `depth` is scored again with
 * sixteen, so the order is that of the float vectors. Each product counts with its best picture. Ties keep the order in
 * which the pictures were added, so pages neither repeat nor lose a product.
 */
export function rank({ segment, columns }: IndexedStore, request: RankingRequest): Ranking {
  const ownSlot = request.ownPictureId === undefined ? undefined : segment.slotOf(request.ownPictureId)
  const exceptProduct = ownSlot === undefined ? undefined : columns.productAt(ownSlot)
  const mask = columns.createMask({ ...request.filter, exceptProduct }, segment.slots)
  const scan = scanStore(segment, request.vector, mask)
  const nearest = (k: number, among?: Uint8Array): Near => {
    const places = Array.from(topSlots(scan.scores, k, among))
    return { slots: places.map(scan.slotAt), scores: places.map((place) => scan.scores[place] as number) }
  }

  const ownCategory =
    request.categoryBoost > 0
      ? findOwnCategory(request, columns, ownSlot, () =>
          listNearestProducts(segment, columns, request.vector, nearest(VOTER_SLOTS, scan.mask).slots),
        )
      : 0
  const groups = ownCategory === 0 ? [scan.mask] : splitByCategory(scan, columns, ownCategory)
  const hits = groups.flatMap((among, n) => {
    const weight = n === 0 && ownCategory > 0 ? request.categoryBoost : 0
    return listBestProducts(segment, columns, request, weight, (k) => nearest(k, among))
  })
  hits.sort((a, b) => b.score - a.score || a.pictureId - b.pictureId)
  return {
    hits: hits.slice(0, request.depth),
    candidates: columns.countProducts(segment.slots, mask),
    boostedCategory: ownCategory > 0 ? columns.categories.getLabel(ownCategory) : undefined,
  }
}

/** Scores by place. The places are the store's slots or, with a narrow filter, only the slots that pass. */
interface Scan {
  scores: Float32Array
  slotAt(place: number): number
  /** The places that pass the filter; undefined when all do. */
  mask: Uint8Array | undefined
}

/** The best slots of the scan, best first, and their scores. */
interface Near {
  slots: number[]
  scores: number[]
}

function scanStore(segment: Segment, vector: Float32Array, mask: Uint8Array | undefined): Scan {
  const passing: number[] = []
  if (mask) {
    const few = Math.max(64, segment.slots * NARROW)
    for (let slot = 0; slot < mask.length && passing.length <= few; slot++) if (mask[slot]) passing.push(slot)
    if (passing.length <= few) {
      const slotAt = (place: number) => passing[place] as number
      return { scores: segment.scanSlots(vector, passing), slotAt, mask: undefined }
    }
  }
  return { scores: segment.scanAll(vector), slotAt: (place) => place, mask }
}

function findOwnCategory(
  request: RankingRequest,
  columns: StoreColumns,
  ownSlot: number | undefined,
  listNeighbours: () => number[],
): number {
  // Inside one category a boost changes nothing.
  if (request.filter.category !== undefined) return 0
  const known = ownSlot === undefined ? 0 : columns.categoryAt(ownSlot)
  if (known > 0) return known
  return request.text === undefined
    ? voteForCategory(listNeighbours(), columns)
    : findNamedCategory(request.text, columns)
}

/** The places of one category, and the others. */
function splitByCategory(scan: Scan, columns: StoreColumns, category: number): [Uint8Array, Uint8Array] {
  const own = new Uint8Array(scan.scores.length)
  const others = new Uint8Array(scan.scores.length)
  for (let place = 0; place < own.length; place++) {
    if (scan.mask && !scan.mask[place]) continue
    const side = columns.categoryAt(scan.slotAt(place)) === category ? own : others
    side[place] = 1
  }
  return [own, others]
}

/** The best slot of each product among some slots, best first. */
function listNearestProducts(
  segment: Segment,
  columns: StoreColumns,
  vector: Float32Array,
  slots: number[],
): number[] {
  const cosines = segment.rescore(vector, slots)
  const sorted = slots
    .map((slot, n) => ({ slot, cosine: cosines[n] as number }))
    .sort((a, b) => b.cosine - a.cosine || segment.keyAt(a.slot) - segment.keyAt(b.slot))
  const best = new Map<number, number>()
  for (const { slot } of sorted) {
    const product = columns.productAt(slot)
    if (!best.has(product)) best.set(product, slot)
  }
  return [...best.values()]
}

/** Of equally near pictures the older one counts. */
const isBetter = (cosine: number, pictureId: number, known: Hit): boolean =>
  cosine > known.cosine || (cosine === known.cosine && pictureId < known.pictureId)

/** The best `depth` products of one group that reach the threshold. */
function listBestProducts(
  segment: Segment,
  columns: StoreColumns,
  request: RankingRequest,
  weight: number,
  nearest: (k: number) => Near,
): Hit[] {
  for (let k = request.depth * 2 + 24; ; k *= 4) {
    const { slots, scores } = nearest(k)
    const cosines = segment.rescore(request.vector, slots)
    const best = new Map<number, Hit>()
    for (const [n, slot] of slots.entries()) {
      const cosine = cosines[n] as number
      const product = columns.productAt(slot)
      const known = best.get(product)
      if (known && !isBetter(cosine, segment.keyAt(slot), known)) continue
      const similarity = calibrate(cosine, request.map)
      if (similarity < request.threshold) continue
      best.set(product, {
        pictureId: segment.keyAt(slot),
        cosine,
        similarity,
        score: weight > 0 ? boost(similarity, weight) : similarity,
      })
    }
    // No picture beyond the scan's best is nearer than `left`. Pictures of one product may fill the whole list.
    const error = scores.reduce(
      (most, score, n) => Math.max(most, Math.abs(score - (cosines[n] as number))),
      0,
    )
    const left = (scores.at(-1) ?? -1) + ERROR_MARGIN * error
    const last = [...best.values()].map(({ cosine }) => cosine).sort((a, b) => b - a)[request.depth - 1]
    const isComplete = last !== undefined && last > left
    if (isComplete || slots.length < k || calibrate(left, request.map) < request.threshold) {
      return [...best.values()]
    }
  }
}
