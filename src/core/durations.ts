/** Each bin of the histogram is wider than the one before by this factor, so a value is off by at most 1 %. */
const GROWTH = 1.01 / 0.99
const LOG_GROWTH = Math.log(GROWTH)

/** Shorter and longer durations count as these. */
const MS_MIN = 0.01
const MS_MAX = 600_000

/** The bin of a duration in a histogram with a logarithmic scale. */
export const binOf = (ms: number): number =>
  Math.ceil(Math.log(Math.min(MS_MAX, Math.max(MS_MIN, ms)) / MS_MIN) / LOG_GROWTH)

/** Bins of the histogram. */
export const BINS = binOf(MS_MAX) + 1

/** The middle of a bin in ms. */
const middleOf = (bin: number): number => (2 * MS_MIN * GROWTH ** bin) / (GROWTH + 1)

/**
 * The duration that a share of all does not exceed, to within 1 %; null without any.
 *
 * @param counts durations by bin.
 */
export function percentile(counts: ArrayLike<number>, share: number): number | null {
  let total = 0
  for (let bin = 0; bin < counts.length; bin++) total += counts[bin] as number
  if (total <= 0) return null
  const rank = Math.max(1, Math.ceil(share * total))
  let seen = 0
  for (let bin = 0; bin < counts.length; bin++) {
    seen += counts[bin] as number
    if (seen >= rank) return Math.round(middleOf(bin) * 100) / 100
  }
  return null
}
