import { LIMITS } from '../../../core/limits.ts'
import type { Base } from '../../module.ts'
import { type Accounting, NO_COUNTS } from './accounting.ts'
import type { Arrivals } from './arrivals.ts'
import { toAuthor, tooManyJobs } from './intake.ts'
import type { JobAuthor } from './item.ts'
import type { JobCounts, JobQueries, JobRow } from './queries.ts'
import type { JobStarted, JobSummary } from './schema.ts'

export interface ForeignJobDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'defer'> {
  queries: Pick<JobQueries, 'add' | 'begin' | 'acknowledge' | 'countUnfinished' | 'findByJobId'>
  accounting: Pick<Accounting, 'count'>
  arrivals: Pick<Arrivals, 'next' | 'acknowledged'>
  /** Called once a job has begun. */
  onBegin(row: JobRow): void
  /** Called once the numbers of a job have changed, outside the transaction. */
  onProgress(id: number): void
}

export type ForeignJobs = ReturnType<typeof createForeignJobs>

/** Jobs whose items another feature keeps and does. They are listed, watched and cancelled like all others. */
export function createForeignJobs(deps: ForeignJobDeps) {
  const { queries, accounting, arrivals, clock, ids, atomically, defer } = deps

  return {
    /**
     * Starts a job.
     *
     * @param author undefined for a job that the service starts by itself.
     * @param enqueue has the items wait for the job, in its transaction. @returns how many.
     * @throws ApiError `overloaded` while the store has too many unfinished jobs, and what `enqueue` throws.
     */
    start(
      storeId: string,
      author: JobAuthor | undefined,
      type: JobSummary['type'],
      enqueue: (jobId: string) => number,
    ): JobStarted {
      const jobId = ids.uuid()
      const job = atomically(() => {
        if (queries.countUnfinished(storeId) >= LIMITS.unfinishedJobsMax) throw tooManyJobs()
        const total = enqueue(jobId)
        const now = clock.now()
        const id = queries.add({ jobId, storeId, type, now, source: null, ...toAuthor(author) })
        queries.begin(id, now)
        return queries.acknowledge(id, {
          ...{ total, failed: 0, unchanged: 0, errorsDropped: 0, callbackUrl: null, warnings: [] },
          arrival: arrivals.next(),
        })
      })
      arrivals.acknowledged(job.arrival as number)
      deps.onBegin(job)
      return { job_id: jobId, status: 'processing', total: job.total }
    },

    /** Whether items of the job may still be begun. */
    isOpen: (storeId: string, jobId: string): boolean =>
      queries.findByJobId(storeId, jobId)?.status === 'processing',

    /** Counts items that are over; the last one ends the job. Call it in the transaction of their effect. */
    count(storeId: string, jobId: string, counts: Partial<JobCounts>): void {
      const job = queries.findByJobId(storeId, jobId)
      // A store that is being deleted has lost its jobs first.
      if (!job || job.finishedAt !== null) return
      accounting.count(job.id, { ...NO_COUNTS, ...counts })
      defer(() => deps.onProgress(job.id), 0)
    },
  }
}
