import { type Accepts, findBar, selectAbove } from '../../../core/select.ts'
import {
  type Field,
  findError,
  type NearProduct,
  type NearRequest,
  type Precise,
  pickProducts,
} from './nearest.ts'
import type { SearchedStore } from './searched-store.ts'

/*
 * Wanted colours and the vote of the first hits take something from values. They do so from as few as the list needs: what is not
 * better before than the last one of the list is afterwards need not be lowered (the threshold algorithm of Fagin). The list stays exact.
 */

/** What products lack, in the unit of values. Valid for one tick. */
export interface Loss {
  /** Its part in an explanation. */
  leg: 'color' | 'second_look'
  /** Takes it from the values of some slots. No value rises, and of two values of a slot the greater one stays so. */
  lower(values: Float32Array, slots: Uint32Array): void
  /** Takes only what costs little to find; absent where that is all. */
  lowerInPart?: Loss['lower'] | undefined
}

/** A field and what is wanted of it. */
export interface Lowering {
  store: SearchedStore
  request: NearRequest
  field: Field
  accepts: Accepts | undefined
  /** Before any loss. */
  precise: Precise
  /** In their order. */
  losses: readonly Loss[]
}

/** Takes all losses from precise values. */
export const lowerAll =
  (precise: Precise, losses: readonly Loss[]): Precise =>
  (slots) => {
    const values = precise(slots)
    for (const { lower } of losses) lower(values, slots)
    return values
  }

/**
 * Finds the nearest products after all losses, as `listNearest` does without any.
 *
 * @param error how far the values of the field may be off.
 */
export function listLowered(lowering: Lowering, error: number): NearProduct[] {
  const { store, request, field, precise, losses } = lowering
  const { values, slotAt } = field
  const { places } = findAble(lowering, error, (places) => lowerFrom(lowering, places, -error, 'lower'))
  const slots = places.map(slotAt)
  const exact = precise(slots)
  const found = findError(values, places, exact)
  if (found > error) return listLowered(lowering, 2 * found)
  for (const { lower } of losses) lower(exact, slots)
  return pickProducts(store, request, slots, exact).products
}

/**
 * Lowers estimates.
 *
 * @param margin how far a value may lie above its estimate.
 * @returns a field of what can be in the list. Its values are raised by the margin first, because a loss may multiply what they
 *   are off by.
 */
export function lowerEstimates(lowering: Lowering, margin: number): Field {
  const { precise, losses, field } = lowering
  const valuesAt = lowerAll(precise, losses)
  const { places, floor } = findAble(lowering, margin, (places) => valuesAt(places.map(field.slotAt)))
  const values = lowerFrom(lowering, places, margin, 'lower')
  const able = selectAbove(values, floor)
  const slots = able.map((n) => field.slotAt(places[n] as number))
  return {
    values: Float32Array.from(able, (n) => values[n] as number),
    slotAt: (place) => slots[place] as number,
  }
}

/** Candidates beyond the wanted number, because losses change their order. */
const PAD = 48

/** More than so many times the places that were lowered are not lowered at once: the best of them may raise the floor. */
const STRIDE = 4

/**
 * Finds the places that can be in the list.
 *
 * @param margin how far a value may lie above that of the field.
 * @param lowered values of some places that their own don't fall below.
 * @returns in ascending order, with a floor that the last product of the list reaches.
 */
function findAble(
  lowering: Lowering,
  margin: number,
  lowered: (places: Uint32Array) => Float32Array,
): { places: Uint32Array; floor: number } {
  const { store, request, field, accepts } = lowering
  const { values, tops, slotAt } = field
  const floorOf = (places: Uint32Array): number =>
    pickProducts(store, request, places.map(slotAt), lowered(places)).floor
  const bar = findBar(values, Math.ceil(request.depth * 1.25) + PAD, accepts, tops)
  let places = selectAbove(values, bar, accepts, tops)
  let floor = floorOf(places)
  for (;;) {
    const all = selectAbove(values, floor - margin, accepts, tops)
    const most = STRIDE * places.length
    places = all.length <= most ? all : keepBest(values, all, most)
    const upper = lowerFrom(lowering, places, margin, 'lowerInPart')
    const able = selectAbove(upper, floor).map((n) => places[n] as number)
    if (places === all) return { places: able, floor }
    floor = Math.max(floor, floorOf(able))
  }
}

/** The lowered values of some places. @param raise added to them first. */
function lowerFrom(
  { field: { values, slotAt }, losses }: Lowering,
  places: Uint32Array,
  raise: number,
  by: 'lower' | 'lowerInPart',
): Float32Array {
  const slots = places.map(slotAt)
  const lowered = Float32Array.from(places, (place) => (values[place] as number) + raise)
  for (const loss of losses) (loss[by] ?? loss.lower)(lowered, slots)
  return lowered
}

/** Some of the places, at least so many, which have the greatest values. */
function keepBest(values: Float32Array, places: Uint32Array, count: number): Uint32Array {
  const own = Float32Array.from(places, (place) => values[place] as number)
  return selectAbove(own, findBar(own, count)).map((n) => places[n] as number)
}
