import type { Db } from '../../../platform/db/open.ts'
import type { CheckResult } from './schema.ts'

/** A saved check, without its picture. Times are Unix ms. */
export interface CheckRow {
  id: string
  storeId: string
  name: string
  query: string | null
  expected: string[]
  within: number
  createdAt: number
  /** The job that has yet to run it. */
  waitingFor: string | null
  lastJob: string | null
  lastRunAt: number | null
  lastResult: CheckResult | null
}

export interface NewCheck
  extends Pick<CheckRow, 'id' | 'storeId' | 'name' | 'query' | 'expected' | 'within'> {
  picture: Uint8Array | null
  createdAt: number
}

type Stored = Omit<CheckRow, 'expected' | 'lastResult'> & { expected: string; lastResult: string | null }

export type CheckQueries = ReturnType<typeof checkQueries>

const CHECK = `search_checks.id, store_id AS storeId, search_checks.name, query, expected, within,
  search_checks.created_at AS createdAt, waiting_for AS waitingFor, last_job AS lastJob, last_run_at AS lastRunAt,
  last_result AS lastResult`

/** All SQL about saved checks. */
export function checkQueries(db: Db) {
  const list = db.prepare<[storeId: string], Stored>(
    `SELECT ${CHECK} FROM search_checks INDEXED BY search_checks_of_store WHERE store_id = ? ORDER BY id`,
  )
  const one = db.prepare<[storeId: string, id: string], Stored>(
    `SELECT ${CHECK} FROM search_checks WHERE store_id = ? AND id = ?`,
  )
  // The length of a BLOB stands in the head of its row.
  const size = db.prepare<[storeId: string], { checks: number; bytes: number }>(`
    SELECT count(*) AS checks, coalesce(sum(length(picture)), 0) AS bytes
    FROM search_checks INDEXED BY search_checks_of_store WHERE store_id = ?`)
  const picture = db.prepare<[storeId: string, id: string], { picture: Buffer | null }>(
    'SELECT picture FROM search_checks WHERE store_id = ? AND id = ?',
  )
  const add = db.prepare(`
    INSERT INTO search_checks (id, store_id, name, query, expected, within, created_at, picture)
    VALUES (@id, @storeId, @name, @query, @expected, @within, @createdAt, @picture)`)
  const remove = db.prepare('DELETE FROM search_checks WHERE store_id = ? AND id = ?')
  const waiting = db.prepare<[storeId: string], { job: string }>(`
    SELECT waiting_for AS job FROM search_checks INDEXED BY search_checks_waiting
    WHERE store_id = ? AND waiting_for IS NOT NULL LIMIT 1`)
  const next = db.prepare<[after: string], Stored>(`
    SELECT ${CHECK} FROM search_checks INDEXED BY search_checks_waiting CROSS JOIN stores ON stores.id = store_id
    WHERE waiting_for IS NOT NULL AND store_id > ? AND suspended_at IS NULL AND erasing_at IS NULL
    ORDER BY store_id, search_checks.id LIMIT 1`)
  const enqueue = db.prepare('UPDATE search_checks SET waiting_for = ? WHERE store_id = ?')
  const dequeue = db.prepare(`
    UPDATE search_checks SET waiting_for = NULL
    WHERE store_id = ? AND waiting_for IS NOT NULL AND waiting_for = ?`)
  const finish = db.prepare(`
    UPDATE search_checks SET waiting_for = NULL, last_job = @job, last_run_at = @now, last_result = @result
    WHERE store_id = @storeId AND id = @id AND waiting_for = @job`)

  return {
    /** Oldest first. */
    list: (storeId: string): CheckRow[] => list.all(storeId).map(read),
    find(storeId: string, id: string): CheckRow | undefined {
      const row = one.get(storeId, id)
      return row && read(row)
    },
    /** The checks of a store, and the bytes of their pictures. */
    measure: (storeId: string) => size.get(storeId) ?? { checks: 0, bytes: 0 },
    readPicture: (storeId: string, id: string): Buffer | null | undefined =>
      picture.get(storeId, id)?.picture,
    add: ({ expected, ...check }: NewCheck): void =>
      void add.run({ ...check, expected: JSON.stringify(expected), createdAt: BigInt(check.createdAt) }),
    /** @returns false if there is none. */
    remove: (storeId: string, id: string): boolean => remove.run(storeId, id).changes > 0,
    /** The job that a store's checks wait for. */
    findJob: (storeId: string): string | undefined => waiting.get(storeId)?.job,
    /** The first check that waits, of the first working store behind another one. */
    findNext(afterStore: string): CheckRow | undefined {
      const row = next.get(afterStore)
      return row && read(row)
    },
    /** Has all checks of a store wait for a job. @returns how many. */
    enqueue: (storeId: string, jobId: string): number => enqueue.run(jobId, storeId).changes,
    /** @returns how many checks no longer wait for the job. */
    dequeue: (storeId: string, jobId: string): number => dequeue.run(storeId, jobId).changes,
    /** @returns false if the check is gone, or waits for the job no longer. */
    finish: (storeId: string, id: string, { job, now, result }: FinishedCheck): boolean =>
      finish.run({ storeId, id, job, now: BigInt(now), result: JSON.stringify(result) }).changes > 0,
  }
}

interface FinishedCheck {
  job: string
  now: number
  result: CheckResult
}

const read = ({ expected, lastResult, ...row }: Stored): CheckRow => ({
  ...row,
  expected: JSON.parse(expected),
  lastResult: lastResult === null ? null : JSON.parse(lastResult),
})
