import type { CallerStore } from '../../../core/actor.ts'
import { ApiError } from '../../../core/errors.ts'
import { PLANS } from '../../../core/plans.ts'
import { turn } from '../../../core/turns.ts'
import type { ProductQueries } from '../products/queries.ts'
import type { ProductService } from '../products/service.ts'
import type { DemoProduct } from './catalogue.ts'
import type { DemoInstalled, DemoRemoved } from './schema.ts'

export interface DemoDeps {
  catalogue: readonly DemoProduct[]
  readPicture(name: string): Promise<Uint8Array>
  products: Pick<ProductService, 'index' | 'removeDemo'>
  queries: Pick<ProductQueries, 'find' | 'count' | 'demoIds'>
}

export type DemoService = ReturnType<typeof demoService>

export function demoService({ catalogue, readPicture, products, queries }: DemoDeps) {
  return {
    /**
     * Indexes the demo products that the store does not have yet (spec §4.2); calling it again does no harm. A product
     * of the store's own with the same id is left alone.
     *
     * @throws ApiError `product_limit_exceeded` when the plan has no room for all of them; nothing is installed then.
     *   `storage_limit_exceeded` for those whose picture finds no room any more.
     */
    async install(store: CallerStore): Promise<DemoInstalled> {
      const { id: storeId, plan: plan_name } = store
      const missing = catalogue.filter(({ product_id }) => !queries.find(storeId, product_id))
      const max_products = PLANS[plan_name].productsMax
      const products_count = queries.count(storeId)
      if (products_count + missing.length > max_products) {
        throw new ApiError(
          'product_limit_exceeded',
          `The plan ${plan_name} has no room for the demo products`,
          {
            details: { plan_name, max_products, products_count },
          },
        )
      }
      const written = await Promise.all(
        missing.map(({ product_id, picture, metadata }) =>
          products.index(store, {
            productId: product_id,
            sources: [{ upload: { bytes: () => readPicture(picture) } }],
            metadata,
            isDemo: true,
          }),
        ),
      )
      const ids = catalogue.map(({ product_id }) => product_id)
      const installed = written.filter(({ isNew }) => isNew).length
      return { status: 'installed', installed, skipped: ids.length - installed, products: ids }
    },

    /** Deletes the demo products, and nothing else. */
    async remove(storeId: string): Promise<DemoRemoved> {
      const ids: string[] = []
      for (const id of queries.demoIds(storeId)) {
        if (await products.removeDemo(storeId, id)) ids.push(id)
        // Forty deletions in one go would hold everybody up.
        await turn()
      }
      return { status: 'deleted', deleted: ids.length, products: ids }
    },
  }
}
