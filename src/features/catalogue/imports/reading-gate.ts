import { ApiError } from '../../../core/errors.ts'
import type { createFairQueue } from '../../../platform/pictures/fair-queue.ts'

/** Files that are read at a time, of all stores; a store has one. Reading goes on in steps on the one event loop. */
const AT_ONCE_MAX = 3
/** How long a request waits for its turn; connections without a byte are closed later. */
const WAIT_MS = 20_000
/** How long the service's own work waits. */
const LONG_WAIT_MS = 10 * 60_000

export type ReadingGate = ReturnType<typeof createReadingGate>

/** Lets files be read a few at a time: stores take turns. @param turns that nobody else uses. */
export function createReadingGate(turns: ReturnType<typeof createFairQueue>) {
  const reading = new Set<string>()
  const take = (storeId: string): true | undefined => {
    if (reading.size >= AT_ONCE_MAX || reading.has(storeId)) return undefined
    reading.add(storeId)
    return true
  }

  return {
    /**
     * Waits until a file of a store may be read.
     *
     * @param isPatient for work that no client waits for. @returns ends the turn; a second call does nothing.
     * @throws ApiError `overloaded` when the turn does not come in time, or the signal aborts.
     */
    async enter(
      storeId: string,
      { signal, isPatient = false }: { signal?: AbortSignal | undefined; isPatient?: boolean },
    ): Promise<() => void> {
      const ms = isPatient ? LONG_WAIT_MS : WAIT_MS
      await turns.wait(storeId, take, { ms, signal, failure: tooBusy })
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        reading.delete(storeId)
        turns.serve()
      }
    },
  }
}

const tooBusy = (): ApiError =>
  new ApiError(
    'overloaded',
    `One file of a store is read at a time, and ${AT_ONCE_MAX} of all stores. Others are being read: send this one again`,
    { retryAfterSeconds: 5 },
  )
