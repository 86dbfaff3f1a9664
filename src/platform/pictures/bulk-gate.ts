import { ApiError } from '../../core/errors.ts'
import { createFairQueue } from './fair-queue.ts'

export interface BulkGateOptions {
  /** Downloads of jobs at a time: in total, of one store, and from one host. Each is less than all downloads may be. */
  atOnceMax: number
  perStoreMax: number
  perHostMax: number
  /** Ends every wait when the service stops. */
  stop?: AbortSignal | undefined
}

/** The longest wait for a turn, in ms. A job bounds how many of its downloads wait. */
const WAIT_MS = 5 * 60_000

/**
 * Creates the gate before the line of downloads: those of jobs pass it first. So a job never takes the last place in the
 * line or at a host, and its pictures may wait for a slow server for longer than a client would. Stores take turns.
 */
export function createBulkGate({ atOnceMax, perStoreMax, perHostMax, stop }: BulkGateOptions) {
  const turns = createFairQueue()
  const counts = new Map<string, number>()
  const count = (key: string): number => counts.get(key) ?? 0

  function add(key: string, number: 1 | -1): void {
    const sum = count(key) + number
    if (sum === 0) counts.delete(key)
    else counts.set(key, sum)
  }

  return async function pass<Value>(
    storeId: string,
    host: string,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const keys = [ALL, `store ${storeId}`, `host ${host}`]
    const [all, store, ofHost] = keys as [string, string, string]
    const grant = (): true | undefined => {
      if (count(all) >= atOnceMax || count(store) >= perStoreMax || count(ofHost) >= perHostMax)
        return undefined
      for (const key of keys) add(key, 1)
      return true
    }
    // Each host of a store queues by itself, so that a slow one does not hold up the others.
    await turns.wait(`${storeId} ${host}`, grant, { ms: WAIT_MS, signal: stop, failure: waitedTooLong })
    try {
      return await work()
    } finally {
      for (const key of keys) add(key, -1)
      turns.serve()
    }
  }
}

const ALL = 'all'

const waitedTooLong = () =>
  new ApiError('overloaded', 'Too many pictures of jobs are being downloaded', { retryAfterSeconds: 5 })
