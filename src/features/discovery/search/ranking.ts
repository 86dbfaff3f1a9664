import type { Accepts } from '../../../core/select.ts'
import type { LogisticMap } from '../../../platform/embedder/embedder.ts'
import type { SlotScores } from '../../../platform/vectors/segment.ts'
import type { SearchFilter, SlotMask } from '../../catalogue/product-index/columns.ts'
import type { IndexedStore } from '../../catalogue/product-index/product-index.ts'
import { findNamedCategory, VOTERS, voteForCategory } from './category.ts'
import { collectProbable, listProbable } from './estimates.ts'
import { type Field, listNearest, type NearProduct } from './nearest.ts'
import { boost } from './score.ts'

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
  /** Compares every vector, however large the store is. */
  isExact?: boolean | undefined
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
  /** Whether every vector that passes the filter was compared. Otherwise 99 of 100 of the nearest are found. */
  isExact: boolean
}

/** If the filter passes less than this share of the slots, only those are scored. */
const NARROW = 0.1

/** Longer lists are exact, because estimates cost more the deeper they reach. */
const ESTIMATED_DEPTH_MAX = 200

/** Where fewer large stores' worth of slots pass, comparing all takes no longer than estimating and comparing the best. */
const ESTIMATED_STORES = 2.5

/**
 * Ranks the products of a store: at once for a small store or a narrow filter, later for a large one.
 *
 * The scan reads eight bits of each dimension of every vector that passes the filter. Every picture that could be among
 * the best `depth` is scored again with sixteen, so the order is that of the float vectors. Each product counts with its
 * best picture. Ties keep the order in which the pictures were added, so pages neither repeat nor lose a product.
 *
 * In a large store, and where many pass the filter, the scan first reads one bit of each dimension to find those that are
 * worth more; see `estimates.ts`.
 *
 * @returns undefined when the store's index was made anew meanwhile.
 */
export function rank(store: IndexedStore, request: RankingRequest): Ranking | Promise<Ranking | undefined> {
  const { segment, columns } = store
  const version = columns.version()
  const mask = columns.createMask(request.filter, segment.slots)
  if (mask && mask.passing <= Math.max(64, Math.min(segment.slots * NARROW, segment.largeSlots))) {
    const passing = listPassing(mask)
    const field = {
      scores: segment.scanSlots(request.vector, passing),
      slotAt: (n: number) => passing[n] as number,
    }
    return createRanking(store, request, mask).ofField(field)
  }
  const mayEstimate =
    !request.isExact &&
    request.depth <= ESTIMATED_DEPTH_MAX &&
    (mask?.passing ?? segment.slots) > ESTIMATED_STORES * segment.largeSlots

  const finish = (scores: SlotScores): Ranking | undefined => {
    const isCurrent = version === columns.version()
    const present = isCurrent ? mask : columns.createMask(request.filter, segment.slots)
    const ranking = createRanking(store, request, present)
    return scores.isEstimated ? ranking.ofEstimates(scores) : ranking.ofField({ ...scores, slotAt: itself })
  }
  const ranked = segment.score({ query: request.vector, mayEstimate }, finish)
  if (!(ranked instanceof Promise)) return ranked as Ranking
  // Estimates that leave too many in question are no answer.
  return ranked.then((ranking) => ranking ?? segment.score({ query: request.vector }, finish))
}

const itself = (place: number): number => place

function listPassing({ bytes, passing }: SlotMask): Uint32Array {
  const slots = new Uint32Array(passing)
  let n = 0
  for (let slot = 0; slot < bytes.length; slot++) if (bytes[slot]) slots[n++] = slot
  return slots
}

/** Ranks in one tick, with the scores of this moment. */
function createRanking(store: IndexedStore, request: RankingRequest, mask: SlotMask | undefined) {
  const { segment, columns } = store
  const { vector, map, threshold, categoryBoost, depth } = request
  const ownSlot = request.ownPictureId === undefined ? undefined : segment.findSlot(request.ownPictureId)
  const ownProduct = ownSlot === undefined ? undefined : columns.productAt(ownSlot)
  /** Whether a slot takes part. */
  const accepts = (slot: number): boolean =>
    (mask === undefined || mask.bytes[slot] === 1) &&
    (ownProduct === undefined || columns.productAt(slot) !== ownProduct)
  const everyone = mask === undefined && ownProduct === undefined ? undefined : accepts
  const voting = { vector, map, threshold: 0, depth: VOTERS }

  function countCandidates(): number {
    const all = mask?.products ?? columns.countProducts()
    const isCounted = ownSlot !== undefined && columns.isFirst(ownSlot) && mask?.bytes[ownSlot] !== 0
    return isCounted ? all - 1 : all
  }

  function findCategory(listVoters: () => NearProduct[]): number {
    // Inside one category a boost changes nothing.
    if (categoryBoost === 0 || request.filter.category !== undefined) return 0
    const known = ownSlot === undefined ? 0 : columns.categoryAt(ownSlot)
    if (known > 0) return known
    if (request.text !== undefined) return findNamedCategory(request.text, columns)
    return voteForCategory(
      listVoters().map(({ slot }) => slot),
      columns,
    )
  }

  /** The slots of the boosted category and of the others; only one of the two without a category. */
  function listGroups(category: number): { weight: number; takes: Accepts | undefined }[] {
    if (category === 0) return [{ weight: 0, takes: everyone }]
    return [
      { weight: categoryBoost, takes: (slot) => columns.categoryAt(slot) === category && accepts(slot) },
      { weight: 0, takes: (slot) => columns.categoryAt(slot) !== category && accepts(slot) },
    ]
  }

  function toRanking(hits: Hit[], category: number, isExact: boolean): Ranking {
    hits.sort((a, b) => b.score - a.score || a.pictureId - b.pictureId)
    return {
      hits: hits.slice(0, depth),
      candidates: countCandidates(),
      boostedCategory: category > 0 ? columns.categories.getLabel(category) : undefined,
      isExact,
    }
  }

  function rankGroups(field: Field, category: number, isExact: boolean): Ranking {
    const { slotAt } = field
    const hits: Hit[] = []
    for (const { weight, takes } of listGroups(category)) {
      // Whoever stays below a full list of boosted products is not asked for.
      const last = hits.length === depth ? (hits.at(-1) as Hit).score : 0
      const wanted = { vector, map, depth, threshold: Math.max(threshold, last) }
      const accepted = takes && (slotAt === itself ? takes : (place: number) => takes(slotAt(place)))
      for (const { pictureId, cosine, similarity } of listNearest(store, wanted, field, accepted)) {
        const score = weight > 0 ? boost(similarity, weight) : similarity
        hits.push({ pictureId, cosine, similarity, score })
      }
    }
    return toRanking(hits, category, isExact)
  }

  return {
    /** From scores of all slots that can pass. */
    ofField(field: Field): Ranking {
      const { slotAt } = field
      const accepted = everyone && ((place: number) => everyone(slotAt(place)))
      const category = findCategory(() => listNearest(store, voting, field, accepted))
      return rankGroups(field, category, true)
    },

    /** From estimates of all slots. @returns undefined when they leave too many in question. */
    ofEstimates(estimates: SlotScores): Ranking | undefined {
      const category = findCategory(() => listProbable(store, voting, estimates, everyone).products)
      const groups = listGroups(category).map(({ takes }) => takes)
      const probable = collectProbable(store, { vector, map, depth, threshold }, estimates, groups)
      if (!probable) return undefined
      const scores = segment.scanSlots(vector, probable)
      return rankGroups({ scores, slotAt: (n) => probable[n] as number }, category, false)
    },
  }
}
