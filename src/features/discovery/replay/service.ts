import type { Actor } from '../../../core/actor.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { ForeignJobs } from '../../catalogue/jobs/foreign-jobs.ts'
import type { JobStarted } from '../../catalogue/jobs/schema.ts'
import type { Base } from '../../module.ts'
import { triesLearning } from './asking.ts'
import { NO_RESULT } from './comparing.ts'
import type { ReplayQueries, ReplayRow } from './queries.ts'
import type { Replay, ReplayBody, ReplayList } from './schema.ts'

export interface ReplayDeps extends Pick<Base, 'clock' | 'atomically'> {
  queries: ReplayQueries
  jobs: Pick<ForeignJobs, 'start' | 'isOpen'>
  /** Writes the queued searches and events of a store. */
  flush(storeId: string): void
  /** Ends a replay in the caller's transaction. */
  end(replay: ReplayRow): void
  /** Called once searches wait. */
  wake(): void
}

export type ReplayService = ReturnType<typeof replayService>

/** Searches of the log, made again with other settings (contract 3.20). */
export function replayService({ queries, jobs, flush, end, wake, clock, atomically }: ReplayDeps) {
  function view(row: ReplayRow): Replay {
    const { storeId, jobId, settings, total, createdAt, finishedAt, result } = row
    const isRunning = finishedAt === null && jobs.isOpen(storeId, jobId)
    const isCancelled = row.isCancelled || finishedAt === null
    return {
      job_id: jobId,
      status: isRunning ? 'processing' : isCancelled ? 'cancelled' : 'completed',
      ...{ settings, total },
      created_at: isoTime(createdAt),
      finished_at: finishedAt === null ? null : isoTime(finishedAt),
      result,
    }
  }

  return {
    /** Starts a job that makes the last searches of the log again. @throws ApiError `conflict` during another one. */
    start(actor: Actor, { settings, last = LIMITS.replayedSearchesDefault }: ReplayBody): JobStarted {
      const { storeId } = actor
      flush(storeId)
      const cancelled = queries.findRunning(storeId)
      if (cancelled && !jobs.isOpen(storeId, cancelled.jobId)) atomically(() => end(cancelled))
      const started = jobs.start(storeId, actor, 'search_replay', (jobId) => {
        const running = queries.findRunning(storeId)
        if (running !== undefined) throw alreadyRunning(running.jobId)
        queries.forget(storeId, LIMITS.replaysKept - 1)
        queries.add({ jobId, storeId, settings, result: NO_RESULT, createdAt: clock.now() })
        return queries.enqueue(storeId, jobId, last)
      })
      // Nothing waits for a replay of an empty log.
      if (started.total === 0) atomically(() => end(queries.find(storeId, started.job_id) as ReplayRow))
      else wake()
      return started
    },

    list(storeId: string): ReplayList {
      const replays = queries.list(storeId).map(view)
      return { replays, count: replays.length }
    },

    /** What the last whole replay with learning showed; null before the first one, and where there were no clicks. */
    findGain(storeId: string): number | null {
      const isWhole = ({ finishedAt, isCancelled }: ReplayRow) => finishedAt !== null && !isCancelled
      const last = queries.list(storeId).find((row) => isWhole(row) && triesLearning(row.settings))
      return last?.result.clicks.gain ?? null
    },

    /** @throws ApiError `not_found`. */
    show(storeId: string, jobId: string): Replay {
      const row = queries.find(storeId, jobId.toLowerCase())
      if (!row) throw notFound('replay')
      return view(row)
    },
  }
}

const alreadyRunning = (jobId: string) =>
  new ApiError('conflict', 'A replay of the store is running already', { details: { job_id: jobId } })
