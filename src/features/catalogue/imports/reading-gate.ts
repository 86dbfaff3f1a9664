import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { createFairQueue } from '../../../platform/fair/fair-queue.ts'
import type { Base } from '../../module.ts'

/**
 * Files that are read at a time, of all stores; a store has one. Reading goes on in steps on the one event loop, which they
 * share. A file that takes long no longer counts among these, so that a few large ones keep no small one waiting; but it
 * does among all, because each holds memory.
 */
const AT_ONCE_MAX = 3
const ALL_MAX = 6
const LONG_MS = 5_000
/** How long a request waits for its turn; connections without a byte are closed later. */
const WAIT_MS = 20_000
/** How long the service's own work waits. */
const LONG_WAIT_MS = 10 * 60_000

export type ReadingGate = ReturnType<typeof createReadingGate>

export interface ReadingGateDeps extends Pick<Base, 'defer'> {
  /** Turns that nobody else uses. */
  turns: ReturnType<typeof createFairQueue>
  clock: Pick<Clock, 'monotonic'>
}

/** Lets files be read a few at a time: stores take turns. */
export function createReadingGate({ turns, clock, defer }: ReadingGateDeps) {
  /** Since when, by store. */
  const reading = new Map<string, number>()
  const take = (storeId: string): true | undefined => {
    const now = clock.monotonic()
    const young = [...reading.values()].filter((since) => now - since < LONG_MS).length
    if (young >= AT_ONCE_MAX || reading.size >= ALL_MAX || reading.has(storeId)) return undefined
    reading.set(storeId, now)
    defer(turns.serve, LONG_MS)
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
