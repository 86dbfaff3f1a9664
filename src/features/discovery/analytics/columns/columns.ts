import type { Base } from '../../../module.ts'
import type { CounterDay, CounterQueries } from './counter-queries.ts'
import type { ItemQueries } from './item-queries.ts'
import { type ItemCounts, type Kind, toCells } from './kinds.ts'
import { createPacking } from './packing.ts'
import { createSessionRenaming } from './session-renaming.ts'
import { createSessions } from './sessions.ts'
import { createSums } from './sums.ts'
import { createWalk } from './walk.ts'

export interface ColumnsDeps extends Pick<Base, 'clock' | 'atomically' | 'withoutFsync'> {
  counters: CounterQueries
  items: Pick<ItemQueries, 'countNumbers' | 'touchItems'>
}

export type Columns = ReturnType<typeof createColumns>

/**
 * A column store. The bar: the report of 365 days with 10 million searches takes at most 300 ms and equals a naive count.
 *
 * `add` writes a row for each item of a day. `pack` turns the rows of a day that is over into one block of columns.
 * `sum` adds up a period: a year is 365 blocks, each added a column at a time. Rows that come after the packing stand beside the
 * block, and may be below zero. Items are small numbers (`item-queries.ts`), so a sum is an array by number. A day with more than
 * 1,500 sessions keeps a sketch of them (HyperLogLog) instead of their hashes. Nothing may read a store's counters while
 * they are packed.
 */
export function createColumns({ counters, items, clock, atomically, withoutFsync }: ColumnsDeps) {
  const write = <Result>(work: () => Result): Result => withoutFsync(() => atomically(work))
  const walk = createWalk({ counters, clock })

  return {
    /** Adds to the counts of an item on a day. Call it in a transaction. */
    add<K extends Kind>(day: CounterDay & { kind: K }, item: number, counts: ItemCounts<K>): void {
      counters.add({ ...day, item, ...toCells<K>(day.kind, counts) })
    },
    /** Does the same for an item that has a row already. @returns whether it has. */
    addToRow: <K extends Kind>(day: CounterDay & { kind: K }, item: number, counts: ItemCounts<K>): boolean =>
      counters.update({ ...day, item, ...toCells<K>(day.kind, counts) }),
    addImpressions: counters.addImpressions,
    countRows: counters.countRows,
    listOpenDays: counters.listOpenDays,
    ...createSums({ items, walk }),
    ...createSessions({ counters, walk }),
    pack: createPacking({ counters, items, write }),
    renameSession: createSessionRenaming({ counters, clock, write }),
  }
}
