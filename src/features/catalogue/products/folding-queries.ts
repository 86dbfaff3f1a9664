import type { Db } from '../../../platform/db/open.ts'
import { foldColumns } from './folded-columns.ts'

/** SQL about products of an older version, whose copies of their metadata must be rewritten. */
export function foldingQueries(db: Db) {
  const unfolded = db.prepare<[bigint], { id: number; metadata: string }>(
    'SELECT id, metadata FROM products INDEXED BY products_unfolded WHERE is_unfolded = 1 LIMIT ?',
  )
  const refold = db.prepare<Record<string, unknown>>(`
    UPDATE products SET levels = @levels, price = @price, regular_price = @regularPrice, sale = @sale,
      sale_from = @saleFrom, sale_until = @saleUntil, price_turns_at = @priceTurnsAt, sold_out = @soldOut, is_unfolded = 0
    WHERE id = @id`)

  return {
    /**
     * Makes the copies anew of some products that an older version has written; to be called inside a transaction.
     *
     * @returns whether there were any.
     */
    foldSome(now: number, limit: number): boolean {
      const rows = unfolded.all(BigInt(limit))
      for (const { id, metadata } of rows) {
        const {
          category: _c,
          brand: _b,
          color: _o,
          name: _n,
          ...columns
        } = foldColumns(JSON.parse(metadata), now)
        refold.run({ ...columns, id: BigInt(id) })
      }
      return rows.length > 0
    },
  }
}
