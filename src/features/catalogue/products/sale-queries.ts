import type { Db } from '../../../platform/db/open.ts'

export type SaleQueries = ReturnType<typeof saleQueries>

/** All SQL of sales that begin and end by themselves. No call opens a transaction. */
export function saleQueries(db: Db) {
  const due = db.prepare<[string, bigint], { found: 1 }>(`
    SELECT 1 AS found FROM products INDEXED BY products_turns WHERE store_id = ? AND price_turns_at <= ? LIMIT 1`)
  const anyDue = db
    .prepare<[bigint], string>(`
    SELECT store_id FROM products INDEXED BY products_turn_times WHERE price_turns_at <= ? LIMIT 1`)
    .pluck()
  const turn = db.prepare<{ storeId: string; now: bigint; limit: bigint }>(`
    UPDATE products SET
      price = CASE WHEN coalesce(sale_from <= @now, 1) AND coalesce(sale_until > @now, 1) THEN sale ELSE regular_price END,
      price_turns_at = CASE
        WHEN sale_until <= @now THEN NULL
        WHEN sale_from > @now AND coalesce(sale_from < sale_until, 1) THEN sale_from
        ELSE sale_until END
    WHERE id IN (SELECT id FROM products INDEXED BY products_turns
      WHERE store_id = @storeId AND price_turns_at <= @now ORDER BY price_turns_at LIMIT @limit)`)

  return {
    /** Whether a sale of the store has begun or ended that its products do not show yet. */
    isDue: (storeId: string, now: number): boolean => due.get(storeId, BigInt(now)) !== undefined,
    /** A store for which that is so. */
    findDue: (now: number): string | undefined => anyDue.get(BigInt(now)),
    /** Writes what is paid now, for some of these products. */
    turn: (storeId: string, now: number, limit: number): void =>
      void turn.run({ storeId, now: BigInt(now), limit: BigInt(limit) }),
  }
}
