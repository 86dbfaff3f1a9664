import { hashName } from '../../../core/distinct.ts'
import { binOf } from '../../../core/durations.ts'
import type { SearchRow } from '../search/queries.ts'
import type { Columns } from './columns/columns.ts'
import type { ItemQueries } from './columns/item-queries.ts'
import { DURATIONS, PRODUCTS, QUERIES, SESSIONS } from './columns/kinds.ts'
import type { DayLimits } from './day-limits.ts'
import type { DayQueries, StoreDay } from './day-queries.ts'
import { isFirstPage } from './keystroke-bursts.ts'
import { nameQuery } from './names.ts'
import type { SearchSourceQueries } from './search-source-queries.ts'

export interface SearchCountingDeps {
  days: Pick<DayQueries, 'addSearches' | 'addKeystroke'>
  columns: Pick<Columns, 'add' | 'addToRow' | 'addImpressions' | 'hasSession' | 'addSession'>
  items: Pick<ItemQueries, 'findNumber' | 'addItem'>
  searchSources: Pick<SearchSourceQueries, 'seeSearch' | 'find' | 'count'>
  limits: Pick<DayLimits, 'takePlace'>
  dayOf: StoreDay
}

/** Distinct queries of a store that are counted in one day. Others count only in the totals. */
const QUERIES_PER_DAY_MAX = 5_000
/** Sessions of a store and day that are counted exactly; with more of them the number becomes an estimate. */
const SESSIONS_PER_DAY_EXACT = 10_000

/** The score from which a result is plausible. */
export const PLAUSIBLE = 0.5

/** Counts searches inside the transactions that write them. */
export function createSearchCounting(deps: SearchCountingDeps) {
  const { days, columns, items, searchSources, limits, dayOf } = deps

  function countQuery(search: SearchRow, day: number, sign: 1 | -1): void {
    const name = nameQuery(search.query)
    if (name === undefined) return
    const { storeId, results } = search
    const row = { storeId, kind: QUERIES, day } as const
    const counts = { searches: sign, results: sign * results.length, empty: sign * isEmpty(search) }
    const known = items.findNumber(storeId, QUERIES, name)
    if (known !== undefined && columns.addToRow(row, known, counts)) return
    if (sign === -1 || !limits.takePlace(row, QUERIES_PER_DAY_MAX)) return
    columns.add(row, known ?? items.addItem(storeId, QUERIES, name, day), counts)
  }

  function countImpressions({ storeId, results }: SearchRow, day: number, sign: 1 | -1): void {
    const names = [...new Set(results)]
    if (names.length === 0) return
    if (columns.addImpressions(storeId, day, names, sign) === names.length || sign === -1) return
    for (const name of names) {
      if (items.findNumber(storeId, PRODUCTS, name) !== undefined) continue
      const item = items.addItem(storeId, PRODUCTS, name, day)
      columns.add({ storeId, kind: PRODUCTS, day }, item, { impressions: 1 })
    }
  }

  function countSession(storeId: string, sessionId: string, day: number): void {
    const hash = hashName(storeId, sessionId)
    if (columns.hasSession(storeId, day, hash)) return
    const isExact = limits.takePlace({ storeId, kind: SESSIONS, day }, SESSIONS_PER_DAY_EXACT)
    columns.addSession(storeId, day, hash, isExact)
  }

  /** Counts what a search asked and found, or takes it back. @param source the number of the search source; null for a backend. */
  function countContent(search: SearchRow, sign: 1 | -1, source: number | null): void {
    const { storeId, type, createdAt } = search
    const day = dayOf(storeId, createdAt)
    const zero = sign * isEmpty(search)
    days.addSearches({ storeId, day, type, searches: sign, zero, low: sign * isLow(search) })
    if (source !== null) searchSources.count({ storeId, day, source, searches: sign, zero })
    countQuery(search, day, sign)
    countImpressions(search, day, sign)
  }

  /** Counts a search in the place of the keystroke that it replaces. */
  return function countSearch(search: SearchRow, replaced: SearchRow | undefined): void {
    const { id, storeId, durationMs, sessionId, createdAt, query, searchSource } = search
    const day = dayOf(storeId, createdAt)
    const source = searchSource && searchSources.seeSearch({ storeId, ...searchSource, at: createdAt })
    if (replaced) {
      countContent(replaced, -1, replaced.searchSource && searchSources.find(storeId, replaced.searchSource))
      const into = { intoId: id, intoDay: day, intoQuery: query, intoSource: source }
      days.addKeystroke({ searchId: replaced.id, storeId, ...into, day: dayOf(storeId, replaced.createdAt) })
    }
    countContent(search, 1, source)
    columns.add({ storeId, kind: DURATIONS, day }, binOf(durationMs), { searches: 1 })
    if (sessionId !== null) countSession(storeId, sessionId, day)
  }
}

/** A batch does not count: its entries do. */
export const isCounted = ({ isTracked, type }: Pick<SearchRow, 'isTracked' | 'type'>): boolean =>
  isTracked && type !== 'batch'

/** Only a first page counts as empty: a later one is empty where the list ends. */
const isEmpty = (search: SearchRow): 0 | 1 => (search.results.length === 0 && isFirstPage(search) ? 1 : 0)

const isLow = ({ topScore }: SearchRow): 0 | 1 => (topScore !== null && topScore < PLAUSIBLE ? 1 : 0)
