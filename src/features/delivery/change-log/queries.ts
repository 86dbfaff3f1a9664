import type { EventName, EventOrigin } from '../../../core/events.ts'
import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

export interface ChangeRow {
  number: number
  event: EventName
  origin: EventOrigin
  /** JSON. */
  data: string
  /** Unix ms. */
  createdAt: number
}

export type NewChange = Omit<ChangeRow, 'number'> & { storeId: string }

/** The numbers of a store's log. */
export interface LogBounds {
  /** The oldest change that is kept; one more than the last number if none is. */
  oldest: number
  /** The newest change; 0 before the first. */
  last: number
}

interface OldChange {
  id: number
  number: number
  bytes: number
  isAwaited: 0 | 1
}

/** Bytes of a row besides its data; the triggers count the same. */
const ROW_BYTES = 200

export type ChangeQueries = ReturnType<typeof changeQueries>

/** All SQL about the change log. */
export function changeQueries(db: Db) {
  const countUp = db.prepare<[storeId: string], { number: number; bytes: number }>(`
    INSERT INTO change_numbers (store_id, last_number) VALUES (?, 1)
    ON CONFLICT (store_id) DO UPDATE SET last_number = last_number + 1
    RETURNING last_number AS number, bytes`)
  const insert = db.prepare(`
    INSERT INTO changes (store_id, number, event, origin, data, created_at)
    VALUES (@storeId, @number, @event, @origin, @data, @createdAt)`)
  const bounds = db.prepare<{ storeId: string }, { last: number | null; oldest: number | null }>(`
    SELECT (SELECT last_number FROM change_numbers WHERE store_id = @storeId) AS last,
      (SELECT min(number) FROM changes WHERE store_id = @storeId
        AND number >= (SELECT oldest_number FROM change_numbers WHERE store_id = @storeId)) AS oldest`)
  const after = db.prepare<[storeId: string, after: bigint, limit: bigint], ChangeRow>(`
    SELECT number, event, origin, data, created_at AS createdAt FROM changes
    WHERE store_id = ? AND number > ? ORDER BY number LIMIT ?`)
  const oldest = db.prepare<[limit: bigint], { id: number; createdAt: number }>(
    'SELECT id, created_at AS createdAt FROM changes ORDER BY id LIMIT ?',
  )
  const removeUpTo = db.prepare('DELETE FROM changes WHERE id <= ?')
  const planOf = db.prepare<[storeId: string], PlanName>('SELECT plan FROM stores WHERE id = ?').pluck()
  // A delivery that waits finds its data in the row of its change.
  const isAwaited = `EXISTS (SELECT 1 FROM deliveries WHERE deliveries.store_id = c.store_id
      AND change_number = c.number AND state = 'pending')`
  const first = db.prepare<{ storeId: string; limit: bigint }, OldChange>(`
    SELECT c.id, c.number, octet_length(c.data) + ${ROW_BYTES} AS bytes, ${isAwaited} AS isAwaited
    FROM change_numbers AS n CROSS JOIN changes AS c
      ON c.store_id = n.store_id AND c.number >= n.oldest_number AND c.number < n.last_number
    WHERE n.store_id = @storeId ORDER BY c.number LIMIT @limit`)
  const remove = db.prepare('DELETE FROM changes WHERE id = ?')
  const moveOldest = db.prepare(
    'UPDATE change_numbers SET oldest_number = @oldest, bytes = bytes - @passed WHERE store_id = @storeId',
  )
  const removePassed = db.prepare(`
    DELETE FROM changes WHERE id IN (
      SELECT c.id FROM change_numbers AS n CROSS JOIN changes AS c ON c.store_id = n.store_id AND c.number < n.oldest_number
      WHERE NOT ${isAwaited} LIMIT ?)`)

  return {
    /**
     * Adds a change at the end of its store's log. To be called inside a transaction.
     *
     * @returns its number, and the bytes of the log before it.
     */
    add(change: NewChange): { number: number; bytes: number } {
      const counted = countUp.all(change.storeId)[0] as { number: number; bytes: number }
      const number = BigInt(counted.number)
      insert.run({ ...change, number, createdAt: BigInt(change.createdAt) })
      return counted
    },

    findPlan: (storeId: string): PlanName | undefined => planOf.get(storeId),

    /**
     * Takes some changes out of the start of a log, until few enough bytes are left. The last change stays, and a row that a
     * delivery waits for stays on the disk. To be called inside a transaction.
     *
     * @param surplus bytes that are too many.
     * @param limit the most that are taken.
     */
    shorten(storeId: string, surplus: number, limit: number): void {
      let [taken, passed, oldest] = [0, 0, 0]
      for (const change of first.all({ storeId, limit: BigInt(limit) })) {
        if (taken >= surplus) break
        taken += change.bytes
        oldest = change.number + 1
        if (change.isAwaited) passed += change.bytes
        else remove.run(BigInt(change.id))
      }
      if (oldest > 0) moveOldest.run({ storeId, oldest: BigInt(oldest), passed: BigInt(passed) })
    },

    /** Deletes rows that have left their log, once no delivery waits for them. @returns how many. */
    removePassed: (limit: number): number => removePassed.run(BigInt(limit)).changes,

    findBounds(storeId: string): LogBounds {
      const { last, oldest } = bounds.get({ storeId }) ?? { last: null, oldest: null }
      return { last: last ?? 0, oldest: oldest ?? (last ?? 0) + 1 }
    },

    /** Lists changes by number, reading no more than its caller takes. The caller must not write meanwhile. */
    iterateAfter: (storeId: string, number: number, limit: number): IterableIterator<ChangeRow> =>
      after.iterate(storeId, BigInt(number), BigInt(limit)),

    /**
     * Deletes changes of all stores from the oldest on, up to the first that is young enough.
     *
     * @param before Unix ms.
     * @param limit the most that are looked at.
     * @returns how many were deleted.
     */
    prune(before: number, limit: number): number {
      const rows = oldest.all(BigInt(limit))
      const young = rows.findIndex(({ createdAt }) => createdAt >= before)
      const last = rows[young === -1 ? rows.length - 1 : young - 1]
      return last ? removeUpTo.run(BigInt(last.id)).changes : 0
    },
  }
}
