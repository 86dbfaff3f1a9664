import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { turn } from '../../../core/turns.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base, Module } from '../../module.ts'
import type { ProductsModule } from '../products/module.ts'
import { createProductDeletions } from './deletion.ts'
import { hintQueries } from './hint-queries.ts'
import { createHints } from './hints.ts'
import { createKeptRows } from './kept.ts'
import { parseFilters, requireConditions } from './parse.ts'
import { filterQueries } from './queries.ts'
import { filterRoutes } from './routes.ts'
import { FilterNode } from './schema.ts'
import { filterService } from './service.ts'
import { createWalks } from './walk.ts'

export interface FilterNeeds {
  products: Pick<ProductsModule['service'], 'writer'>
  reads: Pick<Reads, 'readDataVersion'>
}

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
 * match; the time of one step sets the size of the next. `kept.ts` keeps results until the products of the store
 * change, so further pages and repeated searches cost nothing. The hints find fields and values that no product has. A
 * test holds all of this against an evaluator without SQL.
 */
export function buildFilters({ db, clock }: Base, { products, reads }: FilterNeeds) {
  const { writer } = products
  const queries = filterQueries(db)
  const walks = createWalks({ queries, clock, turn })
  const hints = createHints({ queries: hintQueries(db), walks })
  const kept = createKeptRows()
  const filters = filterService({
    queries,
    walks,
    hints,
    kept,
    clock,
    // Other processes change products without this one's doing.
    readVersion: (storeId) => `${writer.version(storeId)}/${reads.readDataVersion()}`,
  })
  // One scan of a whole store at a time.
  const locked = createKeyedLock()
  const findAbsentKeys: typeof hints.findAbsentKeys = (storeId, keys) =>
    locked(storeId, () => hints.findAbsentKeys(storeId, keys))
  const deletions = createProductDeletions({ queries, filters, writer, turn })
  return {
    service: { ...filters, findAbsentKeys },
    schemas: { FilterNode },
    routes: (guards: Guards) => filterRoutes(guards, deletions),
    forgetStore(storeId: string): void {
      kept.forgetStore(storeId)
      hints.forgetStore(storeId)
    },
  } satisfies Module<object>
}
