import type { Days, EventCount } from './day-queries.ts'
import { share } from './rates.ts'
import { describeDay, describePeriod, NO_LISTS } from './report.ts'
import type { Analytics } from './schema.ts'
import {
  NO_COUNTS,
  type SearchSourceQueries,
  SOURCE_COUNTS,
  type SourceCounts,
  type SourceFilter,
} from './search-source-queries.ts'
import { describeTracking, listSources } from './sources.ts'

/** What is counted of a store as a whole, and not by page. */
const NOT_COUNTED = [
  ...['searches.by_type', 'searches.sessions', 'searches.low_confidence'],
  ...['engagement.avg_click_position', 'engagement.click_positions', 'revenue', 'latency_ms'],
  ...['top_queries', 'zero_result_queries', 'top_products', 'timeseries.orders', 'timeseries.revenue'],
]

interface SourceReads {
  searchSources: Pick<SearchSourceQueries, 'list' | 'listDays'>
  findTimeZone(storeId: string): string
}

/** Writes what is counted by page, for the pages of a key, of an origin, or both. */
export function writeSourceReport(reads: SourceReads, days: Days, filter: SourceFilter): Analytics {
  const { searchSources: queries } = reads
  const byDay = new Map(queries.listDays(days, filter).map((row) => [row.day, row]))
  const total = addUp(byDay.values())
  const isMeant = ({ keyId, origin }: { keyId: string; origin: string }) =>
    (filter.keyId ?? keyId) === keyId && (filter.origin ?? origin) === origin
  const count = days.to - days.from + 1
  const events = new Map<string, EventCount>([
    ['click', { events: total.clicks, attributed: total.clicked, replaced: 0 }],
    ['purchase', { events: total.purchases, attributed: total.purchased, replaced: 0 }],
  ])
  const sources = listSources({ ...total, low: 0 }, events, queries.list(days).filter(isMeant), count).filter(
    ({ source }) => source === 'widget',
  )
  return {
    ...summarize(reads, days, total),
    tracking: describeTracking(total.searches, events, sources, count),
    by_source: sources,
    latency_ms: { p50: null, p95: null },
    ...NO_LISTS,
    timeseries: Array.from({ length: count }, (_, n) => {
      const counts = byDay.get(days.from + n) ?? NO_COUNTS
      return { ...describeDay(days.from + n, counts), clicks: counts.clicks, orders: null, revenue: [] }
    }),
    not_counted: NOT_COUNTED,
  }
}

/** Writes the same of an earlier period to compare with. */
export const summarizeSources = (reads: SourceReads, days: Days, filter: SourceFilter) =>
  summarize(reads, days, addUp(reads.searchSources.listDays(days, filter)))

const summarize = ({ findTimeZone }: SourceReads, days: Days, total: SourceCounts) => ({
  period: describePeriod(days, findTimeZone(days.storeId)),
  searches: {
    total: total.searches,
    by_type: {},
    sessions: null,
    zero_results: total.zero,
    zero_result_rate: share(total.zero, total.searches),
    low_confidence: null,
  },
  engagement: {
    searches_with_click: total.clicked,
    ctr: share(total.clicked, total.searches),
    ...{ avg_click_position: null, click_positions: [] },
    add_to_cart_rate: share(total.carted, total.searches),
    conversion_rate: share(total.purchased, total.searches),
  },
  revenue: [],
})

function addUp(rows: Iterable<SourceCounts>): SourceCounts {
  const sum = { ...NO_COUNTS }
  for (const row of rows) for (const name of SOURCE_COUNTS) sum[name] += row[name]
  return sum
}
