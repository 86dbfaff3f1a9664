import type { Clock } from '../../../../core/clock.ts'
import { turn } from '../../../../core/turns.ts'
import { hasItem, readBlock, renameItem, writeBlock } from './column-block.ts'
import type { CounterDay, CounterQueries } from './counter-queries.ts'
import { SESSIONS } from './kinds.ts'

export interface SessionRenamingDeps {
  counters: Pick<CounterQueries, 'listOpenDays' | 'renameRow' | 'listPackedDays' | 'findBlock' | 'setBlock'>
  clock: Pick<Clock, 'monotonic'>
  /** Runs a write in a transaction that does not wait for the disk. */
  write<Result>(work: () => Result): Result
}

/** Blocks that are looked through before others get their turn. */
const STEP_MS = 8

/** Gives the counts of one session to another hash. */
export function createSessionRenaming({ counters, clock, write }: SessionRenamingDeps) {
  function renameInBlock(day: CounterDay, from: number, to: number): boolean {
    const block = counters.findBlock(day)
    if (!block || !hasItem(block, from)) return false
    counters.setBlock(day, writeBlock(renameItem(readBlock(block), from, to)))
    return true
  }

  /** @returns the number of days that counted the session. */
  return async function renameSession(storeId: string, from: number, to: number): Promise<number> {
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
}
