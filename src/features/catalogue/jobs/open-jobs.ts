import type { Base } from '../../module.ts'
import type { ItemQueries, LeasedItem } from './item-queries.ts'
import { createJobPause, type JobPause } from './pause.ts'
import { type Prepared, prepare } from './prepare.ts'
import type { JobQueries, JobRow } from './queries.ts'

export interface OpenJobsDeps extends Pick<Base, 'clock' | 'ids' | 'withoutFsync'> {
  queries: Pick<JobQueries, 'begin' | 'find'>
  items: Pick<ItemQueries, 'lease' | 'findNextDue'>
}

/** A job that may have work to do. */
export interface OpenJob {
  id: number
  storeId: string
  arrival: number
  /** Leased items that nobody works on yet. */
  window: Prepared[]
  /** Those of them that come behind all others, because of their hosts. */
  parked: Prepared[]
  /** How often hosts have timed out. */
  timeouts: Map<string, number>
  /** When the table may have due items; Infinity while it has none. */
  pollAt: number
  pause: JobPause
}

/** The lease of an item, which is extended as long as the service works on it. */
export const LEASE_MS = 60_000
/** Items of a job that are read ahead. */
const WINDOW = 32
/** Timeouts after which a host counts as slow for a job. */
const TIMEOUTS_MAX = 3
/** Hosts of a job whose timeouts are counted. */
const HOSTS_MAX = 1_000
/** Items of slow hosts that a job puts behind, at most. */
const PARKED_MAX = 256
/** Longer than any item waits for its next try. */
const LONGEST_WAIT_MS = 10 * 60_000

export type OpenJobs = ReturnType<typeof createOpenJobs>

/** The jobs that may have work, by store, and their next items, which are leased in small windows. */
export function createOpenJobs({ queries, items, withoutFsync, clock, ids }: OpenJobsDeps) {
  /** The store that was served last comes last; the jobs of a store go in the order of their acknowledgement. */
  const stores = new Map<string, OpenJob[]>()

  const find = (storeId: string, id: number): OpenJob | undefined =>
    stores.get(storeId)?.find((job) => job.id === id)

  function close(job: OpenJob): void {
    const jobs = (stores.get(job.storeId) ?? []).filter((other) => other !== job)
    if (jobs.length > 0) stores.set(job.storeId, jobs)
    else stores.delete(job.storeId)
  }

  function refill(job: OpenJob): void {
    const now = clock.now()
    const isStuck = isBeyondReason(job.pollAt, now)
    if (job.window.length > 0 || (now < job.pollAt && !isStuck)) return
    const leased = withoutFsync(() =>
      items.lease(job.id, {
        lease: ids.uuid(),
        dueAt: isStuck ? job.pollAt : now,
        until: now + LEASE_MS,
        limit: WINDOW,
      }),
    )
    if (leased.length > 0) queries.begin(job.id, now)
    else job.pollAt = items.findNextDue(job.id) ?? Infinity
    job.window = leased.map(prepare)
  }

  return {
    find,
    close,

    add({ id, storeId, arrival, status }: JobRow): void {
      if (arrival === null || status !== 'processing' || find(storeId, id)) return
      const job = { id, storeId, arrival, window: [], parked: [], timeouts: new Map(), pollAt: 0 }
      const jobs = [...(stores.get(storeId) ?? []), { ...job, pause: createJobPause(clock) }]
      stores.set(
        storeId,
        jobs.sort((a, b) => a.arrival - b.arrival),
      )
    },

    /** The stores that have jobs, in the order of their turns. */
    listStores: (): string[] => [...stores.keys()],
    listOfStore: (storeId: string): readonly OpenJob[] => stores.get(storeId) ?? [],

    /** Ends the turn of a store. */
    moveBack(storeId: string): void {
      const jobs = stores.get(storeId)
      if (!jobs) return
      stores.delete(storeId)
      stores.set(storeId, jobs)
    },

    forgetStore: (storeId: string): void => void stores.delete(storeId),

    /** The items of a job in the order of their turn. Those of slow hosts come when no others are due. */
    listOffers(job: OpenJob): Prepared[] {
      for (;;) {
        refill(job)
        const slow = job.window.filter(({ hosts }) => hosts.some((host) => isSlow(job, host)))
        const parking = slow.slice(0, PARKED_MAX - job.parked.length)
        if (parking.length === 0) break
        job.parked.push(...parking)
        job.window = job.window.filter((prepared) => !parking.includes(prepared))
      }
      return job.window.length > 0 ? job.window : job.parked
    },

    /** Closes a job that has ended. @param isBusy whether any of its items are in progress. */
    closeIfOver(job: OpenJob, isBusy: boolean): void {
      if (isBusy || listReadAhead(job).length > 0 || job.pollAt !== Infinity) return
      if (queries.find(job.id)?.finishedAt !== null) close(job)
    },

    /** The items of all jobs that are leased and not begun. */
    listLeased: (): LeasedItem[] => [...stores.values()].flat().flatMap(listReadAhead),
  }
}

/** The leased items of a job that nobody works on yet. */
export const listReadAhead = ({ window, parked }: OpenJob): LeasedItem[] =>
  [...window, ...parked].map(({ item }) => item)

export const isSlow = ({ timeouts }: OpenJob, host: string): boolean =>
  (timeouts.get(host) ?? 0) >= TIMEOUTS_MAX

export function countTimeout({ timeouts }: OpenJob, host: string): void {
  const count = timeouts.get(host) ?? 0
  if (count > 0 || timeouts.size < HOSTS_MAX) timeouts.set(host, count + 1)
}

/** Whether a moment was noted before the clock was set back: nothing waits for that long. */
const isBeyondReason = (at: number, now: number): boolean => at !== Infinity && at > now + LONGEST_WAIT_MS
