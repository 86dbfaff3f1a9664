import type { CallerStore } from '../../../core/actor.ts'
import { BoundedMap } from '../../../core/bounded-map.ts'
import { DAY_MS, MINUTE_MS } from '../../../core/clock.ts'
import { isFaultOfDisk } from '../../../core/storage.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { JobSummary } from '../jobs/schema.ts'
import type { createFinish } from './finish.ts'
import type { FeedProductQueries } from './product-queries.ts'
import type { createPull } from './pull.ts'
import type { FeedQueries, FeedRow, KnownFile, ListedFeed, RunReport } from './queries.ts'
import { computeLongestWait, computeNextRun } from './schedule.ts'
import type { FeedError, RunState } from './schema.ts'

export interface FeedSchedulerDeps
  extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync' | 'noteFault'> {
  queries: FeedQueries
  products: Pick<FeedProductQueries, 'forgetAll'>
  pull: ReturnType<typeof createPull>
  finish: ReturnType<typeof createFinish>
  findStore(id: string): CallerStore | undefined
  /** Takes a request from the budget of the store's plan. @returns false while none is left. */
  spend(store: CallerStore): boolean
  /** The job of a store; undefined once it is forgotten. */
  findJob(storeId: string, jobId: string): JobSummary | undefined
  isStopping(): boolean
}

/**
 * Feeds that are pulled and feeds that are finished at a time, of all stores; a store has one of both. Most of a pull is
 * waiting for a server, which may hang: so they are far more than files are read at a time, and no run that only has to be
 * finished waits for them. Their jobs take turns in their own scheduler.
 */
const AT_ONCE_MAX = { pull: 16, finish: 8 } as const
/** Feeds that are looked at in one tick. */
const LOOKED_AT_MAX = 200
/** Stores whose last turn is remembered. */
const STORES_MAX = 10_000
/** After a fault of the disk nothing begins for so long, and after a bug the feed that met it. */
const PAUSE_MS = MINUTE_MS
/** A file with products that failed is read again after this time although it is the same: their pictures may be there. */
const TRUSTED_MS = DAY_MS
/** Rows that are deleted in one transaction. */
const STEP = 250

/** What is done for a feed: its file is fetched and read, or what it no longer names is deleted. */
type Step = keyof typeof AT_ONCE_MAX

/**
 * Pulls feeds when they are due: a few at a time, stores in turn, and one of each store. How far a run is stands in the
 * database; what is under way is known here alone, because one process serves a data folder. A run that was cut off before
 * its job is begun again, and one that was cut off behind it goes on.
 */
export function createFeedScheduler(deps: FeedSchedulerDeps) {
  const { queries, products, pull, finish, findStore, spend, findJob, isStopping, noteFault } = deps
  const { atomically, withoutFsync, log, clock } = deps
  /** By feed. */
  const underWay = new Map<string, { storeId: string; step: Step; done: Promise<void> }>()
  /** When each store had its last turn, as a number that grows. */
  const turns = new BoundedMap<string, number>(STORES_MAX)
  let turnNumber = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  /** Feeds that are left alone until a moment, because even their failure could not be written down. */
  const resting = new Map<string, number>()
  let isClearing = false

  function endRun(feed: FeedRow, run: RunReport, status: RunState, error: FeedError | null = null): void {
    atomically(() => {
      // Its settings may have changed since the run began.
      const now = queries.find(feed.id)
      if (!now) return
      const failures = countFailures(now, status)
      const times = { ...{ feedId: feed.id, runNumber: feed.runNumber, startedAt: run.startedAt }, failures }
      const intervalMs = now.intervalMinutes * MINUTE_MS
      queries.end(feed, {
        ...{ status, run: { ...run, error, finishedAt: clock.now() }, consecutiveFailures: failures },
        nextRunAt: computeNextRun({ ...times, intervalMs }, clock.now()),
        completeRun: ['completed', 'stopped'].includes(status) ? feed.runNumber : now.completeRun,
        settledRun: status === 'completed' ? feed.runNumber : now.settledRun,
      })
      const known = status === 'completed' ? toKnown(run) : hasImported(run) ? NOTHING_KNOWN : undefined
      if (known) queries.remember(feed.id, run.revision, known)
    })
  }

  function toKnown({ etag, lastModified, contentHash, counts }: RunReport): KnownFile {
    return {
      ...{ etag, lastModified, contentHash: contentHash === null ? null : Buffer.from(contentHash, 'hex') },
      trustedUntil: (counts?.failed ?? 0) > 0 ? clock.now() + TRUSTED_MS : null,
    }
  }

  function begin(feed: FeedRow): FeedRow | undefined {
    // A run that was cut off is begun again as it was asked for.
    const wish = feed.asked ?? (feed.isRunning ? feed.run : null)
    return queries.begin(feed.id, {
      isFull: wish?.isFull ?? false,
      forceDelete: wish?.forceDelete ?? false,
      ...{ startedAt: clock.now(), finishedAt: null, revision: feed.revision },
      ...{ bytes: null, etag: null, lastModified: null, contentHash: null, arrival: null, unnamed: 0 },
      ...{ counts: null, missing: null, error: null },
    })
  }

  async function doPull(store: CallerStore, feed: FeedRow): Promise<void> {
    const run = feed.run as RunReport
    const pulled = await pull(store, feed, run)
    if (pulled.kind === 'failed') endRun(feed, pulled.run, 'failed', pulled.error)
    else if (pulled.kind === 'unchanged') {
      endRun(feed, { ...run, etag: feed.etag, lastModified: feed.lastModified }, 'unchanged')
    }
  }

  async function doFinish(feed: FeedRow): Promise<void> {
    const finished = await finish(feed)
    if (finished.kind === 'completed') endRun(feed, finished.run, 'completed')
    else if (finished.kind === 'stopped') endRun(feed, finished.run, 'stopped', finished.error)
  }

  /** Lets everybody wait while the disk fails. How far each run is stands in the database: it goes on after the pause. */
  function pause(fault: unknown): void {
    pausedUntil = clock.monotonic() + PAUSE_MS
    noteFault(fault)
  }

  /** Ends the run of a feed whose work threw. What is wrong with one feed never holds up another. */
  function breakOff(id: string, err: unknown): void {
    if (isStopping()) return
    log.error({ err, feed: id }, 'the run of a feed broke off')
    if (isFaultOfDisk(err)) {
      pause(err)
      return
    }
    try {
      const feed = queries.find(id)
      if (feed?.isRunning && feed.run) endRun(feed, feed.run, 'failed', BROKEN_OFF)
      else resting.set(id, clock.monotonic() + PAUSE_MS)
    } catch (error) {
      resting.set(id, clock.monotonic() + PAUSE_MS)
      if (isFaultOfDisk(error)) pause(error)
    }
  }

  function isResting(id: string): boolean {
    const until = resting.get(id)
    if (until === undefined) return false
    if (until > clock.monotonic()) return true
    resting.delete(id)
    return false
  }

  /** Does a step for one feed. @returns false after a fault of the disk, when nothing else is to be tried. */
  function tryStep(id: string, step: () => void): boolean {
    try {
      step()
    } catch (err) {
      breakOff(id, err)
    }
    return clock.monotonic() >= pausedUntil
  }

  function start(feed: FeedRow, step: Step, work: () => Promise<void>): void {
    const done = work()
      .catch((err) => breakOff(feed.id, err))
      .finally(() => {
        underWay.delete(feed.id)
        wake()
      })
    underWay.set(feed.id, { storeId: feed.storeId, step, done })
    turns.delete(feed.storeId)
    turns.set(feed.storeId, ++turnNumber)
  }

  const hasPlace = (wanted: Step): boolean =>
    [...underWay.values()].filter(({ step }) => step === wanted).length < AT_ONCE_MAX[wanted]

  /** Begins with a feed, if it may and there is a place. */
  function serve({ id, storeId }: ListedFeed): void {
    const store = findStore(storeId)
    const feed = queries.find(id)
    if (!store || !feed) return
    if (feed.isRunning && feed.runStatus === 'finishing') {
      if (hasPlace('finish')) start(feed, 'finish', () => doFinish(feed))
      return
    }
    if (!hasPlace('pull')) return
    // What was cut off has paid.
    if (!feed.isRunning && !spend(store)) return
    const begun = begin(feed)
    if (begun) start(begun, 'pull', () => doPull(store, begun))
  }

  /** Goes on with a run whose job is over. */
  function noteJob(id: string): void {
    const feed = queries.find(id)
    if (!feed?.run || feed.runJobId === null) return
    const job = findJob(feed.storeId, feed.runJobId)
    if (!job) {
      endRun(feed, feed.run, 'failed', JOB_LOST)
      return
    }
    const { total, succeeded, unchanged, failed, cancelled } = job
    const run = { ...feed.run, counts: { total, succeeded, unchanged, failed, cancelled } }
    if (job.status === 'completed') queries.step(feed, { status: 'finishing', jobId: feed.runJobId, run })
    else if (job.status === 'cancelled') endRun(feed, run, 'cancelled')
    else endRun(feed, run, 'failed', describeFailedJob(total))
  }

  const listReady = (): ListedFeed[] =>
    [...queries.listUnderWay(LOOKED_AT_MAX), ...queries.listDue(clock.now(), LOOKED_AT_MAX)]
      .filter(({ id }) => !underWay.has(id) && !isResting(id))
      // Sorting keeps the order of what is due among the feeds of a store.
      .sort((a, b) => (turns.get(a.storeId) ?? 0) - (turns.get(b.storeId) ?? 0))

  function look(): void {
    for (const id of queries.listImported(LOOKED_AT_MAX)) {
      if (!isResting(id) && !tryStep(id, () => noteJob(id))) return
    }
    for (const feed of listReady()) {
      const isBusy = [...underWay.values()].some(({ storeId }) => storeId === feed.storeId)
      if (!isBusy && !tryStep(feed.id, () => serve(feed))) return
    }
  }

  /** Looks what is due. To be called every few seconds, and whenever something may be. */
  function wake(): void {
    if (isStopping() || clock.monotonic() < pausedUntil) return
    try {
      look()
    } catch (err) {
      pause(err)
      log.error({ err }, 'feeds cannot be read')
    }
  }

  return {
    wake,

    /** Brings forward what waits too long, because the clock was set back. */
    mendTimes(): void {
      const now = clock.now()
      for (const feed of queries.listWaitingUntilAfter(now + computeLongestWait(0), LOOKED_AT_MAX)) {
        const longest = computeLongestWait(feed.intervalMinutes * MINUTE_MS)
        if (feed.nextRunAt > now + longest) queries.reschedule(feed.id, now)
      }
    },

    /** Deletes what deleted feeds have left, in small steps. */
    async clear(): Promise<void> {
      if (isClearing) return
      isClearing = true
      try {
        for (let ids = queries.listDeleted(STEP); ids.length > 0; ids = queries.listDeleted(STEP)) {
          for (const id of ids) {
            while (withoutFsync(() => products.forgetAll(id, STEP)) > 0) {
              await turn()
              if (isStopping()) return
            }
            queries.removeDeleted(id)
          }
        }
      } finally {
        isClearing = false
      }
    },

    /** Waits for what is under way, once the service stops. */
    async finish(): Promise<void> {
      while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ done }) => done))
    },

    forgetStore: (storeId: string): void => void turns.delete(storeId),
  }
}

const NOTHING_KNOWN: KnownFile = { etag: null, lastModified: null, contentHash: null, trustedUntil: null }

/** Whether a run has a job; then the file that was known before is known no more. */
const hasImported = ({ arrival }: RunReport): boolean => arrival !== null

function countFailures({ consecutiveFailures }: FeedRow, status: RunState): number {
  if (status === 'failed') return consecutiveFailures + 1
  return status === 'cancelled' ? consecutiveFailures : 0
}

const BROKEN_OFF: FeedError = {
  error: 'internal_error',
  message: 'Something went wrong in the service while it worked on this feed. It tries again later',
}
const JOB_LOST: FeedError = { error: 'job_failed', message: 'The job of the run is there no more' }
const describeFailedJob = (total: number): FeedError => ({
  error: 'job_failed',
  message: `None of the ${total} products could be written; the errors of the job tell why`,
})
