import { BoundedMap } from '../../../core/bounded-map.ts'
import type { Clock } from '../../../core/clock.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import { findBest } from './best.ts'
import type { Columns } from './columns/columns.ts'
import type { ItemQueries } from './columns/item-queries.ts'
import { PRODUCTS } from './columns/kinds.ts'
import type { StoreDay } from './day-queries.ts'
import { WEIGHTS } from './popular.ts'

export interface TrendingDeps {
  columns: Pick<Columns, 'score'>
  items: Pick<ItemQueries, 'findNames'>
  dayOf: StoreDay
  /** Writes the queued events of a store. */
  flush(storeId: string): void
  /** Runs work while nothing else uses the counters of a store. */
  alone<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>
  clock: Pick<Clock, 'now' | 'monotonic'>
}

/** Products by what they have become, the strongest trend first. */
export interface Trend {
  /** What most of the scores come from. */
  basis: 'purchases' | 'clicks'
  /** Scores are shares of the first one's. */
  products: { productId: string; score: number }[]
}

/** Products that a trend lists. */
const LISTED_MAX = 200
/** Trends that are kept: one of a store for each number of days. */
const TRENDS_MAX = 2_000
/** Points that are added to both periods, so that one click after none is no trend. */
const STEADY = 5
/** How much growth and decline count at most. */
const GROWTH_MAX = 4

/**
 * Finds what shoppers click and buy more and more of: the points of the last days, of which the younger half counts twice as much,
 * times how much more they are than in as many days before. It reads the counts of days alone, and keeps each trend for a minute.
 */
export function createTrending({ columns, items, dayOf, flush, alone, clock }: TrendingDeps) {
  const known = new BoundedMap<string, { until: number; trend: Promise<Trend | undefined> }>(TRENDS_MAX)

  function read(storeId: string, count: number): Promise<Trend | undefined> {
    flush(storeId)
    return alone(storeId, async () => {
      const to = dayOf(storeId, clock.now())
      const from = to - count + 1
      const measures = ['clicks', 'carts', 'purchases'] as const
      const sum = (from: number, to: number, weighDay: (day: number) => number) =>
        columns.score({ storeId, from, to }, PRODUCTS, measures, { weights: WEIGHTS, weighDay })
      const recent = await sum(from, to, (day) => 0.5 ** ((2 * (to - day)) / count))
      const before = await sum(from - count, from - 1, () => 1)
      // Events that were taken back may leave a count below 0, which wraps around.
      const countOf = (item: number, measure: (typeof measures)[number]) =>
        Math.max(0, (recent.sums[measure][item] as number) | 0)
      const pointsOf = (items: readonly number[], measure: (typeof measures)[number]) =>
        WEIGHTS[measure] * items.reduce((sum, item) => sum + countOf(item, measure), 0)
      const levelOf = (item: number) => measures.reduce((sum, measure) => sum + pointsOf([item], measure), 0)
      const trendOf = (score: number, item: number): number => {
        const growth = (levelOf(item) + STEADY) / (Math.max(0, before.scores[item] ?? 0) + STEADY)
        return score * Math.min(GROWTH_MAX, Math.max(1 / GROWTH_MAX, growth))
      }
      const trends = recent.scores.map((score, item) => (score > 0 ? trendOf(score, item) : 0))
      const trend = (item: number): number => trends[item] as number
      const best = findBest(
        trends.length,
        LISTED_MAX,
        // Events that were taken back may leave an error of rounding.
        (item) => trend(item) > 1e-6 && levelOf(item) > 0,
        (one, other) => trend(other) - trend(one) || one - other,
      )
      const [first] = best
      if (first === undefined) return undefined
      const names = items.findNames(storeId, PRODUCTS, best)
      const [clicks = 0, carts = 0, purchases = 0] = measures.map((measure) => pointsOf(best, measure))
      return {
        basis: purchases > clicks + carts ? 'purchases' : 'clicks',
        products: best.flatMap((item) => {
          const productId = names.get(item)
          return productId === undefined ? [] : [{ productId, score: round(trend(item) / trend(first)) }]
        }),
      }
    })
  }

  return {
    /** @returns undefined without any click or purchase. */
    find(storeId: string, days: number): Promise<Trend | undefined> {
      const key = `${storeId} ${days}`
      const now = clock.monotonic()
      const found = known.get(key)
      if (found && found.until > now) return found.trend
      const trend = read(storeId, days)
      known.set(key, { until: now + MINUTE_MS, trend })
      // An error is not kept.
      trend.catch(() => known.delete(key))
      return trend
    },

    forgetStore(storeId: string): void {
      for (const key of known.keys()) if (key.startsWith(`${storeId} `)) known.delete(key)
    },
  }
}

const round = (score: number): number => Math.round(score * 1e4) / 1e4
