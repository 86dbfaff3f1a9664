import type { Month } from '../../../core/months.ts'
import type { UsageQueries } from './queries.ts'

export interface CallCountDeps {
  queries: Pick<UsageQueries, 'addCalls' | 'readMonth'>
  thisMonth(): Month
  /** Runs a write with others in a group, within half a second. @param undone called if it could not be written. */
  enqueueWrite(write: () => void, undone: () => void): void
  /** Whether the counts of a store stay in memory for now, because it is moving. */
  isHeld(storeId: string): boolean
}

/** Counts by month, then by store. */
type Counts = Map<string, Map<string, number>>

export type CallCounts = ReturnType<typeof createCallCounts>

/**
 * Counts the requests that spend the budget of a plan, in memory; the sums are written in groups. A crash loses the last
 * half second. What cannot be written, as on a full disk, is kept and written with the next group.
 */
export function createCallCounts({ queries, thisMonth, enqueueWrite, isHeld }: CallCountDeps) {
  let counted: Counts = new Map()
  /** What the present group has written, as long as it may be undone. */
  let written: Counts = new Map()
  let isQueued = false

  function add(counts: Counts, month: string, storeId: string, calls: number): void {
    const stores = counts.get(month) ?? new Map<string, number>()
    counts.set(month, stores)
    stores.set(storeId, (stores.get(storeId) ?? 0) + calls)
  }

  function write(): void {
    isQueued = false
    written = counted
    counted = new Map()
    for (const [month, stores] of written) {
      for (const [storeId, calls] of stores) {
        if (!isHeld(storeId)) {
          queries.addCalls(storeId, month, calls)
          continue
        }
        stores.delete(storeId)
        add(counted, month, storeId, calls)
      }
    }
    if (counted.size === 0) return
    isQueued = true
    enqueueWrite(write, keep)
  }

  /** Takes back the group that could not be written. */
  function keep(): void {
    isQueued = false
    for (const [month, stores] of written) {
      for (const [storeId, calls] of stores) add(counted, month, storeId, calls)
    }
    written = new Map()
  }

  return {
    /** Counts one request. */
    count(storeId: string): void {
      add(counted, thisMonth().name, storeId, 1)
      if (isQueued) return
      isQueued = true
      // The group before is on the disk, or was taken back.
      written = new Map()
      enqueueWrite(write, keep)
    },

    /** The requests of a store in a month, those that are not written yet included. */
    read: (storeId: string, month: string): number =>
      queries.readMonth(storeId, month).apiCalls + (counted.get(month)?.get(storeId) ?? 0),

    forgetStore(storeId: string): void {
      for (const stores of counted.values()) stores.delete(storeId)
    },
  }
}
