import { hashName } from '../../../core/distinct.ts'
import type { Ids } from '../../../core/ids.ts'
import type { Base } from '../../module.ts'
import type { Columns } from './columns/columns.ts'
import type { DayQueries } from './day-queries.ts'
import type { createDemand } from './unmet/demand.ts'

export interface ErasingDeps extends Pick<Base, 'atomically' | 'withoutFsync'> {
  days: Pick<DayQueries, 'removeOfSearches'>
  columns: Pick<Columns, 'renameSession'>
  demand: Pick<ReturnType<typeof createDemand>, 'forgetSearches' | 'cleanMap'>
  /** Forgets the last search of a session, which waits in memory for the next keystroke. */
  forgetLast(storeId: string, sessionId: string): void
  ids: Pick<Ids, 'secret'>
  /** Waits for the readers of a store's counters and keeps them out. */
  alone<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>
}

const SECRET_BYTES = 32

export type Erasing = ReturnType<typeof createErasing>

/** Takes a shopper's session out of the analytics. The sums stay. */
export function createErasing(deps: ErasingDeps) {
  const { days, columns, demand, atomically, withoutFsync } = deps
  const write = <Result>(work: () => Result): Result => withoutFsync(() => atomically(work))

  return {
    /** Deletes what is kept about single searches. Call it in the transaction that deletes them. */
    forgetSearches(storeId: string, searchIds: readonly string[]): void {
      days.removeOfSearches(storeId, searchIds)
      demand.forgetSearches(storeId, searchIds)
    },

    /**
     * Erases the session itself, once its searches are gone. Sessions are counted by their hashes: the hash of this one gives
     * way to the same random number in every day, so the numbers of distinct sessions stay.
     *
     * @returns the number of days that counted it.
     */
    async eraseSession(storeId: string, sessionId: string): Promise<number> {
      deps.forgetLast(storeId, sessionId)
      const count = await deps.alone(storeId, () =>
        columns.renameSession(
          storeId,
          hashName(storeId, sessionId),
          hashName(storeId, deps.ids.secret(SECRET_BYTES)),
        ),
      )
      write(() => demand.cleanMap(storeId))
      return count
    },
  }
}
