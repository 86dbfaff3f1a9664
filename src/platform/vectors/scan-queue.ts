import { ApiError } from '../../core/errors.ts'
import { createPlaces } from '../fair/places.ts'

export type ScanQueue = ReturnType<typeof createScanQueue>

/** A scan of a million vectors takes some 10 ms, so the last in the queue waits for two or three seconds. */
const WAITING_MAX = 256

const RETRY_AFTER_SECONDS = 1

const ONE_AT_A_TIME = { max: 1, perOwnerMax: 1, firstMax: 1, extraMax: 0 }

/**
 * Runs scans one after another, because each uses all threads. Stores take turns, so a store that sends many searches
 * waits for itself; when the queue is full, the store with the most waiting scans loses its youngest.
 */
export function createScanQueue(waitingMax = WAITING_MAX) {
  const places = createPlaces({ limits: [ONE_AT_A_TIME], waitingMax, failure: overloaded })
  /** Scans of each store that wait. */
  const waiting = new Map<string, number>()

  function count(store: string, change: 1 | -1): void {
    const now = (waiting.get(store) ?? 0) + change
    if (now > 0) waiting.set(store, now)
    else waiting.delete(store)
  }

  return {
    /** Runs `work` when its turn comes. @throws ApiError `overloaded` when too many wait. */
    async run<Result>(store: string, work: () => Promise<Result>): Promise<Result> {
      let isWaiting = true
      const stopWaiting = () => {
        if (isWaiting) count(store, -1)
        isWaiting = false
      }
      count(store, 1)
      try {
        return await places.run({ store }, () => {
          stopWaiting()
          return work()
        })
      } finally {
        stopWaiting()
      }
    },

    /** Whether another store waits for a scan. */
    isWantedByOthers: (store: string): boolean =>
      waiting.size > 1 || (waiting.size === 1 && !waiting.has(store)),
  }
}

const overloaded = (): ApiError =>
  new ApiError('overloaded', 'Too many searches of large stores are waiting', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
