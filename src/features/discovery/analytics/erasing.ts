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
  /** Forgets the last search of a session, which memory holds until the next keystroke. */
  forgetLast(storeId: string, sessionId: string): void
  ids: Pick<Ids, 'secret'>
  /** Runs work while nothing else uses the counters of a store. */
  alone<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>
}

const SECRET_BYTES = 32

export type Erasing = ReturnType<typeof createErasing>

/** Erases a shopper's session from the analytics. Sums stay. */
export function createErasing(deps: ErasingDeps) {
  const { days, columns, demand, atomically, withoutFsync } = deps
  const write = <Result>(work: () => Result): Result => withoutFsync(() => atomically(work))

  return {
    /** Deletes the rows about some searches. Call it in the transaction that deletes the searches. */
    forgetSearches(storeId: string, searchIds: readonly string[]): void {
      days.removeOfSearches(storeId, searchIds)
      demand.forgetSearches(storeId, searchIds)
    },

    /**
     * Erases the session itself. Call it once its searches are deleted. Sessions are counted by hash: one random number
     * replaces the hash in every day, so the numbers of distinct sessions stay.
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
