import { type Accepts, selectAbove, selectTop } from '../../../core/select.ts'
import type { SlotScores } from '../../../platform/vectors/segment.ts'
import type { IndexedStore } from '../../catalogue/product-index/product-index.ts'
import { type NearProducts, type NearRequest, pickProducts } from './nearest.ts'

/** Slots whose estimates are compared with their scores, to learn how far estimates are off. */
const SAMPLE = 512

/**
 * A picture as near as the last wanted product is found unless its estimate is too low by more than this many standard
 * errors: 98.8 of 100 are, and more of those that are nearer, which are all others of the list.
 */
const MARGIN = 2.25

/** Estimates that leave a larger share of the slots in question are slower than a scan. */
const SHARE_MAX = 0.2

/** The first guess at the nearest products: those with the best estimates. */
export function listProbable(
  store: IndexedStore,
  request: NearRequest,
  { scores, tops }: SlotScores,
  accepts: Accepts | undefined,
): NearProducts & { isAll: boolean } {
  const wanted = 256 + 8 * request.depth
  const slots = selectTop(scores, wanted, accepts, tops)
  const cosines = store.segment.rescore(request.vector, slots)
  return { ...pickProducts(store, request, slots, cosines), isAll: slots.length < wanted }
}

/**
 * Collects the slots that may hold one of the nearest products of a group, in ascending order.
 *
 * The best by their estimates show how near the last wanted product is at least. A sample of all slots shows how far
 * estimates are off. Whoever could then reach the list is collected, so the number of candidates follows the data: few
 * where the nearest stand out, many where all are alike.
 *
 * @param groups which slots each group takes; no slot is in two of them.
 * @returns undefined when too many are in question.
 */
export function collectProbable(
  store: IndexedStore,
  request: NearRequest,
  estimates: SlotScores,
  groups: readonly (Accepts | undefined)[],
): Uint32Array | undefined {
  const { scores, tops } = estimates
  const { bias, deviation } = measureErrors(store, request.vector, scores)
  const bars: number[] = []
  for (const takes of groups) {
    const { floor, isAll } = listProbable(store, request, estimates, takes)
    if (floor === -Infinity && !isAll) return undefined
    bars.push(isAll ? -Infinity : floor + bias - MARGIN * deviation)
  }
  const accepts = (slot: number): boolean =>
    groups.some((takes, n) => (scores[slot] as number) >= (bars[n] as number) && (!takes || takes(slot)))
  const least = Math.min(...bars)
  const single = groups.length === 1 ? groups[0] : accepts
  const slots = selectAbove(scores, least, single, tops)
  return slots.length > SHARE_MAX * scores.length ? undefined : slots
}

/** The mean error of estimates and its standard deviation. */
function measureErrors(
  { segment }: IndexedStore,
  vector: Float32Array,
  scores: Float32Array,
): { bias: number; deviation: number } {
  const step = Math.max(1, Math.floor(scores.length / SAMPLE))
  const slots: number[] = []
  for (let slot = 0; slot < scores.length; slot += step) {
    if ((scores[slot] as number) > -Infinity) slots.push(slot)
  }
  const cosines = segment.rescore(vector, slots)
  const errors = slots.map((slot, n) => (scores[slot] as number) - (cosines[n] as number))
  const bias = errors.reduce((sum, error) => sum + error, 0) / errors.length
  const variance = errors.reduce((sum, error) => sum + (error - bias) ** 2, 0) / errors.length
  return { bias, deviation: Math.sqrt(variance) }
}
