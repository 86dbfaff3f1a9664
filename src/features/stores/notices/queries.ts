import type { Db } from '../../../platform/db/open.ts'

/** A job that is over and has failed items, or warnings. */
export interface ToldJob {
  jobId: string
  total: number
  failed: number
  /** JSON. */
  warnings: string
  finishedAt: number
}

export interface FailingFeeds {
  failing: number
  stopped: number
  /** One of them. */
  failingId: string | null
  stoppedId: string | null
  /** The most failures in a row. */
  failures: number
}

export interface FailingWebhooks {
  failing: number
  disabled: number
  /** Unix ms. */
  since: number | null
}

export interface ReportedCounts {
  /** Unix ms. */
  madeAt: number
  /** Products of all findings; one of two findings counts twice. */
  findings: number
}

export interface Steps {
  isSearched: 0 | 1
  isWidgetSeen: 0 | 1
  isClicked: 0 | 1
}

export interface WalkedStore {
  id: string
  slug: string
  name: string
}

/** Jobs that are looked through: the newest ones. */
const JOBS_MAX = 20

/** Somebody who has paused a feed knows that it is not read. */
const IS_FAILING = 'consecutive_failures > 0 AND is_paused = 0'

export type NoticeQueries = ReturnType<typeof noticeQueries>

/** All SQL of the overview. It only reads, and nothing of it grows with the products or searches of a store. */
export function noticeQueries(db: Db) {
  const newestJobs = `SELECT job_id AS jobId, type, total, failed, warnings, finished_at AS finishedAt
    FROM jobs INDEXED BY jobs_newest WHERE store_id = @storeId ORDER BY created_at DESC, job_id DESC LIMIT ${JOBS_MAX}`
  const failedJob = db.prepare<{ storeId: string; since: number }, ToldJob>(
    `SELECT * FROM (${newestJobs}) WHERE failed > 0 AND finishedAt >= @since LIMIT 1`,
  )
  const lastImport = db.prepare<{ storeId: string; since: number }, ToldJob>(
    `SELECT * FROM (${newestJobs}) WHERE type IN ('import', 'feed') AND finishedAt >= @since LIMIT 1`,
  )
  const feeds = db.prepare<{ storeId: string }, FailingFeeds>(`
    SELECT count(*) FILTER (WHERE ${IS_FAILING}) AS failing,
      count(*) FILTER (WHERE run_status = 'stopped') AS stopped,
      max(id) FILTER (WHERE ${IS_FAILING}) AS failingId, max(id) FILTER (WHERE run_status = 'stopped') AS stoppedId,
      coalesce(max(consecutive_failures) FILTER (WHERE ${IS_FAILING}), 0) AS failures
    FROM feeds WHERE store_id = @storeId AND deleted_at IS NULL`)
  const webhooks = db.prepare<{ storeId: string }, FailingWebhooks>(`
    SELECT count(*) FILTER (WHERE consecutive_failures > 0 OR disabled_reason IN ('receiver_gone', 'always_failing')) AS failing,
      count(*) FILTER (WHERE disabled_reason IN ('receiver_gone', 'always_failing')) AS disabled, min(failing_since) AS since
    FROM webhooks WHERE store_id = @storeId AND deleted_at IS NULL`)
  // A trace lasts as long as its key. Pages are older, and are forgotten with the counts of their days.
  const steps = db.prepare<{ storeId: string }, Steps>(`
    SELECT EXISTS (SELECT 1 FROM search_days WHERE store_id = @storeId AND searches > 0) AS isSearched,
      EXISTS (SELECT 1 FROM widget_traces WHERE store_id = @storeId AND last_search_at IS NOT NULL)
        OR EXISTS (SELECT 1 FROM widget_pages WHERE store_id = @storeId AND last_search_at IS NOT NULL) AS isWidgetSeen,
      EXISTS (SELECT 1 FROM event_days WHERE store_id = @storeId AND action = 'click' AND events > 0) AS isClicked`)
  const reported = db.prepare<{ storeId: string }, ReportedCounts>(`
    SELECT made_at AS madeAt, (SELECT coalesce(sum(value ->> '$.count'), 0) FROM json_each(report, '$.findings')) AS findings
    FROM catalogue_reports WHERE store_id = @storeId AND made_at IS NOT NULL`)
  const nextStores = db.prepare<{ after: string; limit: bigint }, WalkedStore>(`
    SELECT id, slug, name FROM stores
    WHERE id > @after AND suspended_at IS NULL AND erasing_at IS NULL ORDER BY id LIMIT @limit`)

  return {
    /** The newest job with failed items that ended at a moment or later. */
    findFailedJob: (storeId: string, since: number): ToldJob | undefined => failedJob.get({ storeId, since }),
    /** The newest import, or run of a feed, that ended at a moment or later. */
    findLastImport: (storeId: string, since: number): ToldJob | undefined =>
      lastImport.get({ storeId, since }),
    countFeeds: (storeId: string): FailingFeeds => feeds.get({ storeId }) as FailingFeeds,
    countWebhooks: (storeId: string): FailingWebhooks => webhooks.get({ storeId }) as FailingWebhooks,
    /** What the last report about the catalogue found. */
    findReport: (storeId: string): ReportedCounts | undefined => reported.get({ storeId }),
    /** What the store has done once. */
    findSteps: (storeId: string): Steps => steps.get({ storeId }) as Steps,
    /** Stores after one, in the order of their ids. */
    listStores: (after: string, limit: number): WalkedStore[] =>
      nextStores.all({ after, limit: BigInt(limit) }),
  }
}
