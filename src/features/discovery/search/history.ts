import type { Clock } from '../../../core/clock.ts'
import type { WriteBehind } from '../../../platform/db/write-behind.ts'
import type { SearchRow } from './queries.ts'

export interface HistoryDeps {
  queries: {
    record(search: SearchRow): void
    forgetBefore(before: number, limit: number): number
  }
  writes: WriteBehind
  clock: Pick<Clock, 'now'>
  /** Days that a search is kept. */
  days: number
}

/** Searches deleted at a time: this takes a few milliseconds of the event loop. */
const FORGET_STEP = 200

const DAY_MS = 86_400_000

export type SearchHistory = ReturnType<typeof createSearchHistory>

/** Records searches without making their responses wait. Call `flush` before reading the history. */
export function createSearchHistory({ queries, writes, clock, days }: HistoryDeps) {
  return {
    add: (search: SearchRow): void => writes.later(() => queries.record(search)),
    flush: writes.flush,

    /** Deletes searches that are too old, a few at a time, so that requests are answered in between. */
    async prune(): Promise<void> {
      const before = clock.now() - days * DAY_MS
      while (queries.forgetBefore(before, FORGET_STEP) === FORGET_STEP) await nextTurn()
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((done) => setImmediate(done))
