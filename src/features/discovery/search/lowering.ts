import { type Accepts, findBar, selectAbove } from '../../../core/select.ts'
import {
  type Candidates,
  type Field,
  findError,
  findFloor,
  type NearProduct,
  type NearRequest,
  type Precise,
  pickProducts,
  type Search,
  slotsAt,
  takeCandidates,
  takeMore,
} from './nearest.ts'

/*
 * Wanted colours and the vote of the first hits take something from values. They do so from as few as the list needs: what is not
 * better before than the last one of the list is afterwards need not be lowered (the threshold algorithm of Fagin). The list stays exact.
 */

/** What products lack, in the unit of values. Valid for one tick. */
export interface Loss {
  /** Its part in an explanation. */
  leg: 'color' | 'keyword' | 'second_look'
  /** Takes it from the values of some slots. No value rises, and of two values of a slot the greater one stays so. */
  lower(values: Float32Array, slots: Uint32Array): void
  /** What had a value before that lost nothing; absent where it had the same. */
  beforeLoss?(value: number): number
  /** Takes only what costs little to find; absent where that is all. */
  lowerInPart?: Loss['lower'] | undefined
}

/** A search whose values lose something; its precise values are those before any loss. */
export interface Lowering extends Search {
  request: NearRequest
  /** In their order. */
  losses: readonly Loss[]
}

/** Takes all losses from values. */
function lower(values: Float32Array, slots: Uint32Array, losses: readonly Loss[]): Float32Array {
  for (const loss of losses) loss.lower(values, slots)
  return values
}

/** Rounding of values as 32-bit floats. */
const ROUNDING = 1e-6

/** The least value of a field that may reach a floor after all losses. @param margin how far a value may lie above the field's. */
function barFor({ losses }: Lowering, floor: number, margin: number): number {
  let bar = floor
  for (const { beforeLoss } of losses.toReversed()) bar = beforeLoss?.(bar) ?? bar
  return bar - margin - ROUNDING
}

/** Takes all losses from precise values. */
export const lowerAll =
  (precise: Precise, losses: readonly Loss[]): Precise =>
  (slots) =>
    lower(precise(slots), slots, losses)

/**
 * Finds the nearest products after all losses, as `listNearest` does without any.
 *
 * @param first candidates by the values before.
 */
export function listLowered(lowering: Lowering, first: Candidates): NearProduct[] {
  const { store, request, field, precise, accepts, losses } = lowering
  const { candidates, known, floor } = lowerCandidates(lowering, first)
  for (let { error } = candidates; ; ) {
    const others = listBetween(field, barFor(lowering, floor, error), candidates.bar, accepts)
    const lowest = (places: Uint32Array): Float32Array => lowerFrom(lowering, places, -error)
    const { places } = findAble(lowering, others, { margin: error, floor, lowest })
    const slots = slotsAt(field, places)
    const exact = precise(slots)
    const found = findError(field.values, places, exact)
    if (found <= error) {
      const values = join(known, lower(exact, slots, losses), Float32Array)
      return pickProducts(store, request, join(candidates.slots, slots, Uint32Array), values).products
    }
    error = 2 * found
  }
}

/** Lowers candidates, and takes more where they are too few products; `floor` is what the last product of the list reaches. */
function lowerCandidates(
  lowering: Lowering,
  first: Candidates,
): { candidates: Candidates; known: Float32Array; floor: number } {
  const { store, request, losses } = lowering
  for (let candidates = first; ; candidates = takeMore(lowering, candidates)) {
    const { slots, exact, bar } = candidates
    const known = lower(exact.slice(), slots, losses)
    const floor = findFloor(store, request, slots, known)
    if (floor > -Infinity || bar === -Infinity) return { candidates, known, floor }
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
  const { request, field, precise, accepts, losses } = lowering
  const { floor: reached } = lowerCandidates(lowering, takeCandidates(lowering, request.depth))
  const all = listBetween(field, barFor(lowering, reached, margin), Number.POSITIVE_INFINITY, accepts)
  const valuesAt = lowerAll(precise, losses)
  const lowest = (places: Uint32Array): Float32Array => valuesAt(slotsAt(field, places))
  const { places, floor } = findAble(lowering, all, { margin, floor: reached, lowest })
  const values = lowerFrom(lowering, places, margin)
  const able = selectAbove(values, floor)
  const slots = slotsAt(field, pick(places, able))
  return { values: valuesOf(values, able), slotAt: (place) => slots[place] as number }
}

/** Lists the places whose values reach a bar and are below an end. */
function listBetween(
  { values, tops }: Pick<Field, 'values' | 'tops'>,
  bar: number,
  end: number,
  accepts?: Accepts,
): Uint32Array {
  if (bar >= end) return new Uint32Array(0)
  const places = selectAbove(values, bar, accepts, tops)
  let size = 0
  for (let n = 0; n < places.length; n++) {
    const place = places[n] as number
    if ((values[place] as number) < end) places[size++] = place
  }
  return places.subarray(0, size)
}

/** More than so many places are not lowered at once: the best of them may raise the floor. */
const STEP_MIN = 1_024
const STRIDE = 16

/**
 * Finds the places among some that can be in the list.
 *
 * @param known `floor` is reached by the last product of the list; `margin` is how far a value may lie above that of the
 *   field; `lowest` gives lowered values of some places that their own don't fall below.
 * @returns in no particular order, with the floor as far as it could be raised.
 */
function findAble(
  lowering: Lowering,
  all: Uint32Array,
  known: { margin: number; floor: number; lowest: (places: Uint32Array) => Float32Array },
): { places: Uint32Array; floor: number } {
  const { store, request, field } = lowering
  const { margin, lowest } = known
  let { floor } = known
  let able: Uint32Array = new Uint32Array(0)
  let left = all
  for (let count = Math.max(STEP_MIN, STRIDE * request.depth); ; count *= STRIDE) {
    const values = valuesOf(field.values, left)
    const bar = left.length <= count ? -Infinity : findBar(values, count)
    const best = bar === -Infinity ? left : pick(left, selectAbove(values, bar))
    able = join(able, sieve(lowering, best, margin, floor), Uint32Array)
    if (bar === -Infinity) return { places: able, floor }
    floor = Math.max(floor, findFloor(store, request, slotsAt(field, able), lowest(able)))
    able = sieve(lowering, able, margin, floor)
    left = pick(left, listBetween({ values }, barFor(lowering, floor, margin), bar))
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
const lowerFrom = ({ field, losses }: Lowering, places: Uint32Array, raise: number): Float32Array =>
  lower(raisedValues(field, places, raise), slotsAt(field, places), losses)

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

function join<Numbers extends Float32Array | Uint32Array>(
  one: Numbers,
  other: Numbers,
  Kind: new (length: number) => Numbers,
): Numbers {
  const joined = new Kind(one.length + other.length)
  joined.set(one)
  joined.set(other, one.length)
  return joined
}
