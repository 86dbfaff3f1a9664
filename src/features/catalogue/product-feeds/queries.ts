import type { Db } from '../../../platform/db/open.ts'
import type { Feed, FeedCounts, FeedError, RunState } from './schema.ts'

/** How a client wants a run. */
export interface RunWish {
  isFull: boolean
  forceDelete: boolean
}

export interface FeedSettings {
  /** Without user name and password. */
  url: string
  /** These two, sealed. */
  credentials: Buffer | null
  format: Feed['format']
  intervalMinutes: number
  mapping: Feed['mapping']
  deleteMissing: boolean
  isPaused: boolean
}

/** Identifies the file of the last run that imported it. */
export interface KnownFile {
  etag: string | null
  lastModified: string | null
  contentHash: Buffer | null
  /** Unix ms; from then on the file is read although it is the same. */
  trustedUntil: number | null
}

/** The details of a run besides its state. */
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
  counts: Omit<FeedCounts, 'added' | 'updated' | 'missing' | 'deleted'> | null
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
  /** Products that the run made; null for a run of an earlier version. */
  runAdded: number | null
  run: RunReport | null
  createdAt: number
  updatedAt: number
}

/** A feed in a list of many stores: one whose JSON cannot be read must not keep the others from being listed. */
export type ListedFeed = Pick<FeedRow, 'id' | 'storeId'>
type WaitingFeed = Pick<FeedRow, 'id' | 'intervalMinutes' | 'nextRunAt'>

export type RawFeed = Omit<
  FeedRow,
  'mapping' | 'deleteMissing' | 'isPaused' | 'asked' | 'isRunning' | 'run'
> & {
  mapping: string | null
  deleteMissing: number
  isPaused: number
  asked: string | null
  isRunning: number
  run: string | null
}

export type FeedQueries = ReturnType<typeof feedQueries>

export const FEED_COLUMNS = `id, store_id AS storeId, url, credentials, format, interval_minutes AS intervalMinutes, mapping,
  delete_missing AS deleteMissing, is_paused AS isPaused, revision, next_run_at AS nextRunAt, asked,
  consecutive_failures AS consecutiveFailures, etag, last_modified AS lastModified, content_hash AS contentHash,
  trusted_until AS trustedUntil, is_running AS isRunning, run_number AS runNumber, complete_run AS completeRun, settled_run AS settledRun,
  run_status AS runStatus, run_job_id AS runJobId, run_deleted AS runDeleted, run_added AS runAdded, run, created_at AS createdAt,
  updated_at AS updatedAt`

/** A paused feed runs only when somebody asks for it. The words are those of the index. */
const MAY_RUN = 'is_running = 0 AND deleted_at IS NULL AND (is_paused = 0 OR asked IS NOT NULL)'

/** Those of suspended stores wait, and take no place among what is due. */
const OF_WORKING_STORE = 'store_id NOT IN (SELECT id FROM stores WHERE suspended_at IS NOT NULL)'

/** All SQL about feeds and when they run. A deleted feed cannot be found, though its row stays until those of its products are gone. */
export function feedQueries(db: Db) {
  const byStore = db.prepare<[string], RawFeed>(
    `SELECT ${FEED_COLUMNS} FROM feeds WHERE store_id = ? AND deleted_at IS NULL ORDER BY id`,
  )
  const byId = db.prepare<[string], RawFeed>(
    `SELECT ${FEED_COLUMNS} FROM feeds WHERE id = ? AND deleted_at IS NULL`,
  )
  const owned = db.prepare<[string, string], RawFeed>(
    `SELECT ${FEED_COLUMNS} FROM feeds WHERE store_id = ? AND id = ? AND deleted_at IS NULL`,
  )
  const insert = db.prepare(`
    INSERT INTO feeds (id, store_id, url, credentials, format, interval_minutes, mapping, delete_missing, next_run_at,
      created_at, updated_at)
    VALUES (@id, @storeId, @url, @credentials, @format, @intervalMinutes, @mapping, @deleteMissing, @now, @now, @now)`)
  const update = db.prepare(`
    UPDATE feeds SET url = @url, credentials = @credentials, format = @format, interval_minutes = @intervalMinutes,
      mapping = @mapping, delete_missing = @deleteMissing, is_paused = @isPaused, revision = @revision, next_run_at = @nextRunAt,
      consecutive_failures = @consecutiveFailures, etag = @etag, last_modified = @lastModified,
      content_hash = @contentHash, trusted_until = @trustedUntil, updated_at = @updatedAt
    WHERE id = @id`)
  // The file that ended the program may have been mended when somebody asks for all of it.
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
    WHERE ${MAY_RUN} AND next_run_at <= ? AND ${OF_WORKING_STORE}
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
    WHERE ${MAY_RUN} AND next_run_at > @after LIMIT @limit`)
  const reschedule = db.prepare('UPDATE feeds SET next_run_at = ? WHERE id = ?')

  return {
    /** Oldest first. */
    listByStore: (storeId: string): FeedRow[] => byStore.all(storeId).map(readFeed),
    /** A feed of a store. */
    findOwned(storeId: string, id: string): FeedRow | undefined {
      const row = owned.get(storeId, id)
      return row && readFeed(row)
    },
    /** A feed of any store, for the service's own work on it. */
    find(id: string): FeedRow | undefined {
      const row = byId.get(id)
      return row && readFeed(row)
    },
    add: ({
      now,
      ...row
    }: Omit<FeedSettings, 'isPaused'> & { id: string; storeId: string; now: number }): void =>
      void insert.run({ ...row, ...written(row), now: BigInt(now) }),
    update(row: FeedRow): void {
      const { id, url, credentials, format, intervalMinutes, revision, nextRunAt } = row
      const { consecutiveFailures, etag, lastModified, contentHash, trustedUntil, updatedAt } = row
      update.run({
        ...{ id, url, credentials, format, intervalMinutes, revision, nextRunAt, ...written(row) },
        isPaused: row.isPaused ? 1 : 0,
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
    listInFlight: (limit: number): ListedFeed[] => cutOff.all(BigInt(limit)),
    /** Feeds whose jobs are over, or gone. */
    listImported: (limit: number): string[] => imported.all(BigInt(limit)).map(({ id }) => id),
    /** Feeds that wait until after a moment. */
    listWaitingUntilAfter: (after: number, limit: number): WaitingFeed[] =>
      tooLate.all({ after: BigInt(after), limit: BigInt(limit) }),
    reschedule: (id: string, at: number): void => void reschedule.run(BigInt(at), id),
  }
}

const written = ({ mapping, deleteMissing }: Pick<FeedRow, 'mapping' | 'deleteMissing'>) => ({
  mapping: mapping === null ? null : JSON.stringify(mapping),
  deleteMissing: deleteMissing ? 1 : 0,
})

export const readFeed = ({
  mapping,
  deleteMissing,
  isPaused,
  asked,
  isRunning,
  run,
  ...row
}: RawFeed): FeedRow => ({
  ...row,
  mapping: parse(mapping),
  deleteMissing: deleteMissing === 1,
  isPaused: isPaused === 1,
  asked: parse(asked),
  isRunning: isRunning === 1,
  run: parse(run),
})

export const parse = <Value>(json: string | null): Value | null =>
  json === null ? null : (JSON.parse(json) as Value)
