import { turn } from '../../../../core/turns.ts'
import { COLUMN_COUNT, type Counts, join, readBlock, writeBlock } from './column-block.ts'
import type { CounterDay, CounterQueries, CounterRow } from './counter-queries.ts'
import type { ItemQueries } from './item-queries.ts'
import { KINDS, PRODUCTS, QUERIES, REGISTERS, SESSIONS } from './kinds.ts'
import { toRegisters } from './sessions.ts'

export interface PackingDeps {
  counters: Pick<CounterQueries, 'listOpenDays' | 'listRows' | 'removeRows' | 'findBlock' | 'setBlock'>
  items: Pick<ItemQueries, 'touchItems'>
  /** Runs a write in a transaction that does not wait for the disk. */
  write<Result>(work: () => Result): Result
}

/** Rows that go into a block in one step. */
const ROWS_AT_ONCE = 2_000
/** A day with more sessions is packed as a sketch. */
const EXACT_SESSIONS_MAX = 1_500

const EMPTY: Counts = {
  items: new Float64Array(0),
  measures: Array.from({ length: COLUMN_COUNT }, () => new Float64Array(0)),
}

/** Packs the rows of a day into a column block, in small steps. */
export function createPacking({ counters, items, write }: PackingDeps) {
  const readDay = (day: CounterDay): Counts => {
    const block = counters.findBlock(day)
    return block ? readBlock(block) : EMPTY
  }

  /** Moves some rows of a day into its block. @returns whether rows are left. */
  function packSome(day: CounterDay): boolean {
    const rows = counters.listRows(day, -1, ROWS_AT_ONCE)
    const last = rows.at(-1)
    if (!last) return false
    const counts = join(readDay(day), toCounts(rows), day.kind === REGISTERS ? 'max' : 'sum')
    counters.setBlock(day, writeBlock(counts))
    counters.removeRows(day, last[0])
    if (day.kind === QUERIES || day.kind === PRODUCTS) {
      items.touchItems(
        day,
        rows.map(([item]) => item),
      )
    }
    return rows.length === ROWS_AT_ONCE
  }

  /** Turns the packed hashes of a busy day into a sketch, whose size does not grow with them. */
  function sketch(day: CounterDay): void {
    const { items: hashes } = readDay(day)
    if (hashes.length <= EXACT_SESSIONS_MAX) return
    const registers: CounterDay = { ...day, kind: REGISTERS }
    counters.setBlock(registers, writeBlock(join(readDay(registers), toCounts(toRegisters(hashes)), 'max')))
    counters.setBlock(day, writeBlock(EMPTY))
  }

  async function packDay(day: CounterDay): Promise<void> {
    for (let isMore = true; isMore; ) {
      isMore = write(() => {
        const hasMore = packSome(day)
        if (!hasMore && day.kind === SESSIONS) sketch(day)
        return hasMore
      })
      await turn()
    }
  }

  /** Packs the open days of a store up to one of them. Rows that come later are packed into the block that is there. */
  return async function pack(storeId: string, upTo: number): Promise<void> {
    for (const kind of KINDS)
      for (const day of counters.listOpenDays(storeId, kind, 0, upTo)) await packDay({ storeId, kind, day })
  }
}

function toCounts(rows: readonly CounterRow[]): Counts {
  // A negative count takes back a part of the block.
  const column = (n: number) => Float64Array.from(rows, (row) => row[n] as number)
  return { items: column(0), measures: [column(1), column(2), column(3), column(4)] }
}
