import type { CallerStore, Standing } from '../../../core/actor.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import { type Accounting, NO_COUNTS } from './accounting.ts'
import type { JobCleanup } from './cleanup.ts'
import type { createJobIntake } from './intake.ts'
import type { NewJob } from './item.ts'
import type { ItemQueries } from './item-queries.ts'
import type { JobPresenter } from './presenter.ts'
import type { JobQueries, JobRow } from './queries.ts'
import type { JobReader } from './reader.ts'
import { createRetry, type RetryDeps } from './retry.ts'
import type { JobScheduler } from './scheduler.ts'
import type { Job, JobStarted } from './schema.ts'
import type { JobStreams } from './streams.ts'

export interface JobDeps extends Pick<Base, 'log' | 'atomically'> {
  queries: Pick<JobQueries, 'find' | 'listUnfinished' | 'cancel' | 'countUnfinished' | 'reopen'>
  items: Pick<ItemQueries, 'cancelSome'> & RetryDeps['items']
  accounting: Pick<Accounting, 'count'>
  intake: ReturnType<typeof createJobIntake>
  scheduler: JobScheduler
  streams: JobStreams
  presenter: JobPresenter
  reader: JobReader
  cleanup: JobCleanup
}

/** Rows in one transaction, which holds the event loop for a few milliseconds. */
const STEP = 250

export type JobService = ReturnType<typeof jobService>

/** Jobs, as the API and other features start, read and end them. */
export function jobService(deps: JobDeps) {
  const { queries, intake, scheduler, streams, presenter, reader, cleanup } = deps
  let isResumed = false
  const inBackground = createBackground(deps)
  const cancelWaiting = createCancelling(deps, noteProgress)
  const waiters = createWaiters()
  const retry = createRetry(deps)

  /** Goes on with the jobs of an earlier run of the program: once, and before anything else. */
  function resume(): void {
    if (isResumed) return
    scheduler.start()
    isResumed = true
    for (const job of queries.listUnfinished()) goOn(job)
    inBackground(cleanup.removeUnusedFiles)
  }

  function goOn(job: JobRow): void {
    // No client was told of it.
    if (job.status === 'preparing') inBackground(() => intake.discard(job))
    else if (job.status === 'cancelled') inBackground(() => cancelWaiting(job))
    else presenter.startPace(job)
  }

  function begin(row: JobRow): void {
    presenter.startPace(row)
    scheduler.add(row)
    noteProgress(row.id)
  }

  /** Tells the readers about a job, at once if it has finished. */
  function noteProgress(id: number): void {
    streams.note(id)
    if (queries.find(id)?.finishedAt !== null) streams.tell()
  }

  return {
    noteProgress,
    find: reader.find,
    list: reader.list,
    listErrors: reader.listErrors,
    listErrorRows: reader.listErrorRows,
    listOpenFailures: reader.listOpenFailures,
    summarise: reader.summarise,

    /**
     * Starts a job: writes its items down, and does them in the background. When this resolves, nothing can be lost any
     * more: the job goes on after a crash, and each item takes effect once. A write of the same product that comes in
     * later, by a client or by a later job, is not undone by it.
     *
     * Items are tried several times where a failure may pass; what fails for good is listed with the job.
     *
     * @throws ApiError as {@link createJobIntake} does; nothing is left then.
     */
    async start(store: CallerStore, job: NewJob): Promise<JobStarted> {
      resume()
      const row = await intake.start(store, job)
      begin(row)
      return { job_id: row.jobId, status: 'processing', total: row.total }
    },

    /** POST /v1/jobs/{job_id}/cancel. @throws ApiError `not_found`, `conflict` for a finished job. */
    async cancel(storeId: string, jobId: string): Promise<Job> {
      const job = reader.require(storeId, jobId)
      if (!queries.cancel(job.id)) throw new ApiError('conflict', `The job is ${job.status} already`)
      await cancelWaiting(job)
      return reader.find(storeId, jobId)
    },

    /**
     * POST /v1/jobs/{job_id}/retry: does again what failed.
     *
     * @param indexes the items to try, of which those are left alone that cannot be tried again; without it all.
     * @throws ApiError `not_found`; `conflict` for a job that is still running, or when nothing can be tried again;
     *   `overloaded` while the store has too many unfinished jobs.
     */
    async retry(storeId: string, jobId: string, indexes?: readonly number[]): Promise<Job> {
      const job = reader.require(storeId, jobId)
      if (job.finishedAt === null) throw new ApiError('conflict', 'The job is still running')
      if (queries.countUnfinished(storeId) >= LIMITS.unfinishedJobsMax) {
        throw new ApiError('overloaded', 'The store has too many unfinished jobs', { retryAfterSeconds: 60 })
      }
      const reopened = await retry(job, indexes)
      if (!reopened) throw new ApiError('conflict', 'No item of the job can be tried again')
      begin(reopened)
      return reader.find(storeId, jobId)
    },

    /** GET /v1/jobs/{job_id}/events. @throws ApiError `not_found`, `overloaded`. */
    watch: (storeId: string, jobId: string, standing: Standing): ReadableStream<Uint8Array> =>
      streams.open(reader.require(storeId, jobId), standing),

    /** Resolves when a job has finished, for commands that wait for it. */
    waitUntilOver(storeId: string, jobId: string): Promise<void> {
      const job = reader.require(storeId, jobId)
      if (job.finishedAt !== null) return Promise.resolve()
      return waiters.wait(job.id)
    },

    /** Frees what was kept for a finished job. */
    async release(job: JobRow): Promise<void> {
      // A retry may come while the file is deleted: it begins a pace and has waiters of its own.
      presenter.endPace(job.id)
      const release = waiters.take(job.id)
      await cleanup.removeFile(job)
      release()
      await cleanup.tidy(job.storeId)
    },

    /** Continues all jobs. Call it every second. */
    wake(): void {
      resume()
      scheduler.wake()
    },

    /** Goes on with the jobs of a store that has come from another node. */
    takeIn(storeId: string): void {
      resume()
      for (const job of queries.listUnfinished().filter((unfinished) => unfinished.storeId === storeId)) {
        goOn(job)
        scheduler.add(job)
      }
    },

    prune: cleanup.prune,
    dropAll: cleanup.dropAll,

    /** Ends the streams of readers who have lost their right. */
    endStreamsOfTheGone: (): void => streams.closeOfTheGone(),

    /** Ends the streams about the jobs of a store. */
    endStreams: (storeId: string): void => streams.closeAll(storeId),

    /** Begins nothing any more and ends the streams: the service is about to stop. */
    stop(): void {
      scheduler.stop()
      streams.closeAll()
    },

    /** Waits for the items in progress, and puts the rest back for the next start. */
    drain: scheduler.drain,

    forgetStore: (storeId: string): void => streams.closeAll(storeId),
  }
}

/** Cancels the items of a job that wait; those in progress go on to their end. */
const createCancelling =
  ({ scheduler, items, accounting, atomically }: JobDeps, noteProgress: (jobId: number) => void) =>
  async (job: JobRow): Promise<void> => {
    scheduler.leave(job)
    for (let number = STEP; number === STEP; await turn()) {
      number = atomically(() => {
        const cancelled = items.cancelSome(job.id, STEP)
        if (cancelled > 0) accounting.count(job.id, { ...NO_COUNTS, cancelled })
        return cancelled
      })
    }
    noteProgress(job.id)
  }

/** Tidies up behind jobs that were cut off, which nobody waits for. */
const createBackground =
  ({ log }: Pick<JobDeps, 'log'>) =>
  (work: () => Promise<unknown>): void =>
    void work().catch((err) => log.error({ err }, 'a job that was cut off cannot be tidied up'))

function createWaiters() {
  const waiting = new Map<number, (() => void)[]>()
  return {
    wait: (id: number): Promise<void> =>
      new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve])),
    /** @returns lets those go on that wait for it now. */
    take(id: number): () => void {
      const taken = waiting.get(id) ?? []
      waiting.delete(id)
      return () => {
        for (const resolve of taken) resolve()
      }
    },
  }
}
