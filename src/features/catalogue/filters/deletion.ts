import type { CallerStore, Standing } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Turn } from '../../../core/turns.ts'
import type { ProductWriter } from '../products/writer.ts'
import { createFailures } from './failures.ts'
import { parseFilters, requireConditions } from './parse.ts'
import type { FilterQueries } from './queries.ts'
import type { DeletedProducts, ProductDeletion } from './schema.ts'
import type { FilterService } from './service.ts'

export interface DeletionDeps {
  queries: Pick<FilterQueries, 'preparePass' | 'listProducts'>
  filters: Pick<FilterService, 'resolve'>
  writer: Pick<ProductWriter, 'remove'>
  turn: Turn
}

/** Products whose deletions are queued at a time; more would keep other writes waiting. */
const GROUP = 32

const KEYS = ['filters', 'dry_run'] as const

export type ProductDeletions = ReturnType<typeof createProductDeletions>

/** Deletes what passes a filter (contract 2.4). */
export function createProductDeletions({ queries, filters, writer, turn }: DeletionDeps) {
  return {
    /**
     * DELETE /v1/products. Each product is deleted for itself, as by its id, and only if it still passes. One request
     * deletes a bounded number, the oldest first; what is deleted before a fault stays deleted.
     *
     * @throws ApiError `validation_error` without a condition or with an unknown field, and the codes of `parseFilters`.
     */
    async run(
      { id: storeId }: Pick<CallerStore, 'id'>,
      body: ProductDeletion,
      author?: Standing,
    ): Promise<DeletedProducts> {
      requireKnownKeys(body)
      if (body.filters === undefined) throw createFailures().invalid('/filters', 'required', 'is required')
      const filter = parseFilters(body.filters, '/filters')
      requireConditions(filter, '/filters')
      // What is deleted is looked up where it is kept.
      const { rows, warnings } = await filters.resolve(storeId, filter, 'database')
      const chosen = Iterator.from(rows).take(LIMITS.deletedByFilterMax).toArray()
      const passes = queries.preparePass(filter.root)
      const shown: string[] = []
      let deleted = 0
      for (let from = 0; from < chosen.length; from += GROUP) {
        const products = queries.listProducts(storeId, chosen.slice(from, from + GROUP))
        if (body.dry_run) {
          shown.push(...products.map(({ productId }) => productId))
          if (shown.length >= LIMITS.deletedIdsShown) break
          continue
        }
        const results = await Promise.all(
          products.map(({ id, productId }) =>
            writer.remove(storeId, productId, (row) => row.id === id && passes(storeId, id), {
              kind: 'client',
              author,
            }),
          ),
        )
        for (const [n, { productId }] of products.entries()) {
          if (!results[n]) continue
          deleted++
          if (shown.length < LIMITS.deletedIdsShown) shown.push(productId)
        }
        await turn()
      }
      const done = body.dry_run ? 0 : chosen.length
      return {
        status: body.dry_run ? 'dry_run' : 'deleted',
        matched: rows.size,
        deleted,
        remaining: rows.size - done,
        product_ids: shown.slice(0, LIMITS.deletedIdsShown),
        ...(warnings.length > 0 && { warnings }),
      }
    },
  }
}

/** A misspelt `dry_run` must not delete anything. @throws ApiError `validation_error` */
function requireKnownKeys(body: object): void {
  const fail = createFailures()
  for (const key in body) {
    if (!(KEYS as readonly string[]).includes(key)) {
      throw fail.invalid(`/${fail.token(key)}`, 'unknown', 'is unknown here', KEYS)
    }
  }
}
