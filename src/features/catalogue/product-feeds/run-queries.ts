import type { Db } from '../../../platform/db/open.ts'
import {
  FEED_COLUMNS,
  type FeedRow,
  type KnownFile,
  parse,
  type RawFeed,
  type RunReport,
  readFeed,
} from './queries.ts'
import type { RunState } from './schema.ts'

/** A finished run, as it is stored. */
export type KeptRun = Pick<
  FeedRow,
  'storeId' | 'runStatus' | 'runJobId' | 'runDeleted' | 'runAdded' | 'isRunning' | 'run'
>

type RawRun = Omit<KeptRun, 'run' | 'isRunning'> & { run: string }

export type RunQueries = ReturnType<typeof feedRunQueries>

/** Runs of a feed that are kept. */
const RUNS_KEPT = 10

/** All SQL about the runs of feeds. The present run stands in the feed's own row. */
export function feedRunQueries(db: Db) {
  const begin = db.prepare<Record<string, unknown>, RawFeed>(`
    UPDATE feeds SET is_running = 1, run_number = run_number + 1, run_status = 'pulling', run_job_id = NULL,
      run_deleted = 0, run_added = 0, asked = NULL, run = @run
    WHERE id = @id AND deleted_at IS NULL RETURNING ${FEED_COLUMNS}`)
  const step = db.prepare(`
    UPDATE feeds SET run_status = @status, run_job_id = @jobId, run = @run
    WHERE id = @id AND run_number = @runNumber AND is_running = 1`)
  const end = db.prepare(`
    UPDATE feeds SET is_running = 0, run_status = @status, run = @run, next_run_at = @nextRunAt,
      consecutive_failures = @consecutiveFailures, complete_run = @completeRun, settled_run = @settledRun
    WHERE id = @id AND run_number = @runNumber AND is_running = 1`)
  const remember = db.prepare(`
    UPDATE feeds SET etag = @etag, last_modified = @lastModified, content_hash = @contentHash,
      trusted_until = @trustedUntil
    WHERE id = @id AND revision = @revision`)
  const keepRun = db.prepare<Record<string, unknown>>(`
    INSERT OR REPLACE INTO feed_runs (feed_id, run_number, store_id, status, job_id, deleted, added, run)
    SELECT id, run_number, store_id, run_status, run_job_id, run_deleted, run_added, run FROM feeds
    WHERE id = @id AND run_number = @runNumber`)
  const dropRuns = db.prepare<Record<string, unknown>>(`
    DELETE FROM feed_runs WHERE feed_id = @id AND run_number NOT IN (
      SELECT run_number FROM feed_runs WHERE feed_id = @id ORDER BY run_number DESC LIMIT @kept)`)
  const runs = db.prepare<[string], RawRun>(`
    SELECT store_id AS storeId, status AS runStatus, job_id AS runJobId, deleted AS runDeleted,
      added AS runAdded, run
    FROM feed_runs WHERE feed_id = ? ORDER BY run_number DESC`)
  const beginReading = db.prepare<Record<string, unknown>, { readings: number }>(`
    UPDATE feeds SET readings = iif(reading_hash IS @hash, readings + 1, 1), reading_hash = @hash
    WHERE id = @id RETURNING readings`)
  const endReading = db.prepare('UPDATE feeds SET readings = 0, reading_hash = NULL WHERE id = ?')
  const countDeleted = db.prepare('UPDATE feeds SET run_deleted = run_deleted + 1 WHERE id = ?')

  return {
    /** Begins a run under a new number. @returns undefined for a feed that is gone. */
    begin(id: string, run: RunReport): FeedRow | undefined {
      const [row] = begin.all({ id, run: JSON.stringify(run) })
      return row && readFeed(row)
    },
    /** Writes the progress of a run. @returns false if it has ended, or its feed is gone. */
    step: (
      { id, runNumber }: Pick<FeedRow, 'id' | 'runNumber'>,
      values: { status: RunState; jobId: string | null; run: RunReport },
    ): boolean => step.run({ id, runNumber, ...values, run: JSON.stringify(values.run) }).changes > 0,
    /** Ends a run and keeps it among the last ones. @returns false if it has ended already, or its feed is gone. */
    end(
      { id, runNumber }: Pick<FeedRow, 'id' | 'runNumber'>,
      values: Pick<FeedRow, 'nextRunAt' | 'consecutiveFailures' | 'completeRun' | 'settledRun'> & {
        status: RunState
        run: RunReport
      },
    ): boolean {
      const { changes } = end.run({ id, runNumber, ...values, run: JSON.stringify(values.run) })
      if (changes === 0) return false
      keepRun.run({ id, runNumber })
      dropRuns.run({ id, kept: BigInt(RUNS_KEPT) })
      return true
    },
    /** The last runs of a feed that are over, the newest first. */
    listRuns: (id: string): KeptRun[] =>
      runs.all(id).map(({ run, ...row }) => ({ ...row, isRunning: false, run: parse(run) })),
    /** Notes, before it is read, which file a feed reads. @returns how often this file was begun and not ended, this time included. */
    beginReading: (id: string, hash: Buffer): number => beginReading.all({ id, hash })[0]?.readings ?? 0,
    /** Notes that the file was read, or refused: it has not ended the program. */
    endReading: (id: string): void => void endReading.run(id),
    /** Keeps what tells a file, unless the feed means another one by now. */
    remember: (id: string, revision: number, known: KnownFile): void =>
      void remember.run({ id, revision, ...known }),
    countDeleted: (id: string): void => void countDeleted.run(id),
  }
}
