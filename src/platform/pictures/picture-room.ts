import { type ByteBudget, noRoom, type Room } from '../../core/byte-budget.ts'
import type { Yielding } from '../../core/shares.ts'
import { createFairQueue } from '../fair/fair-queue.ts'

/** Waits for room for this many bytes of a picture before they are read. A slow download gives way to another store's. */
export type MakeRoom = (bytes: number, signal: AbortSignal, yields: Yielding) => Promise<void>

/** How often a download that waits for room looks whether another store's has become slow. */
const LOOK_MS = 250

/**
 * Bounds the bytes of pictures that are downloaded and not yet used. Stores take turns.
 *
 * @param waitMs longest wait for room.
 */
export function createPictureRoom(budget: ByteBudget, waitMs: number) {
  const turns = createFairQueue({ againMs: LOOK_MS })
  budget.onFreed(turns.serve)

  /**
   * Downloads at once. The room shrinks to the size of the picture and is held until `until` settles.
   *
   * @throws ApiError `overloaded` when the room does not come in time.
   */
  return async function load(
    store: string,
    download: (makeRoom: MakeRoom) => Promise<Uint8Array>,
    until: Promise<unknown>,
  ): Promise<Uint8Array> {
    let room: Room | undefined
    const release = () => room?.release()
    try {
      const picture = await download(async (bytes, signal, yields) => {
        release()
        room = await turns.wait(store, (owner) => budget.tryTake(owner, bytes, { yields }), {
          ms: waitMs,
          failure: noRoom,
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
}
