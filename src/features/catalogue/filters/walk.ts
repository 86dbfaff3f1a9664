import type { Clock } from '../../../core/clock.ts'
import type { Turn } from '../../../core/turns.ts'
import type { FilterQueries } from './queries.ts'
import { type Scope, START, type Stretch } from './stretch-queries.ts'

/** The aim for the duration of one step, in ms: others wait for it. */
const STEP_MS = 4
const STEP_MS_MAX = 8
const PRODUCTS_FIRST = 8
/** Items between two turns, however little they take. */
const ITEMS_MAX = 100
const PRODUCTS_MIN = 4
const PRODUCTS_MAX = 16_000
/** Fields of all products of a step that one step reads: the next products may have ten times as many keys as the last. */
const FIELDS_MAX = 4_000

export interface WalkDeps {
  queries: Pick<FilterQueries, 'findPlace'>
  clock: Pick<Clock, 'monotonic'>
  turn: Turn
}

export type Walks = ReturnType<typeof createWalks>

/**
 * Reads many products in steps, each in its own turn of the event loop. The cost of a step depends on the filter and on
 * the metadata, so the next step is larger or smaller by what the last one took.
 */
export function createWalks({ queries, clock, turn }: WalkDeps) {
  /** @returns the size of the next step. */
  function adapt(size: number, tookMs: number): number {
    if (tookMs > STEP_MS_MAX) return Math.max(PRODUCTS_MIN, Math.floor((size * STEP_MS) / tookMs))
    return tookMs < STEP_MS ? Math.min(PRODUCTS_MAX, size * 2) : size
  }

  return {
    /**
     * Walks along the products of a store, by their age.
     *
     * @param visit reads a stretch; false ends the walk.
     * @param fields how many fields `visit` reads of each product.
     */
    async alongStore(
      storeId: string,
      scope: Scope,
      visit: (stretch: Stretch) => boolean | undefined,
      fields = 1,
    ): Promise<void> {
      const most = fields > 1 ? Math.max(PRODUCTS_MIN, Math.floor(FIELDS_MAX / fields)) : PRODUCTS_MAX
      let size = PRODUCTS_FIRST
      for (let after = START; ; ) {
        await turn()
        const begin = clock.monotonic()
        const until = queries.findPlace(storeId, scope, after, size)
        if (visit({ after, until }) === false || !until) return
        after = until
        size = Math.min(most, adapt(size, clock.monotonic() - begin))
      }
    },

    /** Visits each of some items. One of them must be cheap; finding the next one counts, too. */
    async alongItems<Item>(items: Iterable<Item>, visit: (item: Item) => void): Promise<void> {
      await turn()
      let [begin, seen] = [clock.monotonic(), 0]
      for (const item of items) {
        visit(item)
        if (++seen % ITEMS_MAX > 0 && clock.monotonic() - begin < STEP_MS) continue
        await turn()
        begin = clock.monotonic()
      }
    },

    /** Walks along some rows. */
    async alongRows(rows: Iterable<number>, visit: (rows: number[]) => void): Promise<void> {
      let size = PRODUCTS_FIRST
      let step: number[] = []
      const take = async () => {
        await turn()
        const begin = clock.monotonic()
        visit(step)
        size = adapt(size, clock.monotonic() - begin)
        step = []
      }
      for (const row of rows) {
        step.push(row)
        if (step.length >= size) await take()
      }
      if (step.length > 0) await take()
    },
  }
}
