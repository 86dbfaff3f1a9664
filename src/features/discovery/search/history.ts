import type { Clock } from '../../../core/clock.ts'
import type { WriteBehind } from '../../../platform/db/write-behind.ts'
import type { FoundSearch, SearchRow } from './queries.ts'

/** A search as it is answered. */
export interface AnsweredSearch extends SearchRow {
  /** Of the query picture; it is not written to the history. */
  vector?: Float32Array | undefined
}

export interface HistoryDeps {
  queries: {
    record(search: SearchRow): void
    findSearch(storeId: string, id: string): FoundSearch | undefined
    forgetBefore(before: number, limit: number): number
  }
  writes: WriteBehind
  /** Takes a search as it is answered, and decides which keystroke it replaces. @returns that earlier search. */
  replaceKeystroke(search: SearchRow): SearchRow | undefined
  /** Counts a search. Called in the transaction that writes its row. */
  recordSearch(search: AnsweredSearch, replaced: SearchRow | undefined): void
  clock: Pick<Clock, 'now'>
  /** Days that a search is kept. */
  days: number
}

/** Searches deleted at a time: this takes a few milliseconds of the event loop. */
const FORGET_STEP = 200

/** Twice as many as the queue of writes ever holds. */
const PENDING_MAX = 2_000

const DAY_MS = 86_400_000

export type SearchHistory = ReturnType<typeof createSearchHistory>

/** Records searches without making their responses wait. Call `flush` before reading the history. */
export function createSearchHistory(deps: HistoryDeps) {
  const { queries, writes, replaceKeystroke, recordSearch, clock, days } = deps
  /** Searches whose rows are not written yet, by id. */
  const pending = new Map<string, SearchRow>()

  return {
    add(answered: AnsweredSearch): void {
      const { vector, ...search } = answered
      pending.set(search.id, search)
      // A group that could not be written leaves its searches here.
      if (pending.size > PENDING_MAX) for (const oldest of pending.keys()) if (pending.delete(oldest)) break
      const replaced = replaceKeystroke(search)
      writes.enqueue(() => {
        pending.delete(search.id)
        queries.record(search)
        recordSearch(answered, replaced)
      })
    },

    /** Queues another write behind the searches that were answered before it. */
    enqueue: writes.enqueue,
    flush: writes.flush,

    /** Finds a search of a store, also one whose row is not written yet. */
    find(storeId: string, id: string): FoundSearch | undefined {
      const search = pending.get(id)
      if (!search) return queries.findSearch(storeId, id)
      if (search.storeId !== storeId) return undefined
      const { offset } = search.parameters
      return { ...search, offset: typeof offset === 'number' ? offset : 0 }
    },

    /** Writes what waits, and drops from memory what could not be written of a shopper's session. */
    flushSession(storeId: string, sessionId: string): void {
      writes.flush()
      for (const [id, search] of pending)
        if (search.storeId === storeId && search.sessionId === sessionId) pending.delete(id)
    },

    /** Deletes searches that are too old, a few at a time, so that requests are answered in between. */
    async prune(): Promise<void> {
      const before = clock.now() - days * DAY_MS
      while (queries.forgetBefore(before, FORGET_STEP) === FORGET_STEP) await nextTurn()
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((done) => setImmediate(done))
