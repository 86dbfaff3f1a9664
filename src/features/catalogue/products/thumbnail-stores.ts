import type { CallerStore } from '../../../core/actor.ts'
import type { Base } from '../../module.ts'
import type { ThumbnailQueries, WaitingPicture } from './thumbnail-queries.ts'
import type { Thumbnails } from './thumbnails.ts'

export interface WaitingStoresDeps extends Pick<Base, 'clock'> {
  queries: Pick<ThumbnailQueries, 'listStores' | 'listWaiting'>
  thumbnails: Pick<Thumbnails, 'findSide'>
  findStore(id: string): CallerStore | undefined
}

/** Pictures of a store that are read ahead. */
const WINDOW = 32
/** Stores that one look finds, by a seek each. */
const STORES_AT_ONCE = 50

/** A store with pictures that wait. */
interface OpenStore {
  id: string
  window: WaitingPicture[]
  /** Row of the last picture that was read. */
  after: number
  /** How long its pictures have taken. */
  spentMs: number
}

/**
 * Says whose picture is next of all stores with pictures that wait for thumbnails: that of the store whose pictures have taken
 * the least time.
 *
 * @param pauses `lookMs` after the look that found the last stores, `restMs` of a store between two passes over pictures that failed.
 */
export function createWaitingStores(
  { queries, thumbnails, findStore, clock }: WaitingStoresDeps,
  pauses: { lookMs: number; restMs: number },
) {
  const stores = new Map<string, OpenStore>()
  /** Until when a store rests, on the monotonic clock. */
  const resting = new Map<string, number>()
  let lookAt = Number.NEGATIVE_INFINITY
  /** The last store that a look has found; empty once it has found all. */
  let lookedTo = ''

  /** Finds some more stores, also while others are at work. */
  function lookForStores(): void {
    const found = queries.listStores(lookedTo, STORES_AT_ONCE)
    lookedTo = found.length < STORES_AT_ONCE ? '' : (found.at(-1) ?? '')
    if (lookedTo === '') lookAt = clock.monotonic() + pauses.lookMs
    for (const [id, until] of resting) if (until <= clock.monotonic()) resting.delete(id)
    // A store that joins starts level with the one that has had least: it waits for nobody, and nobody waits long for it.
    const spentMs = findNext()?.spentMs ?? 0
    for (const id of found) {
      if (!resting.has(id) && !stores.has(id)) stores.set(id, { id, window: [], after: 0, spentMs })
    }
  }

  function findNext(): OpenStore | undefined {
    let next: OpenStore | undefined
    for (const store of stores.values()) if (!next || store.spentMs < next.spentMs) next = store
    return next
  }

  function pick(): { store: OpenStore; side: number; picture: WaitingPicture } | undefined {
    for (let store = findNext(); store; store = findNext()) {
      const caller = findStore(store.id)
      const side = caller && thumbnails.findSide(caller)
      if (side === undefined) {
        stores.delete(store.id)
        continue
      }
      if (store.window.length === 0)
        store.window = queries.listWaiting(store.id, store.after, WINDOW, clock.now())
      const picture = store.window.shift()
      if (picture) {
        store.after = picture.id
        return { store, side, picture }
      }
      // What is left has failed, or is in progress.
      rest(store.id, pauses.restMs)
    }
    return undefined
  }

  const rest = (storeId: string, ms: number): void => {
    stores.delete(storeId)
    resting.set(storeId, clock.monotonic() + ms)
  }

  return {
    /** Finds stores, when it is time to. */
    look(): void {
      if (clock.monotonic() >= lookAt) lookForStores()
    },
    pick,
    rest,
    forget(storeId: string): void {
      resting.delete(storeId)
      stores.delete(storeId)
    },
  }
}
