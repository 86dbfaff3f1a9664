import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

/** A store's present use of its plan. */
export interface StoreUse {
  plan: PlanName
  slug: string
  products: number
  /** Bytes of the pictures and thumbnails that the service stores. */
  storageBytes: number
}

export interface ProductDay {
  /** Since 1970, in UTC. */
  day: number
  products: number
}

export interface MonthUse {
  apiCalls: number
  bulkItems: number
}

/** The limits of a plan that a store may come near to. */
export type Resource = 'products' | 'storage'

export type UsageQueries = ReturnType<typeof usageQueries>

/** All SQL about what stores use of their plans. Triggers count products, bytes and items of jobs, so no read counts rows. */
export function usageQueries(db: Db) {
  const use = db.prepare<[storeId: string], StoreUse>(`
    SELECT product_count AS products, kept_bytes + thumbnail_bytes AS storageBytes, plan, slug FROM stores WHERE id = ?`)
  const month = db.prepare<[storeId: string, month: string], MonthUse>(`
    SELECT api_calls AS apiCalls, bulk_items AS bulkItems FROM usage_months WHERE store_id = ? AND month = ?`)
  // A store that was deleted meanwhile has no row to refer to.
  const addCalls = db.prepare(`
    INSERT INTO usage_months (store_id, month, api_calls)
    SELECT id, @month, @calls FROM stores WHERE id = @storeId
    ON CONFLICT (store_id, month) DO UPDATE SET api_calls = api_calls + excluded.api_calls`)
  const addWarning = db.prepare(`
    INSERT OR IGNORE INTO plan_warnings (store_id, month, resource, percent)
    VALUES (@storeId, @month, @resource, @percent)`)
  const forgetWarnings = db.prepare('DELETE FROM plan_warnings WHERE month < ?')

  const noteProducts = db
    .prepare<{ day: number; after: string; limit: bigint }, string>(`
    INSERT INTO product_days (store_id, day, products)
    SELECT id, CAST(@day AS INTEGER), product_count FROM stores WHERE id > @after AND erasing_at IS NULL ORDER BY id LIMIT @limit
    ON CONFLICT DO UPDATE SET products = excluded.products RETURNING store_id`)
    .pluck()
  const forgetProducts = db.prepare('DELETE FROM product_days WHERE day < ?')
  const firstProducts = db.prepare<[storeId: string, from: number], ProductDay>(
    'SELECT day, products FROM product_days WHERE store_id = ? AND day >= ? ORDER BY day LIMIT 1',
  )

  return {
    /** Notes how many products some stores have today. @returns their ids, in order. */
    noteProducts: (day: number, after: string, limit: number): string[] =>
      noteProducts.all({ day, after, limit: BigInt(limit) }).sort(),
    forgetProductsBefore: (day: number): void => void forgetProducts.run(BigInt(day)),
    /** The first day from one on whose number of products is known. */
    findFirstProducts: (storeId: string, from: number): ProductDay | undefined =>
      firstProducts.get(storeId, from),

    findUse: (storeId: string): StoreUse | undefined => use.get(storeId),
    /** @param month as in `2026-11`. */
    readMonth: (storeId: string, name: string): MonthUse =>
      month.get(storeId, name) ?? { apiCalls: 0, bulkItems: 0 },
    addCalls: (storeId: string, name: string, calls: number): void =>
      void addCalls.run({ storeId, month: name, calls: BigInt(calls) }),
    /** Notes that a warning is told. @returns false if it was told in this month before. */
    addWarning: (storeId: string, name: string, resource: Resource, percent: number): boolean =>
      addWarning.run({ storeId, month: name, resource, percent: BigInt(percent) }).changes > 0,
    /** Forgets the warnings of the months before one. */
    forgetWarningsBefore: (name: string): void => void forgetWarnings.run(name),
  }
}
