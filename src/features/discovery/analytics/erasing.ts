import type { Clock } from '../../../core/clock.ts'
import { hashName } from '../../../core/distinct.ts'
import type { Ids } from '../../../core/ids.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { DayQueries } from './day-queries.ts'
import { hasItem, writeBlock, renameItem, readBlock } from './column-block.ts'
import { SESSIONS, type CounterDay, type CounterQueries } from './counter-queries.ts'
import type { createDemand } from './unmet/demand.ts'

export interface ErasingDeps extends Pick<Base, 'atomically' | 'withoutFsync'> {
  days: Pick<DayQueries, 'removeOfSearches'>
  counters: Pick<CounterQueries, 'listOpenDays' | 'renameRow' | 'listPackedDays' | 'findBlock' | 'setBlock'>
  demand: Pick<ReturnType<typeof createDemand>, 'forgetSearches' | 'cleanMap'>
  /** Forgets the last search of a session, which waits in memory for the next keystroke. */
  forgetLast(storeId: string, sessionId: string): void
  clock: Pick<Clock, 'monotonic'>
  ids: Pick<Ids, 'secret'>
  /** Waits for the readers of counters and keeps them out. */
  alone<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>
}

const SECRET_BYTES = 32

/** Blocks that are looked through before others get their turn. */
const STEP_MS = 8

export type Erasing = ReturnType<typeof createErasing>

/** Takes a shopper's session out of the analytics. The sums stay. */
export function createErasing(deps: ErasingDeps) {
  const { days, counters, demand, clock, atomically, withoutFsync } = deps
  const write = <Result>(work: () => Result): Result => withoutFsync(() => atomically(work))

  function renameInBlock(day: CounterDay, from: number, to: number): boolean {
    const block = counters.findBlock(day)
    if (!block || !hasItem(block, from)) return false
    counters.setBlock(day, writeBlock(renameItem(readBlock(block), from, to)))
    return true
  }

  /**
   * Sessions are counted by their hashes. The hash of this one gives way to the same random number in every day that
   * counts it, so that the numbers of distinct sessions stay.
   *
   * @returns in how many days.
   */
  async function renameEverywhere(storeId: string, sessionId: string): Promise<number> {
    const from = hashName(storeId, sessionId)
    const to = hashName(storeId, deps.ids.secret(SECRET_BYTES))
    const found = new Set<number>()
    const kind = SESSIONS
    write(() => {
      for (const day of counters.listOpenDays(storeId, kind, 0, Number.MAX_SAFE_INTEGER))
        if (counters.renameRow({ storeId, kind, day }, from, to)) found.add(day)
    })
    let begin = clock.monotonic()
    for (const day of counters.listPackedDays(storeId, kind, 0, Number.MAX_SAFE_INTEGER)) {
      if (write(() => renameInBlock({ storeId, kind, day }, from, to))) found.add(day)
      if (clock.monotonic() - begin < STEP_MS) continue
      await turn()
      begin = clock.monotonic()
    }
    return found.size
  }

  return {
    /** Deletes what is kept about single searches. Call it in the transaction that deletes them. */
    forgetSearches(storeId: string, searchIds: readonly string[]): void {
      days.removeOfSearches(storeId, searchIds)
      demand.forgetSearches(storeId, searchIds)
    },

    /** Erases the session itself, once its searches are gone. @returns the number of days that counted it. */
    async eraseSession(storeId: string, sessionId: string): Promise<number> {
      deps.forgetLast(storeId, sessionId)
      const count = await deps.alone(storeId, () => renameEverywhere(storeId, sessionId))
      write(() => demand.cleanMap(storeId))
      return count
    },
  }
}
