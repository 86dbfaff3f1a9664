import type { Db } from '../../../platform/db/open.ts'
import type { JobSource } from './item.ts'

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
  source: JobSource | null
  /** Who started it; null for the service itself. */
  authorKind: AuthorKind | null
  /** These two name a person and an API key, as long as they are there. */
  authorUser: string | null
  authorKey: string | null
}

export type AuthorKind = 'person' | 'key' | 'machine' | 'operator'

type AddedJob = Pick<
  JobRow,
  'jobId' | 'storeId' | 'type' | 'source' | 'authorKind' | 'authorUser' | 'authorKey'
> & { now: number }

/** A place in the list of a store's jobs. */
export interface JobPlace {
  at: number
  id: string
}

export type JobQueries = ReturnType<typeof jobQueries>

type RawJob = Omit<JobRow, 'warnings' | 'source'> & { warnings: string; source: string | null }
const JOB = `id, job_id AS jobId, store_id AS storeId, type, status, arrival, total, succeeded, unchanged, failed,
  cancelled, callback_url AS callbackUrl, warnings, created_at AS createdAt, started_at AS startedAt,
  finished_at AS finishedAt, errors_dropped AS errorsDropped, source, author_kind AS authorKind,
  author_user AS authorUser, author_key AS authorKey`

/** All SQL about jobs as a whole. Every call is synchronous, knows no rule and opens no transaction. */
export function jobQueries(db: Db) {
  const byId = db.prepare<[bigint], RawJob>(`SELECT ${JOB} FROM jobs WHERE id = ?`)
  const byJobId = db.prepare<[string, string], RawJob>(
    `SELECT ${JOB} FROM jobs WHERE store_id = ? AND job_id = ? AND status <> 'preparing'`,
  )
  const insertJob = db.prepare(`
    INSERT INTO jobs (job_id, store_id, type, status, created_at, source, author_kind, author_user, author_key)
    VALUES (@jobId, @storeId, @type, 'preparing', @now, @source, @authorKind, @authorUser, @authorKey)`)
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
  const reopen = db.prepare<Record<string, unknown>, RawJob>(`
    UPDATE jobs SET status = 'processing', finished_at = NULL, failed = failed - @retried
    WHERE id = @id RETURNING ${JOB}`)
  const discardable = db.prepare<[bigint], { id: number; jobId: string }>(`
    SELECT id, job_id AS jobId FROM jobs INDEXED BY jobs_age
    WHERE finished_at IS NOT NULL AND finished_at < ? LIMIT 100`)
  const ofStore = db.prepare<[string], { id: number; jobId: string }>(
    'SELECT id, job_id AS jobId FROM jobs WHERE store_id = ? LIMIT 100',
  )
  const dropJob = db.prepare('DELETE FROM jobs WHERE id = ?')
  const unused = db.prepare<[string], { jobId: string }>(`
    SELECT value AS jobId FROM json_each(?) WHERE value NOT IN (SELECT job_id FROM jobs WHERE finished_at IS NULL)`)

  const member = db.prepare<[string, string], { name: string }>(`
    SELECT name FROM users JOIN memberships ON user_id = users.id WHERE users.id = ? AND store_id = ?`)
  const key = db.prepare<[string, string], { name: string }>(
    'SELECT name FROM api_keys WHERE id = ? AND store_id = ?',
  )

  const ofAll = (status: boolean) =>
    db.prepare<Record<string, unknown>, RawJob & { slug: string }>(`
      SELECT ${JOB}, (SELECT slug FROM stores WHERE stores.id = store_id) AS slug
      FROM jobs ${status ? 'INDEXED BY jobs_of_all WHERE status = @status' : `WHERE status <> 'preparing'`}
        AND job_id < @beforeId
      ORDER BY job_id DESC LIMIT @limit`)
  const pagesOfAll = { all: ofAll(false), some: ofAll(true) }
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
    /** The jobs of all stores, newest first. @param beforeId only older ones. */
    listOfAll(status: string | undefined, beforeId: string | undefined, limit: number) {
      const values = { beforeId: beforeId ?? '~', limit: BigInt(limit) }
      const rows =
        status === undefined ? pagesOfAll.all.all(values) : pagesOfAll.some.all({ ...values, status })
      return rows.map((row) => ({ ...(toJob(row) as JobRow), slug: row.slug }))
    },
    /** Makes a job that nobody sees. @returns its row. */
    add: ({ source, ...job }: AddedJob): number =>
      Number(
        insertJob.run({ ...job, now: BigInt(job.now), source: source && JSON.stringify(source) })
          .lastInsertRowid,
      ),
    /** The name of a person, if they belong to the store. */
    findMemberName: (storeId: string, userId: string): string | undefined =>
      member.get(userId, storeId)?.name,
    /** The name of an API key of the store. */
    findKeyName: (storeId: string, keyId: string): string | undefined => key.get(keyId, storeId)?.name,
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
    count: (id: number, counts: JobCounts): JobRow => one(count.all({ id, ...counts })),
    finish: (id: number, status: JobStatus, now: number): JobRow =>
      one(finish.all({ id, status, now: BigInt(now) })),
    /** @returns false for a finished job. */
    cancel: (id: number): boolean => cancel.run(BigInt(id)).changes > 0,
    reopen: (id: number, retried: number): JobRow => one(reopen.all({ id, retried })),
    /** Jobs that were over before a moment. */
    listOld: (before: number): { id: number; jobId: string }[] => discardable.all(BigInt(before)),
    /** Some jobs of a store, in whatever state. */
    listSome: (storeId: string): { id: number; jobId: string }[] => ofStore.all(storeId),
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
  row && {
    ...row,
    warnings: JSON.parse(row.warnings),
    source: row.source === null ? null : JSON.parse(row.source),
  }
