import { type ByteBudget, budgetExhausted, type Reservation } from '../../core/byte-budget.ts'
import type { Yielding } from '../../core/shares.ts'
import { createFairQueue } from '../fair/fair-queue.ts'

/** Reserves this many bytes for a picture before they are read. A slow download gives way to another store's. */
export type ReserveBytes = (bytes: number, signal: AbortSignal, yields: Yielding) => Promise<void>

/** How often a waiting download checks whether another store's has become slow, in ms. */
const POLL_MS = 250

/**
 * Bounds the bytes of pictures that are downloaded and not yet used. Stores take turns.
 *
 * @param waitMs longest wait for the bytes, in ms.
 */
export function createPictureBudget(budget: ByteBudget, waitMs: number) {
  const turns = createFairQueue({ againMs: POLL_MS })
  budget.onFreed(turns.serve)

  /**
   * Downloads at once. The reservation shrinks to the size of the picture and is held until `until` settles.
   *
   * @throws ApiError `overloaded` when the bytes are not free in time.
   */
  return async function load(
    store: string,
    download: (reserve: ReserveBytes) => Promise<Uint8Array>,
    until: Promise<unknown>,
  ): Promise<Uint8Array> {
    let reservation: Reservation | undefined
    const release = () => reservation?.release()
    try {
      const picture = await download(async (bytes, signal, yields) => {
        release()
        reservation = await turns.wait(store, (owner) => budget.tryTake(owner, bytes, { yields }), {
          ms: waitMs,
          failure: budgetExhausted,
          signal,
        })
      })
      until.then(release, release)
      reservation?.shrinkTo(picture.length)
      return picture
    } catch (error) {
      release()
      throw error
    }
  }
}
