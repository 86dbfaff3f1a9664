import type { Clock } from '../../../core/clock.ts'
import type { SearchRow } from './queries.ts'

export interface HistoryDeps {
  queries: {
    record(searches: readonly SearchRow[]): void
    forgetBefore(before: number, limit: number): number
  }
  clock: Pick<Clock, 'now'>
  /** Days that a search is kept. */
  days: number
  log: { error(fields: { err: unknown; searches: number }, message: string): void }
  /** Calls back once, later; the real one is `setTimeout`. */
  schedule(callback: () => void, delayMs: number): void
}

/** Searches are written together this often: a commit that waits for the disk costs more than a search. */
const DELAY_MS = 500

/** Never more than this many wait. */
const WAITING_MAX = 1_000

/** Searches deleted in one go: some milliseconds of the loop. */
const FORGET_STEP = 200

const DAY_MS = 86_400_000

export type SearchHistory = ReturnType<typeof createSearchHistory>

/**
 * The searches of the last moment on their way into the database. A crash may lose those of the last
 * {@link DELAY_MS}; whoever reads the history calls `flush` first.
 */
export function createSearchHistory({ queries, clock, days, log, schedule }: HistoryDeps) {
  let waiting: SearchRow[] = []

  function flush(): void {
    const rows = waiting
    waiting = []
    if (rows.length === 0) return
    try {
      queries.record(rows)
    } catch (err) {
      // Searching goes on without its history, on a full disk for example.
      log.error({ err, searches: rows.length }, 'searches could not be recorded')
    }
  }

  return {
    add(row: SearchRow): void {
      waiting.push(row)
      if (waiting.length >= WAITING_MAX) flush()
      else if (waiting.length === 1) schedule(flush, DELAY_MS)
    },
    flush,

    /** Deletes the searches that are too old, a few at a time, so that requests are answered in between. */
    async prune(): Promise<void> {
      const before = clock.now() - days * DAY_MS
      while (queries.forgetBefore(before, FORGET_STEP) === FORGET_STEP) await nextTurn()
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((done) => setImmediate(done))
