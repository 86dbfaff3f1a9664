import type { createKeyedLock } from '../../../core/keyed-lock.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { Base } from '../../module.ts'
import type { KeptPictureQueries } from './kept-picture-queries.ts'
import type { DoomedPicture, StorageQueries } from './storage-queries.ts'

export interface SweeperDeps extends Pick<Base, 'clock' | 'atomically' | 'withoutFsync'> {
  queries: Pick<KeptPictureQueries, 'isKept'> &
    Pick<StorageQueries, 'noteReleased' | 'dropReleased' | 'forgetReleased' | 'postponeReleased'>
  files: Pick<PictureFiles, 'remove'>
  /** Keeps a file from being deleted while it is written. */
  fileLocked: ReturnType<typeof createKeyedLock>
}

/** A kept picture that no product uses is deleted after this time, so that a new one is not lost before its product is saved. */
export const UNUSED_AFTER_MS = 60_000

/** Rows in one transaction, which takes a millisecond or two of the event loop. */
const STEP = 50

/**
 * Deletes kept pictures that no product uses any more, when it is called every few seconds. The first call after a
 * product let a picture go starts the picture's time, and the first call after that time deletes it. A call during
 * another one joins that.
 */
export function createSweeper({ queries, files, fileLocked, atomically, withoutFsync, clock }: SweeperDeps) {
  let running: Promise<void> | undefined

  async function remove({ address, contentHash }: DoomedPicture): Promise<void> {
    const name = contentHash.toString('hex')
    await fileLocked(name, async () => {
      // The same picture may have arrived again since its row was dropped.
      if (!queries.isKept(contentHash)) await files.remove(name)
    })
    // Last, so that a crash before this leaves the file to the next sweep.
    withoutFsync(() => queries.forgetReleased(address))
  }

  async function run(): Promise<void> {
    const now = clock.now()
    const failures: unknown[] = []
    while (withoutFsync(() => queries.noteReleased(now, STEP)) === STEP) await nextTurn()
    for (let isMore = true; isMore; await nextTurn()) {
      const step = withoutFsync(() =>
        atomically(() => queries.dropReleased(now - UNUSED_AFTER_MS, now, STEP)),
      )
      for (const picture of step.doomed) {
        try {
          await remove(picture)
        } catch (error) {
          // A file that cannot be deleted must not keep the others.
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

/** Lets requests be answered between two steps, because thousands of pictures may be released at once. */
const nextTurn = (): Promise<void> => new Promise((done) => setImmediate(done))
