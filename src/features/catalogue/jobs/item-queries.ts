import type { Db } from '../../../platform/db/open.ts'

/** The outcome of an item. Only failed items are kept. */
export type ItemEnd =
  | { state: 'done'; effect: 'indexed' | 'updated' | 'unchanged' | 'deleted' | 'overtaken' }
  | { state: 'failed'; error: ItemError; canRetry: boolean }
  | { state: 'cancelled' }

export interface ItemError {
  error: string
  message: string
  details?: Record<string, unknown> | undefined
}

/** Where a long content lies in the file of its job. */
export interface FilePart {
  offset: number
  bytes: number
}

export interface NewItem {
  position: number
  productId: string | null
  kind: 'put' | 'delete'
  content: string | null
  part: FilePart | undefined
  error: ItemError | undefined
}

/** An item that somebody works on. */
export interface LeasedItem {
  id: number
  job: number
  storeId: string
  productId: string
  kind: 'put' | 'delete'
  content: string | null
  part: FilePart | undefined
  attempts: number
  delays: number
  /** How often the program died while it worked on the item. */
  deaths: number
  lease: string
}

export type ItemQueries = ReturnType<typeof itemQueries>

type RawItem = Omit<LeasedItem, 'part'> & { fileOffset: number | null; fileBytes: number | null }

const ITEM = `id, job, store_id AS storeId, product_id AS productId, kind, content, file_offset AS fileOffset,
  file_bytes AS fileBytes, attempts, delays, deaths, lease`

/** Whether the content of an item is still there, so that it can be tried again. */
export const CAN_RETRY = `(is_overtaken = 0 AND (kind = 'delete' OR content IS NOT NULL))`

/** All SQL about the items of jobs. Every call is synchronous, knows no rule and opens no transaction. */
export function itemQueries(db: Db) {
  const insertItem = db.prepare(`
    INSERT INTO job_items (job, store_id, position, product_id, kind, content, file_offset, file_bytes, state, error)
    VALUES (@job, @storeId, @position, @productId, @kind, @content, @fileOffset, @fileBytes,
      CASE WHEN @error IS NULL THEN 'pending' ELSE 'failed' END, @error)`)
  const skipEarlier = db.prepare(`
    DELETE FROM job_items
    WHERE id = (SELECT id FROM job_items INDEXED BY job_items_product WHERE store_id = ? AND product_id = ?
      AND state IN ('pending', 'running', 'failed') AND job = ? AND state = 'pending')`)
  const lease = db.prepare<Record<string, unknown>, RawItem>(`
    UPDATE job_items SET state = 'running', lease = @lease, leased_until = @until
    WHERE id IN (SELECT id FROM job_items INDEXED BY job_items_due
      WHERE job = @job AND state = 'pending' AND due_at <= @dueAt ORDER BY due_at, position LIMIT @limit)
    RETURNING ${ITEM}`)
  const nextDue = db.prepare<[bigint], { at: number | null }>(
    `SELECT min(due_at) AS at FROM job_items INDEXED BY job_items_due WHERE job = ? AND state = 'pending'`,
  )
  const extend = db.prepare(`
    UPDATE job_items SET leased_until = ? WHERE state = 'running' AND id IN (SELECT value FROM json_each(?))`)
  const expired = db.prepare<[bigint, bigint], RawItem>(`
    SELECT ${ITEM} FROM job_items INDEXED BY job_items_leased
    WHERE state = 'running' AND leased_until <= ? ORDER BY leased_until LIMIT ?`)
  const releaseAll = db.prepare(
    `UPDATE job_items SET state = 'pending', lease = NULL, leased_until = NULL,
      deaths = deaths + iif(@isDead, is_begun, 0), is_begun = 0 WHERE state = 'running'`,
  )
  const markBegun = db.prepare(
    'UPDATE job_items SET is_begun = ? WHERE id IN (SELECT value FROM json_each(?))',
  )
  const deadly = db.prepare<[bigint], RawItem>(`
    SELECT ${ITEM} FROM job_items INDEXED BY job_items_leased
    WHERE state = 'running' AND leased_until IS NOT NULL AND is_begun = 1 AND deaths + 1 >= ?`)
  const putBack = db.prepare(`
    UPDATE job_items SET state = 'pending', lease = NULL, leased_until = NULL, is_begun = 0, attempts = @attempts,
      delays = @delays, due_at = @dueAt
    WHERE id = @id AND lease = @lease`)
  // The content of a failed item stays for another try; a part of the file goes with the file.
  const fail = db.prepare(`
    UPDATE job_items SET state = 'failed', error = @error, lease = NULL, leased_until = NULL, is_begun = 0,
      content = CASE WHEN @keep = 1 THEN content END, file_offset = NULL, file_bytes = NULL
    WHERE id = @id AND lease = @lease`)
  const remove = db.prepare('DELETE FROM job_items WHERE id = @id AND lease = @lease')
  const overtake = db.prepare<Record<string, unknown>, { id: number; job: number; state: string }>(`
    SELECT job_items.id, job, state FROM job_items INDEXED BY job_items_product
      CROSS JOIN jobs ON jobs.id = job_items.job AND arrival <= @upTo
    WHERE job_items.store_id = @storeId AND product_id = @productId AND state IN ('pending', 'running', 'failed')
      AND is_overtaken = 0`)
  const dropWaiting = db.prepare('DELETE FROM job_items WHERE id = ?')
  const markOvertaken = db.prepare('UPDATE job_items SET is_overtaken = 1, content = NULL WHERE id = ?')
  const cancelSome = db.prepare(`
    DELETE FROM job_items WHERE id IN (SELECT id FROM job_items INDEXED BY job_items_due WHERE job = ? AND state = 'pending' LIMIT ?)`)
  const retryThese = db.prepare(`
    UPDATE job_items SET state = 'pending', attempts = 0, delays = 0, deaths = 0, due_at = 0, error = NULL
    WHERE job = ? AND position IN (SELECT value FROM json_each(?)) AND state = 'failed' AND ${CAN_RETRY}`)
  const retrySome = db.prepare(`
    UPDATE job_items SET state = 'pending', attempts = 0, delays = 0, deaths = 0, due_at = 0, error = NULL
    WHERE id IN (SELECT id FROM job_items INDEXED BY job_items_failed
      WHERE job = ? AND state = 'failed' AND position BETWEEN ? AND ? AND ${CAN_RETRY})`)
  const lastPosition = db.prepare<[bigint], { position: number | null }>(
    `SELECT max(position) AS position FROM job_items INDEXED BY job_items_failed WHERE job = ? AND state = 'failed'`,
  )
  const dropItems = db.prepare(
    'DELETE FROM job_items WHERE id IN (SELECT id FROM job_items WHERE job = ? LIMIT ?)',
  )

  return {
    addItem(job: number, storeId: string, { part, error, ...item }: NewItem): void {
      insertItem.run({
        ...item,
        ...{ job, storeId, fileOffset: part?.offset ?? null, fileBytes: part?.bytes ?? null },
        error: error ? JSON.stringify(error) : null,
      })
    },
    /** Leaves out the earlier item of a job about the same product. @returns whether there was one. */
    skipEarlier: (job: number, storeId: string, productId: string): boolean =>
      skipEarlier.run(storeId, productId, BigInt(job)).changes > 0,
    /** Takes items that are due, in their order. */
    lease(job: number, values: { lease: string; dueAt: number; until: number; limit: number }): LeasedItem[] {
      const { lease: token, dueAt, until, limit } = values
      const rows = lease.all({
        ...{ job, lease: token },
        ...{ dueAt: BigInt(dueAt), until: BigInt(until), limit: BigInt(limit) },
      })
      return rows.map(toItem).sort((a, b) => a.id - b.id)
    },
    /** When the next item of a job is due; undefined when none waits. */
    findNextDue: (job: number): number | undefined => nextDue.get(BigInt(job))?.at ?? undefined,
    extend: (ids: readonly number[], until: number): void =>
      void extend.run(BigInt(until), JSON.stringify(ids)),
    listExpired: (now: number, limit: number): LeasedItem[] =>
      expired.all(BigInt(now), BigInt(limit)).map(toItem),
    /** Puts back all items that somebody worked on. @param isDead whether the program died meanwhile, which is counted. */
    releaseAll: ({ isDead }: { isDead: boolean }): void => void releaseAll.run({ isDead: isDead ? 1 : 0 }),
    /** Notes that the work on items begins, or that it ended without a result. */
    markBegun: (items: readonly LeasedItem[], isBegun: boolean): void =>
      void markBegun.run(isBegun ? 1 : 0, JSON.stringify(items.map(({ id }) => id))),
    /** Items that were worked on when the program died, for that many times or more. */
    listDeadly: (deaths: number): LeasedItem[] => deadly.all(BigInt(deaths)).map(toItem),
    /** @returns false when the lease has expired. */
    putBack: (
      { id, lease: token }: LeasedItem,
      { attempts, delays, dueAt }: { attempts: number; delays: number; dueAt: number },
    ): boolean => putBack.run({ id, lease: token, attempts, delays, dueAt: BigInt(dueAt) }).changes > 0,
    /** @returns false when the lease has expired. */
    end({ id, lease: token }: Pick<LeasedItem, 'id' | 'lease'>, item: ItemEnd): boolean {
      if (item.state !== 'failed') return remove.run({ id, lease: token }).changes > 0
      const error = JSON.stringify(item.error)
      return fail.run({ id, lease: token, error, keep: item.canRetry ? 1 : 0 }).changes > 0
    },
    /** Items about a product, of jobs acknowledged up to a number, that may still be done. */
    listOvertaken: (storeId: string, productId: string, upTo: number) =>
      overtake.all({ storeId, productId, upTo }),
    dropWaiting: (id: number): void => void dropWaiting.run(BigInt(id)),
    /** Keeps a failed item from being tried again. */
    markOvertaken: (id: number): void => void markOvertaken.run(BigInt(id)),
    /** Cancels some items that wait. @returns how many. */
    cancelSome: (id: number, limit: number): number => cancelSome.run(BigInt(id), BigInt(limit)).changes,
    /** Lets the failed items at some positions wait again. @returns how many. */
    retryThese: (id: number, positions: readonly number[]): number =>
      retryThese.run(BigInt(id), JSON.stringify(positions)).changes,
    /** Lets failed items between two positions wait again. @returns how many. */
    retrySome: (id: number, from: number, to: number): number =>
      retrySome.run(BigInt(id), BigInt(from), BigInt(to)).changes,
    /** The position of the last failed item. */
    findLastPosition: (id: number): number => lastPosition.get(BigInt(id))?.position ?? -1,
    /** @returns how many items were deleted. */
    dropItems: (id: number, limit: number): number => dropItems.run(BigInt(id), BigInt(limit)).changes,
  }
}

const toItem = ({ fileOffset, fileBytes, ...item }: RawItem): LeasedItem => ({
  ...item,
  part: fileOffset === null || fileBytes === null ? undefined : { offset: fileOffset, bytes: fileBytes },
})
