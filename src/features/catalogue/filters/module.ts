import { Elysia } from 'elysia'
import { ApiError } from '../../../core/errors.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { turn } from '../../../core/turns.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base, Module } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { ProductIndexService } from '../product-index/module.ts'
import type { ProductsModule } from '../products/module.ts'
import { createProductDeletions } from './deletion.ts'
import { fieldsRoutes } from './fields/routes.ts'
import { fieldsService } from './fields/service.ts'
import { hintQueries } from './hint-queries.ts'
import { createHints } from './hints.ts'
import { createKeptRows, type StoreState } from './kept.ts'
import { createMemoryFilter, type MemoryFilterDeps } from './memory-filter.ts'
import { parseFilters, requireConditions } from './parse.ts'
import { filterQueries } from './queries.ts'
import { filterRoutes } from './routes.ts'
import { FilterNode } from './schema.ts'
import { filterService } from './service.ts'
import { createWalks } from './walk.ts'

export interface FilterNeeds {
  products: Pick<ProductsModule['service'], 'writer'>
  index: Pick<ProductIndexService, 'getWhole'>
  storeRows: Pick<StoreQueries, 'countProducts'>
  reads: Pick<Reads, 'readDataVersion'>
}

export type FilterModule = ReturnType<typeof buildFilters>

/** Checks a filter that is stored for later. @throws ApiError, as `parse` of the service; for one that asks nothing, too. */
export function checkFilters(input: unknown, pointer: string): void {
  requireConditions(parseFilters(input, pointer), pointer)
}

/**
 * Wires filters: from what a client asks for to the rows of the products that pass, for searches and for deletions.
 * They lie above products, which they read in SQL and delete by the one writer.
 *
 * `parse.ts` checks a filter, and `condition-queries.ts` writes it as SQL that binds everything of the client, paths of
 * JSON included. `walk.ts` reads a store in steps along its age, or along the index of a category or brand that must
 * match; the time of one step sets the size of the next. Ids and names that must match come from their indexes.
 * `memory-filter.ts` answers searches from the columns of the product index where these have all that a filter asks for
 * (`slot-tests.ts`); deletions ask the database. `kept.ts` keeps results, so further pages and repeated searches cost
 * nothing; products that changed since are judged again. The hints find fields and values that no product has. A
 * test holds all of this against an evaluator without SQL. `fields/` counts fields and values for those who build a filter.
 */
export function buildFilters({ db, clock }: Base, { products, index, storeRows, reads }: FilterNeeds) {
  const { writer } = products
  const queries = filterQueries(db)
  const walks = createWalks({ queries, clock, turn })
  const hintReads = hintQueries(db)
  const hints = createHints({ queries: hintReads, walks })
  const kept = createKeptRows()
  // Other processes change products without this one's doing.
  const readState = (storeId: string): StoreState => ({
    change: writer.changes.latest(storeId),
    others: reads.readDataVersion(),
  })
  const fields = fieldsService({ queries: hintReads, walks, clock, readState })
  const filters = filterService({
    queries,
    walks,
    hints,
    kept,
    clock,
    memory: createMemoryFilter({
      queries,
      turn,
      countProducts: storeRows.countProducts,
      findIndexed: (storeId) => findIndexed(index, storeId),
    }),
    readState,
    listChangedSince: writer.changes.listSince,
  })
  // One scan of a whole store at a time.
  const locked = createKeyedLock()
  const findAbsentKeys: typeof hints.findAbsentKeys = (storeId, keys) =>
    locked(storeId, () => hints.findAbsentKeys(storeId, keys))
  const deletions = createProductDeletions({ queries, filters, writer, turn })
  return {
    service: {
      ...filters,
      findAbsentKeys,
      readFields: fields.read,
      findFields: fields.findCounted,
      /** The ids of the products in some rows, in the order of the rows. */
      listProductIds: (storeId: string, rows: readonly number[]): string[] =>
        queries.listProducts(storeId, rows).map(({ productId }) => productId),
    },
    schemas: { FilterNode },
    routes: (guards: Guards) =>
      new Elysia({ name: 'filters' }).use(filterRoutes(guards, deletions)).use(fieldsRoutes(guards, fields)),
    forgetStore(storeId: string): void {
      kept.forgetStore(storeId)
      hints.forgetStore(storeId)
      fields.forgetStore(storeId)
    },
  } satisfies Module<object>
}

/** A store of the index; undefined while the index, or this store in it, is not whole. */
function findIndexed(
  index: FilterNeeds['index'],
  storeId: string,
): ReturnType<MemoryFilterDeps['findIndexed']> {
  try {
    const store = index.getWhole().findStore(storeId)
    return store && { columns: store.columns, slots: store.segment.slots }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
