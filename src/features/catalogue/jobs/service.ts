import { Type } from '@sinclair/typebox'
import type { CallerStore, Standing } from '../../../core/actor.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import type { WorkFiles } from '../../../platform/work-files.ts'
import type { Base } from '../../module.ts'
import type { NewJob } from './item.ts'
import type { Accounting } from './accounting.ts'
import type { JobScheduler } from './scheduler.ts'
import type { JobQueries, JobRow } from './queries.ts'
import type { JobRetention } from './retention.ts'
import type {
  Job,
  JobErrors,
  JobErrorsQuery,
  JobList,
  JobListQuery,
  JobStarted,
  JobSummary,
} from './schema.ts'
import type { createJobIntake } from './intake.ts'
import type { JobStreams } from './streams.ts'
import { type JobPresenter, toFailure } from './presenter.ts'

export interface JobDeps extends Pick<Base, 'clock' | 'log' | 'atomically'> {
  queries: JobQueries
  accounting: Accounting
  intake: ReturnType<typeof createJobIntake>
  scheduler: JobScheduler
  streams: JobStreams
  presenter: JobPresenter
  retention: JobRetention
  files: Pick<WorkFiles, 'list' | 'remove'>
}

/** Rows in one transaction, which holds the event loop for a few milliseconds. */
const STEP = 250
const DAY_MS = 86_400_000

export type JobService = ReturnType<typeof jobService>

/** Jobs, as the API and other features start, read and end them. */
export function jobService(deps: JobDeps) {
  const { queries, accounting, intake, scheduler, streams, presenter, retention, files, atomically, log, clock } = deps
  let isResumed = false
  const waiting = new Map<number, (() => void)[]>()

  /** @throws ApiError `not_found`, also for a job of another store. */
  function require(storeId: string, jobId: string): JobRow {
    const job = queries.findByJobId(storeId, jobId)
    if (!job) throw notFound('job')
    return job
  }

  function show(job: JobRow): Job {
    const found = queries.listFailures(job.id, -1, LIMITS.jobErrorsInline + 1)
    return {
      ...presenter.summary(job),
      errors: found.slice(0, LIMITS.jobErrorsInline).map(toFailure),
      errors_truncated: found.length > LIMITS.jobErrorsInline || job.errorsDropped > 0,
    }
  }

  /** Cancels the items that wait; those under way go on to their end. */
  async function cancelWaiting(job: JobRow): Promise<void> {
    scheduler.leave(job)
    for (let number = STEP; number === STEP; await turn()) {
      number = atomically(() => {
        const cancelled = queries.cancelSome(job.id, STEP)
        if (cancelled > 0) {
          accounting.count(job.id, { succeeded: 0, unchanged: 0, failed: 0, cancelled })
        }
        return cancelled
      })
    }
    noteProgress(job.id)
  }

  /** Goes on with what an earlier run of the program left: once, and before anything else. */
  function resume(): void {
    if (isResumed) return
    scheduler.load()
    isResumed = true
    const jobs = queries.listUnfinished()
    const inBackground = (work: () => Promise<unknown>) =>
      void work().catch((err) => log.error({ err }, 'a job that was cut off cannot be tidied up'))
    for (const job of jobs) {
      // Nobody was told of it.
      if (job.status === 'preparing') inBackground(() => intake.discard(job))
      else if (job.status === 'cancelled') inBackground(() => cancelWaiting(job))
      else presenter.startPace(job)
    }
    inBackground(async () => {
      for (const name of queries.filterUnused(await files.list())) await files.remove(name)
    })
  }

  /** Tells everybody about a job, at once if it is over. */
  function noteProgress(id: number): void {
    streams.note(id)
    if (queries.find(id)?.finishedAt !== null) streams.tell()
  }

  return {
    noteProgress,

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
      presenter.startPace(row)
      scheduler.add(row)
      noteProgress(row.id)
      return { job_id: row.jobId, status: 'processing', total: row.total }
    },

    /** GET /v1/jobs/{job_id}. @throws ApiError `not_found`. */
    find: (storeId: string, jobId: string): Job => show(require(storeId, jobId)),

    /** GET /v1/jobs. @throws ApiError `invalid_cursor`. */
    list(storeId: string, { limit = LIMITS.jobsPageDefault, cursor, status }: JobListQuery): JobList {
      const found = queries.list(storeId, { status, after: JOBS.read(cursor), limit: limit + 1 })
      const { rows, nextCursor } = JOBS.page(found, limit, ({ createdAt, jobId }) => ({
        at: createdAt,
        id: jobId,
      }))
      return { jobs: rows.map(presenter.summary), count: rows.length, next_cursor: nextCursor }
    },

    /** GET /v1/jobs/{job_id}/errors. @throws ApiError `not_found`, `invalid_cursor`. */
    listErrors(
      storeId: string,
      jobId: string,
      { limit = LIMITS.jobErrorsPageDefault, cursor }: JobErrorsQuery,
    ): JobErrors {
      const job = require(storeId, jobId)
      const after = ERRORS.read(cursor)?.index ?? -1
      const found = queries.listFailures(job.id, after, limit + 1)
      const { rows, nextCursor } = ERRORS.page(found, limit, ({ position }) => ({ index: position }))
      return { errors: rows.map(toFailure), count: rows.length, next_cursor: nextCursor }
    },

    /** POST /v1/jobs/{job_id}/cancel. @throws ApiError `not_found`, `conflict` for a job that is over. */
    async cancel(storeId: string, jobId: string): Promise<Job> {
      const job = require(storeId, jobId)
      if (!queries.cancel(job.id)) throw new ApiError('conflict', `The job is ${job.status} already`)
      await cancelWaiting(job)
      return show(require(storeId, jobId))
    },

    /**
     * POST /v1/jobs/{job_id}/retry: does again what failed.
     *
     * @throws ApiError `not_found`; `conflict` for a job that is not over, or when nothing can be tried again; `overloaded`
     *   while too many jobs of the store are not over.
     */
    async retry(storeId: string, jobId: string): Promise<Job> {
      const job = require(storeId, jobId)
      if (job.finishedAt === null) throw new ApiError('conflict', 'The job is not over')
      if (queries.countUnfinished(storeId) >= LIMITS.unfinishedJobsMax) {
        throw new ApiError('overloaded', 'The store has too many jobs that are not over', {
          retryAfterSeconds: 60,
        })
      }
      let reopened: JobRow | undefined
      const last = queries.findLastPosition(job.id)
      for (let from = 0; from <= last; from += STEP) {
        atomically(() => {
          const retried = queries.retrySome(job.id, from, from + STEP - 1)
          if (retried > 0) reopened = queries.reopen(job.id, retried)
        })
        await turn()
      }
      if (!reopened) throw new ApiError('conflict', 'No item of the job can be tried again')
      presenter.startPace(reopened)
      scheduler.look(reopened)
      noteProgress(reopened.id)
      return show(require(storeId, jobId))
    },

    /** GET /v1/jobs/{job_id}/events. @throws ApiError `not_found`, `overloaded`. */
    watch: (storeId: string, jobId: string, reader: Standing): ReadableStream<Uint8Array> =>
      streams.open(require(storeId, jobId), reader),

    /** A job without its errors. @throws ApiError `not_found`. */
    summarise: (storeId: string, jobId: string): JobSummary => presenter.summary(require(storeId, jobId)),

    /** Resolves when a job is over, for commands that wait for it. */
    waitUntilOver(storeId: string, jobId: string): Promise<void> {
      const job = require(storeId, jobId)
      if (job.finishedAt !== null) return Promise.resolve()
      return new Promise((resolve) => {
        waiting.set(job.id, [...(waiting.get(job.id) ?? []), resolve])
      })
    },

    /** Lets go of what was held for a job that is over. */
    async release(job: JobRow): Promise<void> {
      // What fails to be deleted now is deleted by the next start of the program.
      await files.remove(job.jobId).catch((err) => log.error({ err }, 'the file of a job cannot be deleted'))
      presenter.endPace(job.id)
      for (const resolve of waiting.get(job.id) ?? []) resolve()
      waiting.delete(job.id)
      // What fails now is tried again by `prune`.
      await retention.tidy(job.storeId).catch((err) => log.error({ err }, 'the errors of jobs cannot be tidied'))
    },

    /** Goes on with all jobs. To be called every second. */
    tick(): void {
      resume()
      scheduler.tick()
    },

    /** Deletes jobs that were over 30 days ago, and what others have left beyond the bounds of their stores. */
    async prune(): Promise<void> {
      const before = clock.now() - LIMITS.jobDays * DAY_MS
      for (let old = queries.listOld(before); old.length > 0; old = queries.listOld(before)) {
        for (const job of old) await intake.discard(job)
      }
      for (const storeId of retention.listUntidy()) await retention.tidy(storeId)
    },

    /** Deletes the jobs of a store that is there no more, with their files, in small steps. */
    async dropAll(storeId: string): Promise<void> {
      const listSome = () => queries.listSome(storeId)
      for (let left = listSome(); left.length > 0; left = listSome()) {
        for (const job of left) await intake.discard(job)
      }
    },

    /** Ends the streams of readers who have lost their right. */
    endStreamsOfTheGone: (): void => streams.closeOfTheGone(),

    /** Ends the streams about the jobs of a store. */
    endStreams: (storeId: string): void => streams.closeAll(storeId),

    /** Begins nothing any more and ends the streams: the service is about to stop. */
    pause(): void {
      scheduler.pause()
      streams.closeAll()
    },

    /** Waits for what is under way, and puts the rest back for the next start. */
    finish: scheduler.finish,

    forgetStore: (storeId: string): void => streams.closeAll(storeId),
  }
}

const JOBS = createCursors({ list: 'jobs' }, { at: Type.Number(), id: CursorId })
const ERRORS = createCursors({ list: 'job_errors' }, { index: Type.Integer() })
