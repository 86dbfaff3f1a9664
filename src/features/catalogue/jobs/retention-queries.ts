import type { Db } from '../../../platform/db/open.ts'

/** A failed item and about as many bytes as it takes in the database. */
export interface WeighedFailure {
  id: number
  position: number
  bytes: number
}

export type RetentionQueries = ReturnType<typeof retentionQueries>

/** Of a row beside its texts. */
const ROW_BYTES = 200

/** SQL about what is left of jobs that are over. */
export function retentionQueries(db: Db) {
  const weighed = `id, position,
    ${ROW_BYTES} + coalesce(octet_length(content), 0) + coalesce(octet_length(error), 0) AS bytes`
  const untidy = db.prepare<[], { storeId: string }>(
    `SELECT DISTINCT store_id AS storeId FROM jobs INDEXED BY jobs_unmeasured
     WHERE finished_at IS NOT NULL AND kept_bytes IS NULL`,
  )
  const unmeasured = db.prepare<[string], { id: number }>(
    `SELECT id FROM jobs INDEXED BY jobs_unmeasured
     WHERE store_id = ? AND finished_at IS NOT NULL AND kept_bytes IS NULL`,
  )
  const weigh = db.prepare<[bigint, bigint, bigint], WeighedFailure>(`
    SELECT ${weighed} FROM job_items INDEXED BY job_items_failed
    WHERE job = ? AND state = 'failed' AND position >= ? ORDER BY position LIMIT ?`)
  const weighLast = db.prepare<[bigint, bigint], WeighedFailure>(`
    SELECT ${weighed} FROM job_items INDEXED BY job_items_failed
    WHERE job = ? AND state = 'failed' ORDER BY position DESC LIMIT ?`)
  const setKept = db.prepare('UPDATE jobs SET kept_bytes = ? WHERE id = ? AND finished_at IS NOT NULL')
  const sumKept = db.prepare<[string], { bytes: number | null }>(
    `SELECT sum(kept_bytes) AS bytes FROM jobs INDEXED BY jobs_over
     WHERE store_id = ? AND finished_at IS NOT NULL`,
  )
  const oldestKept = db.prepare<[string], { id: number; keptBytes: number }>(
    `SELECT id, kept_bytes AS keptBytes FROM jobs INDEXED BY jobs_over
     WHERE store_id = ? AND finished_at IS NOT NULL AND kept_bytes > 0 ORDER BY finished_at, id LIMIT 1`,
  )
  const dropFailures = db.prepare('DELETE FROM job_items WHERE id IN (SELECT value FROM json_each(?))')
  const noteDropped = db.prepare(
    'UPDATE jobs SET kept_bytes = ?, errors_dropped = errors_dropped + ? WHERE id = ?',
  )
  const beyond = db.prepare<[string, bigint], { id: number; jobId: string }>(
    `SELECT id, job_id AS jobId FROM jobs INDEXED BY jobs_over
     WHERE store_id = ? AND finished_at IS NOT NULL ORDER BY finished_at DESC, id DESC LIMIT 100 OFFSET ?`,
  )

  return {
    /** Stores with jobs that are over and not measured. */
    listUntidy: (): string[] => untidy.all().map(({ storeId }) => storeId),
    listUnmeasured: (storeId: string): number[] => unmeasured.all(storeId).map(({ id }) => id),
    /** Failed items of a job from a position on, in their order. */
    weighFailures: (job: number, from: number, limit: number): WeighedFailure[] =>
      weigh.all(BigInt(job), BigInt(from), BigInt(limit)),
    /** The last failed items of a job, the last one first. */
    weighLastFailures: (job: number, limit: number): WeighedFailure[] =>
      weighLast.all(BigInt(job), BigInt(limit)),
    setKeptBytes: (job: number, bytes: number): void => void setKept.run(BigInt(bytes), BigInt(job)),
    /** Of all jobs of a store that are over. */
    sumKeptBytes: (storeId: string): number => sumKept.get(storeId)?.bytes ?? 0,
    /** The job that was over first, of those with failed items. */
    findOldestKept: (storeId: string): { id: number; keptBytes: number } | undefined =>
      oldestKept.get(storeId),
    dropFailures: (ids: readonly number[]): void => void dropFailures.run(JSON.stringify(ids)),
    noteDropped: (job: number, count: number, keptBytes: number): void =>
      void noteDropped.run(BigInt(keptBytes), BigInt(count), BigInt(job)),
    /** Jobs of a store that finished before its last `count` ones. */
    listBeyond: (storeId: string, count: number): { id: number; jobId: string }[] =>
      beyond.all(storeId, BigInt(count)),
  }
}
