import type { CallerStore } from '../../../core/actor.ts'
import type { Holding } from '../../../core/shares.ts'
import { isFaultOfDisk } from '../../../core/storage.ts'
import type { Base } from '../../module.ts'
import { createCapacity, isHostFull, type Reserved } from './capacity.ts'
import { isSuspect } from './deaths.ts'
import { isSlow, type OpenJob, type OpenJobs } from './open-jobs.ts'
import type { Kind, Prepared } from './prepare.ts'

export interface ChoiceDeps extends Pick<Base, 'clock' | 'log' | 'plans' | 'gate'> {
  jobs: Pick<
    OpenJobs,
    'listStores' | 'listOfStore' | 'listOffers' | 'moveBack' | 'forgetStore' | 'closeIfOver'
  >
  findStore(id: string): CallerStore | undefined
  products: { has(storeId: string, productId: string): boolean; count(storeId: string): number }
  /** The items of a store that are in progress. */
  listRunning(storeId: string): readonly Running[]
}

/** An item in progress. */
export interface Running extends Prepared {
  job: OpenJob
  place: Holding
  /** By the clock that is never set. */
  startedAt: number
  /** Whether it makes a product that is not there. */
  isNew: boolean
}

export interface Chosen {
  store: CallerStore
  next: Running
}

/** How long to leave a store alone after its jobs could not be read, in ms. */
const REST_MS = 10_000

/**
 * Chooses the item that is done next: stores take turns, and the jobs of a store go in the order of their acknowledgement.
 * A store that must wait for capacity reserves what falls free.
 *
 * @returns chooses an item and takes its place; undefined while nothing is due or may be begun. Throws a fault of the disk.
 */
export function createChoice(deps: ChoiceDeps): () => Chosen | undefined {
  const { jobs, findStore, products, listRunning, gate, log, clock } = deps
  const capacity = createCapacity({ plans: deps.plans, countProducts: products.count })
  /** Stores whose jobs could not be read, with the time until which to leave them alone. */
  const resting = new Map<string, number>()

  function choose(store: CallerStore, reserved: Reserved): Running | undefined {
    const busy = listRunning(store.id)
    /** Kinds that a heavier item of the store already waits for. */
    const awaited = new Set<Kind>()
    const isSuspected = busy.some(({ item }) => isSuspect(item))
    for (const job of jobs.listOfStore(store.id)) {
      if (job.pause.isOn()) continue
      const offers = jobs.listOffers(job)
      for (const [n, prepared] of offers.entries()) {
        const { item, kind, hosts } = prepared
        const [host] = hosts
        if (awaited.has(kind)) continue
        if (isHostFull(host, host !== undefined && isSlow(job, host), busy)) continue
        // One at a time: of several that the program may have died of, the next death tells which.
        if (isSuspected && isSuspect(item)) continue
        if (!capacity.mayBegin(store.id, prepared, reserved)) {
          awaited.add(kind)
          continue
        }
        const isNew = item.kind === 'put' && !products.has(store.id, item.productId)
        if (isNew && !capacity.hasPlace(store, busy)) return undefined
        offers.splice(n, 1)
        const place = capacity.take(store.id, prepared)
        return { ...prepared, job, place, isNew, startedAt: clock.monotonic() }
      }
    }
    return undefined
  }

  function isResting(storeId: string): boolean {
    const until = resting.get(storeId)
    if (until !== undefined && until <= clock.monotonic()) resting.delete(storeId)
    return resting.has(storeId)
  }

  /** A fault in the jobs of one store never keeps those of another waiting. @throws the fault of the disk. */
  function tryToChoose(store: CallerStore, reserved: Reserved): Running | undefined {
    if (isResting(store.id)) return undefined
    try {
      return choose(store, reserved)
    } catch (err) {
      if (isFaultOfDisk(err)) throw err
      log.error({ err, store_id: store.id }, 'the jobs of a store cannot be read')
      resting.set(store.id, clock.monotonic() + REST_MS)
      return undefined
    }
  }

  function closeWhatIsOver(storeId: string): void {
    const busy = listRunning(storeId)
    for (const job of [...jobs.listOfStore(storeId)]) {
      jobs.closeIfOver(
        job,
        busy.some((running) => running.job === job),
      )
    }
  }

  return () => {
    const reserved: Reserved = new Map()
    for (const storeId of jobs.listStores()) {
      const store = findStore(storeId)
      if (!store) {
        // A deleted store took its jobs along.
        jobs.forgetStore(storeId)
        continue
      }
      // The jobs of a suspended store wait, and those of one that is paused. Every wake checks the store again.
      if (store.suspendedAt !== null || gate.isPaused(storeId)) continue
      const next = tryToChoose(store, reserved)
      if (next) {
        jobs.moveBack(storeId)
        return { store, next }
      }
      if (!resting.has(storeId)) closeWhatIsOver(storeId)
    }
    return undefined
  }
}
