/** How good a ranked list is; each lies in 0 to 1. */
export interface Quality {
  /** Share of right answers among the first ten, or among the first n where there are only n right ones. */
  precisionAt10: number
  /** Whether the first is right. */
  recallAt1: number
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
    recallAt1: hits[0] === true ? 1 : 0,
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
    recallAt1: mean((quality) => quality.recallAt1),
    recallAt5: mean((quality) => quality.recallAt5),
    ndcgAt10: mean((quality) => quality.ndcgAt10),
  }
}

const ROUNDS = 1000

/** The middle 95 % of the means of samples that are drawn with replacement; the same values give the same interval. */
export function bootstrap(values: readonly number[]): { low: number; high: number } {
  const { length } = values
  const means = new Float64Array(ROUNDS)
  let state = 12_345
  for (let round = 0; round < ROUNDS; round++) {
    let sum = 0
    for (let n = 0; n < length; n++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      // The low bits of such a generator repeat soon.
      sum += values[Math.floor((state / 2 ** 32) * length)] as number
    }
    means[round] = sum / Math.max(1, length)
  }
  means.sort()
  return {
    low: means[Math.floor(0.025 * ROUNDS)] as number,
    high: means[Math.ceil(0.975 * ROUNDS) - 1] as number,
  }
}
