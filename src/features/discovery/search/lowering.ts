import { type Accepts, findBar, selectAbove } from '../../../core/select.ts'
import {
  ERROR_MARGIN,
  type Field,
  findError,
  type NearProduct,
  type NearRequest,
  type Precise,
  pickProducts,
  slotsAt,
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

/** Finds the nearest products after all losses, as `listNearest` does without any. */
export function listLowered(lowering: Lowering): NearProduct[] {
  const { store, request, field, precise, losses } = lowering
  const first = selectFirst(lowering)
  const sample = first.subarray(0, SAMPLE)
  let error = ERROR_MARGIN * findError(field.values, sample, precise(slotsAt(field, sample)))
  for (;;) {
    const lowest = (places: Uint32Array): Float32Array => lowerFrom(lowering, places, -error)
    const { places } = findAble(lowering, first, error, lowest)
    const slots = slotsAt(field, places)
    const exact = precise(slots)
    const found = findError(field.values, places, exact)
    if (found <= error) {
      for (const { lower } of losses) lower(exact, slots)
      return pickProducts(store, request, slots, exact).products
    }
    error = 2 * found
  }
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
  const lowest = (places: Uint32Array): Float32Array => valuesAt(slotsAt(field, places))
  const { places, floor } = findAble(lowering, selectFirst(lowering), margin, lowest)
  const values = lowerFrom(lowering, places, margin)
  const able = selectAbove(values, floor)
  const slots = slotsAt(field, pick(places, able))
  return { values: valuesOf(values, able), slotAt: (place) => slots[place] as number }
}

/** Candidates beyond the wanted number, because losses change their order. */
const PAD = 48

/** Candidates that show how far the values of a field are off. */
const SAMPLE = 64

function selectFirst({ request, field: { values, tops }, accepts }: Lowering): Uint32Array {
  const bar = findBar(values, Math.ceil(request.depth * 1.25) + PAD, accepts, tops)
  return selectAbove(values, bar, accepts, tops)
}

/** More than so many times the places that were lowered are not lowered at once: the best of them may raise the floor. */
const STRIDE = 16

/**
 * Finds the places that can be in the list.
 *
 * @param first the best of the field.
 * @param margin how far a value may lie above that of the field.
 * @param lowest gives lowered values of some places that their own don't fall below.
 * @returns in ascending order, with a floor that the last product of the list reaches.
 */
function findAble(
  lowering: Lowering,
  first: Uint32Array,
  margin: number,
  lowest: (places: Uint32Array) => Float32Array,
): { places: Uint32Array; floor: number } {
  const { store, request, field, accepts } = lowering
  const floorOf = (places: Uint32Array): number =>
    pickProducts(store, request, slotsAt(field, places), lowest(places)).floor
  let floor = floorOf(first)
  let all = selectAbove(field.values, floor - margin, accepts, field.tops)
  for (let count = STRIDE * first.length; ; count *= STRIDE) {
    const values = valuesOf(field.values, all)
    const isAll = all.length <= count
    const places = isAll ? all : pick(all, selectAbove(values, findBar(values, count)))
    const able = sieve(lowering, places, margin, floor)
    if (isAll) return { places: able, floor }
    floor = Math.max(floor, floorOf(able))
    all = pick(all, selectAbove(values, floor - margin))
  }
}

/** Those of some places that can reach a floor. Each loss leaves fewer for the next one. */
function sieve({ field, losses }: Lowering, from: Uint32Array, margin: number, floor: number): Uint32Array {
  let places = from
  let values = raisedValues(field, places, margin)
  for (const { lower, lowerInPart = lower } of losses) {
    lowerInPart(values, slotsAt(field, places))
    const kept = selectAbove(values, floor)
    places = pick(places, kept)
    values = valuesOf(values, kept)
  }
  return places
}

/** The lowered values of some places. @param raise added to them first. */
function lowerFrom({ field, losses }: Lowering, places: Uint32Array, raise: number): Float32Array {
  const slots = slotsAt(field, places)
  const lowered = raisedValues(field, places, raise)
  for (const { lower } of losses) lower(lowered, slots)
  return lowered
}

function raisedValues({ values }: Field, places: Uint32Array, raise: number): Float32Array {
  const raised = valuesOf(values, places)
  for (let n = 0; n < raised.length; n++) raised[n] = (raised[n] as number) + raise
  return raised
}

/** The values of some places. Loops are ten times as fast here as `map` and `from`. */
function valuesOf(values: Float32Array, places: Uint32Array): Float32Array {
  const own = new Float32Array(places.length)
  for (let n = 0; n < own.length; n++) own[n] = values[places[n] as number] as number
  return own
}

/** Some of the places. */
function pick(places: Uint32Array, chosen: Uint32Array): Uint32Array {
  const picked = new Uint32Array(chosen.length)
  for (let n = 0; n < picked.length; n++) picked[n] = places[chosen[n] as number] as number
  return picked
}
