import type { Clock } from '../../../core/clock.ts'
import { storageFailure } from '../../../core/storage.ts'
import type { Turn } from '../../../core/turns.ts'
import type { SaleQueries } from './sale-queries.ts'

export interface SalesDeps {
  queries: SaleQueries
  /** Runs a write as one transaction that does not wait for the disk: a lost one is repeated. */
  withoutFsync(write: () => void): void
  turn: Turn
  clock: Pick<Clock, 'now'>
}

export type Sales = ReturnType<typeof createSales>

/** Products that are written in one step. */
const STEP = 100

/** Keeps the prices by which lists are sorted current, as sales begin and end. */
export function createSales({ queries, withoutFsync, turn, clock }: SalesDeps) {
  /** Awaited before a list by price, so that it is exact at the moment of the request. */
  async function refresh(storeId: string, now = clock.now()): Promise<void> {
    while (queries.isDue(storeId, now)) {
      try {
        withoutFsync(() => queries.turn(storeId, now, STEP))
      } catch (error) {
        // A disk that takes no writes is no reason to refuse a read; the list is then as of the last write.
        if (storageFailure(error)) return
        throw error
      }
      await turn()
    }
  }

  return {
    refresh,

    /** The same for all stores, a step at a time for each. */
    async refreshAll(): Promise<void> {
      const now = clock.now()
      for (let storeId = queries.findDue(now); storeId !== undefined; storeId = queries.findDue(now)) {
        withoutFsync(() => queries.turn(storeId as string, now, STEP))
        await turn()
      }
    },
  }
}
