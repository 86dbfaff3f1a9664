import type { Base } from '../../module.ts'
import type { TogetherQueries } from './queries.ts'

export interface TogetherDeps extends Pick<Base, 'withoutFsync'> {
  queries: Pick<TogetherQueries, 'findList' | 'restart'>
}

/** Products that belong to another one, the closest first. */
export interface TogetherList {
  basis: 'purchases' | 'clicks'
  products: { productId: string; score: number }[]
}

/** Tells what shoppers take together, as the last count found it. */
export function togetherService({ queries, withoutFsync }: TogetherDeps) {
  return {
    /** @returns undefined where too little is known of the product. */
    find(storeId: string, productId: string): TogetherList | undefined {
      const row = queries.findList(storeId, productId)
      if (!row) return undefined
      const products = (JSON.parse(row.products) as [string, number][]).map(([id, score]) => ({
        productId: id,
        score,
      }))
      return { basis: row.basis, products }
    },

    /**
     * Counts a store anew, because events of a shopper were erased: a count under way may hold the name of the session, and the
     * lists no longer come from events that are gone.
     */
    recount: (storeId: string): void => withoutFsync(() => queries.restart(storeId)),
  }
}
