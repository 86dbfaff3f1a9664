import type { SearchRow } from '../search/queries.ts'

/** A text search within this time after the last one of its session is another keystroke of the same search. */
const BURST_MS = 3_000

/** Sessions whose last search is remembered. */
const SESSIONS_MAX = 10_000

/** Whether a search is not a further page of another one. */
export const isFirstPage = ({ parameters }: SearchRow): boolean => !parameters['offset']

/** Recognizes the text searches that are keystrokes of one: search as you type sends several. */
export function createKeystrokeBursts() {
  /** By store and session, in the order of their last searches. */
  const last = new Map<string, SearchRow>()
  /** Sessions by the id of their last search. */
  const keys = new Map<string, string>()

  function drop(key: string): void {
    const search = last.get(key)
    if (search) keys.delete(search.id)
    last.delete(key)
  }

  return {
    /** Takes the next search of a session. @returns the one that it replaces. */
    take(search: SearchRow): SearchRow | undefined {
      if (search.type !== 'text' || search.sessionId === null || !isFirstPage(search)) return undefined
      const key = `${search.storeId} ${search.sessionId}`
      const before = last.get(key)
      drop(key)
      last.set(key, search)
      keys.set(search.id, key)
      for (const oldest of last.keys()) {
        if (last.size <= SESSIONS_MAX) break
        drop(oldest)
      }
      // After a clock was set back, no keystroke burst begins.
      const age = before ? search.createdAt - before.createdAt : Infinity
      return age >= 0 && age <= BURST_MS ? before : undefined
    },

    /** Ends the keystroke burst of a search. */
    end(searchId: string): void {
      const key = keys.get(searchId)
      if (key !== undefined) drop(key)
    },

    forgetSession: (storeId: string, sessionId: string): void => drop(`${storeId} ${sessionId}`),

    forgetStore(storeId: string): void {
      for (const key of last.keys()) if (key.startsWith(`${storeId} `)) drop(key)
    },
  }
}
