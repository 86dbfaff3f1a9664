/** How good a ranked list is; each lies in 0 to 1. */
export interface Quality {
  /** Share of right answers among the first ten, or among the first n where there are only n right ones. */
  precisionAt10: number
  /** Whether a right answer is among the first five. */
  recallAt5: number
  /** Normalised discounted cumulative gain of the first ten, all right answers weighing the same. */
  ndcgAt10: number
}

/**
 * Judges one ranked list.
 *
 * @param ranked ids, best first, each once.
 * @param right ids of the right answers; at least one.
 */
export function judge(ranked: readonly string[], right: ReadonlySet<string>): Quality {
  if (right.size === 0) throw new Error('A query without right answers cannot be judged')
  const hits = ranked.slice(0, 10).map((id) => right.has(id))
  const reachable = Math.min(10, right.size)
  const gain = (at: number) => 1 / Math.log2(at + 2)
  const found = hits.reduce((sum, isHit, at) => sum + (isHit ? gain(at) : 0), 0)
  const ideal = Array.from({ length: reachable }, (_, at) => gain(at)).reduce((sum, value) => sum + value, 0)
  return {
    precisionAt10: hits.slice(0, reachable).filter(Boolean).length / reachable,
    recallAt5: hits.slice(0, 5).includes(true) ? 1 : 0,
    ndcgAt10: found / ideal,
  }
}

/** The mean of several judgements. */
export function average(qualities: readonly Quality[]): Quality {
  const mean = (of: (quality: Quality) => number) =>
    qualities.reduce((sum, quality) => sum + of(quality), 0) / Math.max(1, qualities.length)
  return {
    precisionAt10: mean((quality) => quality.precisionAt10),
    recallAt5: mean((quality) => quality.recallAt5),
    ndcgAt10: mean((quality) => quality.ndcgAt10),
  }
}
