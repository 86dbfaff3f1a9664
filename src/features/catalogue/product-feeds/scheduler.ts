import type { CallerStore } from '../../../core/actor.ts'
import { BoundedMap } from '../../../core/bounded-map.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import { isFaultOfDisk } from '../../../core/storage.ts'
import type { Base } from '../../module.ts'
import type { createFinish } from './finish.ts'
import type { createPull } from './pull.ts'
import type { FeedQueries, FeedRow, ListedFeed, RunReport } from './queries.ts'
import type { FeedRuns } from './runs.ts'
import type { FeedError } from './schema.ts'

export interface FeedSchedulerDeps extends Pick<Base, 'clock' | 'log' | 'reportFault' | 'gate'> {
  queries: Pick<FeedQueries, 'find' | 'listInFlight' | 'listDue' | 'listImported'>
  runs: FeedRuns
  pull: ReturnType<typeof createPull>
  finish: ReturnType<typeof createFinish>
  findStore(id: string): CallerStore | undefined
  /** Takes a request from the budget of the store's plan. @returns false while none is left. */
  spend(store: CallerStore): boolean
  isStopping(): boolean
}

/**
 * Feeds that are pulled and feeds that are finished at a time, of all stores; a store has one of both. Most of a pull is
 * waiting for a server, which may hang: so they are far more than files are read at a time, and no run that only has to be
 * finished waits for them. Their jobs take turns in the scheduler of jobs.
 */
const AT_ONCE_MAX = { pull: 16, finish: 8 } as const
/** Feeds of each list that are read in one poll. */
const POLLED_MAX = 200
/** Stores whose last turn is remembered. */
const STORES_MAX = 10_000
/** How long nothing begins after a fault of the disk, and a feed after a bug, in ms. */
const PAUSE_MS = MINUTE_MS
/** Work on a feed: its file is fetched and read, or the products that it no longer names are deleted. */
type Step = keyof typeof AT_ONCE_MAX

/**
 * Pulls feeds when they are due: a few at a time, stores in turn, and one of each store. The database holds how far a run
 * is; only memory knows the runs in flight, because one process serves a data folder. A run that was cut off before its job
 * begins again, and one that was cut off behind it goes on.
 */
export function createFeedScheduler(deps: FeedSchedulerDeps) {
  const { queries, runs, pull, finish, findStore, spend, isStopping, reportFault, log, clock } = deps
  /** By feed. */
  const inFlight = new Map<string, { storeId: string; step: Step; done: Promise<void> }>()
  /** When each store had its last turn, as a number that grows. */
  const turns = new BoundedMap<string, number>(STORES_MAX)
  let turnNumber = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  /** Feeds that are left alone until a moment, because even their failure could not be written down. */
  const resting = new Map<string, number>()

  async function doPull(store: CallerStore, feed: FeedRow): Promise<void> {
    const run = feed.run as RunReport
    const pulled = await pull(store, feed, run)
    if (pulled.kind === 'failed') runs.end(feed, pulled.run, 'failed', pulled.error)
    else if (pulled.kind === 'unchanged') {
      runs.end(feed, { ...run, etag: feed.etag, lastModified: feed.lastModified }, 'unchanged')
    }
  }

  async function doFinish(feed: FeedRow): Promise<void> {
    const finished = await finish(feed)
    if (finished.kind === 'completed') runs.end(feed, finished.run, 'completed')
    else if (finished.kind === 'stopped') runs.end(feed, finished.run, 'stopped', finished.error)
  }

  /** Makes all feeds wait while the disk fails. The runs go on after the pause from where the database has them. */
  function pause(fault: unknown): void {
    pausedUntil = clock.monotonic() + PAUSE_MS
    reportFault(fault)
  }

  /** Ends the run of a feed whose work threw. A fault of one feed never holds up another. */
  function breakOff(id: string, err: unknown): void {
    if (isStopping()) return
    log.error({ err, feed: id }, 'the run of a feed broke off')
    if (isFaultOfDisk(err)) {
      pause(err)
      return
    }
    try {
      const feed = queries.find(id)
      if (feed?.isRunning && feed.run) runs.end(feed, feed.run, 'failed', BROKEN_OFF)
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
    // `poll` found the store at work in this turn.
    const leave = deps.gate.tryEnter(feed.storeId)
    const done = work()
      .catch((err) => breakOff(feed.id, err))
      .finally(() => {
        leave?.()
        inFlight.delete(feed.id)
        wake()
      })
    inFlight.set(feed.id, { storeId: feed.storeId, step, done })
    turns.delete(feed.storeId)
    turns.set(feed.storeId, ++turnNumber)
  }

  const hasPlace = (wanted: Step): boolean =>
    [...inFlight.values()].filter(({ step }) => step === wanted).length < AT_ONCE_MAX[wanted]

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
    // An interrupted run has already spent its request.
    if (!feed.isRunning && !spend(store)) return
    const begun = runs.begin(feed)
    if (begun) start(begun, 'pull', () => doPull(store, begun))
  }

  const listReady = (): ListedFeed[] =>
    [...queries.listInFlight(POLLED_MAX), ...queries.listDue(clock.now(), POLLED_MAX)]
      .filter(({ id }) => !inFlight.has(id) && !isResting(id))
      // Sorting keeps the order of what is due among the feeds of a store.
      .sort((a, b) => (turns.get(a.storeId) ?? 0) - (turns.get(b.storeId) ?? 0))

  function poll(): void {
    for (const id of queries.listImported(POLLED_MAX)) {
      if (deps.gate.isPaused(queries.find(id)?.storeId ?? '')) continue
      if (!isResting(id) && !tryStep(id, () => runs.followJob(id))) return
    }
    for (const feed of listReady()) {
      if (deps.gate.isPaused(feed.storeId)) continue
      const isBusy = [...inFlight.values()].some(({ storeId }) => storeId === feed.storeId)
      if (!isBusy && !tryStep(feed.id, () => serve(feed))) return
    }
  }

  /** Serves the feeds that are due. Call it every few seconds, and whenever one may be. */
  function wake(): void {
    if (isStopping() || clock.monotonic() < pausedUntil) return
    try {
      poll()
    } catch (err) {
      pause(err)
      log.error({ err }, 'feeds cannot be read')
    }
  }

  return {
    wake,

    /** Waits for the runs in progress. Call it when the service stops. */
    async drain(): Promise<void> {
      while (inFlight.size > 0) await Promise.all([...inFlight.values()].map(({ done }) => done))
    },

    forgetStore: (storeId: string): void => void turns.delete(storeId),
  }
}

const BROKEN_OFF: FeedError = {
  error: 'internal_error',
  message: 'Something went wrong in the service while it worked on this feed. It tries again later',
}
