import { isoTime } from '../../../core/clock.ts'
import { fold } from '../../../core/text.ts'
import { turn } from '../../../core/turns.ts'
import { findBest } from './best.ts'
import { type CatalogueQueries, LAST } from './catalogue-queries.ts'
import type { Columns } from './columns/columns.ts'
import type { ItemQueries } from './columns/item-queries.ts'
import { PRODUCTS, QUERIES } from './columns/kinds.ts'
import type { Days, StoreDay } from './day-queries.ts'
import { nameQuery } from './names.ts'
import { periodBefore, readPeriod } from './period.ts'
import { WEIGHTS } from './popular.ts'
import { round } from './rates.ts'
import { type ReportDeps, readHealth, summarizePeriod, writeReport } from './report.ts'
import {
  type Analytics,
  type AnalyticsQuery,
  LISTED_MAX,
  type PopularProducts,
  type PopularQuery,
  type Suggestions,
  type SuggestionsQuery,
  type UnmetDemand,
  type UnmetQuery,
} from './schema.ts'
import { summarizeSources, writeSourceReport } from './source-report.ts'
import { type SuggestionDeps, withSuggestions } from './suggestions.ts'
import type { UnmetPictures } from './unmet/pictures.ts'
import type { UnmetQueries } from './unmet/unmet-queries.ts'

export interface AnalyticsDeps extends SuggestionDeps, ReportDeps {
  columns: ReportDeps['columns'] & Pick<Columns, 'score'>
  items: ReportDeps['items'] & Pick<ItemQueries, 'findNumber' | 'listNames'>
  catalogue: CatalogueQueries
  unmet: Pick<UnmetQueries, 'findMap'>
  unmetPictures: Pick<UnmetPictures, 'addTo'>
  /** Finds the facts that a store states once for all its products, which complete the metadata of each. */
  findFillFacts(storeId: string): FillFacts | undefined
  dayOf: StoreDay
  /** Writes the queued searches and events of a store, so that its counts are up to date. */
  flush(storeId: string): void
  /** Runs work while nothing else uses the counters of a store. */
  alone<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>
}

type FillFacts = (productId: string, metadata: Record<string, unknown>) => Record<string, unknown>

/** The half-life of the points of an event. */
const HALF_LIFE_DAYS = 7

/** Days of searches that suggestions come from. */
const SUGGESTION_DAYS = 90

/** Queries with the prefix that are read in all, and at a time. */
const NAMES_MAX = 50_000
const NAMES_AT_ONCE = 2_000

/** Entries of each list; the table in CSV has no lists. */
const countListed = ({ format, lists = LISTED_MAX }: AnalyticsQuery): number => (format === 'csv' ? 0 : lists)

export type AnalyticsService = ReturnType<typeof analyticsService>

/** Reports searches, clicks, revenue and unmet demand, from counts that are always up to date. */
export function analyticsService(deps: AnalyticsDeps) {
  const { days: queries, columns, items, catalogue, unmet, clock, dayOf, flush, alone } = deps

  function lastDays(storeId: string, count: number): Days {
    const to = dayOf(storeId, clock.now())
    return { storeId, from: to - count + 1, to }
  }

  /** Queries that begin with a text, most searched first. */
  async function suggestFromHistory(
    storeId: string,
    prefix: string,
    limit: number,
  ): Promise<Suggestions['suggestions']> {
    const measures = ['searches', 'results', 'empty'] as const
    const sums = await columns.sum(lastDays(storeId, SUGGESTION_DAYS), QUERIES, measures)
    const searches = (item: number) => sums.searches[item] ?? 0
    /** A query that mostly finds nothing is no suggestion. */
    const isUseful = (item: number) =>
      searches(item) > 0 && searches(item) < 2 ** 31 && (sums.empty[item] as number) < searches(item)
    const compare = (one: number, other: number) => searches(other) - searches(one) || one - other
    let best: number[] = []
    if (prefix === '') best = findBest(sums.searches.length, limit, isUseful, compare)
    else {
      const keep = (found: number[]) => {
        best = [...best, ...found].sort(compare).slice(0, limit)
      }
      const exact = items.findNumber(storeId, QUERIES, prefix)
      if (exact !== undefined && isUseful(exact)) keep([exact])
      let after = prefix
      for (let seen = 0; seen < NAMES_MAX; seen += NAMES_AT_ONCE) {
        const names = items.listNames(storeId, QUERIES, after, prefix + LAST, NAMES_AT_ONCE)
        keep(names.map(({ number }) => number).filter(isUseful))
        if (names.length < NAMES_AT_ONCE) break
        after = names.at(-1)?.name ?? after
        await turn()
      }
    }
    const names = items.findNames(storeId, QUERIES, best)
    return best.map((item) => ({
      query: names.get(item) ?? '',
      count: searches(item),
      results_count: Math.round((sums.results[item] as number) / searches(item)),
      source: 'history',
    }))
  }

  return {
    /** GET /v1/search/analytics. @throws ApiError `validation_error` for a period that cannot be. */
    async read(storeId: string, query: AnalyticsQuery): Promise<Analytics> {
      const days = readPeriod(storeId, query, dayOf(storeId, clock.now()))
      const before = query.compare === undefined ? undefined : periodBefore(days)
      flush(storeId)
      const filter = { keyId: query.key_id ?? null, origin: query.origin ?? null }
      if (filter.keyId !== null || filter.origin !== null) {
        return {
          ...writeSourceReport(deps, days, filter),
          ...(before && { previous: summarizeSources(deps, before, filter) }),
        }
      }
      const report = await alone(storeId, async () => ({
        ...(await writeReport(deps, days, countListed(query))),
        ...(before && { previous: await summarizePeriod(deps, before) }),
      }))
      return withSuggestions(deps, storeId, report)
    },

    /** For the overview of a store. It counts what is written. */
    readHealth: (storeId: string, days: number) => readHealth(deps, lastDays(storeId, days)),

    /** GET /v1/search/feedback/popular. */
    popular(storeId: string, { days: count = 30, limit = 10 }: PopularQuery): Promise<PopularProducts> {
      flush(storeId)
      return alone(storeId, async () => {
        const days = lastDays(storeId, count)
        const { sums, scores } = await columns.score(days, PRODUCTS, ['clicks', 'carts', 'purchases'], {
          weights: WEIGHTS,
          weighDay: (day) => 0.5 ** ((days.to - day) / HALF_LIFE_DAYS),
        })
        const counted = (item: number) => ({
          clicks: sums.clicks[item] as number,
          add_to_cart: sums.carts[item] as number,
          purchases: sums.purchases[item] as number,
        })
        const isCounted = (item: number) =>
          (sums.clicks[item] as number) + (sums.carts[item] as number) + (sums.purchases[item] as number) > 0
        const score = (item: number) => scores[item] as number
        const best = findBest(
          scores.length,
          limit,
          // Events that were taken back may leave an error of rounding.
          (item) => score(item) > 0 && isCounted(item),
          (one, other) => score(other) - score(one) || one - other,
        )
        const names = items.findNames(storeId, PRODUCTS, best)
        const metadata = catalogue.findMetadata(storeId, [...names.values()])
        const fillFacts = deps.findFillFacts(storeId)
        const describe = (productId: string) => {
          const own = metadata.get(productId)
          return own && fillFacts ? fillFacts(productId, own) : (own ?? null)
        }
        const revenue = Map.groupBy(queries.listProductRevenue(days, best), ({ product }) => product)
        const products = best.map((item) => {
          const product_id = names.get(item) ?? ''
          return {
            product_id,
            score: round(score(item)),
            ...counted(item),
            revenue: (revenue.get(item) ?? []).map(({ currency, amount }) => ({
              currency,
              amount: round(amount),
            })),
            metadata: describe(product_id),
          }
        })
        return { days: count, products: deps.addThumbnailUrls(storeId, products) }
      })
    },

    /** GET /v1/search/suggestions. */
    suggest(storeId: string, { limit = 10, q = '' }: SuggestionsQuery): Promise<Suggestions> {
      flush(storeId)
      return alone(storeId, async () => {
        const suggestions = await suggestFromHistory(storeId, nameQuery(q) ?? '', limit)
        const known = new Set(suggestions.map(({ query }) => fold(query)))
        const more = catalogue
          .listTexts(storeId, fold(q), limit)
          .filter(({ text }) => !known.has(text))
          .map(({ text, products }) => ({
            query: text,
            count: 0,
            results_count: products,
            source: 'catalog',
          }))
        return { suggestions: [...suggestions, ...more].slice(0, limit) }
      })
    },

    /** GET /v1/search/analytics/unmet. */
    readUnmet(storeId: string, { limit = 20 }: UnmetQuery): UnmetDemand {
      const found = unmet.findMap(storeId)
      if (!found) return { computed_at: null, searches: 0, clusters: [] }
      return {
        computed_at: isoTime(found.computedAt),
        searches: found.searches,
        clusters: deps.unmetPictures.addTo(storeId, found.clusters.slice(0, limit)),
      }
    },
  }
}
