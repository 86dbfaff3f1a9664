import type { Clock } from '../../../core/clock.ts'
import type { createKeyedLock } from '../../../core/keyed-lock.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { ProductQueries } from './queries.ts'
import type { DoomedPicture, StorageQueries } from './storage-queries.ts'

export interface SweeperDeps {
  queries: Pick<ProductQueries, 'isKept'> &
    Pick<StorageQueries, 'noteReleased' | 'dropReleased' | 'forgetReleased' | 'postponeReleased'>
  files: Pick<PictureFiles, 'remove'>
  /** One file is not deleted while it is written. */
  fileLocked: ReturnType<typeof createKeyedLock>
  clock: Clock
}

/** A kept picture that no product uses is deleted after this time, so that one on its way in is never lost. */
export const UNUSED_AFTER_MS = 60_000

/** Rows in one transaction: a millisecond or two of the loop. */
const STEP = 50

/**
 * Deletes kept pictures that nobody needs any more. To be called every few seconds: the first call after a product let
 * a picture go starts its time, the first one after that time deletes it. One call at a time.
 */
export function createSweeper({ queries, files, fileLocked, clock }: SweeperDeps) {
  let running: Promise<void> | undefined

  async function remove({ address, contentHash }: DoomedPicture): Promise<void> {
    const name = contentHash.toString('hex')
    await fileLocked(name, async () => {
      // The same picture may have arrived again while others were deleted.
      if (!queries.isKept(contentHash)) await files.remove(name)
    })
    // Last, so that a crash before leaves the file to the next sweep.
    queries.forgetReleased(address)
  }

  async function run(): Promise<void> {
    const now = clock.now()
    const failures: unknown[] = []
    while (queries.noteReleased(now, STEP) === STEP) await nextTurn()
    for (let isMore = true; isMore; await nextTurn()) {
      const step = queries.dropReleased(now - UNUSED_AFTER_MS, now, STEP)
      for (const picture of step.doomed) {
        try {
          await remove(picture)
        } catch (error) {
          // One file that cannot be deleted keeps no other.
          failures.push(error)
          queries.postponeReleased(picture.address, now)
        }
      }
      isMore = step.isMore
    }
    if (failures.length > 0) throw failures[0]
  }

  return (): Promise<void> => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}

/** Thousands of pictures may be let go at once; requests are answered between the steps. */
const nextTurn = (): Promise<void> => new Promise((done) => setImmediate(done))
