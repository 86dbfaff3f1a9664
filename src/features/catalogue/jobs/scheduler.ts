import type { CallerStore } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { Accounting } from './accounting.ts'
import { type Chosen, createChoice, type Running } from './choice.ts'
import type { createDeaths } from './deaths.ts'
import type { ItemQueries, LeasedItem } from './item-queries.ts'
import { countTimeout, createOpenJobs, LEASE_MS, listReadAhead } from './open-jobs.ts'
import type { JobQueries, JobRow } from './queries.ts'
import type { Outcome } from './worker.ts'

export interface SchedulerDeps
  extends Pick<Base, 'clock' | 'ids' | 'log' | 'withoutFsync' | 'plans' | 'gate'> {
  queries: Pick<JobQueries, 'listUnfinished' | 'begin' | 'find'>
  items: Pick<ItemQueries, 'lease' | 'findNextDue' | 'extend' | 'listExpired' | 'releaseAll'>
  deaths: ReturnType<typeof createDeaths>
  accounting: Pick<Accounting, 'putBack'>
  /** Does one item and records its outcome. Never throws. */
  work(store: CallerStore, item: LeasedItem, arrival: number): Promise<Outcome>
  /** Puts back an item whose lease has expired, or ends it after too many tries. */
  giveUp(item: LeasedItem): void
  findStore(id: string): CallerStore | undefined
  products: { has(storeId: string, productId: string): boolean; count(storeId: string): number }
  /** Called once an item of a job has ended, outside every transaction. */
  onProgress(jobId: number): void
}

const EXPIRED_MAX = 200

export type JobScheduler = ReturnType<typeof createJobScheduler>

/**
 * Works on the items of all jobs, several at a time. Nothing is lost when the program dies, because only the transaction
 * that writes a product ends its item.
 */
export function createJobScheduler(deps: SchedulerDeps) {
  const { queries, items, deaths, accounting, work, giveUp, onProgress, withoutFsync, log, clock } = deps
  const jobs = createOpenJobs(deps)
  const running = new Set<Running>()
  const inFlight = new Set<Promise<void>>()
  const listRunning = (storeId: string) => [...running].filter(({ job }) => job.storeId === storeId)
  const chooseNext = createChoice({ ...deps, jobs, listRunning })
  let isStarted = false
  let isStopped = false

  /** Reads the jobs that an earlier run of the program left, and takes back what it was working on. */
  function start(): void {
    if (isStarted) return
    deaths.takeBack()
    for (const job of queries.listUnfinished()) jobs.add(job)
    isStarted = true
  }

  /** Begins as many items as may be in progress. */
  function fillUp(): void {
    if (isStopped) return
    const chosen: Chosen[] = []
    try {
      start()
      for (let found = chooseNext(); found; found = chooseNext()) {
        running.add(found.next)
        chosen.push(found)
      }
      if (chosen.length > 0) deaths.begin(chosen.map(({ next }) => next.item))
    } catch (err) {
      // The next wake tries again.
      log.error({ err }, 'jobs cannot be read')
      for (const { next } of chosen.toReversed()) {
        remove(next)
        next.job.window.unshift(next)
      }
      return
    }
    for (const { store, next } of chosen) begin(store, next)
  }

  function begin(store: CallerStore, next: Running): void {
    // The choice found the store at work in this turn.
    const leave = deps.gate.tryEnter(store.id)
    const done = work(store, next.item, next.job.arrival)
      .then((outcome) => {
        inFlight.delete(done)
        // takeBack has given it up in the meantime.
        if (!remove(next)) return
        follow(next, outcome)
        // Items that fail at once would follow each other without an end, and nobody else would be served.
        return turn().then(fillUp)
      })
      .catch((err) => log.error({ err }, 'job worker failed'))
      .finally(() => leave?.())
    inFlight.add(done)
  }

  function remove(next: Running): boolean {
    next.place.release()
    return running.delete(next)
  }

  /** Goes on with a job after one of its items. */
  function follow({ job, place: _, ...prepared }: Running, outcome: Outcome): void {
    if (outcome.kind === 'over') job.pause.end()
    else if (outcome.kind === 'later') {
      job.pollAt = Math.min(job.pollAt, outcome.dueAt)
      if (outcome.timedOut !== undefined) countTimeout(job, outcome.timedOut)
    } else {
      // Nothing is written: the disk may be full.
      deaths.leave(prepared.item)
      job.pause.begin()
      job.window.unshift(prepared)
    }
    onProgress(job.id)
  }

  /** Puts back what nobody answers for: items that take too long, and those of leases that ran out. */
  function takeBack(): void {
    const now = clock.monotonic()
    for (const next of [...running]) if (now - next.startedAt > LIMITS.jobItemMs) remove(next)
    const leased = [...[...running].map(({ item }) => item), ...jobs.listLeased()]
      .filter(({ storeId }) => !deps.gate.isPaused(storeId))
      .map(({ id }) => id)
    if (leased.length > 0) withoutFsync(() => items.extend(leased, clock.now() + LEASE_MS))
    for (const item of items.listExpired(clock.now(), EXPIRED_MAX)) {
      if (deps.gate.isPaused(item.storeId)) continue
      giveUp(item)
      onProgress(item.job)
      const job = jobs.find(item.storeId, item.job)
      if (job) job.pollAt = 0
    }
  }

  return {
    start,

    /** Works on a job whose items were written, or wait again. */
    add(row: JobRow): void {
      start()
      jobs.add(row)
      const job = jobs.find(row.storeId, row.id)
      if (job) job.pollAt = 0
      fillUp()
    },

    /** Drops a cancelled job, and releases its items that nobody works on yet. */
    leave(row: JobRow): void {
      const job = jobs.find(row.storeId, row.id)
      if (!job) return
      jobs.close(job)
      for (const item of listReadAhead(job)) {
        const { attempts, delays } = item
        accounting.putBack(item, { attempts, delays, dueAt: 0 })
      }
    },

    /** Begins due items, and releases items that nobody works on any more. Call it every second. */
    wake(): void {
      if (isStopped) return
      start()
      takeBack()
      fillUp()
    },

    /** Begins nothing any more. */
    stop(): void {
      isStopped = true
    },

    /** Stops, waits for the items in progress, and puts back what was not begun. */
    async drain(): Promise<void> {
      isStopped = true
      await Promise.all(inFlight)
      if (isStarted) withoutFsync(() => items.releaseAll({ isDead: false }))
    },
  }
}
