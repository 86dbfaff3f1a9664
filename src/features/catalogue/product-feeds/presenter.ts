import { isoTime } from '../../../core/clock.ts'
import type { Base } from '../../module.ts'
import type { JobSummary } from '../jobs/schema.ts'
import { maskUrl } from './credentials.ts'
import type { FeedRow } from './queries.ts'
import type { KeptRun } from './run-queries.ts'
import type { Feed, FeedCounts, FeedRun } from './schema.ts'

export interface FeedPresenterDeps extends Pick<Base, 'clock'> {
  /** The job of a store; undefined once it is forgotten. */
  findJob(storeId: string, jobId: string): JobSummary | undefined
}

export type FeedPresenter = ReturnType<typeof createFeedPresenter>

/** Shows feeds and their runs to clients. */
export function createFeedPresenter({ findJob, clock }: FeedPresenterDeps) {
  function countProducts(row: KeptRun): FeedCounts {
    const { run, runJobId, runDeleted, runAdded, storeId } = row
    // The numbers of a running job are those of the moment.
    const job = row.isRunning && runJobId !== null ? findJob(storeId, runJobId) : undefined
    const { total, succeeded, unchanged, failed, cancelled } = job ?? run?.counts ?? NO_COUNTS
    return {
      ...{ total, succeeded, unchanged, failed, cancelled },
      added: runAdded,
      updated: runAdded === null ? null : Math.max(0, succeeded - runAdded),
      ...{ missing: run?.missing ?? 0, deleted: runDeleted },
    }
  }

  function viewRun(row: KeptRun): FeedRun | null {
    const { run, runStatus: status, runJobId: job_id } = row
    if (!run || status === null) return null
    return {
      ...{ status, job_id, job_url: job_id === null ? null : `/v1/jobs/${job_id}` },
      started_at: isoTime(run.startedAt),
      finished_at: run.finishedAt === null ? null : isoTime(run.finishedAt),
      ...{ bytes: run.bytes, etag: run.etag, last_modified: run.lastModified },
      counts: countProducts(row),
      error: run.error,
    }
  }

  function view(row: FeedRow): Feed {
    const waitsForNobody = !row.isPaused || row.asked !== null
    const isQueued = waitsForNobody && (row.asked !== null || row.nextRunAt <= clock.now())
    return {
      id: row.id,
      url: maskUrl(row.url, row.credentials !== null),
      format: row.format,
      interval_minutes: row.intervalMinutes,
      mapping: row.mapping,
      delete_missing: row.deleteMissing,
      paused: row.isPaused,
      status: row.isRunning ? 'running' : isQueued ? 'queued' : 'waiting',
      next_run_at: row.isRunning || !waitsForNobody ? null : isoTime(row.nextRunAt),
      consecutive_failures: row.consecutiveFailures,
      created_at: isoTime(row.createdAt),
      updated_at: isoTime(row.updatedAt),
      last_run: viewRun(row),
    }
  }

  return { view, viewRun }
}

const NO_COUNTS = { total: 0, succeeded: 0, unchanged: 0, failed: 0, cancelled: 0 }
