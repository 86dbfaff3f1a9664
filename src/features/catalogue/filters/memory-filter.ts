import type { Turn } from '../../../core/turns.ts'
import type { StoreColumns } from '../product-index/columns.ts'
import type { Condition, Filter } from './filter.ts'
import type { FilterQueries } from './queries.ts'
import { makeSlotTest } from './slot-tests.ts'

export interface MemoryFilterDeps {
  queries: Pick<FilterQueries, 'listByNames' | 'listIds'>
  /** Undefined while the index cannot answer for the store. */
  findIndexed(storeId: string): { columns: Columns; slots: number } | undefined
  /** Products of the store in the database. */
  countProducts(storeId: string): number
  turn: Turn
}

type Columns = Pick<StoreColumns, 'readFields' | 'countProducts' | 'version'>

export type MemoryFilter = ReturnType<typeof createMemoryFilter>

/** Products of one name, or ids in one condition, that are looked up in one step: some 10 ms. */
export const NAMED_MAX = 2_000
/** Slots times conditions that are tested in one step: 2 to 8 ms. */
const STEP_TESTS = 1_048_576
/** How often a store may change during the steps before the database is asked. */
const TRIES = 3

/** Answers filters from the columns of the product index. */
export function createMemoryFilter({ queries, findIndexed, countProducts, turn }: MemoryFilterDeps) {
  /** Finds the products of a condition on names or ids; undefined for any other, and for too many. */
  function findNamed(storeId: string, condition: Condition): ReadonlySet<number> | undefined {
    if ('near' in condition || condition.test.op !== 'equals') return undefined
    const { field, test } = condition
    if (test.texts.length > NAMED_MAX) return undefined
    if (field.kind === 'own')
      return field.name === 'product_id' ? new Set(queries.listIds(storeId, test.texts)) : undefined
    if (field.name !== 'name' || test.texts.includes('')) return undefined
    const rows = queries.listByNames(storeId, test.texts, NAMED_MAX + 1)
    return rows.length > NAMED_MAX ? undefined : new Set(rows)
  }

  /** @returns undefined where the columns cannot tell, `changed` where they changed between two steps. */
  async function tryOnce(storeId: string, filter: Filter): Promise<Float64Array | 'changed' | undefined> {
    await turn()
    const indexed = findIndexed(storeId)
    if (!indexed) return undefined
    const { columns, slots } = indexed
    // Products whose first picture waits for a vector are not in the index.
    if (columns.countProducts() !== countProducts(storeId)) return undefined
    const version = columns.version()
    const fields = columns.readFields()
    const test = makeSlotTest(filter.root, fields, (condition) => findNamed(storeId, condition))
    if (!test) return undefined
    const step = Math.ceil(STEP_TESTS / Math.max(1, filter.conditions))
    const rows = new Float64Array(columns.countProducts())
    const passes = new Uint8Array(Math.min(step, slots))
    let count = 0
    for (let from = 0; from < slots; from += step) {
      if (from > 0) await turn()
      if (columns.version() !== version) return 'changed'
      const part = passes.subarray(0, Math.min(step, slots - from))
      test(part, from)
      for (let n = 0; n < part.length; n++)
        if (part[n] === 1 && fields.first[from + n] === 1) rows[count++] = fields.product[from + n] as number
    }
    return rows.subarray(0, count)
  }

  return {
    /**
     * Lists the rows of a store's products that pass a filter, as they are in one moment.
     *
     * @returns undefined for a filter that asks for other fields or operators, for a store that is not wholly in the index, and
     *   for one that changes all the time.
     */
    async listRows(storeId: string, filter: Filter): Promise<Float64Array | undefined> {
      if (filter.conditions === 0) return undefined
      for (let n = 0; n < TRIES; n++) {
        const rows = await tryOnce(storeId, filter)
        if (rows !== 'changed') return rows
      }
      return undefined
    },
  }
}
