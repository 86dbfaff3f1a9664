import { type ByteBudget, noRoom, type Room } from '../../core/byte-budget.ts'
import { createShares, type ShareLimits, type Yielding } from '../../core/shares.ts'
import { createFairQueue } from './fair-queue.ts'

export interface DownloadLineOptions {
  budget: ByteBudget
  /** Downloads that run at a time, and that run or wait. */
  atOnce: ShareLimits
  inLine: ShareLimits
  /** Longest wait for a turn, and for room, in ms. */
  waitMs: number
}

/** Waits for room for this many bytes of a picture before they are read. A slow download gives way to another store's. */
export type MakeRoom = (bytes: number, signal: AbortSignal, yields: Yielding) => Promise<void>

type Download = (makeRoom: MakeRoom) => Promise<Uint8Array>

/** A download's place in the line. */
export interface Place {
  /**
   * Waits for its turn, then downloads. The room shrinks to the size of the picture and is held until `until` settles.
   *
   * @throws ApiError `overloaded` when the turn or the room does not come in time.
   */
  served(download: Download, until: Promise<unknown>): Promise<Uint8Array>
  leave(): void
}

/** How often who waits for room looks whether another store's download has become slow. */
const LOOK_MS = 250

/**
 * Creates the one line of all downloads. It is bounded in number and bytes, and stores take turns, so that one store's
 * catalogue does not delay another store's search. Every store has its first places, however many the others wait for.
 */
export function createDownloadLine({ budget, atOnce, inLine, waitMs }: DownloadLineOptions) {
  const turns = createFairQueue()
  const underWay = createShares(atOnce, turns.serve)
  const line = createShares(inLine)
  const rooms = createFairQueue(LOOK_MS)
  budget.onFreed(rooms.serve)
  const patience = { ms: waitMs, failure: noRoom }

  /** Downloads at once. The room shrinks to the size of the picture and is held until `until` settles. */
  async function load(storeId: string, download: Download, until: Promise<unknown>): Promise<Uint8Array> {
    let room: Room | undefined
    const release = () => room?.release()
    try {
      const picture = await download(async (bytes, signal, yields) => {
        release()
        room = await rooms.wait(storeId, (owner) => budget.tryTake(owner, bytes, { yields }), {
          ...patience,
          signal,
        })
      })
      until.then(release, release)
      room?.shrinkTo(picture.length)
      return picture
    } catch (error) {
      release()
      throw error
    }
  }

  return {
    /** @throws ApiError `overloaded` at once when the line is full, for everyone or for the store. */
    enter(storeId: string): Place {
      const place = line.tryTake(storeId)
      if (!place) throw noRoom()
      return {
        async served(download, until) {
          const turn = await turns.wait(storeId, (owner) => underWay.tryTake(owner), patience)
          try {
            return await load(storeId, download, until)
          } finally {
            turn.release()
          }
        },
        leave: place.release,
      }
    },

    /** For a download that has waited for its turn elsewhere: it only needs room. */
    load,
  }
}
