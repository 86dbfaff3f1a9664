/*
 * What clicks say of a product, without what its place says. A product that stands first is clicked because it stands first. So its
 * clicks are held against those that any product would have had in its places: clicks over expected clicks (COEC; W. V. Zhang and
 * R. Jones, "Comparing Click Logs and Editorial Labels for Training Query Rewriting", 2007). How often a place is clicked comes from
 * the store's own log. A place further down is never looked at more often than one above it, so a rate that rises downwards says
 * something of the products there, and is shared with the places above (isotonic regression by pool adjacent violators).
 */

/** Places are counted alone up to the tenth, then to the twentieth and the fortieth together. Further down nothing is learned. */
const PLACES_ALONE = 10
const LAST_OF_BUCKETS = [20, 40] as const
export const BUCKETS = PLACES_ALONE + LAST_OF_BUCKETS.length

/** The bucket of a place, which counts from 1; -1 for one too far down. */
export function bucketOf(place: number): number {
  if (place <= PLACES_ALONE) return place - 1
  const more = LAST_OF_BUCKETS.findIndex((last) => place <= last)
  return more === -1 ? -1 : PLACES_ALONE + more
}

/** What the best products gain, in units of a cosine. */
export const PRIOR_MAX = 0.03

/** Expected clicks for which the mean of the store stands in: a product with few clicks is taken for an average one. */
const USUAL = 10

/** A product that is clicked so many times as often as others in its places gains all. */
const FULL_RATIO = 3

/** Clicks and showings count half after so many days. */
const HALF_LIFE_DAYS = 30

/** What a click or a showing of some days ago counts. */
export const weighAge = (days: number): number => 0.5 ** (Math.max(0, days) / HALF_LIFE_DAYS)

/**
 * How often each place is clicked, by bucket: the nearest rates to those of the log that never rise downwards.
 *
 * @param shown how often a product stood there.
 */
export function fitRates(shown: Float64Array, clicks: Float64Array): Float64Array {
  const pools: { shown: number; clicks: number; buckets: number }[] = []
  const rateOf = (pool: { shown: number; clicks: number }) => (pool.shown > 0 ? pool.clicks / pool.shown : 0)
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    pools.push({ shown: shown[bucket] as number, clicks: clicks[bucket] as number, buckets: 1 })
    for (let last = pools.pop(); last; last = pools.pop()) {
      const above = pools.at(-1)
      if (!above || rateOf(above) >= rateOf(last)) {
        pools.push(last)
        break
      }
      above.shown += last.shown
      above.clicks += last.clicks
      above.buckets += last.buckets
    }
  }
  return Float64Array.from(pools.flatMap((pool) => new Array<number>(pool.buckets).fill(rateOf(pool))))
}

/** What a product gains: nothing unless it is clicked more often than others in its places. */
export function toPrior(clicks: number, expected: number): number {
  if (clicks <= 0) return 0
  const ratio = (clicks + USUAL) / (expected + USUAL)
  return PRIOR_MAX * Math.max(0, Math.min(1, Math.log(ratio) / Math.log(FULL_RATIO)))
}
