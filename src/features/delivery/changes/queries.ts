import type { EventName, EventOrigin } from '../../../core/events.ts'
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

/** The numbers of a store's feed. */
export interface FeedBounds {
  /** The oldest change that is kept; one more than the last number if none is. */
  oldest: number
  /** The newest change; 0 before the first. */
  last: number
}

export type ChangeQueries = ReturnType<typeof changeQueries>

/** All SQL about the change feed. */
export function changeQueries(db: Db) {
  const countUp = db.prepare<[storeId: string], { number: number }>(`
    INSERT INTO change_numbers (store_id, last_number) VALUES (?, 1)
    ON CONFLICT (store_id) DO UPDATE SET last_number = last_number + 1
    RETURNING last_number AS number`)
  const insert = db.prepare(`
    INSERT INTO changes (store_id, number, event, origin, data, created_at)
    VALUES (@storeId, @number, @event, @origin, @data, @createdAt)`)
  const bounds = db.prepare<{ storeId: string }, { last: number | null; oldest: number | null }>(`
    SELECT (SELECT last_number FROM change_numbers WHERE store_id = @storeId) AS last,
      (SELECT min(number) FROM changes WHERE store_id = @storeId) AS oldest`)
  const after = db.prepare<[storeId: string, after: bigint, limit: bigint], ChangeRow>(`
    SELECT number, event, origin, data, created_at AS createdAt FROM changes
    WHERE store_id = ? AND number > ? ORDER BY number LIMIT ?`)
  const oldest = db.prepare<[limit: bigint], { id: number; createdAt: number }>(
    'SELECT id, created_at AS createdAt FROM changes ORDER BY id LIMIT ?',
  )
  const removeUpTo = db.prepare('DELETE FROM changes WHERE id <= ?')

  return {
    /**
     * Adds a change at the end of its store's feed. To be called inside a transaction.
     *
     * @returns its number.
     */
    add(change: NewChange): number {
      const number = countUp.all(change.storeId)[0]?.number as number
      insert.run({ ...change, number: BigInt(number), createdAt: BigInt(change.createdAt) })
      return number
    },

    findBounds(storeId: string): FeedBounds {
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
