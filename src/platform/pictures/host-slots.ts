import { createShares, type ShareLimits } from '../../core/shares.ts'
import { createFairQueue } from './fair-queue.ts'

export interface HostSlots {
  /**
   * Runs `work` as soon as the host has a free slot for the store. Stores take turns.
   *
   * @throws the error of `onTooLong` if no slot becomes free in time; `work` then never starts.
   */
  run<Value>(storeId: string, host: string, work: () => Promise<Value>): Promise<Value>
}

export interface HostSlotsOptions {
  limits: ShareLimits
  /** Longest wait for a slot, in ms. */
  waitMs: number
  onTooLong: (host: string) => Error
}

/**
 * Limits concurrent work per host, so that no catalogue floods the server that holds its pictures, and no store can fill
 * the slots of a host that another one needs.
 */
export const createHostSlots = ({ limits, waitMs, onTooLong }: HostSlotsOptions): HostSlots => {
  const hosts = new Map<
    string,
    { shares: ReturnType<typeof createShares>; turns: FairQueue; users: number }
  >()

  function enter(host: string) {
    const entry = hosts.get(host) ?? { shares: createShares(limits), turns: createFairQueue(), users: 0 }
    hosts.set(host, entry)
    entry.users += 1
    return entry
  }

  return {
    async run(storeId, host, work) {
      const entry = enter(host)
      try {
        const slot = await entry.turns.wait(storeId, (owner) => entry.shares.tryTake(owner), {
          ms: waitMs,
          failure: () => onTooLong(host),
        })
        try {
          return await work()
        } finally {
          slot.release()
          entry.turns.serve()
        }
      } finally {
        // Unused hosts are dropped, so that the map is never larger than the current work.
        entry.users -= 1
        if (entry.users === 0) hosts.delete(host)
      }
    },
  }
}

type FairQueue = ReturnType<typeof createFairQueue>
