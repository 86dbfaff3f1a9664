import { findBlame } from '../../../core/blame.ts'
import { HOUR_MS } from '../../../core/clock.ts'
import type { ApiError } from '../../../core/errors.ts'
import { hashThumbnail } from '../../../core/thumbnail-hash.ts'
import { turn } from '../../../core/turns.ts'
import type { SeenPicture } from '../../../platform/embedder/embedder.ts'
import type { Base } from '../../module.ts'
import type { ThumbnailQueries, WaitingPicture } from './thumbnail-queries.ts'
import { createWaitingStores, type WaitingStoresDeps } from './thumbnail-stores.ts'

export interface ThumbnailMakerDeps
  extends WaitingStoresDeps,
    Pick<Base, 'log' | 'atomically' | 'withoutFsync' | 'reportFault' | 'gate'> {
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
  /** Reads the picture at an address behind everything else, and draws its thumbnail. */
  drawPicture(storeId: string, url: string, side: number): Promise<SeenPicture>
}

/** Pictures that are read at a time. Their places in every queue are the last. */
const LANES = 2
/** Pause after a failure that no picture is to blame for, and after the look that found the last stores. */
const PAUSE_MS = 15_000
/** Pause of a store between two passes over pictures that failed. */
const REST_MS = HOUR_MS
/** Thumbnails that are deleted in one transaction, which takes a millisecond or two. */
const REMOVED_AT_ONCE = 50

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
  const { queries, drawPicture, atomically, withoutFsync, reportFault, gate, log, clock } = deps
  const waiting = createWaitingStores(deps, { lookMs: PAUSE_MS, restMs: REST_MS })
  const inFlight = new Set<Promise<void>>()
  let pausedUntil = Number.NEGATIVE_INFINITY
  let isStopped = false

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
    waiting.look()
    while (!isStopped && inFlight.size < LANES && clock.monotonic() >= pausedUntil) {
      const found = waiting.pick()
      if (!found) return
      const { store, side, picture } = found
      const leave = gate.tryEnter(store.id)
      if (!leave) {
        waiting.rest(store.id, PAUSE_MS)
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

    forgetStore: waiting.forget,
  }
}

/** Whether the network or the picture's server has failed, which may end; a picture that is missing or damaged stays so. */
function isOutage({ code, extras }: ApiError): boolean {
  if (code !== 'image_download_failed') return false
  const { reason, upstream_status: status } = extras.details ?? {}
  if (reason === 'http_status') return Number(status) === 429 || Number(status) >= 500
  return reason === 'dns' || reason === 'connect' || reason === 'timeout' || reason === 'tls'
}
