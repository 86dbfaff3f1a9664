import { dayOf } from '../../../core/days.ts'
import { placeHash } from '../../../core/distinct.ts'
import { eachAlone } from '../../../core/each-alone.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import { type Counts, join, MEASURES, writeBlock, readBlock } from './column-block.ts'
import type { PruneQueries } from './prune-queries.ts'
import {
  KINDS,
  PRODUCTS,
  QUERIES,
  REGISTERS,
  SESSIONS,
  type CounterDay,
  type CounterQueries,
  type CounterRow,
} from './counter-queries.ts'

export interface PackingDeps extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync'> {
  counters: CounterQueries
  prune: PruneQueries
  /** Waits for the readers of counters and keeps them out. */
  alone<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>
  /** Days that searches and events are kept. */
  historyDays: number
}

/** Days that counts are kept: a year, and time for the last of its nights. */
const KEPT_DAYS = 400

/** Rows that go into a block in one step. */
const ROWS_AT_ONCE = 2_000
/** A day with more sessions is packed as a sketch. */
const EXACT_SESSIONS_MAX = 1_500
const ITEMS_AT_ONCE = 5_000
const SEARCHES_AT_ONCE = 500

const EMPTY: Counts = {
  items: new Float64Array(0),
  measures: Array.from({ length: MEASURES }, () => new Float64Array(0)),
}

/** Packs the days that are over, and deletes counts that are too old. Both go in small steps. */
export function createPacking(deps: PackingDeps) {
  const { counters, prune, clock, atomically, withoutFsync, alone, historyDays, log } = deps

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
      const items = rows.map(([item]) => item)
      counters.touchItems(day, items)
    }
    return rows.length === ROWS_AT_ONCE
  }

  /** Turns the packed hashes of a busy day into a sketch, which is as large however many there are. */
  function sketch(day: CounterDay): void {
    const { items } = readDay(day)
    if (items.length <= EXACT_SESSIONS_MAX) return
    const ranks = new Map<number, number>()
    for (const hash of items) {
      const { register, rank } = placeHash(hash)
      ranks.set(register, Math.max(rank, ranks.get(register) ?? 0))
    }
    const rows = [...ranks].sort(([a], [b]) => a - b).map(([item, rank]): CounterRow => [item, rank, 0, 0, 0])
    const registers: CounterDay = { ...day, kind: REGISTERS }
    counters.setBlock(registers, writeBlock(join(readDay(registers), toCounts(rows), 'max')))
    counters.setBlock(day, writeBlock(EMPTY))
  }

  const write = <Result>(work: () => Result): Result => withoutFsync(() => atomically(work))

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

  async function pruneStore(storeId: string, today: number): Promise<void> {
    const before = today - KEPT_DAYS
    let isAny = false
    while (write(() => prune.removeOldestDay(storeId, before))) {
      isAny = true
      await turn()
    }
    // A search that is gone gets no feedback any more.
    const gone = today - historyDays - 1
    while (write(() => prune.removeSearches(storeId, gone, SEARCHES_AT_ONCE)) >= SEARCHES_AT_ONCE)
      await turn()
    if (!isAny) return
    write(() => prune.removeSources(storeId))
    for (const kind of [QUERIES, PRODUCTS] as const) {
      const size = counters.countNumbers(storeId, kind)
      for (let after = -1; after < size; after += ITEMS_AT_ONCE) {
        write(() => {
          const openDays = counters.listOpenDays(storeId, kind, 0, Number.MAX_SAFE_INTEGER)
          prune.freeItems({ storeId, kind, after, upTo: after + ITEMS_AT_ONCE, before, openDays })
        })
        await turn()
      }
    }
  }

  return {
    /** To be called every night, or more often. Yesterday stays open: late writes are cheaper there. */
    async run(): Promise<void> {
      const today = dayOf(clock.now())
      await eachAlone(
        prune.listStores(),
        (storeId) =>
          alone(storeId, async () => {
            for (const kind of KINDS) {
              for (const day of counters.listOpenDays(storeId, kind, 0, today - 2))
                await packDay({ storeId, kind, day })
            }
            await pruneStore(storeId, today)
          }),
        (err, storeId) => log.error({ err, store_id: storeId }, 'the counts of a store could not be packed'),
      )
    },
  }
}

function toCounts(rows: readonly CounterRow[]): Counts {
  // A count below zero takes back what is in the block.
  const column = (n: number) => Float64Array.from(rows, (row) => row[n] as number)
  return { items: column(0), measures: [column(1), column(2), column(3), column(4)] }
}
