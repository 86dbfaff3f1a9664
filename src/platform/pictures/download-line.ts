import { type ByteBudget, noRoom, type Room } from '../../core/byte-budget.ts'
import { createFairQueue } from './fair-queue.ts'

export interface DownloadLineOptions {
  budget: ByteBudget
  /** Concurrent downloads, in total and per store. */
  atOnceMax: number
  perStoreMax: number
  /** Downloads in progress or waiting, in total and per store. */
  inLineMax: number
  inLinePerStoreMax: number
  /** Longest wait for a turn, and for room, in ms. */
  waitMs: number
}

/** Waits for room for this many bytes of a picture before they are read. */
export type MakeRoom = (bytes: number, signal: AbortSignal) => Promise<void>

/** A download's place in the line. */
export interface Place {
  /**
   * Waits for its turn, then downloads. The room shrinks to the size of the picture and is held until `until` settles.
   *
   * @throws ApiError `overloaded` when the turn or the room does not come in time.
   */
  served(download: (makeRoom: MakeRoom) => Promise<Uint8Array>, until: Promise<unknown>): Promise<Uint8Array>
  leave(): void
}

/**
 * Creates the one line of all downloads. It is bounded in number and bytes, and stores take turns, so that one store's
 * catalogue does not delay another store's search.
 */
export function createDownloadLine(options: DownloadLineOptions) {
  const { budget, atOnceMax, perStoreMax, inLineMax, inLinePerStoreMax, waitMs } = options
  const inLine = createTally()
  const underWay = createTally()
  const turns = createFairQueue()
  const rooms = createFairQueue()
  budget.onFreed(rooms.serve)
  const patience = { ms: waitMs, failure: noRoom }

  const takeTurn = (storeId: string): true | undefined => {
    if (underWay.all() >= atOnceMax || underWay.of(storeId) >= perStoreMax) return undefined
    underWay.add(storeId, 1)
    return true
  }

  const served =
    (storeId: string): Place['served'] =>
    async (download, until) => {
      await turns.wait(storeId, takeTurn, patience)
      let room: Room | undefined
      const release = () => room?.release()
      try {
        const picture = await download(async (bytes, signal) => {
          release()
          room = await rooms.wait(storeId, (owner) => budget.tryTake(owner, bytes), { ...patience, signal })
        })
        until.then(release, release)
        room?.shrinkTo(picture.length)
        return picture
      } catch (error) {
        release()
        throw error
      } finally {
        underWay.add(storeId, -1)
        turns.serve()
      }
    }

  return {
    /** @throws ApiError `overloaded` at once when the line is full, for everyone or for the store. */
    enter(storeId: string): Place {
      if (inLine.all() >= inLineMax || inLine.of(storeId) >= inLinePerStoreMax) throw noRoom()
      inLine.add(storeId, 1)
      return { served: served(storeId), leave: () => inLine.add(storeId, -1) }
    },
  }
}

/** Counts per key and in total; drops keys whose count is 0. */
function createTally() {
  const counts = new Map<string, number>()
  let sum = 0
  return {
    all: () => sum,
    of: (key: string) => counts.get(key) ?? 0,
    add(key: string, number: 1 | -1): void {
      sum += number
      const count = (counts.get(key) ?? 0) + number
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
  }
}
