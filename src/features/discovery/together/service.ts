import type { Base } from '../../module.ts'
import type { TogetherQueries } from './queries.ts'

export interface TogetherDeps extends Pick<Base, 'atomically' | 'withoutFsync'> {
  queries: Pick<TogetherQueries, 'findList' | 'setOutdated' | 'stepBack'>
}

/** Products that belong to another one, the closest first. */
export interface TogetherList {
  basis: 'purchases' | 'clicks'
  products: { productId: string; score: number }[]
}

/** Tells what shoppers take together, as the last count found it. */
export function togetherService({ queries, atomically, withoutFsync }: TogetherDeps) {
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
     * Forgets a shopper's session whose events were erased: the next count of the store, by night at the latest, no longer finds
     * them. What was counted of them names nobody.
     */
    forgetSession: (storeId: string, sessionId: string): void =>
      withoutFsync(() =>
        atomically(() => {
          queries.stepBack(storeId, sessionId)
          queries.setOutdated(storeId, 1)
        }),
      ),
  }
}
