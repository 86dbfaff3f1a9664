import { type Accepts, findBar, selectAbove } from '../../../core/select.ts'
import { type Field, type NearRequest, type Precise, pickProducts } from './nearest.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Vote } from './second-look.ts'

/*
 * Applies a vote, which lowers values and raises none, to as few as the list needs: what is not better before than the last one of the
 * list is afterwards need not be lowered (the threshold algorithm of Fagin). The list stays exact.
 */

/** A field and what is wanted of it. */
export interface Lowering {
  store: SearchedStore
  request: NearRequest
  field: Field
  accepts: Accepts | undefined
}

/**
 * Takes what products lack from the values of all places that can still be in the list.
 *
 * @param error how far the values of the field may be off.
 */
export function addVote(lowering: Lowering, vote: Vote, error: number): Field {
  const { values, slotAt } = lowering.field
  const reach = findReach(lowering, (places) => {
    const lowered = Float32Array.from(places, (place) => values[place] as number)
    vote.lower(lowered, places.map(slotAt))
    return lowered
  })
  return lowerAbove(lowering, vote, reach - error * (1 + vote.growth), 0)
}

/**
 * Like {@link addVote}, with precise values of those that tell how low the list reaches.
 *
 * @param margin how far a value may lie above its estimate. The values are raised by it, because the vote multiplies what they are
 *   off by.
 * @param precise with the vote.
 */
export function addVoteToEstimates(lowering: Lowering, vote: Vote, margin: number, precise: Precise): Field {
  const { slotAt } = lowering.field
  const reach = findReach(lowering, (places) => precise(places.map(slotAt)))
  return lowerAbove(lowering, vote, reach, margin)
}

/** Candidates beyond the wanted number, because lowering changes their order. */
const PAD = 48

/** The least value that can still be in the list. @param lower gives the lowered values of some places. */
function findReach(
  { store, request, field, accepts }: Lowering,
  lower: (places: Uint32Array) => Float32Array,
): number {
  const { values, tops, slotAt } = field
  const bar = findBar(values, Math.ceil(request.depth * 1.25) + PAD, accepts, tops)
  const places = selectAbove(values, bar, accepts, tops)
  return pickProducts(store, request, places.map(slotAt), lower(places)).floor
}

/** The places above a bar, with their lowered values. @param raise added to all values first. */
function lowerAbove({ field, accepts }: Lowering, vote: Vote, bar: number, raise: number): Field {
  const places = selectAbove(field.values, bar - raise, accepts, field.tops)
  const values = Float32Array.from(places, (place) => (field.values[place] as number) + raise)
  const slots = places.map(field.slotAt)
  if (!vote.lowerInPart) {
    vote.lower(values, slots)
    return listField(values, slots)
  }
  // Comparing pictures is what costs, so words come first.
  const partly = values.slice()
  vote.lowerInPart(partly, slots)
  const kept = selectAbove(partly, bar)
  const keptSlots = kept.map((n) => slots[n] as number)
  const keptValues = Float32Array.from(kept, (n) => values[n] as number)
  vote.lower(keptValues, keptSlots)
  return listField(keptValues, keptSlots)
}

const listField = (values: Float32Array, slots: Uint32Array): Field => ({
  values,
  slotAt: (place) => slots[place] as number,
})
