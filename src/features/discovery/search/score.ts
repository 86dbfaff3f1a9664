import { calibrate } from '../../../core/calibrate.ts'
import type { FinalMap, LogisticMap } from '../../../platform/embedder/embedder.ts'

/** Maps values to scores. */
export interface ScoreMap extends FinalMap {
  /** No score exceeds it; 1 for most searches. */
  ceiling: number
}

/** The score of a value as it is answered: 0 to 1, rounded to six digits. */
export const toScore = (value: number, map: ScoreMap): number =>
  roundScore(map.ceiling * calibrate(bend(value, map), map))

/** The log-odds of the score of a value, before it is rounded. */
export function toLogOdds(value: number, map: ScoreMap): number {
  const odds = map.slope * (bend(value, map) - map.midpoint)
  if (map.ceiling === 1) return odds
  const score = map.ceiling * calibrate(bend(value, map), map)
  return Math.log(score / (1 - score))
}

/** How much of the logarithm counts beyond the knee: a product that has all of the best match scores some 0.93. */
const SOFTNESS = 0.6

/** Bends what lies beyond the knee; the order stays. */
export function bend(value: number, { slope, midpoint, knee }: FinalMap): number {
  if (knee === undefined) return value
  const beyond = slope * (value - midpoint) - knee
  return beyond > 0 ? midpoint + (knee + SOFTNESS * Math.log1p(beyond)) / slope : value
}

/** The value that {@link bend} makes a bent one of; Infinity where no number is that large. */
export function unbend(bent: number, { slope, midpoint, knee }: FinalMap): number {
  if (knee === undefined) return bent
  const beyond = slope * (bent - midpoint) - knee
  return beyond > 0 ? midpoint + (knee + Math.expm1(beyond / SOFTNESS)) / slope : bent
}

/** The score of log-odds, before it is rounded. */
export const toProbability = (odds: number): number => 1 / (1 + Math.exp(-odds))

export const roundScore = (score: number): number => Math.round(score * 1e6) / 1e6

/**
 * Corrects a map by one over its log-odds, which gives a logistic map again.
 *
 * @param final undefined for no correction.
 */
export const correct = (map: LogisticMap, final: FinalMap | undefined): FinalMap =>
  final
    ? {
        slope: final.slope * map.slope,
        midpoint: map.midpoint + final.midpoint / map.slope,
        knee: final.knee,
      }
    : { slope: map.slope, midpoint: map.midpoint }

/** A relative drop below this is no edge, so that smooth lists are not cut. */
const EDGE = 0.1

/** Scores below this share of the best score are never kept. */
export const TAIL = 0.6

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
