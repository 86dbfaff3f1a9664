/**
 * Boosts the score of a product in the query's own category by the weight w: `(1 − w) · s + w`.
 *
 * The order inside the category stays the same, and 1 stays 1.
 */
export const boost = (similarity: number, weight: number): number => (1 - weight) * similarity + weight

/** A relative drop below this is no edge, so that smooth lists are not cut. */
const EDGE = 0.1

/** Scores below this share of the best score are never kept. */
const TAIL = 0.6

/**
 * Finds the end of a list with `cutoff: "auto"`: at the largest relative drop after the third result, and in any case
 * before the scores fall below 0.6 of the best.
 *
 * @param scores best first.
 * @returns the number of results to keep.
 */
export function findCutoff(scores: readonly number[]): number {
  const [best = 0] = scores
  const tail = scores.findIndex((score) => score < TAIL * best)
  const kept = tail === -1 ? scores.length : tail
  let edge = { at: kept, drop: EDGE }
  for (let n = 3; n < kept; n++) {
    const before = scores[n - 1] as number
    const drop = before > 0 ? (before - (scores[n] as number)) / before : 0
    if (drop > edge.drop) edge = { at: n, drop }
  }
  return edge.at
}
