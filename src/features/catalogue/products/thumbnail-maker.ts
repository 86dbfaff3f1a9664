import type { CallerStore } from '../../../core/actor.ts'
import { findBlame } from '../../../core/blame.ts'
import { HOUR_MS } from '../../../core/clock.ts'
import type { ApiError } from '../../../core/errors.ts'
import { hashThumbnail } from '../../../core/thumbnail-hash.ts'
import { turn } from '../../../core/turns.ts'
import type { SeenPicture } from '../../../platform/embedder/embedder.ts'
import type { Base } from '../../module.ts'
import type { ThumbnailQueries, WaitingPicture } from './thumbnail-queries.ts'
import type { Thumbnails } from './thumbnails.ts'

export interface ThumbnailMakerDeps
  extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync' | 'reportFault' | 'gate'> {
  queries: Pick<
    ThumbnailQueries,
    | 'add'
    | 'has'
    | 'listStores'
    | 'listWaiting'
    | 'noteMade'
    | 'noteFailed'
    | 'noteCutOff'
    | 'listUnwanting'
    | 'removeSome'
  >
  thumbnails: Pick<Thumbnails, 'findSide'>
  findStore(id: string): CallerStore | undefined
  /** Reads the picture at an address behind everything else, and draws its thumbnail. */
  drawPicture(storeId: string, url: string, side: number): Promise<SeenPicture>
}

/** Pictures that are read at a time. Their places in every queue are the last. */
const LANES = 2
/** Pictures of a store that are read ahead. */
const WINDOW = 32
/** Stores that one look finds, by a seek each. */
const STORES_AT_ONCE = 50
/** Pause after a failure that no picture is to blame for, and after the look that found the last stores. */
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
  /** How long its pictures have taken. */
  spentMs: number
}

/**
 * Makes the thumbnails of pictures that have none: those of an earlier version, those that came with their vectors. The
 * store goes next whose pictures have taken the least time, so one with a slow host holds nobody else up for longer than a
 * picture. Everything else goes first. What waits stands in `pictures.thumbnail`, so a restart goes on where the last run ended.
 * Each picture has three tries, an hour apart. Where the network failed, or the picture's server, more tries follow for a month,
 * each later, up to a day apart.
 *
 * Deletes those of stores that want none any more.
 */
export function createThumbnailMaker(deps: ThumbnailMakerDeps) {
  const {
    queries,
    thumbnails,
    findStore,
    drawPicture,
    atomically,
    withoutFsync,
    reportFault,
    gate,
    log,
    clock,
  } = deps
  const stores = new Map<string, OpenStore>()
  /** Until when a store rests, on the monotonic clock. */
  const resting = new Map<string, number>()
  const inFlight = new Set<Promise<void>>()
  let lookAt = Number.NEGATIVE_INFINITY
  /** The last store that a look has found; empty once it has found all. */
  let lookedTo = ''
  let pausedUntil = Number.NEGATIVE_INFINITY
  let isStopped = false

  /** Finds some more stores, also while others are at work. */
  function lookForStores(): void {
    const found = queries.listStores(lookedTo, STORES_AT_ONCE)
    lookedTo = found.length < STORES_AT_ONCE ? '' : (found.at(-1) ?? '')
    if (lookedTo === '') lookAt = clock.monotonic() + PAUSE_MS
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
      rest(store.id, REST_MS)
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
      if (blame.on === 'work' && isOutage(blame.failure)) withoutFsync(() => queries.noteCutOff(picture.id))
      else if (blame.on === 'work' || blame.on === 'program')
        withoutFsync(() => queries.noteFailed(picture.id))
      else pausedUntil = clock.monotonic() + PAUSE_MS
    } catch (fault) {
      reportFault(fault)
      pausedUntil = clock.monotonic() + PAUSE_MS
    }
  }

  const rest = (storeId: string, ms: number): void => {
    stores.delete(storeId)
    resting.set(storeId, clock.monotonic() + ms)
  }

  /** Goes on after a picture. Nobody waits for it, so nobody would hear of a fault of the storage. */
  function goOn(): void {
    try {
      wake()
    } catch (fault) {
      reportFault(fault)
      pausedUntil = clock.monotonic() + PAUSE_MS
    }
  }

  function wake(): void {
    if (isStopped) return
    if (clock.monotonic() >= lookAt) lookForStores()
    while (!isStopped && inFlight.size < LANES && clock.monotonic() >= pausedUntil) {
      const found = pick()
      if (!found) return
      const { store, side, picture } = found
      const leave = gate.tryEnter(store.id)
      if (!leave) {
        rest(store.id, PAUSE_MS)
        continue
      }
      const began = clock.monotonic()
      const work: Promise<void> = make(store.id, side, picture)
        .catch((error) => judge(store.id, picture, error))
        .then(turn)
        .finally(() => {
          leave()
          inFlight.delete(work)
          store.spentMs += Math.max(1, clock.monotonic() - began)
          goOn()
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

    forgetStore(storeId: string): void {
      resting.delete(storeId)
      stores.delete(storeId)
    },
  }
}

/** Whether the network or the picture's server has failed, which may end; a picture that is missing or damaged stays so. */
function isOutage({ code, extras }: ApiError): boolean {
  if (code !== 'image_download_failed') return false
  const { reason, upstream_status: status } = extras.details ?? {}
  if (reason === 'http_status') return Number(status) === 429 || Number(status) >= 500
  return reason === 'dns' || reason === 'connect' || reason === 'timeout' || reason === 'tls'
}
