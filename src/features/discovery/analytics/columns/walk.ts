import type { Clock } from '../../../../core/clock.ts'
import { turn } from '../../../../core/turns.ts'
import type { Days } from '../day-queries.ts'
import { openBlock } from './column-block.ts'
import type { CounterQueries, CounterRow } from './counter-queries.ts'
import type { Kind } from './kinds.ts'

/** Rows read at a time, and how long one step may hold the event loop. */
const ROWS_AT_ONCE = 2_000
const STEP_MS = 8

export interface WalkDeps {
  counters: Pick<CounterQueries, 'listPackedDays' | 'findBlock' | 'listOpenDays' | 'listRows'>
  clock: Pick<Clock, 'monotonic'>
}

/** Receives the counters of a period. A day may have a block and rows that came later. */
export interface Visitor {
  visitBlock(block: Buffer, day: number): void
  visitRow(row: CounterRow, day: number): void
}

export type Walk = ReturnType<typeof createWalk>

/** Reads the counters of a period in small steps: blocks in one go each, then the rows of open days. */
export function createWalk({ counters, clock }: WalkDeps) {
  return async function walk({ storeId, from, to }: Days, kind: Kind, visitor: Visitor): Promise<void> {
    let begin = clock.monotonic()
    const breathe = async () => {
      if (clock.monotonic() - begin < STEP_MS) return
      await turn()
      begin = clock.monotonic()
    }
    for (const day of counters.listPackedDays(storeId, kind, from, to)) {
      const block = counters.findBlock({ storeId, kind, day })
      if (block) visitor.visitBlock(block, day)
      await breathe()
    }
    for (const day of counters.listOpenDays(storeId, kind, from, to)) {
      for (let after = -1; ; ) {
        const rows = counters.listRows({ storeId, kind, day }, after, ROWS_AT_ONCE)
        for (const row of rows) visitor.visitRow(row, day)
        if (rows.length < ROWS_AT_ONCE) break
        after = rows.at(-1)?.[0] as number
        await breathe()
      }
      await breathe()
    }
  }
}

/** Hands each item of a block to a function, with its first count. */
export function readItems(block: Buffer, read: (item: number, count: number) => void): void {
  const { length, distances, measures } = openBlock(block)
  const [counts] = measures
  let item = 0
  for (let n = 0; n < length; n++) {
    item += distances?.[n] ?? 0
    read(item, counts?.[n] ?? 0)
  }
}
