/** Compares vectors: its value is the cosine of every picture with one vector. A scan estimates it, the precise pass computes it. */
export interface VectorLeg {
  name: 'image' | 'text'
  /** Euclidean length 1. */
  vector: Float32Array
  /** Its share of the value. */
  weight: number
}

/** Adds a number that is known exactly for every slot. */
export interface ExactLeg {
  name: 'keyword' | 'color' | 'category' | 'clicks'
  /** -Infinity for a slot that must not be found. */
  at(slot: number): number
  /** Adds it, times a factor, to the values of all slots; quicker than asking for each. */
  addTo?(values: Float32Array, factor: number): void
  /** Where its numbers stand, for a leg that reads them from a column; quicker than asking for each. */
  column?: LegColumn
  /** Whether it fades out where the vectors are nearly the same. It is never positive then. */
  isFading?: boolean
}

/** The number of a slot is `numbers[keys[slot]]`. Valid for one tick. */
export interface LegColumn {
  keys: Uint32Array
  /** For every key that a slot has. */
  numbers: Float64Array
}

/** The same leg, counting more or less. */
export const weighted = (leg: ExactLeg, weight: number): ExactLeg =>
  weight === 1
    ? leg
    : {
        ...leg,
        at: (slot) => weight * leg.at(slot),
        ...(leg.column && {
          column: { ...leg.column, numbers: leg.column.numbers.map((number) => weight * number) },
        }),
        ...(leg.addTo && { addTo: (values, factor) => leg.addTo?.(values, weight * factor) }),
      }
