import { dateOf } from '../../../core/days.ts'
import { percentile } from '../../../core/durations.ts'
import type { Thumbnails } from '../../catalogue/products/thumbnails.ts'
import { findBest } from './best.ts'
import type { Columns } from './columns/columns.ts'
import type { ItemQueries } from './columns/item-queries.ts'
import { PRODUCTS, QUERIES } from './columns/kinds.ts'
import type { DayQueries, Days, SearchCounts, SearchDayRow } from './day-queries.ts'
import { round, share } from './rates.ts'
import type { Analytics } from './schema.ts'
import type { SearchSourceQueries } from './search-source-queries.ts'
import { describeTracking, listSources } from './sources.ts'

const NONE: SearchCounts = { searches: 0, zero: 0, low: 0, clicked: 0, carted: 0, purchased: 0 }

export interface ReportDeps {
  days: DayQueries
  items: Pick<ItemQueries, 'findNames'>
  searchSources: SearchSourceQueries
  columns: Pick<Columns, 'sum' | 'countSessions' | 'sumDurations'>
  addThumbnailUrls: Thumbnails['addUrls']
  /** The time zone of a store's days. */
  findTimeZone(storeId: string): string
}

/** What stands in place of the lists where nobody wants them. */
export const NO_LISTS = { top_queries: [], zero_result_queries: [], top_products: [] }

type Summary = Pick<Analytics, 'period' | 'searches' | 'engagement' | 'revenue'>

/** Writes what a report and the period before it both tell. */
async function summarize(
  { days: queries, columns, findTimeZone }: Pick<ReportDeps, 'days' | 'columns' | 'findTimeZone'>,
  days: Days,
  rows: readonly SearchDayRow[],
): Promise<Summary> {
  const total = addUp(rows)
  const positions = queries.listPositions(days)
  const clicks = positions.reduce((sum, row) => sum + row.clicks, 0)
  const positionSum = positions.reduce((sum, row) => sum + row.sum, 0)
  return {
    period: describePeriod(days, findTimeZone(days.storeId)),
    searches: {
      total: total.searches,
      by_type: countTypes(rows),
      sessions: await columns.countSessions(days),
      zero_results: total.zero,
      zero_result_rate: share(total.zero, total.searches),
      low_confidence: total.low,
    },
    engagement: {
      searches_with_click: total.clicked,
      ctr: share(total.clicked, total.searches),
      avg_click_position: clicks === 0 ? null : round(positionSum / clicks, 2),
      click_positions: positions.map((row) => ({
        from: row.bucket,
        to: row.bucket === 21 ? null : row.bucket === 11 ? 20 : row.bucket,
        clicks: row.clicks,
      })),
      add_to_cart_rate: share(total.carted, total.searches),
      conversion_rate: share(total.purchased, total.searches),
    },
    revenue: queries.listRevenue(days).map(({ currency, total: sum, attributed, orders }) => ({
      currency,
      total: round(sum),
      attributed: round(attributed),
      unattributed: round(sum - attributed),
      orders,
      per_search: share(attributed, total.searches),
    })),
  }
}

export const describePeriod = ({ from, to }: Days, timezone: string): Analytics['period'] => ({
  ...{ days: to - from + 1, from: dateOf(from), to: dateOf(to), timezone },
})

/** Writes what the report says of an earlier period to compare with. */
export const summarizePeriod = (deps: ReportDeps, days: Days): Promise<Summary> =>
  summarize(deps, days, deps.days.listSearches(days))

/**
 * Writes the analytics of a period from the counts of its days.
 *
 * @param entries how many each list has at most; with 0 the counters of queries and products, which are most of the work, are not read.
 */
export async function writeReport(deps: ReportDeps, days: Days, entries: number): Promise<Analytics> {
  const { days: queries, items, searchSources, columns, addThumbnailUrls } = deps
  const { storeId, from, to } = days
  const rows = queries.listSearches(days)
  const total = addUp(rows)
  const events = new Map(queries.listEvents(days).map((row) => [row.action, row]))
  const sources = listSources(total, events, searchSources.list(days), to - from + 1)
  const summary = await summarize(deps, days, rows)
  const durations = await columns.sumDurations(days)
  const lists = entries === 0 ? NO_LISTS : { ...(await listQueries()), top_products: await listProducts() }

  async function listQueries(): Promise<Pick<Analytics, 'top_queries' | 'zero_result_queries'>> {
    const measures = ['searches', 'clicks', 'results', 'empty'] as const
    const { searches, clicks: clicked, results, empty } = await columns.sum(days, QUERIES, measures)
    const most = (counts: Uint32Array) => {
      const count = (item: number) => counts[item] as number
      const isWanted = (item: number) => count(item) > 0 && count(item) < WRAPPED
      return findBest(counts.length, entries, isWanted, (a, b) => count(b) - count(a) || a - b)
    }
    const [top, zeros] = [most(searches), most(empty)]
    const names = items.findNames(storeId, QUERIES, [...top, ...zeros])
    return {
      top_queries: top.map((item) => ({
        query: names.get(item) ?? '',
        searches: searches[item] as number,
        ctr: round((clicked[item] as number) / (searches[item] as number)),
        avg_results: round((results[item] as number) / (searches[item] as number), 2),
      })),
      zero_result_queries: zeros.map((item) => ({
        query: names.get(item) ?? '',
        searches: empty[item] as number,
      })),
    }
  }

  async function listProducts(): Promise<Analytics['top_products']> {
    const sums = await columns.sum(days, PRODUCTS, ['impressions', 'clicks'])
    const shown = (item: number) => sums.impressions[item] as number
    const clicked = (item: number) => sums.clicks[item] as number
    const top = findBest(
      sums.impressions.length,
      entries,
      (item) => shown(item) + clicked(item) > 0 && shown(item) < WRAPPED,
      (a, b) => clicked(b) - clicked(a) || shown(b) - shown(a) || a - b,
    )
    const names = items.findNames(storeId, PRODUCTS, top)
    const listed = top.map((item) => ({
      product_id: names.get(item) ?? '',
      impressions: shown(item),
      clicks: clicked(item),
    }))
    return addThumbnailUrls(storeId, listed)
  }

  return {
    ...summary,
    tracking: describeTracking(total.searches, events, sources, to - from + 1),
    by_source: sources,
    latency_ms: { p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) },
    ...lists,
    timeseries: listDays(queries, rows, days),
  }
}

/** Searches of a period, and whether their events arrive: a few rows a day. */
export function readHealth(
  { days: queries, searchSources }: Pick<ReportDeps, 'days' | 'searchSources'>,
  days: Days,
) {
  const { searches, zero, ...rest } = addUp(queries.listSearches(days))
  const events = new Map(queries.listEvents(days).map((row) => [row.action, row]))
  const count = days.to - days.from + 1
  const sources = listSources({ searches, zero, ...rest }, events, searchSources.list(days), count)
  return { days: count, searches, zero, tracking: describeTracking(searches, events, sources, count) }
}

/** Sums are modulo 2³²: a sum below zero, whose count was lost with its search, appears as a number above this. */
const WRAPPED = 2 ** 31

function addUp(rows: readonly SearchCounts[]): SearchCounts {
  const sum = { ...NONE }
  for (const row of rows) for (const name of COUNTS) sum[name] += row[name]
  return sum
}

const COUNTS = Object.keys(NONE) as (keyof SearchCounts)[]

function countTypes(rows: readonly SearchDayRow[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { type, searches } of rows) counts.set(type, (counts.get(type) ?? 0) + searches)
  return Object.fromEntries([...counts].filter(([, searches]) => searches > 0).sort(([, a], [, b]) => b - a))
}

function listDays(
  queries: Pick<DayQueries, 'listClickDays' | 'listRevenueDays'>,
  rows: readonly SearchDayRow[],
  days: Days,
): Analytics['timeseries'] {
  const { from, to } = days
  const byDay = Map.groupBy(rows, ({ day }) => day)
  const clicks = queries.listClickDays(days)
  const sales = Map.groupBy(queries.listRevenueDays(days), ({ day }) => day)
  return Array.from({ length: to - from + 1 }, (_, n) => {
    const sold = sales.get(from + n) ?? []
    return {
      ...describeDay(from + n, addUp(byDay.get(from + n) ?? [])),
      clicks: clicks.get(from + n) ?? 0,
      orders: sold.reduce((sum, { orders }) => sum + orders, 0),
      revenue: sold.map(({ currency, amount }) => ({ currency, amount: round(amount) })),
    }
  })
}

/** The part of a day that searches tell. */
export const describeDay = (day: number, counts: Omit<SearchCounts, 'low'>) => ({
  date: dateOf(day),
  searches: counts.searches,
  ctr: share(counts.clicked, counts.searches),
  conversion_rate: share(counts.purchased, counts.searches),
  zero_result_rate: share(counts.zero, counts.searches),
})
