import { type Accepts, selectAbove, selectTop } from '../../../core/select.ts'
import { type Field, type NearRequest, type Precise, pickProducts, slotsAt } from './nearest.ts'
import type { SearchedStore } from './searched-store.ts'

/** Slots whose estimates are compared with their values, to learn how far estimates are off. */
const SAMPLE = 512

/**
 * A picture as near as the last wanted product is found unless its estimate is too low by more than this many standard
 * errors: 98.8 of 100 are, and more of those that are nearer, which are all others of the list.
 */
const MARGIN = 2.25

/** Estimates that leave a larger share of the slots in question are slower than a scan. */
const SHARE_MAX = 0.2

/**
 * Collects the slots that may hold one of the nearest products, in ascending order.
 *
 * The best by their estimates show how near the last wanted product is at least. Every slot that could then reach the list is
 * collected, so the number of candidates follows the data: few where the nearest stand out, many where all are alike.
 *
 * @param field estimates of all slots that may hold one.
 * @param margin how far a value may lie above its estimate, see {@link measureMargin}.
 * @returns undefined when too many are in question.
 */
export function collectProbable(
  store: SearchedStore,
  request: NearRequest,
  field: Field,
  margin: number,
  precise: Precise,
  accepts: Accepts | undefined,
): Uint32Array | undefined {
  const { values, tops } = field
  const wanted = 256 + 8 * request.depth
  const first = slotsAt(field, selectTop(values, wanted, accepts, tops))
  const isAll = first.length < wanted
  const { floor } = pickProducts(store, request, first, precise(first))
  if (floor === -Infinity && !isAll) return undefined
  const bar = isAll ? -Infinity : floor - margin
  const slots = slotsAt(field, selectAbove(values, bar, accepts, tops))
  return slots.length > SHARE_MAX * store.segment.slots ? undefined : slots
}

/** How far a value may lie above its estimate. A sample of all slots shows how far estimates are off. */
export function measureMargin(values: Float32Array, precise: Precise): number {
  const step = Math.max(1, Math.floor(values.length / SAMPLE))
  const slots: number[] = []
  for (let slot = 0; slot < values.length; slot += step) {
    if ((values[slot] as number) > -Infinity) slots.push(slot)
  }
  const exact = precise(Uint32Array.from(slots))
  const errors = slots.map((slot, n) => (values[slot] as number) - (exact[n] as number))
  const bias = errors.reduce((sum, error) => sum + error, 0) / errors.length
  const variance = errors.reduce((sum, error) => sum + (error - bias) ** 2, 0) / errors.length
  return MARGIN * Math.sqrt(variance) - bias
}
