import type { CallerStore } from '../../../core/actor.ts'
import { createShares, type Holding } from '../../../core/shares.ts'
import { isFaultOfDisk } from '../../../core/storage.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import { type createDeaths, isSuspect } from './deaths.ts'
import { createJobPause, type JobPause } from './pause.ts'
import type { Accounting } from './accounting.ts'
import { type Kind, type Prepared, prepare, SHARES } from './prepare.ts'
import type { JobQueries, JobRow, LeasedItem } from './queries.ts'
import type { Outcome } from './worker.ts'

export interface SchedulerDeps extends Pick<Base, 'clock' | 'ids' | 'log' | 'withoutFsync' | 'plans'> {
  queries: Pick<
    JobQueries,
    'listUnfinished' | 'lease' | 'findNextDue' | 'extend' | 'listExpired' | 'releaseAll' | 'begin' | 'find'
  >
  deaths: ReturnType<typeof createDeaths>
  accounting: Pick<Accounting, 'putBack'>
  /** Does one item and writes down what became of it. Never throws. */
  work(store: CallerStore, item: LeasedItem, arrival: number): Promise<Outcome>
  /** Puts back an item whose lease is over, or ends it after too many tries. */
  giveUp(item: LeasedItem): void
  findStore(id: string): CallerStore | undefined
  products: { has(storeId: string, productId: string): boolean; count(storeId: string): number }
  /** Told once an item of a job is over, outside every transaction. */
  onProgress(jobId: number): void
}

/** Items of one store in progress whose main pictures are on one host, so that a slow host does not hold up the others. */
const PER_HOST_MAX = 12
/** The same of a host that has timed out so often in the job; its items come behind all others. */
const PER_SLOW_HOST_MAX = 3
const TIMEOUTS_MAX = 3
/** Hosts of a job whose timeouts are counted. */
const HOSTS_MAX = 1_000
/** Items of slow hosts that a job puts behind, at most. */
const PARKED_MAX = 256
/** Items of a job that are read ahead. */
const WINDOW = 32
const LEASE_MS = 60_000
/** How long a store is left alone whose jobs could not be read. */
const REST_MS = 10_000
/** An item that takes longer is given up. */
const ITEM_MS = 5 * 60_000
const EXPIRED_MAX = 200
/** Longer than any item waits for its next try. */
const LONGEST_WAIT_MS = 10 * 60_000

/** A job that may have work to do. */
interface OpenJob {
  id: number
  storeId: string
  arrival: number
  /** Leased items that nobody works on yet, and those of them that come behind all others, because of their hosts. */
  window: Prepared[]
  parked: Prepared[]
  /** How often hosts have timed out. */
  timeouts: Map<string, number>
  /** When the table may have due items; Infinity while it has none. */
  lookAt: number
  pause: JobPause
}

interface Running extends Prepared {
  job: OpenJob
  place: Holding
  startedAt: number
  isNew: boolean
}

interface Picked {
  store: CallerStore
  next: Running
}

export type JobScheduler = ReturnType<typeof createJobScheduler>

/** What stores that wait for room have reserved: what others may take beyond their first ones, or everything. */
type Reserved = Map<Kind, 'beyond' | 'all'>

/**
 * Works on the items of all jobs: several at a time, bounded by their pictures; stores take turns, and the jobs of a store
 * go in the order of their acknowledgement. A store that must wait for room reserves what falls free. Nothing is lost when
 * the program dies, because only the transaction that writes a product ends its item.
 */
export function createJobScheduler(deps: SchedulerDeps) {
  const { queries, deaths, accounting, work, giveUp, findStore, products } = deps
  const { onProgress, withoutFsync, log, clock, ids } = deps
  /** By store; the store that was served last comes last. */
  const stores = new Map<string, OpenJob[]>()
  const running = new Set<Running>()
  const underWay = new Set<Promise<void>>()
  /** Stores whose jobs could not be read, until when they are left alone. */
  const resting = new Map<string, number>()
  const shares = { fetched: createShares(SHARES.fetched), here: createShares(SHARES.here) }
  let isLoaded = false
  let isStopped = false

  const isOfStore = (storeId: string) => (other: Running) => other.job.storeId === storeId
  const listRunning = (storeId: string) => [...running].filter(isOfStore(storeId))

  function open({ id, storeId, arrival, status }: JobRow): void {
    const jobs = stores.get(storeId) ?? []
    if (arrival === null || status !== 'processing' || jobs.some((job) => job.id === id)) return
    jobs.push({
      id,
      storeId,
      arrival,
      window: [],
      parked: [],
      timeouts: new Map(),
      lookAt: 0,
      pause: createJobPause(clock),
    })
    jobs.sort((a, b) => a.arrival - b.arrival)
    stores.set(storeId, jobs)
  }

  /** Reads the jobs that an earlier run of the program left, and takes back what it was working on. */
  function load(): void {
    if (isLoaded) return
    deaths.takeBack()
    for (const job of queries.listUnfinished()) open(job)
    isLoaded = true
  }

  function closeIfOver(job: OpenJob): void {
    if (job.window.length + job.parked.length > 0 || job.lookAt !== Infinity) return
    if ([...running].some((other) => other.job === job)) return
    if (queries.find(job.id)?.finishedAt !== null) close(job)
  }

  function close(job: OpenJob): void {
    const jobs = (stores.get(job.storeId) ?? []).filter((other) => other !== job)
    if (jobs.length > 0) stores.set(job.storeId, jobs)
    else stores.delete(job.storeId)
  }

  function refill(job: OpenJob): void {
    const now = clock.now()
    const isStuck = isBeyondReason(job.lookAt, now)
    if (job.window.length > 0 || (now < job.lookAt && !isStuck)) return
    const wanted = {
      lease: ids.uuid(),
      dueAt: isStuck ? job.lookAt : now,
      until: now + LEASE_MS,
      limit: WINDOW,
    }
    const items = withoutFsync(() => queries.lease(job.id, wanted))
    if (items.length > 0) queries.begin(job.id, now)
    else job.lookAt = queries.findNextDue(job.id) ?? Infinity
    job.window = items.map(prepare)
  }

  const isSlow = (job: OpenJob, host: string): boolean => (job.timeouts.get(host) ?? 0) >= TIMEOUTS_MAX

  /** The items of a job in the order of their turn: those of slow hosts come when no others are due. */
  function listOffers(job: OpenJob): Prepared[] {
    for (;;) {
      refill(job)
      const slow = job.window.filter(({ hosts }) => hosts.some((host) => isSlow(job, host)))
      const parking = slow.slice(0, PARKED_MAX - job.parked.length)
      if (parking.length === 0) break
      job.parked.push(...parking)
      job.window = job.window.filter((prepared) => !parking.includes(prepared))
    }
    return job.window.length > 0 ? job.window : job.parked
  }

  /** Whether a store may begin an item now. What it must wait for because of others, it reserves. */
  function mayBegin(storeId: string, { kind, weight }: Prepared, reserved: Reserved): boolean {
    const { firstMax, max, perOwnerMax } = SHARES[kind]
    const own = shares[kind].held(storeId) + weight
    const kept = reserved.get(kind)
    if (own > perOwnerMax || kept === 'all' || (kept === 'beyond' && own > firstMax)) return false
    if (shares[kind].fits(storeId, weight)) return true
    reserved.set(kind, shares[kind].held() + weight > max ? 'all' : 'beyond')
    return false
  }

  /** Takes the next item of a store that may be worked on now. */
  function pick(store: CallerStore, reserved: Reserved): Running | undefined {
    const busy = listRunning(store.id)
    /** What a heavier item of the store waits for already. */
    const awaited = new Set<Kind>()
    const isSuspected = busy.some(({ item }) => isSuspect(item))
    for (const job of stores.get(store.id) ?? []) {
      if (job.pause.isOn()) continue
      const offers = listOffers(job)
      for (const [n, prepared] of offers.entries()) {
        const { item, kind, hosts, weight } = prepared
        if (awaited.has(kind) || isHostBusy(job, hosts[0], busy)) continue
        // One at a time: of several that the program may have died of, the next death tells which.
        if (isSuspected && isSuspect(item)) continue
        if (!mayBegin(store.id, prepared, reserved)) {
          awaited.add(kind)
          continue
        }
        const isNew = item.kind === 'put' && !products.has(store.id, item.productId)
        // So the places that a plan has left go to the first items. Those under way may still fail and leave theirs.
        if (isNew && !hasPlace(store, busy)) return undefined
        offers.splice(n, 1)
        const place = shares[kind].take(store.id, weight)
        return { ...prepared, job, place, isNew, startedAt: clock.monotonic() }
      }
    }
    return undefined
  }

  /** What is wrong with the jobs of one store never keeps those of another waiting. @throws the fault of the disk. */
  function tryToPick(store: CallerStore, reserved: Reserved): Running | undefined {
    if ((resting.get(store.id) ?? Number.NEGATIVE_INFINITY) > clock.monotonic()) return undefined
    resting.delete(store.id)
    try {
      return pick(store, reserved)
    } catch (err) {
      if (isFaultOfDisk(err)) throw err
      log.error({ err, store_id: store.id }, 'the jobs of a store cannot be read')
      resting.set(store.id, clock.monotonic() + REST_MS)
      return undefined
    }
  }

  function isHostBusy(job: OpenJob, host: string | undefined, busy: readonly Running[]): boolean {
    if (host === undefined) return false
    const most = isSlow(job, host) ? PER_SLOW_HOST_MAX : PER_HOST_MAX
    return busy.filter(({ hosts }) => hosts[0] === host).length >= most
  }

  function hasPlace({ id, plan }: CallerStore, busy: readonly Running[]): boolean {
    const max = deps.plans[plan].productsMax
    if (max === Infinity) return true
    const coming = busy.filter(({ isNew }) => isNew).length
    return coming === 0 || products.count(id) + coming < max
  }

  function pickNext(): Picked | undefined {
    const reserved: Reserved = new Map()
    for (const [storeId, jobs] of [...stores]) {
      const store = findStore(storeId)
      if (!store) {
        // A deleted store took its jobs along.
        stores.delete(storeId)
        continue
      }
      // What is not under way waits. Every tick looks again.
      if (store.suspendedAt !== null) continue
      const next = tryToPick(store, reserved)
      if (next) {
        stores.delete(storeId)
        stores.set(storeId, jobs)
        return { store, next }
      }
      if (!resting.has(storeId)) for (const job of [...jobs]) closeIfOver(job)
    }
    return undefined
  }

  /** Begins as much work as there is room for. */
  function pump(): void {
    if (isStopped) return
    const picked: Picked[] = []
    try {
      load()
      for (let found = pickNext(); found; found = pickNext()) {
        running.add(found.next)
        picked.push(found)
      }
      if (picked.length > 0) deaths.begin(picked.map(({ next }) => next.item))
    } catch (err) {
      // The next tick tries again.
      log.error({ err }, 'jobs cannot be read')
      for (const { next } of picked.toReversed()) {
        remove(next)
        next.job.window.unshift(next)
      }
      return
    }
    for (const { store, next } of picked) begin(store, next)
  }

  function begin(store: CallerStore, next: Running): void {
    const done = work(store, next.item, next.job.arrival)
      .then((outcome) => {
        underWay.delete(done)
        // Given up in the meantime.
        if (!remove(next)) return
        settle(next, outcome)
        // Items that fail at once would follow each other without an end, and nobody else would be served.
        return turn().then(pump)
      })
      .catch((err) => log.error({ err }, 'the work on jobs stumbled'))
    underWay.add(done)
  }

  function remove(next: Running): boolean {
    next.place.release()
    return running.delete(next)
  }

  function settle({ job, place: _, ...prepared }: Running, outcome: Outcome): void {
    if (outcome.kind === 'over') job.pause.end()
    else if (outcome.kind === 'later') {
      job.lookAt = Math.min(job.lookAt, outcome.dueAt)
      const host = outcome.timedOut
      if (host !== undefined && (job.timeouts.has(host) || job.timeouts.size < HOSTS_MAX))
        job.timeouts.set(host, (job.timeouts.get(host) ?? 0) + 1)
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
    for (const next of [...running]) if (now - next.startedAt > ITEM_MS) remove(next)
    const held = [...stores.values()].flat().flatMap(({ window, parked }) => [...window, ...parked])
    const leased = [...running, ...held].map(({ item }) => item.id)
    if (leased.length > 0) withoutFsync(() => queries.extend(leased, clock.now() + LEASE_MS))
    for (const item of queries.listExpired(clock.now(), EXPIRED_MAX)) {
      giveUp(item)
      onProgress(item.job)
      const job = stores.get(item.storeId)?.find(({ id }) => id === item.job)
      if (job) job.lookAt = 0
    }
  }

  return {
    load,

    /** Makes a job known whose items can be worked on. */
    add(job: JobRow): void {
      load()
      open(job)
      pump()
    },

    /** Looks again at a job whose items wait again, or no longer. */
    look(job: JobRow): void {
      open(job)
      const known = stores.get(job.storeId)?.find(({ id }) => id === job.id)
      if (known) known.lookAt = 0
      pump()
    },

    /** Leaves a job alone that was cancelled, and gives back its items that nobody works on yet. */
    leave(job: JobRow): void {
      const known = stores.get(job.storeId)?.find(({ id }) => id === job.id)
      if (!known) return
      close(known)
      for (const { item } of [...known.window, ...known.parked]) {
        const { attempts, delays } = item
        accounting.putBack(item, { attempts, delays, dueAt: 0 })
      }
    },

    /** Goes on with what is due, and takes back what nobody works on any more. To be called every second. */
    tick(): void {
      if (isStopped) return
      load()
      takeBack()
      pump()
    },

    /** Begins nothing any more. */
    pause(): void {
      isStopped = true
    },

    /** Waits for what is under way after `pause`, and puts back what was not begun. */
    async finish(): Promise<void> {
      isStopped = true
      await Promise.all(underWay)
      if (isLoaded) withoutFsync(() => queries.releaseAll({ isDead: false }))
    },
  }
}

/** Whether a moment was noted before the clock was set back: nothing waits for that long. */
const isBeyondReason = (at: number, now: number): boolean => at !== Infinity && at > now + LONGEST_WAIT_MS
