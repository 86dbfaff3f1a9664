import type { Db } from '../../../platform/db/open.ts'

export type JobStatus = 'preparing' | 'processing' | 'completed' | 'failed' | 'cancelled'

/** The numbers of a job's items, by what became of them. */
export interface JobCounts {
  succeeded: number
  /** The product was like that already, or has been written since. */
  unchanged: number
  failed: number
  cancelled: number
}

export interface JobRow extends JobCounts {
  id: number
  jobId: string
  storeId: string
  type: string
  status: JobStatus
  /** The order of acknowledgement; null before it. */
  arrival: number | null
  total: number
  callbackUrl: string | null
  warnings: unknown[]
  /** Unix ms, like the next two. */
  createdAt: number
  startedAt: number | null
  /** Null while any item may still change. */
  finishedAt: number | null
  /** Failed items that are no longer kept. */
  errorsDropped: number
}

/** What became of an item that is over. Only one that failed is kept. */
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

export interface FailedItem {
  position: number
  productId: string | null
  error: ItemError
  canRetry: boolean
}

/** A place in the list of a store's jobs. */
export interface JobPlace {
  at: number
  id: string
}

export type JobQueries = ReturnType<typeof jobQueries>

type RawJob = Omit<JobRow, 'warnings'> & { warnings: string }
type RawItem = Omit<LeasedItem, 'part'> & { fileOffset: number | null; fileBytes: number | null }
interface RawFailure {
  position: number
  productId: string | null
  error: string
  canRetry: number
}

const JOB = `id, job_id AS jobId, store_id AS storeId, type, status, arrival, total, succeeded, unchanged, failed,
  cancelled, callback_url AS callbackUrl, warnings, created_at AS createdAt, started_at AS startedAt,
  finished_at AS finishedAt, errors_dropped AS errorsDropped`

const ITEM = `id, job, store_id AS storeId, product_id AS productId, kind, content, file_offset AS fileOffset,
  file_bytes AS fileBytes, attempts, delays, deaths, lease`

/** Whether the content of an item is still there, so that it can be tried again. */
const CAN_RETRY = `(is_overtaken = 0 AND (kind = 'delete' OR content IS NOT NULL))`

/** All SQL about jobs and their items. Every call is synchronous, knows no rule and opens no transaction. */
export function jobQueries(db: Db) {
  const byId = db.prepare<[bigint], RawJob>(`SELECT ${JOB} FROM jobs WHERE id = ?`)
  const byJobId = db.prepare<[string, string], RawJob>(
    `SELECT ${JOB} FROM jobs WHERE store_id = ? AND job_id = ? AND status <> 'preparing'`,
  )
  const insertJob = db.prepare(`
    INSERT INTO jobs (job_id, store_id, type, status, created_at)
    VALUES (@jobId, @storeId, @type, 'preparing', @now)`)
  const insertItem = db.prepare(`
    INSERT INTO job_items (job, store_id, position, product_id, kind, content, file_offset, file_bytes, state, error)
    VALUES (@job, @storeId, @position, @productId, @kind, @content, @fileOffset, @fileBytes,
      CASE WHEN @error IS NULL THEN 'pending' ELSE 'failed' END, @error)`)
  const skipEarlier = db.prepare(`
    DELETE FROM job_items
    WHERE id = (SELECT id FROM job_items INDEXED BY job_items_product WHERE store_id = ? AND product_id = ?
      AND state IN ('pending', 'running', 'failed') AND job = ? AND state = 'pending')`)
  const acknowledge = db.prepare<Record<string, unknown>, RawJob>(`
    UPDATE jobs SET status = 'processing', arrival = @arrival, total = @total, unchanged = @unchanged, failed = @failed,
      errors_dropped = @errorsDropped, callback_url = @callbackUrl, warnings = @warnings
    WHERE id = @id RETURNING ${JOB}`)
  const latestArrival = db.prepare<[], { arrival: number | null }>('SELECT max(arrival) AS arrival FROM jobs')
  const countUnfinished = db.prepare<[string], { jobs: number }>(
    'SELECT count(*) AS jobs FROM jobs INDEXED BY jobs_unfinished WHERE store_id = ? AND finished_at IS NULL',
  )
  const unfinished = db.prepare<[], RawJob>(
    `SELECT ${JOB} FROM jobs INDEXED BY jobs_unfinished WHERE finished_at IS NULL ORDER BY arrival`,
  )
  const begin = db.prepare('UPDATE jobs SET started_at = ? WHERE id = ? AND started_at IS NULL')
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
  const count = db.prepare<Record<string, unknown>, RawJob>(`
    UPDATE jobs SET succeeded = succeeded + @succeeded, unchanged = unchanged + @unchanged, failed = failed + @failed,
      cancelled = cancelled + @cancelled
    WHERE id = @id RETURNING ${JOB}`)
  const finish = db.prepare<Record<string, unknown>, RawJob>(
    `UPDATE jobs SET status = @status, finished_at = @now, kept_bytes = CASE WHEN failed = 0 THEN 0 END
     WHERE id = @id RETURNING ${JOB}`,
  )
  const cancel = db.prepare(
    `UPDATE jobs SET status = 'cancelled' WHERE id = ? AND status = 'processing' AND finished_at IS NULL`,
  )
  const cancelSome = db.prepare(`
    DELETE FROM job_items WHERE id IN (SELECT id FROM job_items INDEXED BY job_items_due WHERE job = ? AND state = 'pending' LIMIT ?)`)
  const failures = db.prepare<[bigint, bigint, bigint], RawFailure>(`
    SELECT position, product_id AS productId, error, ${CAN_RETRY} AS canRetry
    FROM job_items INDEXED BY job_items_failed
    WHERE job = ? AND state = 'failed' AND position > ? ORDER BY position LIMIT ?`)
  const retrySome = db.prepare(`
    UPDATE job_items SET state = 'pending', attempts = 0, delays = 0, deaths = 0, due_at = 0, error = NULL
    WHERE id IN (SELECT id FROM job_items INDEXED BY job_items_failed
      WHERE job = ? AND state = 'failed' AND position BETWEEN ? AND ? AND ${CAN_RETRY})`)
  const reopen = db.prepare<Record<string, unknown>, RawJob>(`
    UPDATE jobs SET status = 'processing', finished_at = NULL, failed = failed - @retried
    WHERE id = @id RETURNING ${JOB}`)
  const lastPosition = db.prepare<[bigint], { position: number | null }>(
    `SELECT max(position) AS position FROM job_items INDEXED BY job_items_failed WHERE job = ? AND state = 'failed'`,
  )
  const discardable = db.prepare<[bigint], { id: number; jobId: string }>(`
    SELECT id, job_id AS jobId FROM jobs INDEXED BY jobs_age
    WHERE finished_at IS NOT NULL AND finished_at < ? LIMIT 100`)
  const ofStore = db.prepare<[string], { id: number; jobId: string }>(
    'SELECT id, job_id AS jobId FROM jobs WHERE store_id = ? LIMIT 100',
  )
  const dropItems = db.prepare(
    'DELETE FROM job_items WHERE id IN (SELECT id FROM job_items WHERE job = ? LIMIT ?)',
  )
  const dropJob = db.prepare('DELETE FROM jobs WHERE id = ?')
  const unused = db.prepare<[string], { jobId: string }>(`
    SELECT value AS jobId FROM json_each(?) WHERE value NOT IN (SELECT job_id FROM jobs WHERE finished_at IS NULL)`)

  const page = (status: boolean, isNext: boolean) =>
    db.prepare<Record<string, unknown>, RawJob>(`
      SELECT ${JOB} FROM jobs INDEXED BY ${status ? 'jobs_by_status' : 'jobs_newest'}
      WHERE store_id = @storeId ${status ? 'AND status = @status' : `AND status <> 'preparing'`}
        ${isNext ? 'AND (created_at, job_id) < (@at, @id)' : ''}
      ORDER BY created_at DESC, job_id DESC LIMIT @limit`)
  const pages = {
    all: { first: page(false, false), next: page(false, true) },
    some: { first: page(true, false), next: page(true, true) },
  }

  return {
    find: (id: number): JobRow | undefined => toJob(byId.get(BigInt(id))),
    /** A job of a store; one whose items are still being written does not exist yet. */
    findByJobId: (storeId: string, jobId: string): JobRow | undefined => toJob(byJobId.get(storeId, jobId)),
    /** The jobs of a store, newest first. */
    list(
      storeId: string,
      { status, after, limit }: { status?: string | undefined; after?: JobPlace | undefined; limit: number },
    ): JobRow[] {
      const { first, next } = status === undefined ? pages.all : pages.some
      const values = { storeId, limit: BigInt(limit), ...(status !== undefined && { status }) }
      const rows = after ? next.all({ ...values, at: BigInt(after.at), id: after.id }) : first.all(values)
      return rows.map((row) => toJob(row) as JobRow)
    },

    /** Makes a job that nobody sees. @returns its row. */
    add: (job: { jobId: string; storeId: string; type: string; now: number }): number =>
      Number(insertJob.run({ ...job, now: BigInt(job.now) }).lastInsertRowid),
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
    /** Makes a job visible, complete with all its items. */
    acknowledge(
      id: number,
      values: Pick<
        JobRow,
        'total' | 'unchanged' | 'failed' | 'errorsDropped' | 'callbackUrl' | 'warnings'
      > & {
        arrival: number
      },
    ): JobRow {
      return one(acknowledge.all({ ...values, id, warnings: JSON.stringify(values.warnings) }))
    },
    findLatestArrival: (): number => latestArrival.get()?.arrival ?? 0,
    countUnfinished: (storeId: string): number => countUnfinished.get(storeId)?.jobs ?? 0,
    /** Every job of every store that may still change, those being written included; in the order of acknowledgement. */
    listUnfinished: (): JobRow[] => unfinished.all().map((row) => toJob(row) as JobRow),

    begin: (id: number, now: number): void => void begin.run(BigInt(now), BigInt(id)),
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
    /** Notes that the work on items begins, or that it is over without a result. */
    markBegun: (items: readonly LeasedItem[], isBegun: boolean): void =>
      void markBegun.run(isBegun ? 1 : 0, JSON.stringify(items.map(({ id }) => id))),
    /** Items that were worked on when the program died, for that many times or more. */
    listDeadly: (deaths: number): LeasedItem[] => deadly.all(BigInt(deaths)).map(toItem),
    /** @returns false when the lease is over. */
    putBack: (
      { id, lease: token }: LeasedItem,
      { attempts, delays, dueAt }: { attempts: number; delays: number; dueAt: number },
    ): boolean => putBack.run({ id, lease: token, attempts, delays, dueAt: BigInt(dueAt) }).changes > 0,
    /** @returns false when the lease is over. */
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
    count: (id: number, counts: JobCounts): JobRow => one(count.all({ id, ...counts })),
    finish: (id: number, status: JobStatus, now: number): JobRow =>
      one(finish.all({ id, status, now: BigInt(now) })),

    /** @returns false for a job that is over. */
    cancel: (id: number): boolean => cancel.run(BigInt(id)).changes > 0,
    /** Cancels some items that wait. @returns how many. */
    cancelSome: (id: number, limit: number): number => cancelSome.run(BigInt(id), BigInt(limit)).changes,
    /** The failed items after a position, in their order. */
    listFailures: (id: number, after: number, limit: number): FailedItem[] =>
      failures.all(BigInt(id), BigInt(after), BigInt(limit)).map(({ error, canRetry, ...item }) => ({
        ...item,
        error: JSON.parse(error),
        canRetry: canRetry === 1,
      })),
    /** Lets failed items between two positions wait again. @returns how many. */
    retrySome: (id: number, from: number, to: number): number =>
      retrySome.run(BigInt(id), BigInt(from), BigInt(to)).changes,
    reopen: (id: number, retried: number): JobRow => one(reopen.all({ id, retried })),
    /** The position of the last failed item. */
    findLastPosition: (id: number): number => lastPosition.get(BigInt(id))?.position ?? -1,

    /** Jobs that were over before a moment. */
    listOld: (before: number): { id: number; jobId: string }[] => discardable.all(BigInt(before)),
    /** Some jobs of a store, in whatever state. */
    listSome: (storeId: string): { id: number; jobId: string }[] => ofStore.all(storeId),
    /** @returns how many items were deleted. */
    dropItems: (id: number, limit: number): number => dropItems.run(BigInt(id), BigInt(limit)).changes,
    dropJob: (id: number): void => void dropJob.run(BigInt(id)),
    /** Of these ids those that belong to no unfinished job. */
    filterUnused: (jobIds: readonly string[]): string[] =>
      unused.all(JSON.stringify(jobIds)).map(({ jobId }) => jobId),
  }
}

function one(rows: RawJob[]): JobRow {
  const job = toJob(rows[0])
  if (!job) throw new Error('the job is gone')
  return job
}

const toJob = (row: RawJob | undefined): JobRow | undefined =>
  row && { ...row, warnings: JSON.parse(row.warnings) }

const toItem = ({ fileOffset, fileBytes, ...item }: RawItem): LeasedItem => ({
  ...item,
  part: fileOffset === null || fileBytes === null ? undefined : { offset: fileOffset, bytes: fileBytes },
})
