import type { CallerStore } from '../../../core/actor.ts'
import { findBlame } from '../../../core/blame.ts'
import { HOUR_MS } from '../../../core/clock.ts'
import { turn } from '../../../core/turns.ts'
import type { SeenPicture } from '../../../platform/embedder/embedder.ts'
import type { Base } from '../../module.ts'
import { hashThumbnail } from './thumbnail-address.ts'
import type { ThumbnailQueries, WaitingPicture } from './thumbnail-queries.ts'
import type { Thumbnails } from './thumbnails.ts'

export interface ThumbnailMakerDeps
  extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync' | 'reportFault'> {
  queries: Pick<
    ThumbnailQueries,
    'add' | 'has' | 'listStores' | 'listWaiting' | 'noteMade' | 'noteFailed' | 'listUnwanting' | 'removeSome'
  >
  thumbnails: Pick<Thumbnails, 'findSide'>
  findStore(id: string): CallerStore | undefined
  /** Reads the picture at an address behind everything else, and draws its thumbnail. */
  drawPicture(storeId: string, url: string, side: number): Promise<SeenPicture>
}

/** Pictures that are read at a time, one a store in turn. Their places in every queue are the last. */
const LANES = 2
/** Pictures of a store that are read ahead. */
const WINDOW = 32
/** Pause after a failure that no picture is to blame for, and between two looks for stores. */
const PAUSE_MS = 15_000
/** Pause of a store between two passes over pictures that failed. */
const REST_MS = HOUR_MS
/** Thumbnails that are deleted in one transaction, which takes a millisecond or two. */
const REMOVED_AT_ONCE = 50

/** A store with pictures that wait. */
interface OpenStore {
  id: string
  window: WaitingPicture[]
  /** Row of the last picture that was read. */
  after: number
}

/**
 * Makes the thumbnails of pictures that have none: those of an earlier version, those that came with their vectors. Stores take
 * turns, and everything else goes first. What waits stands in `pictures.thumbnail`, so a restart goes on where the last run ended.
 * Each picture has three tries, an hour apart.
 *
 * Deletes those of stores that want none any more.
 */
export function createThumbnailMaker(deps: ThumbnailMakerDeps) {
  const { queries, thumbnails, findStore, drawPicture, atomically, withoutFsync, reportFault, log, clock } =
    deps
  let stores: OpenStore[] = []
  /** Until when a store rests, on the monotonic clock. */
  const resting = new Map<string, number>()
  const inFlight = new Set<Promise<void>>()
  let lookAt = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY
  let isStopped = false

  function lookForStores(): void {
    lookAt = clock.monotonic() + PAUSE_MS
    for (const [id, until] of resting) if (until <= clock.monotonic()) resting.delete(id)
    stores = queries.listStores().flatMap((id) => (resting.has(id) ? [] : [{ id, window: [], after: 0 }]))
  }

  function pick(): { storeId: string; side: number; picture: WaitingPicture } | undefined {
    for (let next = stores.shift(); next; next = stores.shift()) {
      const store = findStore(next.id)
      const side = store && thumbnails.findSide(store)
      if (side === undefined) continue
      if (next.window.length === 0) next.window = queries.listWaiting(next.id, next.after, WINDOW)
      const picture = next.window.shift()
      if (!picture) {
        // What is left has failed, or is in progress.
        resting.set(next.id, clock.monotonic() + REST_MS)
        continue
      }
      next.after = picture.id
      stores.push(next)
      return { storeId: next.id, side, picture }
    }
    return undefined
  }

  async function make(storeId: string, side: number, picture: WaitingPicture): Promise<void> {
    const hash = hashThumbnail(storeId, picture)
    const drawn = queries.has(hash) ? undefined : await drawPicture(storeId, picture.imageUrl, side)
    withoutFsync(() =>
      atomically(() => {
        const webp = drawn?.thumbnail
        if (!webp && !queries.has(hash)) queries.noteFailed(picture.id)
        else if (queries.noteMade(picture.id) && webp) queries.add(storeId, picture.contentHash, hash, webp)
      }),
    )
  }

  function judge(storeId: string, picture: WaitingPicture, error: unknown): void {
    if (isStopped) return
    const blame = findBlame(error)
    if (blame.on === 'program') log.error({ err: error, store_id: storeId }, 'a thumbnail could not be made')
    try {
      if (blame.on === 'storage') throw blame.failure
      if (blame.on === 'work' || blame.on === 'program') withoutFsync(() => queries.noteFailed(picture.id))
      else pausedUntil = clock.monotonic() + PAUSE_MS
    } catch (fault) {
      reportFault(fault)
      pausedUntil = clock.monotonic() + PAUSE_MS
    }
  }

  function wake(): void {
    if (stores.length === 0 && clock.monotonic() >= lookAt) lookForStores()
    while (!isStopped && inFlight.size < LANES && clock.monotonic() >= pausedUntil) {
      const found = pick()
      if (!found) return
      const { storeId, side, picture } = found
      const work: Promise<void> = make(storeId, side, picture)
        .catch((error) => judge(storeId, picture, error))
        .then(turn)
        .finally(() => {
          inFlight.delete(work)
          wake()
        })
      inFlight.add(work)
    }
  }

  return {
    /** Makes the thumbnails that wait. Call it every second; it costs nothing once every picture has one. */
    wake,

    /** Deletes the thumbnails of stores that want none any more. */
    async sweep(): Promise<void> {
      for (const storeId of queries.listUnwanting()) {
        const removeSome = () =>
          withoutFsync(() => atomically(() => queries.removeSome(storeId, REMOVED_AT_ONCE)))
        while (!isStopped && removeSome() > 0) await turn()
      }
    },

    /** Waits until no picture is in progress. */
    async drain(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight)
    },

    /** Begins nothing any more. */
    stop(): void {
      isStopped = true
    },

    forgetStore: (storeId: string): void => void resting.delete(storeId),
  }
}
