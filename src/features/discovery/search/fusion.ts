import type { FinalMap, LogisticMap } from '../../../platform/embedder/embedder.ts'
import { createBlankFill } from './blanks.ts'
import { type ExactLeg, type LegColumn, type VectorLeg, weighted } from './legs/leg.ts'
import type { Loss } from './lowering.ts'
import { itself } from './nearest.ts'
import { RANKING } from './parameters.ts'
import { correct, type ScoreMap } from './score.ts'
import type { SearchedStore } from './searched-store.ts'
import type { VoteScale } from './second-look.ts'
import type { WantedColours } from './wanted-colours.ts'

/*
 * How legs become one list. Each side of a search (its picture, its words, its colours) gives log-odds: slope · (value −
 * midpoint), by the model's map for that kind of comparison. Sides are added by their shares. Written as one slope and one
 * midpoint again, that makes every search a sum of weighted cosines and of exact numbers, mapped by one logistic
 * curve. The order of the list is the order of the values; scores are added, and ranks never are.
 */

/** One side of a search. All its numbers are in units of its own cosine. */
export interface Side {
  /** Its weight among the sides; the weights of all sides are scaled to 1. */
  share: number
  map: LogisticMap
  vector?: Pick<VectorLeg, 'name' | 'vector'>
  /** Built in the tick of the ranking, from the store as it is then. */
  exactLegs?(store: SearchedStore, scannedBy?: ScannedBy): ExactLeg[]
  /** Whether one of the exact legs is that of keywords. */
  hasKeywords?(store: SearchedStore): boolean
}

/** The scores of all slots by a vector of the query, as the scan has them; undefined where it has none. */
export type ScannedBy = (vector: Float32Array) => Float32Array | undefined

/** How the cosines of several vectors become one. */
export type Blend =
  | { kind: 'sum' }
  /**
   * The best reference counts, by its odds times its weight; likeness to a negative divides the odds. The first legs are
   * the references, one for each weight, the others the negatives.
   */
  | { kind: 'best'; weights: readonly number[]; negatives: readonly number[]; map: LogisticMap }

/** The ranking of a store's products, ready to be scored. */
export interface Fusion {
  legs: VectorLeg[]
  blend: Blend
  map: ScoreMap
  exactLegs(store: SearchedStore, scannedBy?: ScannedBy): ExactLeg[]
  hasKeywords(store: SearchedStore): boolean
  /** The colours that are asked for beside the rest. */
  colours?: { wanted: WantedColours; map: FinalMap } | undefined
  /** What products should not say; each with what else says it. */
  unwanted?: readonly (readonly string[])[] | undefined
  /** How much the vote of the first hits counts; undefined where they have none. */
  vote?: VoteScale | undefined
}

export interface FuseOptions {
  /** Corrects the log-odds of the sum. */
  final?: FinalMap | undefined
  /** No score exceeds it. */
  ceiling?: number
}

/** Adds sides by their shares (late fusion). */
export function fuseSides(sides: readonly Side[], options: FuseOptions = {}): Fusion {
  const { final, ceiling = 1 } = options
  const total = sides.reduce((sum, { share }) => sum + share, 0)
  const odds = sides.map(({ share, map }) => ({ slope: (share / total) * map.slope, at: map.midpoint }))
  const slope = odds.reduce((sum, side) => sum + side.slope, 0)
  const midpoint = odds.reduce((sum, side) => sum + side.slope * side.at, 0) / slope
  const weightOf = (n: number) => (odds[n]?.slope ?? 0) / slope
  return {
    legs: sides.flatMap(({ vector }, n) => (vector ? [{ ...vector, weight: weightOf(n) }] : [])),
    blend: { kind: 'sum' },
    map: { ...correct({ slope, midpoint }, final), ceiling },
    hasKeywords: (store) => sides.some(({ hasKeywords }) => hasKeywords?.(store)),
    exactLegs: (store, scannedBy) =>
      sides.flatMap(({ exactLegs }, n) =>
        (exactLegs?.(store, scannedBy) ?? []).map((leg) => weighted(leg, weightOf(n))),
      ),
  }
}

/** The value of each place by its cosines; -Infinity stays. */
function combine({ legs, blend }: Fusion, cosines: readonly Float32Array[], into: Float32Array): void {
  if (blend.kind === 'best') combineBest(blend, cosines, into)
  else
    addWeighted(
      legs.map(({ weight }) => weight),
      cosines,
      into,
    )
}

function addWeighted(weights: readonly number[], cosines: readonly Float32Array[], into: Float32Array): void {
  const [first] = cosines
  if (!first) return
  const [weight = 1] = weights
  if (weight === 1) into.set(first)
  else for (let n = 0; n < into.length; n++) into[n] = weight * (first[n] as number)
  for (let leg = 1; leg < cosines.length; leg++) {
    const more = cosines[leg] as Float32Array
    const share = weights[leg] as number
    for (let n = 0; n < into.length; n++) into[n] = (into[n] as number) + share * (more[n] as number)
  }
}

function combineBest(
  { weights, negatives, map }: Blend & { kind: 'best' },
  cosines: readonly Float32Array[],
  into: Float32Array,
): void {
  const largest = Math.max(...weights)
  const offsets = weights.map((weight) => Math.log(weight / largest) / map.slope)
  for (let n = 0; n < into.length; n++) {
    let value = -Infinity
    for (let leg = 0; leg < weights.length; leg++) {
      value = Math.max(value, (cosines[leg]?.[n] as number) + (offsets[leg] as number))
    }
    for (let leg = 0; leg < negatives.length; leg++) {
      const odds = Math.exp(map.slope * ((cosines[weights.length + leg]?.[n] as number) - map.midpoint))
      value -= ((negatives[leg] as number) * Math.log1p(odds)) / map.slope
    }
    into[n] = value
  }
}

/** Adds what a leg reads from a column, to the values of all slots; {@link addition} says how much. */
function addColumn(
  { keys, numbers }: LegColumn,
  isFading: boolean,
  likeness: Float32Array,
  into: Float32Array,
): void {
  for (let slot = 0; slot < into.length; slot++) {
    let number = numbers[keys[slot] as number] as number
    const like = likeness[slot] as number
    if (isFading && like > RANKING.alike) number *= Math.max(0, (1 - like) / (1 - RANKING.alike))
    // A free slot keeps -Infinity.
    into[slot] = (into[slot] as number) + number
  }
}

/** The share of an exact leg in a value. @param likeness of the picture to the query picture, as a cosine. */
const addition = (leg: ExactLeg, slot: number, likeness: number): number =>
  leg.isFading && likeness > RANKING.alike
    ? leg.at(slot) * Math.max(0, (1 - likeness) / (1 - RANKING.alike))
    : leg.at(slot)

/** The fusion in one tick, for the store as it is now, without its losses. */
export interface PresentFusion {
  /** Whether values are the cosines themselves. */
  isPlain: boolean
  /** The value of each place by its cosines; the places' slots are `slotAt(place)`, or {@link itself} where all are there. */
  valuesOf(cosines: readonly Float32Array[], slotAt: (place: number) => number, into: Float32Array): void
  /** Precise values of some slots. */
  valuesAt(slots: Uint32Array): Float32Array
  /** Precise cosines of some slots, by leg, and what each exact leg adds. */
  explain(slots: Uint32Array): { cosines: readonly Float32Array[]; added: Record<AddedLeg, number>[] }
}

/** What is added to the cosines. */
export type AddedLeg = ExactLeg['name'] | Loss['leg']

export function presentFusion(fusion: Fusion, store: SearchedStore, scannedBy?: ScannedBy): PresentFusion {
  const { segment } = store
  const exact = fusion.exactLegs(store, scannedBy)
  const isPlain = exact.length === 0 && fusion.legs.length === 1 && fusion.blend.kind === 'sum'

  const fillBlanks = createBlankFill(store, fusion.legs, exact, scannedBy)

  function valuesOf(
    scored: readonly Float32Array[],
    slotAt: (place: number) => number,
    into: Float32Array,
  ): void {
    const cosines = fillBlanks?.(scored, slotAt) ?? scored
    if (fusion.legs.length > 0) combine(fusion, cosines, into)
    else for (let n = 0; n < into.length; n++) into[n] = segment.keyAt(slotAt(n)) < 0 ? -Infinity : 0
    const slow = exact.filter(({ addTo }) => !addTo || slotAt !== itself)
    // A leg that fades needs the likeness, and the others may overwrite it.
    addSlow(slow, likenessOf(cosines, into), slotAt, into)
    for (const leg of exact) if (!slow.includes(leg)) leg.addTo?.(into, 1)
  }

  function addSlow(
    legs: readonly ExactLeg[],
    likeness: Float32Array,
    slotAt: (place: number) => number,
    into: Float32Array,
  ): void {
    if (legs.length === 0) return
    const [first, ...others] = legs
    if (first?.column && others.length === 0 && slotAt === itself) {
      addColumn(first.column, first.isFading === true, likeness, into)
      return
    }
    for (let n = 0; n < into.length; n++) {
      let sum = into[n] as number
      if (sum === -Infinity) continue
      const like = likeness[n] as number
      for (let leg = 0; leg < legs.length; leg++) sum += addition(legs[leg] as ExactLeg, slotAt(n), like)
      into[n] = sum
    }
  }

  /** The cosines to the query picture, where there is one; of several references the best. */
  const likenessOf = (cosines: readonly Float32Array[], combined: Float32Array): Float32Array =>
    fusion.blend.kind === 'sum' ? (cosines[0] ?? combined) : combined

  const cosinesAt = (slots: Uint32Array) => fusion.legs.map(({ vector }) => segment.rescore(vector, slots))

  return {
    isPlain,
    valuesOf,
    valuesAt(slots) {
      const values = new Float32Array(slots.length)
      valuesOf(cosinesAt(slots), (n) => slots[n] as number, values)
      return values
    },
    explain(slots) {
      const scored = cosinesAt(slots)
      const cosines = fillBlanks?.(scored, (n) => slots[n] as number) ?? scored
      const values = new Float32Array(slots.length)
      if (fusion.legs.length > 0) combine(fusion, cosines, values)
      const likeness = likenessOf(cosines, values)
      return {
        cosines,
        added: Array.from(slots, (slot, n) => {
          const added = { keyword: 0, color: 0, category: 0, second_look: 0, clicks: 0 }
          for (const leg of exact) added[leg.name] += addition(leg, slot, likeness[n] as number)
          return added
        }),
      }
    },
  }
}

/** A fusion that asks for colours besides. */
export function askForColours(fusion: Fusion, wanted: WantedColours): Fusion {
  const isSpoken = wanted.spoken.length > 0 && wanted.spokenLoss > 0
  if (wanted.picked.length === 0 && !isSpoken) return fusion
  const { knee = RANKING.colourKnee, ...map } = fusion.map
  return { ...fusion, map, colours: { wanted, map: { ...map, knee } } }
}
