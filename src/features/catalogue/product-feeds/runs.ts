import { DAY_MS, MINUTE_MS } from '../../../core/clock.ts'
import type { Base } from '../../module.ts'
import type { JobSummary } from '../jobs/schema.ts'
import type { FeedQueries, FeedRow, KnownFile, RunReport } from './queries.ts'
import type { RunQueries } from './run-queries.ts'
import { computeNextRun } from './run-times.ts'
import type { FeedError, RunState } from './schema.ts'

export interface FeedRunsDeps extends Pick<Base, 'clock' | 'atomically'> {
  queries: Pick<FeedQueries, 'find'>
  runQueries: Pick<RunQueries, 'begin' | 'step' | 'end' | 'remember'>
  /** The job of a store; undefined once it is forgotten. */
  findJob(storeId: string, jobId: string): JobSummary | undefined
}

/** A file with products that failed is read again after this time although it is the same: their pictures may be there. */
const TRUSTED_MS = DAY_MS

export type FeedRuns = ReturnType<typeof createFeedRuns>

/** Begins the runs of feeds, follows their jobs, and ends them in the database. */
export function createFeedRuns({ queries, runQueries, findJob, atomically, clock }: FeedRunsDeps) {
  function toKnown({ etag, lastModified, contentHash, counts }: RunReport): KnownFile {
    return {
      etag,
      lastModified,
      contentHash: contentHash === null ? null : Buffer.from(contentHash, 'hex'),
      trustedUntil: (counts?.failed ?? 0) > 0 ? clock.now() + TRUSTED_MS : null,
    }
  }

  function end(feed: FeedRow, run: RunReport, status: RunState, error: FeedError | null = null): void {
    atomically(() => {
      // The settings may have changed since the run began.
      const present = queries.find(feed.id)
      if (!present) return
      const now = clock.now()
      const { id: feedId, runNumber } = feed
      const { startedAt } = run
      const intervalMs = present.intervalMinutes * MINUTE_MS
      const failures = countFailures(present, status)
      const hasReadAll = status === 'completed' || status === 'stopped'
      runQueries.end(feed, {
        status,
        run: { ...run, error, finishedAt: now },
        consecutiveFailures: failures,
        nextRunAt: computeNextRun({ feedId, runNumber, startedAt, intervalMs, failures }, now),
        completeRun: hasReadAll ? runNumber : present.completeRun,
        settledRun: status === 'completed' ? runNumber : present.settledRun,
      })
      if (status === 'completed') runQueries.remember(feedId, run.revision, toKnown(run))
      else if (hasImported(run)) runQueries.remember(feedId, run.revision, NOTHING_KNOWN)
    })
  }

  return {
    end,

    /** Begins a run, or begins one again that was cut off. @returns undefined for a feed that is gone. */
    begin(feed: FeedRow): FeedRow | undefined {
      // A run that was cut off starts again with the options it was requested with.
      const wish = feed.asked ?? (feed.isRunning ? feed.run : null)
      return runQueries.begin(feed.id, {
        isFull: wish?.isFull ?? false,
        forceDelete: wish?.forceDelete ?? false,
        startedAt: clock.now(),
        finishedAt: null,
        revision: feed.revision,
        bytes: null,
        etag: null,
        lastModified: null,
        contentHash: null,
        arrival: null,
        unnamed: 0,
        counts: null,
        missing: null,
        error: null,
      })
    },

    /** Resumes a run whose job has finished. */
    followJob(feedId: string): void {
      const feed = queries.find(feedId)
      if (!feed?.run || feed.runJobId === null) return
      const job = findJob(feed.storeId, feed.runJobId)
      if (!job) {
        end(feed, feed.run, 'failed', JOB_LOST)
        return
      }
      const { total, succeeded, unchanged, failed, cancelled } = job
      const run = { ...feed.run, counts: { total, succeeded, unchanged, failed, cancelled } }
      if (job.status === 'completed')
        runQueries.step(feed, { status: 'finishing', jobId: feed.runJobId, run })
      else if (job.status === 'cancelled') end(feed, run, 'cancelled')
      else end(feed, run, 'failed', describeFailedJob(total))
    },
  }
}

const NOTHING_KNOWN: KnownFile = { etag: null, lastModified: null, contentHash: null, trustedUntil: null }

/** Whether a run has a job. The file that was known before is then out of date. */
const hasImported = ({ arrival }: RunReport): boolean => arrival !== null

function countFailures({ consecutiveFailures }: FeedRow, status: RunState): number {
  if (status === 'failed') return consecutiveFailures + 1
  return status === 'cancelled' ? consecutiveFailures : 0
}

const JOB_LOST: FeedError = { error: 'job_failed', message: "The run's job no longer exists" }
const describeFailedJob = (total: number): FeedError => ({
  error: 'job_failed',
  message: `None of the ${total} products could be written; the errors of the job tell why`,
})
