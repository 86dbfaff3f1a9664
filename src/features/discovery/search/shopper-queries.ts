import { BoundedMap } from '../../../core/bounded-map.ts'
import { type Clock, MINUTE_MS } from '../../../core/clock.ts'
import { fold } from '../../../core/text.ts'
import { turn } from '../../../core/turns.ts'
import type { CompletionQueries, TypedSearch } from './completion-queries.ts'

export interface ShopperQueriesDeps {
  queries: Pick<CompletionQueries, 'listTyped'>
  clock: Pick<Clock, 'now' | 'monotonic'>
  /** A read that failed; the queries known before it stay. */
  reportFault(error: unknown): void
}

/** A query that many shoppers have typed. */
export interface ShopperQuery {
  /** As the last of them wrote it, in small letters. */
  query: string
  count: number
  results_count: number
}

/** Different sessions that must have searched for a query: what one person typed is nobody else's business. */
const SESSIONS_MIN = 3
/** Searches that are read, at a time and in all, and how far back. */
const STEP = 500
const SEARCHES_MAX = 20_000
const DAYS_MS = 90 * 24 * 60 * MINUTE_MS
/** Queries of one store that are kept, and stores. */
const QUERIES_MAX = 1_000
const STORES_MAX = 500
const FRESH_MS = 10 * MINUTE_MS

export type ShopperQueries = ReturnType<typeof createShopperQueries>

/**
 * Keeps the queries that shoppers of a store typed most. They are read from the history in steps, at most every ten minutes and only
 * where somebody asks for them; meanwhile the last ones are answered.
 */
export function createShopperQueries({ queries, clock, reportFault }: ShopperQueriesDeps) {
  const known = new BoundedMap<string, { until: number; list: (ShopperQuery & { folded: string })[] }>(
    STORES_MAX,
  )

  async function read(storeId: string): Promise<(ShopperQuery & { folded: string })[]> {
    const counts = new Map<
      string,
      { query: string; sessions: Set<string>; count: number; results: number; empty: number }
    >()
    const since = clock.now() - DAYS_MS
    for (const isOfWidget of [true, false]) {
      let before: TypedSearch | undefined
      for (let seen = 0; seen < SEARCHES_MAX / 2; seen += STEP) {
        const page = queries.listTyped(storeId, { isOfWidget, since, before, limit: STEP })
        for (const { query, sessionId, results } of page) {
          const folded = fold(query.trim().replace(/\s+/g, ' '))
          const count = counts.get(folded) ?? {
            query: query.trim().replace(/\s+/g, ' ').toLowerCase(),
            ...{ sessions: new Set<string>(), count: 0, results: 0, empty: 0 },
          }
          counts.set(folded, count)
          count.sessions.add(sessionId)
          count.count++
          count.results += results
          if (results === 0) count.empty++
        }
        before = page.at(-1)
        if (page.length < STEP) break
        await turn()
      }
    }
    return [...counts]
      .filter(([, { sessions, count, empty }]) => sessions.size >= SESSIONS_MIN && 2 * empty < count)
      .sort(([, a], [, b]) => b.count - a.count)
      .slice(0, QUERIES_MAX)
      .map(([folded, { query, count, results }]) => ({
        ...{ folded, query, count },
        results_count: Math.round(results / count),
      }))
  }

  function refresh(storeId: string): void {
    const found = known.get(storeId)
    if (found && found.until > clock.monotonic()) return
    const next = { until: clock.monotonic() + FRESH_MS, list: found?.list ?? [] }
    known.set(storeId, next)
    read(storeId).then(
      (list) => {
        next.list = list
      },
      (error: unknown) => reportFault(error),
    )
  }

  return {
    /** Those that begin with a text, most searched first. The first call for a store finds none yet. */
    list(storeId: string, prefix: string, limit: number): ShopperQuery[] {
      refresh(storeId)
      const folded = fold(prefix)
      const found: ShopperQuery[] = []
      for (const { folded: own, ...query } of known.get(storeId)?.list ?? []) {
        if (own.startsWith(folded) && found.push(query) === limit) break
      }
      return found
    },

    forgetStore: (storeId: string): void => void known.delete(storeId),
  }
}
