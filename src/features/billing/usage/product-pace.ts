import { type Clock, DAY_MS } from '../../../core/clock.ts'
import { dayOf } from '../../../core/days.ts'
import type { Turn } from '../../../core/turns.ts'
import type { UsageQueries } from './queries.ts'

/** Days that are looked back on, and those before a date that says anything. */
const DAYS = 30
const DAYS_AHEAD_MAX = 365

/** Stores whose products are noted in one step. */
const STORES_AT_ONCE = 200

export interface ProductPaceDeps {
  queries: Pick<UsageQueries, 'noteProducts' | 'forgetProductsBefore' | 'findFirstProducts'>
  clock: Pick<Clock, 'now'>
  turn: Turn
}

export type ProductPace = ReturnType<typeof createProductPace>

/** Reckons when a plan is full, from the products that a store had on the last days. */
export function createProductPace({ queries, clock, turn }: ProductPaceDeps) {
  return {
    /** Notes the products of all stores. Call it every few hours. */
    async note(): Promise<void> {
      const today = dayOf(clock.now())
      for (let after = ''; ; ) {
        const stores = queries.noteProducts(today, after, STORES_AT_ONCE)
        if (stores.length < STORES_AT_ONCE) break
        after = stores.at(-1) ?? after
        await turn()
      }
      queries.forgetProductsBefore(today - DAYS)
    },

    /**
     * The moment at which a store has as many products as its plan allows, if it goes on as in the last 30 days.
     *
     * @returns Unix ms; null for a store that does not grow, or not within a year.
     */
    findEnd(storeId: string, products: number, productsMax: number): number | null {
      const now = clock.now()
      if (products >= productsMax) return now
      const first = queries.findFirstProducts(storeId, dayOf(now) - DAYS)
      // A day is noted until it ends.
      const days = first ? now / DAY_MS - (first.day + 1) : 0
      if (!first || days < 1 || products <= first.products) return null
      const left = ((productsMax - products) * days) / (products - first.products)
      return left > DAYS_AHEAD_MAX ? null : Math.round(now + left * DAY_MS)
    },
  }
}
