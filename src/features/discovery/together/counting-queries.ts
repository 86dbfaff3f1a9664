import type { Db } from '../../../platform/db/open.ts'
import type { FeedbackAction } from '../feedback/schema.ts'

/** An event of a visitor. */
export interface VisitEvent {
  productId: string
  action: FeedbackAction
  /** Whether an order names it, with which it counts. */
  isOfOrder: 0 | 1
  occurredAt: number
}

export interface CountedProduct {
  number: number
  productId: string
  orders: number
  visitors: number
}

/** What two products have in common; `number` is that of the second. */
export interface Partner {
  number: number
  orders: number
  visitors: number
}

export interface PartnerPlace {
  storeId: string
  number: number
  after: number
  limit: number
}

/** The kind of basket that is counted. */
export type Count = 'orders' | 'visitors'

export type CountingQueries = ReturnType<typeof countingQueries>

/**
 * Events that count: those that count for the popularity of their product, and whose search may be counted.
 * `feedback/reporters.ts` decides what pages may say.
 */
const COUNTS = `standing = 0 AND is_product_counted = 1 AND NOT EXISTS (
  SELECT 1 FROM searches WHERE searches.id = search_id AND searches.store_id = feedback_events.store_id AND is_tracked = 0)`

/** The SQL of baskets, of products and of their pairs. No call opens a transaction. */
export function countingQueries(db: Db) {
  const nextOrder = db
    .prepare<[string, string], string | null>(`
    SELECT min(order_id) FROM feedback_events INDEXED BY feedback_events_line
    WHERE store_id = ? AND order_id IS NOT NULL AND order_id > ?`)
    .pluck()
  const lines = db
    .prepare<[string, string, bigint], string>(`
    SELECT DISTINCT product_id FROM feedback_events INDEXED BY feedback_events_line
    WHERE store_id = ? AND order_id = ? AND order_id IS NOT NULL AND action = 'purchase' AND ${COUNTS}
    ORDER BY product_id LIMIT ?`)
    .pluck()
  const nextSession = db
    .prepare<[string, string], string | null>(`
    SELECT min(session_id) FROM feedback_events INDEXED BY feedback_events_session
    WHERE store_id = ? AND session_id IS NOT NULL AND session_id > ?`)
    .pluck()
  const events = db.prepare<[string, string, bigint], VisitEvent>(`
    SELECT product_id AS productId, action, order_id IS NOT NULL AS isOfOrder, occurred_at AS occurredAt
    FROM feedback_events INDEXED BY feedback_events_session
    WHERE store_id = ? AND session_id = ? AND session_id IS NOT NULL AND ${COUNTS} LIMIT ?`)

  const numberOf = db
    .prepare<[string, string], number>(
      'SELECT number FROM together_products WHERE store_id = ? AND product_id = ?',
    )
    .pluck()
  const addProduct = db.prepare(`
    INSERT INTO together_products (store_id, number, product_id)
    SELECT store_id, @number, product_id FROM products WHERE store_id = @storeId AND product_id = @productId`)
  const products = db.prepare<[string, bigint, bigint], CountedProduct>(`
    SELECT number, product_id AS productId, orders, visitors FROM together_products
    WHERE store_id = ? AND number > ? ORDER BY number LIMIT ?`)
  const some = db.prepare<
    { storeId: string; numbers: string },
    CountedProduct & { variantGroup: string | null }
  >(`
    SELECT number, counted.product_id AS productId, orders, visitors, variant_group AS variantGroup
    FROM json_each(@numbers) CROSS JOIN together_products AS counted ON counted.store_id = @storeId AND number = value
      JOIN products ON products.store_id = @storeId AND products.product_id = counted.product_id`)
  const groupOf = db
    .prepare<[string, string], string | null>(
      'SELECT variant_group FROM products WHERE store_id = ? AND product_id = ?',
    )
    .pluck()
  const counting = (column: Count) => ({
    product: db.prepare(
      `UPDATE together_products SET ${column} = ${column} + 1 WHERE store_id = ? AND number = ?`,
    ),
    pair: db.prepare(
      `UPDATE together_pairs SET ${column} = ${column} + 1 WHERE store_id = ? AND one = ? AND other = ?`,
    ),
  })
  const count = { orders: counting('orders'), visitors: counting('visitors') }
  const addPair = db.prepare(`
    INSERT INTO together_pairs (store_id, one, other, orders, visitors, missed)
    VALUES (@storeId, @one, @other, @orders, @visitors, @missed)`)
  const partners = db.prepare<PartnerPlace, Partner>(`
    SELECT other AS number, orders, visitors FROM together_pairs
    WHERE store_id = @storeId AND one = @number AND other > @after ORDER BY other LIMIT @limit`)
  const partnersBelow = db.prepare<PartnerPlace, Partner>(`
    SELECT one AS number, orders, visitors FROM together_pairs INDEXED BY together_pairs_other
    WHERE store_id = @storeId AND other = @number AND one > @after ORDER BY one LIMIT @limit`)
  const somePairs = db.prepare<
    { storeId: string; one: number; other: number; limit: bigint },
    { one: number; other: number }
  >(`
    SELECT one, other FROM together_pairs WHERE store_id = @storeId AND (one, other) > (@one, @other)
    ORDER BY one, other LIMIT @limit`)
  const sweep = db.prepare(`
    DELETE FROM together_pairs WHERE store_id = @storeId AND (one, other) > (@one, @other) AND (one, other) <= (@toOne, @toOther)
      AND orders + visitors + missed <= @sweeps`)
  const clearPairs = db.prepare(`
    DELETE FROM together_pairs WHERE store_id = @storeId AND (one, other) IN (
      SELECT one, other FROM together_pairs WHERE store_id = @storeId LIMIT @limit)`)
  const clearProducts = db.prepare(`
    DELETE FROM together_products WHERE store_id = @storeId AND number IN (
      SELECT number FROM together_products WHERE store_id = @storeId LIMIT @limit)`)

  return {
    findNextOrder: (storeId: string, after: string): string | null => nextOrder.get(storeId, after) ?? null,
    /** Products of an order that were bought, in the order of their ids. */
    listLines: (storeId: string, orderId: string, limit: number): string[] =>
      lines.all(storeId, orderId, BigInt(limit)),
    findNextSession: (storeId: string, after: string): string | null =>
      nextSession.get(storeId, after) ?? null,
    listEvents: (storeId: string, sessionId: string, limit: number): VisitEvent[] =>
      events.all(storeId, sessionId, BigInt(limit)),

    findNumber: (storeId: string, productId: string): number | undefined => numberOf.get(storeId, productId),
    /** Gives a product a number. @returns whether the store has the product. */
    addProduct: (storeId: string, productId: string, number: number): boolean =>
      addProduct.run({ storeId, productId, number }).changes > 0,
    countProduct: (storeId: string, number: number, as: Count): void =>
      void count[as].product.run(storeId, number),
    /** Adds to a pair. @returns whether it has a row. */
    countPair: (storeId: string, one: number, other: number, as: Count): boolean =>
      count[as].pair.run(storeId, one, other).changes > 0,
    addPair: (storeId: string, one: number, other: number, as: Count, missed: number): void =>
      void addPair.run({
        ...{ storeId, one, other, missed },
        orders: as === 'orders' ? 1 : 0,
        visitors: as === 'visitors' ? 1 : 0,
      }),

    /** Drops rare pairs among some after a pair. @returns the last of these, and how many were dropped; undefined at the end. */
    sweep(storeId: string, one: number, other: number, sweeps: number, limit: number) {
      const last = somePairs.all({ storeId, one, other, limit: BigInt(limit) }).at(-1)
      if (!last) return undefined
      const to = { toOne: last.one, toOther: last.other }
      return { ...last, dropped: sweep.run({ storeId, one, other, ...to, sweeps }).changes }
    },
    /** Deletes some of what a run has counted. @returns whether there may be more. */
    clear: (storeId: string, limit: number): boolean =>
      clearPairs.run({ storeId, limit: BigInt(limit) }).changes +
        clearProducts.run({ storeId, limit: BigInt(limit) }).changes >
      0,

    listProducts: (storeId: string, after: number, limit: number): CountedProduct[] =>
      products.all(storeId, BigInt(after), BigInt(limit)),
    /** Those of some counted products that the store still has. */
    findProducts: (storeId: string, numbers: readonly number[]) =>
      some.all({ storeId, numbers: JSON.stringify(numbers) }),
    findVariantGroup: (storeId: string, productId: string): string | null =>
      groupOf.get(storeId, productId) ?? null,
    /** Some partners of a product with a higher number, in the order of their numbers. */
    listPartners: (place: PartnerPlace): Partner[] => partners.all(place),
    /** The same for those with a lower number. */
    listPartnersBelow: (place: PartnerPlace): Partner[] => partnersBelow.all(place),
  }
}
