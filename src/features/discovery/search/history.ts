import type { Clock } from '../../../core/clock.ts'
import type { LateWrites } from '../../../platform/db/late-writes.ts'
import { ACTED, type ActedRules, describeActed, listActed } from './acted-rules.ts'
import type { NoteActed } from './arrangement.ts'
import type { FoundSearch, SearchRow } from './queries.ts'

/** A search as it is answered. */
export interface AnsweredSearch extends SearchRow {
  /** Of the query picture; not written to the history. */
  vector?: Float32Array | undefined
  /** Row in `models` of the one that made the vector. */
  model?: number
  /** The same picture in small, where the store keeps those that find nothing. */
  thumbnail?: Uint8Array | undefined
}

/** A query picture that found nothing alike, as the analytics keep it. */
export interface UnmetPicture {
  /** In 8 bits a dimension. */
  vector: Buffer
  /** Row in `models`; undefined for the model of the store. */
  model?: number | undefined
  thumbnail?: Buffer | undefined
}

export interface HistoryDeps {
  queries: {
    record(search: SearchRow): void
    findSearch(storeId: string, id: string): FoundSearch | undefined
    findRow(storeId: string, id: string): SearchRow | undefined
    forgetBefore(before: number, limit: number): number
  }
  writes: Pick<LateWrites, 'enqueue' | 'flush' | 'flushOrThrow' | 'restoreAs'>
  /** Takes a search as it is answered, and decides which keystroke it replaces. @returns that earlier search. */
  replaceKeystroke(search: SearchRow): SearchRow | undefined
  /** Takes a query picture that found nothing alike. */
  takeUnmet(search: AnsweredSearch): UnmetPicture | undefined
  /** Counts a search. Called in the transaction that writes its row. @param unmet what `takeUnmet` took. */
  recordSearch(search: SearchRow, replaced: SearchRow | undefined, unmet: UnmetPicture | undefined): void
  /** Counts the rules that acted in a search. Called in the same transaction. */
  countRules(storeId: string, ruleIds: readonly string[]): void
  clock: Pick<Clock, 'now'>
  /** Days that a search is kept. */
  days: number
}

/** Searches deleted at a time: this takes a few milliseconds of the event loop. */
const FORGET_STEP = 200

/** What a restart needs to write and count a search. */
interface SearchRecord {
  search: SearchRow
  replaced?: string | undefined
  /** Base64, like the thumbnail. */
  unmet?: string | undefined
  model?: number | undefined
  thumbnail?: string | undefined
}

/** Twice as many as the queue of writes ever holds. */
const PENDING_MAX = 2_000

const DAY_MS = 86_400_000

export type SearchHistory = ReturnType<typeof createSearchHistory>

/** Records searches without making their responses wait. Call `flush` before reading the history. */
export function createSearchHistory(deps: HistoryDeps) {
  const { queries, writes, replaceKeystroke, takeUnmet, recordSearch, clock, days } = deps
  /** Searches whose rows are not written yet, by id. */
  const pending = new Map<string, SearchRow>()

  function write(search: SearchRow, replaced: SearchRow | undefined, unmet: UnmetPicture | undefined): void {
    queries.record(search)
    recordSearch(search, replaced, unmet)
    const acted = search.isTracked ? listActed(search.parameters) : []
    if (acted.length > 0) deps.countRules(search.storeId, acted)
  }

  writes.restoreAs('search', (storeId, record) => {
    const { search, replaced, unmet, model, thumbnail } = record as SearchRecord
    return () =>
      write(
        search,
        replaced === undefined ? undefined : queries.findRow(storeId, replaced),
        unmet === undefined
          ? undefined
          : {
              vector: Buffer.from(unmet, 'base64'),
              model,
              thumbnail: thumbnail === undefined ? undefined : Buffer.from(thumbnail, 'base64'),
            },
      )
  })

  return {
    add(answered: AnsweredSearch): void {
      const { vector: _, model: __, thumbnail: ___, ...search } = answered
      pending.set(search.id, search)
      // A group that could not be written leaves its searches here.
      if (pending.size > PENDING_MAX) for (const oldest of pending.keys()) if (pending.delete(oldest)) break
      const replaced = replaceKeystroke(search)
      const unmet = takeUnmet(answered)
      writes.enqueue({
        storeId: search.storeId,
        kind: 'search',
        toRecord: (): SearchRecord => ({
          search,
          replaced: replaced?.id,
          unmet: unmet?.vector.toString('base64'),
          model: unmet?.model,
          thumbnail: unmet?.thumbnail?.toString('base64'),
        }),
        write: () => write(search, replaced, unmet),
        written: () => void pending.delete(search.id),
      })
    },

    /** Queues another write behind the searches that were answered before it. */
    enqueue: writes.enqueue,
    /** Names who restores the other writes after a crash. */
    restoreAs: writes.restoreAs,
    flush: writes.flush,

    /** Finds a search of a store, also one whose row is not written yet. */
    find(storeId: string, id: string): FoundSearch | undefined {
      const search = pending.get(id)
      if (!search) return queries.findSearch(storeId, id)
      if (search.storeId !== storeId) return undefined
      const { offset, [ACTED]: acted } = search.parameters
      return {
        ...search,
        offset: typeof offset === 'number' ? offset : 0,
        actedRules: (acted ?? null) as ActedRules | null,
      }
    },

    /**
     * Notes the rules that acted in a search which has just been added, and where the products stand that they moved. A search that
     * leaves no row has none to note them in.
     */
    noteActed(...[storeId, id, acted]: Parameters<NoteActed>): void {
      const search = pending.get(id)
      if (search?.storeId === storeId && acted.length > 0)
        search.parameters[ACTED] = describeActed(acted, search.results)
    },

    /**
     * Writes what waits, and drops from memory what could not be written of a shopper's session.
     *
     * @throws if the disk takes nothing: whatever waits would come back after an erasure.
     */
    flushSession(storeId: string, sessionId: string): void {
      writes.flushOrThrow()
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
