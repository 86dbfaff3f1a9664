import { BoundedMap } from '../../../core/bounded-map.ts'
import type { Clock } from '../../../core/clock.ts'
import { MINUTE_MS } from '../../../core/clock.ts'

export interface PopularDeps {
  /** Products of a store that shoppers clicked and bought, best first. */
  findPopular(
    storeId: string,
    query: { days: number; limit: number },
  ): Promise<{ products: readonly { product_id: string }[] }>
  clock: Pick<Clock, 'monotonic'>
}

/** The points that one event adds to the score of a product. */
export const WEIGHTS = { clicks: 1, carts: 3, purchases: 5 } as const

/** Days that count, and products that are read. */
const DAYS = 30
const PRODUCTS = 100

/** Stores whose products are kept. */
const STORES_MAX = 1_000

/** Keeps the popular products of stores for a minute, because a sum over a month is too costly for each search. */
export function createPopular({ findPopular, clock }: PopularDeps) {
  const known = new BoundedMap<string, { until: number; ids: Promise<string[]> }>(STORES_MAX)

  async function read(storeId: string): Promise<string[]> {
    const { products } = await findPopular(storeId, { days: DAYS, limit: PRODUCTS })
    return products.map(({ product_id }) => product_id)
  }

  return {
    /** Ids, best first. */
    list(storeId: string): Promise<string[]> {
      const now = clock.monotonic()
      const found = known.get(storeId)
      if (found && found.until > now) return found.ids
      const ids = read(storeId)
      known.set(storeId, { until: now + MINUTE_MS, ids })
      // An error is not kept.
      ids.catch(() => known.delete(storeId))
      return ids
    },

    forgetStore: (storeId: string): void => void known.delete(storeId),
  }
}
