import type { SearchRow } from '../search/queries.ts'

/** A text search within this time after the last one of its session is another keystroke of the same search. */
const BURST_MS = 3_000

/** Sessions whose last search is remembered. */
const SESSIONS_MAX = 10_000

/** Searches of a burst that are remembered, the latest. Feedback on an earlier one no longer ends it. */
const KEYSTROKES_MAX = 20

interface Burst {
  /** The search that counts. */
  last: SearchRow
  /** The ids of its searches, the latest at the end. */
  ids: string[]
}

/** Whether a search is not a further page of another one. */
export const isFirstPage = ({ parameters }: SearchRow): boolean => !parameters['offset']

/** Recognizes the text searches that are keystrokes of one: search as you type sends several. */
export function createKeystrokeBursts() {
  /** By store and session, in the order of their last searches. */
  const bursts = new Map<string, Burst>()
  /** Sessions by the ids of the searches of their bursts. */
  const keys = new Map<string, string>()

  function drop(key: string): void {
    for (const id of bursts.get(key)?.ids ?? []) keys.delete(id)
    bursts.delete(key)
  }

  return {
    /** Takes the next search of a session. @returns the one that it replaces. */
    take(search: SearchRow): SearchRow | undefined {
      if (search.type !== 'text' || search.sessionId === null || !isFirstPage(search)) return undefined
      const key = `${search.storeId} ${search.sessionId}`
      const before = bursts.get(key)
      // After a clock was set back, no keystroke burst goes on.
      const age = before ? search.createdAt - before.last.createdAt : Infinity
      const replaced = age >= 0 && age <= BURST_MS ? before : undefined
      drop(key)
      const ids = [...(replaced?.ids ?? []), search.id].slice(-KEYSTROKES_MAX)
      bursts.set(key, { last: search, ids })
      for (const id of ids) keys.set(id, key)
      for (const oldest of bursts.keys()) {
        if (bursts.size <= SESSIONS_MAX) break
        drop(oldest)
      }
      return replaced?.last
    },

    /** Ends the keystroke burst that a search belongs to, also one that a later keystroke has replaced. */
    end(searchId: string): void {
      const key = keys.get(searchId)
      if (key !== undefined) drop(key)
    },

    forgetSession: (storeId: string, sessionId: string): void => drop(`${storeId} ${sessionId}`),

    forgetStore(storeId: string): void {
      for (const key of bursts.keys()) if (key.startsWith(`${storeId} `)) drop(key)
    },
  }
}
