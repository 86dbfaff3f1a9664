import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import type { JobItem } from '../jobs/item.ts'

export interface MissingDeps {
  /** Ids of a store's products behind one, in their order. */
  listIds(storeId: string, after: string, limit: number): string[]
  listDemoIds(storeId: string): string[]
}

/** Ids that are read in one step. */
const PAGE = 500

/**
 * Passes the items of a file on, then an item for each product of the store that none of them names, which deletes it. A wrong
 * row that names a product keeps it. Products of the demo stay.
 *
 * @throws ApiError `conflict` if more than a fifth of the store would go, or if rows name no product, unless forced. The job
 *   is not visible by then, so nothing is done.
 */
export async function* withMissing(
  { listIds, listDemoIds }: MissingDeps,
  storeId: string,
  items: AsyncIterable<JobItem>,
  { isForced }: { isForced: boolean },
): AsyncGenerator<JobItem> {
  const named = new Set<string>()
  let unnamed = 0
  for await (const item of items) {
    const id = item.kind === 'put' ? item.product.product_id : item.productId
    if (id === null) unnamed++
    else named.add(id)
    yield item
  }
  const ofDemo = new Set(listDemoIds(storeId))
  const missing: string[] = []
  let products = 0
  for (let after = '', page = PAGE; page === PAGE; ) {
    await turn()
    const ids = listIds(storeId, after, PAGE)
    const own = ids.filter((id) => !ofDemo.has(id))
    products += own.length
    missing.push(...own.filter((id) => !named.has(id)))
    page = ids.length
    after = ids.at(-1) ?? after
  }
  if (!isForced) demandFew({ missing: missing.length, products, unnamed })
  for (const productId of missing) yield { kind: 'delete', productId }
}

interface Numbers {
  missing: number
  products: number
  unnamed: number
}

/** The brake of feeds: a file that was cut off must not empty a store. */
function demandFew({ missing, products, unnamed }: Numbers): void {
  const details = { missing, store_products: products, unnamed_rows: unnamed }
  const cure = 'Nothing was done. If they are to be deleted, send force_delete, too'
  if (missing > LIMITS.feedMissingShareMax * products) {
    const message = `${missing} of the ${products} products of the store are not in the file, more than 20 %. ${cure}`
    throw new ApiError('conflict', message, { details })
  }
  if (unnamed === 0 || missing === 0) return
  const message = `${unnamed} rows of the file name no product, and ${missing} products of the store are not in it. ${cure}`
  throw new ApiError('conflict', message, { details })
}
