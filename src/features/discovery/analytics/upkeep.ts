import { dayOf } from '../../../core/days.ts'
import { eachAlone } from '../../../core/each-alone.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { Columns } from './columns/columns.ts'
import type { ItemQueries } from './columns/item-queries.ts'
import { PRODUCTS, QUERIES } from './columns/kinds.ts'
import type { PruneQueries } from './prune-queries.ts'

export interface UpkeepDeps extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync'> {
  columns: Pick<Columns, 'pack' | 'listOpenDays'>
  items: Pick<ItemQueries, 'countNumbers'>
  prune: PruneQueries
  /** Runs work while nothing else uses the counters of a store. */
  alone<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>
  /** Days that searches and events are kept. */
  historyDays: number
}

/** Days that counts are kept: a year and some reserve. */
const KEPT_DAYS = 400

const ITEMS_AT_ONCE = 5_000
const SEARCHES_AT_ONCE = 500

/** Packs the days that are over, and deletes counts that are too old. Both go in small steps. */
export function createUpkeep(deps: UpkeepDeps) {
  const { columns, items, prune, clock, atomically, withoutFsync, alone, historyDays, log } = deps
  const write = <Result>(work: () => Result): Result => withoutFsync(() => atomically(work))

  async function pruneStore(storeId: string, today: number): Promise<void> {
    const before = today - KEPT_DAYS
    let isAny = false
    while (write(() => prune.removeOldestDay(storeId, before))) {
      isAny = true
      await turn()
    }
    // Feedback no longer finds a deleted search.
    const gone = today - historyDays - 1
    while (write(() => prune.removeSearches(storeId, gone, SEARCHES_AT_ONCE)) >= SEARCHES_AT_ONCE)
      await turn()
    if (!isAny) return
    write(() => prune.removeSources(storeId))
    for (const kind of [QUERIES, PRODUCTS] as const) {
      const size = items.countNumbers(storeId, kind)
      for (let after = -1; after < size; after += ITEMS_AT_ONCE) {
        write(() => {
          const openDays = columns.listOpenDays(storeId, kind, 0, Number.MAX_SAFE_INTEGER)
          prune.freeItems({ storeId, kind, after, upTo: after + ITEMS_AT_ONCE, before, openDays })
        })
        await turn()
      }
    }
  }

  return {
    /** Call it every night, or more often. Yesterday stays open, because late writes are cheaper there. */
    async run(): Promise<void> {
      const today = dayOf(clock.now())
      await eachAlone(
        prune.listStores(),
        (storeId) =>
          alone(storeId, async () => {
            await columns.pack(storeId, today - 2)
            await pruneStore(storeId, today)
          }),
        (err, storeId) => log.error({ err, store_id: storeId }, 'the counts of a store could not be packed'),
      )
    },
  }
}
