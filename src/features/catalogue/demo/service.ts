import type { CallerStore, Standing } from '../../../core/actor.ts'
import { mapInOrder } from '../../../core/map-in-order.ts'
import { productLimitExceeded } from '../../../core/plan-limits.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { ProductQueries } from '../products/queries.ts'
import type { ProductWriter } from '../products/writer.ts'
import type { DemoProduct } from './catalogue.ts'
import type { DemoInstalled, DemoRemoved } from './schema.ts'

export interface DemoDeps extends Pick<Base, 'plans' | 'baseUrl'> {
  catalogue: readonly DemoProduct[]
  /** Reads the encoded picture of a demo product. */
  readPicture(name: string): Promise<Uint8Array>
  writer: Pick<ProductWriter, 'put' | 'remove'>
  products: Pick<ProductQueries, 'has' | 'listDemoIds'> & { count: StoreQueries['countProducts'] }
}

/** Pictures that wait for the model at a time: on a slow machine, none of them waits too long. */
const AT_A_TIME = 8

export type DemoService = ReturnType<typeof demoService>

/** Installs and removes the demo catalogue. */
export function demoService({ catalogue, readPicture, writer, products, plans, baseUrl }: DemoDeps) {
  return {
    /**
     * Indexes the demo products that the store does not have yet, so a second call changes nothing. A product of the
     * store's own with the same id stays as it is.
     *
     * @throws ApiError `product_limit_exceeded` when they exceed the plan; then nothing is installed;
     *   `storage_limit_exceeded` when the picture of one does not fit.
     */
    async install(store: CallerStore, author?: Standing): Promise<DemoInstalled> {
      const { id: storeId, plan } = store
      const missing = catalogue.filter(({ product_id }) => !products.has(storeId, product_id))
      const count = products.count(storeId)
      if (count + missing.length > plans[plan].productsMax)
        throw productLimitExceeded(plans, store, count, baseUrl())
      const written = await mapInOrder(missing, AT_A_TIME, ({ product_id, picture, metadata }) =>
        writer.put(
          store,
          {
            productId: product_id,
            sources: [{ upload: { bytes: () => readPicture(picture) } }],
            metadata,
          },
          { kind: 'demo', author },
        ),
      )
      const ids = catalogue.map(({ product_id }) => product_id)
      const installed = written.filter(({ effect }) => effect === 'indexed').length
      return { status: 'installed', installed, skipped: ids.length - installed, products: ids }
    },

    /** Deletes the demo products, and nothing else. */
    async remove(storeId: string, author?: Standing): Promise<DemoRemoved> {
      const ids: string[] = []
      for (const id of products.listDemoIds(storeId)) {
        if (await writer.remove(storeId, id, ({ isDemo }) => isDemo, { kind: 'client', author })) ids.push(id)
        // Forty deletions in one step would hold up every other request.
        await turn()
      }
      return { status: 'deleted', deleted: ids.length, products: ids }
    },
  }
}
