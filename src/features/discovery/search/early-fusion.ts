import type { LogisticMap } from '../../../platform/embedder/embedder.ts'

/** Scales a vector to length 1. @returns undefined for one without a direction. */
export function toUnit(vector: Float32Array): Float32Array | undefined {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((number) => number / length) : undefined
}

/**
 * Mixes a picture and words into one vector.
 *
 * Some models give pictures numbers that words do not have: there a text is zero, and the numbers say what a picture looks
 * like. So words and picture are mixed on the text's own numbers only, where the picture keeps its length, and its looks
 * are added whole from a weight of one half on, and less below. For other models this is the mean of both directions.
 *
 * @param weight of the picture, 0 to 1: at 0 the words alone, at 1 the picture alone.
 */
export function mixWords(picture: Float32Array, words: Float32Array, weight: number): Float32Array {
  if (weight >= 1) return picture
  const shared = picture.map((number, n) => (words[n] === 0 ? 0 : number))
  const spoken = toUnit(words)
  const seen = toUnit(shared)
  if (weight <= 0 || !spoken) return words
  const looks = Math.min(1, 2 * weight)
  const length = Math.hypot(...shared)
  const direction = toUnit(spoken.map((word, n) => (1 - weight) * word + weight * (seen?.[n] ?? 0)))
  const mixed = picture.map((number, n) =>
    words[n] === 0 ? looks * number : (length || 1) * (direction?.[n] ?? 0),
  )
  return toUnit(mixed) ?? words
}

/** The map between that of pictures and that of words. */
export const mixMaps = (picture: LogisticMap, words: LogisticMap, weight: number): LogisticMap => ({
  midpoint: weight * picture.midpoint + (1 - weight) * words.midpoint,
  slope: weight * picture.slope + (1 - weight) * words.slope,
})

/** A vector with its weight. */
export interface Weighted {
  vector: Float32Array
  weight: number
}

/** The direction of some pictures without that of others. @returns undefined where they cancel out. */
export function average(
  positive: readonly Weighted[],
  negative: readonly Weighted[],
): Float32Array | undefined {
  const sum = new Float32Array(positive[0]?.vector.length ?? 0)
  const add = ({ vector, weight }: Weighted, sign: 1 | -1) => {
    for (let n = 0; n < sum.length; n++) {
      sum[n] = (sum[n] as number) + sign * weight * (vector[n] as number)
    }
  }
  for (const one of positive) add(one, 1)
  for (const one of negative) add(one, -1)
  // Rounding leaves a little of vectors that are equal.
  return Math.hypot(...sum) > 1e-6 ? toUnit(sum) : undefined
}
