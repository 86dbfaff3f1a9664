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
  /** The model that answered; null for a run before models were noted. */
  lastModel: string | null
  lastResult: CheckResult | null
  /** The last run with the model that answered before `lastModel`. */
  beforeRunAt: number | null
  beforeModel: string | null
  beforeResult: CheckResult | null
}

/** A store that has checks. */
export interface StoreOfChecks {
  id: string
  slug: string
  name: string
}

export interface NewCheck
  extends Pick<CheckRow, 'id' | 'storeId' | 'name' | 'query' | 'expected' | 'within'> {
  picture: Uint8Array | null
  createdAt: number
}

type Stored = Omit<CheckRow, 'expected' | 'lastResult' | 'beforeResult'> & {
  expected: string
  lastResult: string | null
  beforeResult: string | null
}

export type CheckQueries = ReturnType<typeof checkQueries>

const CHECK = `search_checks.id, store_id AS storeId, search_checks.name, query, expected, within,
  search_checks.created_at AS createdAt, waiting_for AS waitingFor, last_job AS lastJob, last_run_at AS lastRunAt,
  last_model AS lastModel, last_result AS lastResult, before_run_at AS beforeRunAt, before_model AS beforeModel,
  before_result AS beforeResult`

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
  const enqueueOthers = db.prepare(
    'UPDATE search_checks SET waiting_for = @job WHERE store_id = @storeId AND last_model IS NOT @model',
  )
  const others = db.prepare<[storeId: string, model: string], unknown>(`
    SELECT 1 FROM search_checks INDEXED BY search_checks_of_store WHERE store_id = ? AND last_model IS NOT ? LIMIT 1`)
  const answered = db.prepare<[], { storeId: string; model: string }>(`
    SELECT DISTINCT store_id AS storeId, last_model AS model FROM search_checks WHERE last_model IS NOT NULL`)
  const working = db.prepare<[storeId: string], unknown>(
    'SELECT 1 FROM stores WHERE id = ? AND suspended_at IS NULL AND erasing_at IS NULL',
  )
  const stores = db.prepare<[after: string, limit: number], StoreOfChecks>(`
    SELECT id, slug, name FROM stores WHERE id > ? AND erasing_at IS NULL AND EXISTS
      (SELECT 1 FROM search_checks INDEXED BY search_checks_of_store WHERE store_id = stores.id)
    ORDER BY id LIMIT ?`)
  const dequeue = db.prepare(`
    UPDATE search_checks SET waiting_for = NULL
    WHERE store_id = ? AND waiting_for IS NOT NULL AND waiting_for = ?`)
  // Each right side is the row as it was.
  const finish = db.prepare(`
    UPDATE search_checks SET waiting_for = NULL, last_job = @job, last_run_at = @now, last_model = @model,
      last_result = @result, before_run_at = iif(last_model <> @model, last_run_at, before_run_at),
      before_model = iif(last_model <> @model, last_model, before_model),
      before_result = iif(last_model <> @model, last_result, before_result)
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
    /** Has those checks of a store wait for a job that another model answered last, or none. @returns how many. */
    enqueueOthers: (storeId: string, job: string, model: string): number =>
      enqueueOthers.run({ storeId, job, model }).changes,
    /** Whether a store has such checks. */
    hasOthers: (storeId: string, model: string): boolean => others.get(storeId, model) !== undefined,
    /** Which models answered the last runs of each store's checks. */
    listModels: () => answered.all(),
    /** Whether the store answers, so that its checks can be run. */
    isWorking: (storeId: string): boolean => working.get(storeId) !== undefined,
    /** Stores that have checks, in the order of their ids. */
    listStores: (after: string, limit: number) => stores.all(after, limit),
    /** @returns how many checks no longer wait for the job. */
    dequeue: (storeId: string, jobId: string): number => dequeue.run(storeId, jobId).changes,
    /** Writes a result; that of another model becomes the one before. @returns false if the check is gone, or waits no longer. */
    finish: (storeId: string, id: string, { now, result, ...run }: FinishedCheck): boolean =>
      finish.run({ storeId, id, ...run, now: BigInt(now), result: JSON.stringify(result) }).changes > 0,
  }
}

interface FinishedCheck {
  job: string
  /** The model that answered. */
  model: string
  now: number
  result: CheckResult
}

const readResult = (stored: string | null): CheckResult | null =>
  stored === null ? null : JSON.parse(stored)

const read = ({ expected, lastResult, beforeResult, ...row }: Stored): CheckRow => ({
  ...row,
  expected: JSON.parse(expected),
  lastResult: readResult(lastResult),
  beforeResult: readResult(beforeResult),
})
