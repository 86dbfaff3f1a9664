import type { FoundSearch } from '../search/queries.ts'
import type { DayQueries, StoreDay } from './day-queries.ts'
import type { SearchSourceQueries } from './search-source-queries.ts'

/** The parts of a search that counting feedback on it needs. */
export type ReferencedSearch = Pick<
  FoundSearch,
  'id' | 'type' | 'query' | 'isTracked' | 'searchSource' | 'createdAt'
>

/** The search that counts. */
export interface StandingSearch {
  id: string
  day: number
  query: string | null
  /** The number of its search source; null for a backend. */
  source: number | null
}

export interface ReplacedSearchesDeps {
  days: Pick<DayQueries, 'findKeystroke' | 'redirectKeystrokes'>
  searchSources: Pick<SearchSourceQueries, 'find'>
  dayOf: StoreDay
}

/** Searches of one keystroke burst that are followed to the one that counts. */
const KEYSTROKES_FOLLOWED_MAX = 1_000

/** Finds the search that counts for one that feedback refers to: a later keystroke may have replaced it. */
export function createReplacedSearches({ days, searchSources, dayOf }: ReplacedSearchesDeps) {
  return function findStanding(storeId: string, search: ReferencedSearch): StandingSearch {
    const { id, query, searchSource, createdAt } = search
    const source = searchSource && searchSources.find(storeId, searchSource)
    let found: StandingSearch = { id, day: dayOf(storeId, createdAt), query, source }
    const passed: string[] = []
    while (passed.length < KEYSTROKES_FOLLOWED_MAX) {
      const next = days.findKeystroke(found.id)
      if (!next) break
      passed.push(found.id)
      found = { id: next.intoId, day: next.intoDay, query: next.intoQuery, source: next.intoSource }
    }
    // The next event takes the short way.
    if (passed.length > 1) {
      const { id: intoId, day: intoDay, query: intoQuery, source: intoSource } = found
      days.redirectKeystrokes(passed, { intoId, intoDay, intoQuery, intoSource })
    }
    return found
  }
}
