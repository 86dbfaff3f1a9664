import type { Db } from '../../../platform/db/open.ts'
import type { Reporter } from './queries.ts'

/** Events that one step has erased. */
export interface Erased {
  removed: number
  unlinked: number
}

export type RemovalQueries = ReturnType<typeof removalQueries>

/** All SQL that deletes feedback. No call opens a transaction. */
export function removalQueries(db: Db) {
  const forgetOld = db.prepare(
    'DELETE FROM feedback_events WHERE rowid IN (SELECT rowid FROM feedback_events WHERE created_at < ? LIMIT ?)',
  )
  const forgetFirst = db.prepare(`
    DELETE FROM feedback_events WHERE rowid IN (SELECT rowid FROM feedback_events INDEXED BY feedback_events_store
      WHERE store_id = @storeId AND origin = @origin ORDER BY created_at LIMIT @limit)`)
  const newest = db.prepare<[], number | null>('SELECT max(rowid) FROM feedback_events').pluck()
  // The number of an order stays, so that the order never counts twice.
  const unlink = 'UPDATE feedback_events SET session_id = NULL, search_id = NULL, repeat_key = NULL'
  const erase = (rows: string) => ({
    remove: db.prepare(
      `DELETE FROM feedback_events WHERE rowid IN (SELECT rowid FROM ${rows} AND order_id IS NULL LIMIT @limit)`,
    ),
    unlink: db.prepare(
      `${unlink} WHERE rowid IN (SELECT rowid FROM ${rows} AND order_id IS NOT NULL LIMIT @limit)`,
    ),
  })
  const eraseSession = erase(
    'feedback_events WHERE store_id = @storeId AND session_id = @sessionId AND rowid <= @upTo',
  )
  const eraseOfSearches = erase(
    'feedback_events WHERE store_id = @storeId AND search_id IN (SELECT value FROM json_each(@ids))',
  )
  const run = ({ remove, unlink: detach }: ReturnType<typeof erase>, values: object): Erased => ({
    removed: remove.run(values).changes,
    unlinked: detach.run(values).changes,
  })

  return {
    /** The newest event, for {@link eraseSession}. */
    findEnd: (): number => newest.get() ?? 0,
    /**
     * Erases some events of a shopper's session up to a given one. Events with an order number stay, without session and
     * search.
     */
    eraseSession: (storeId: string, sessionId: string, upTo: number, limit: number): Erased =>
      run(eraseSession, { storeId, sessionId, upTo, limit: BigInt(limit) }),
    /** Does the same for events about some searches. */
    eraseOfSearches: (storeId: string, ids: readonly string[], limit: number): Erased =>
      run(eraseOfSearches, { storeId, ids: JSON.stringify(ids), limit: BigInt(limit) }),
    /** Deletes the oldest events of one reporter. */
    forgetFirst: (storeId: string, reporter: Reporter, limit: number): void =>
      void forgetFirst.run({ storeId, origin: reporter, limit: BigInt(limit) }),
    /** Deletes some of the events before a moment. @returns how many. */
    forgetBefore: (before: number, limit: number): number =>
      forgetOld.run(BigInt(before), BigInt(limit)).changes,
  }
}
