import type { Db } from '../../../platform/db/open.ts'
import type { Feed, FeedCounts, FeedError, RunState } from './schema.ts'

/** How a client wants a run. */
export interface RunWish {
  isFull: boolean
  forceDelete: boolean
}

/** What a feed pulls, and how. */
export interface FeedSettings {
  /** Without user name and password. */
  url: string
  /** These two, sealed. */
  credentials: Buffer | null
  format: Feed['format']
  intervalMinutes: number
  mapping: Feed['mapping']
  deleteMissing: boolean
}

/** What tells the file of the last run that took it in. */
export interface KnownFile {
  etag: string | null
  lastModified: string | null
  contentHash: Buffer | null
  /** Unix ms; from then on the file is read although it is the same. */
  trustedUntil: number | null
}

/** What is known of a run beside its state. */
export interface RunReport extends RunWish {
  /** Unix ms. */
  startedAt: number
  finishedAt: number | null
  /** The settings with which it began. */
  revision: number
  bytes: number | null
  etag: string | null
  lastModified: string | null
  /** Hexadecimal. */
  contentHash: string | null
  /** The order of its job among all writes. */
  arrival: number | null
  /** Rows of the file that name no product. */
  unnamed: number
  counts: Omit<FeedCounts, 'missing' | 'deleted'> | null
  /** Products that are gone from the file; null before they were looked for. */
  missing: number | null
  error: FeedError | null
}

export interface FeedRow extends FeedSettings, KnownFile {
  id: string
  storeId: string
  revision: number
  /** Unix ms. */
  nextRunAt: number
  asked: RunWish | null
  consecutiveFailures: number
  isRunning: boolean
  runNumber: number
  /** The last run that read the whole file, and the last of these that was not stopped. */
  completeRun: number
  settledRun: number
  /** null before the first run. */
  runStatus: RunState | null
  runJobId: string | null
  runDeleted: number
  run: RunReport | null
  createdAt: number
  updatedAt: number
}

/** A feed in a list of many stores: one whose JSON cannot be read must not keep the others from being listed. */
export type ListedFeed = Pick<FeedRow, 'id' | 'storeId'>
type WaitingFeed = Pick<FeedRow, 'id' | 'intervalMinutes' | 'nextRunAt'>

type Raw = Omit<FeedRow, 'mapping' | 'deleteMissing' | 'asked' | 'isRunning' | 'run'> & {
  mapping: string | null
  deleteMissing: number
  asked: string | null
  isRunning: number
  run: string | null
}

/** A run that is over, as it is kept. */
export type KeptRun = Pick<FeedRow, 'storeId' | 'runStatus' | 'runJobId' | 'runDeleted' | 'isRunning' | 'run'>

type RawRun = Omit<KeptRun, 'run' | 'isRunning'> & { run: string }

export type FeedQueries = ReturnType<typeof feedQueries>

/** Runs of a feed that are kept. */
const RUNS_KEPT = 10

const COLUMNS = `id, store_id AS storeId, url, credentials, format, interval_minutes AS intervalMinutes, mapping,
  delete_missing AS deleteMissing, revision, next_run_at AS nextRunAt, asked,
  consecutive_failures AS consecutiveFailures, etag, last_modified AS lastModified, content_hash AS contentHash,
  trusted_until AS trustedUntil, is_running AS isRunning, run_number AS runNumber, complete_run AS completeRun, settled_run AS settledRun,
  run_status AS runStatus, run_job_id AS runJobId, run_deleted AS runDeleted, run, created_at AS createdAt,
  updated_at AS updatedAt`

/** Those of suspended stores wait, and take no place among what is due. */
const OF_WORKING_STORE = 'store_id NOT IN (SELECT id FROM stores WHERE suspended_at IS NOT NULL)'

/** All SQL about feeds. A deleted one is found no more, though its row stays until those of its products are gone. */
export function feedQueries(db: Db) {
  const byStore = db.prepare<[string], Raw>(
    `SELECT ${COLUMNS} FROM feeds WHERE store_id = ? AND deleted_at IS NULL ORDER BY id`,
  )
  const byId = db.prepare<[string], Raw>(`SELECT ${COLUMNS} FROM feeds WHERE id = ? AND deleted_at IS NULL`)
  const owned = db.prepare<[string, string], Raw>(
    `SELECT ${COLUMNS} FROM feeds WHERE store_id = ? AND id = ? AND deleted_at IS NULL`,
  )
  const insert = db.prepare(`
    INSERT INTO feeds (id, store_id, url, credentials, format, interval_minutes, mapping, delete_missing, next_run_at,
      created_at, updated_at)
    VALUES (@id, @storeId, @url, @credentials, @format, @intervalMinutes, @mapping, @deleteMissing, @now, @now, @now)`)
  const update = db.prepare(`
    UPDATE feeds SET url = @url, credentials = @credentials, format = @format, interval_minutes = @intervalMinutes,
      mapping = @mapping, delete_missing = @deleteMissing, revision = @revision, next_run_at = @nextRunAt,
      consecutive_failures = @consecutiveFailures, etag = @etag, last_modified = @lastModified,
      content_hash = @contentHash, trusted_until = @trustedUntil, updated_at = @updatedAt
    WHERE id = @id`)
  // Whoever asks for the whole file may have mended what ended the program.
  const ask = db.prepare(`
    UPDATE feeds SET asked = @asked, next_run_at = @now, readings = iif(@isFull, 0, readings) WHERE id = @id`)
  const markDeleted = db.prepare(`
    UPDATE feeds SET deleted_at = ?, url = '', credentials = NULL, is_running = 0, run_job_id = NULL WHERE id = ?`)
  const deleted = db.prepare<[bigint], { id: string }>(
    'SELECT id FROM feeds INDEXED BY feeds_deleted WHERE deleted_at IS NOT NULL LIMIT ?',
  )
  const remove = db.prepare('DELETE FROM feeds WHERE id = ? AND deleted_at IS NOT NULL')
  const due = db.prepare<[bigint, bigint], ListedFeed>(`
    SELECT id, store_id AS storeId FROM feeds INDEXED BY feeds_due
    WHERE is_running = 0 AND deleted_at IS NULL AND next_run_at <= ? AND ${OF_WORKING_STORE}
    ORDER BY next_run_at LIMIT ?`)
  const cutOff = db.prepare<[bigint], ListedFeed>(`
    SELECT id, store_id AS storeId FROM feeds INDEXED BY feeds_running
    WHERE is_running = 1 AND deleted_at IS NULL AND run_status IN ('pulling', 'finishing')
      AND ${OF_WORKING_STORE} LIMIT ?`)
  const imported = db.prepare<[bigint], { id: string }>(`
    SELECT feeds.id FROM feeds INDEXED BY feeds_running LEFT JOIN jobs ON jobs.job_id = run_job_id
    WHERE is_running = 1 AND deleted_at IS NULL AND run_status = 'importing'
      AND (jobs.id IS NULL OR jobs.finished_at IS NOT NULL) LIMIT ?`)
  const tooLate = db.prepare<Record<string, unknown>, WaitingFeed>(`
    SELECT id, interval_minutes AS intervalMinutes, next_run_at AS nextRunAt FROM feeds INDEXED BY feeds_due
    WHERE is_running = 0 AND deleted_at IS NULL AND next_run_at > @after LIMIT @limit`)
  const reschedule = db.prepare('UPDATE feeds SET next_run_at = ? WHERE id = ?')
  const begin = db.prepare<Record<string, unknown>, Raw>(`
    UPDATE feeds SET is_running = 1, run_number = run_number + 1, run_status = 'pulling', run_job_id = NULL,
      run_deleted = 0, asked = NULL, run = @run
    WHERE id = @id AND deleted_at IS NULL RETURNING ${COLUMNS}`)
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
    INSERT OR REPLACE INTO feed_runs (feed_id, run_number, store_id, status, job_id, deleted, run)
    SELECT id, run_number, store_id, run_status, run_job_id, run_deleted, run FROM feeds
    WHERE id = @id AND run_number = @runNumber`)
  const dropRuns = db.prepare<Record<string, unknown>>(`
    DELETE FROM feed_runs WHERE feed_id = @id AND run_number NOT IN (
      SELECT run_number FROM feed_runs WHERE feed_id = @id ORDER BY run_number DESC LIMIT @kept)`)
  const runs = db.prepare<[string], RawRun>(`
    SELECT store_id AS storeId, status AS runStatus, job_id AS runJobId, deleted AS runDeleted, run
    FROM feed_runs WHERE feed_id = ? ORDER BY run_number DESC`)
  const beginReading = db.prepare<Record<string, unknown>, { readings: number }>(`
    UPDATE feeds SET readings = iif(reading_hash IS @hash, readings + 1, 1), reading_hash = @hash
    WHERE id = @id RETURNING readings`)
  const endReading = db.prepare('UPDATE feeds SET readings = 0, reading_hash = NULL WHERE id = ?')
  const countDeleted = db.prepare('UPDATE feeds SET run_deleted = run_deleted + 1 WHERE id = ?')

  return {
    /** Oldest first. */
    listByStore: (storeId: string): FeedRow[] => byStore.all(storeId).map(read),
    /** A feed of a store. */
    findOwned(storeId: string, id: string): FeedRow | undefined {
      const row = owned.get(storeId, id)
      return row && read(row)
    },
    /** A feed of any store, for the service's own work on it. */
    find(id: string): FeedRow | undefined {
      const row = byId.get(id)
      return row && read(row)
    },
    add: ({ now, ...row }: FeedSettings & { id: string; storeId: string; now: number }): void =>
      void insert.run({ ...row, ...written(row), now: BigInt(now) }),
    update(row: FeedRow): void {
      const { id, url, credentials, format, intervalMinutes, revision, nextRunAt } = row
      const { consecutiveFailures, etag, lastModified, contentHash, trustedUntil, updatedAt } = row
      update.run({
        ...{ id, url, credentials, format, intervalMinutes, revision, nextRunAt, ...written(row) },
        ...{ consecutiveFailures, etag, lastModified, contentHash, trustedUntil, updatedAt },
      })
    },
    /** Makes a feed due, and says how it is to run. */
    ask: (id: string, wish: RunWish, now: number): void =>
      void ask.run({ id, asked: JSON.stringify(wish), now: BigInt(now), isFull: wish.isFull ? 1 : 0 }),

    markDeleted: (id: string, now: number): void => void markDeleted.run(BigInt(now), id),
    /** Deleted feeds of all stores that are still there. */
    listDeleted: (limit: number): string[] => deleted.all(BigInt(limit)).map(({ id }) => id),
    removeDeleted: (id: string): void => void remove.run(id),

    /** Feeds of all stores that should run, the longest due first. */
    listDue: (now: number, limit: number): ListedFeed[] => due.all(BigInt(now), BigInt(limit)),
    /** Runs that somebody works on, or worked on when the program ended. */
    listUnderWay: (limit: number): ListedFeed[] => cutOff.all(BigInt(limit)),
    /** Feeds whose jobs are over, or gone. */
    listImported: (limit: number): string[] => imported.all(BigInt(limit)).map(({ id }) => id),
    /** Feeds that wait until after a moment. */
    listWaitingUntilAfter: (after: number, limit: number): WaitingFeed[] =>
      tooLate.all({ after: BigInt(after), limit: BigInt(limit) }),
    reschedule: (id: string, at: number): void => void reschedule.run(BigInt(at), id),

    /** Begins a run under a new number. @returns undefined for a feed that is gone. */
    begin(id: string, run: RunReport): FeedRow | undefined {
      const [row] = begin.all({ id, run: JSON.stringify(run) })
      return row && read(row)
    },
    /** Writes how far a run is. @returns false if it is over, or its feed is gone. */
    step: (
      { id, runNumber }: Pick<FeedRow, 'id' | 'runNumber'>,
      values: { status: RunState; jobId: string | null; run: RunReport },
    ): boolean => step.run({ id, runNumber, ...values, run: JSON.stringify(values.run) }).changes > 0,
    /** Ends a run and keeps it among the last ones. @returns false if it is over already, or its feed is gone. */
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

const written = ({ mapping, deleteMissing }: Pick<FeedRow, 'mapping' | 'deleteMissing'>) => ({
  mapping: mapping === null ? null : JSON.stringify(mapping),
  deleteMissing: deleteMissing ? 1 : 0,
})

const parse = <Value>(json: string | null): Value | null =>
  json === null ? null : (JSON.parse(json) as Value)

const read = ({ mapping, deleteMissing, asked, isRunning, run, ...row }: Raw): FeedRow => ({
  ...row,
  mapping: parse(mapping),
  deleteMissing: deleteMissing === 1,
  asked: parse(asked),
  isRunning: isRunning === 1,
  run: parse(run),
})
