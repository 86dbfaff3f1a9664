import type { Db } from '../../../platform/db/open.ts'

/** A product with a picture whose vector is of another model. */
export interface WaitingProduct {
  /** Row of the product. */
  id: number
  productId: string
  /** Tries that failed with the present model. */
  tries: number
}

export interface FailedTry {
  storeId: string
  /** Row of the product. */
  product: number
  tries: number
  /** Unix ms of the next try. */
  dueAt: number
  /** Code of the failure. */
  error: string
}

export type ReembeddingQueries = ReturnType<typeof reembeddingQueries>

/**
 * All SQL of embedding again. Which products wait is read from their pictures, so there is nothing to keep in step, and a
 * crash loses nothing.
 *
 * @param model the row in `models` of the model in use.
 */
export function reembeddingQueries(db: Db, model: number) {
  const others = db
    .prepare<[number], { id: number }>('SELECT id FROM models WHERE id <> ?')
    .all(model)
    .map(({ id }) => id)
  const stores = db.prepare<[number], { storeId: string }>(
    'SELECT DISTINCT store_id AS storeId FROM pictures WHERE model = ?',
  )
  const waiting = db.prepare<[number, string, number, number, bigint, bigint], WaitingProduct>(`
    SELECT DISTINCT products.id, products.product_id AS productId, coalesce(failed.tries, 0) AS tries
    FROM pictures JOIN products ON products.id = pictures.product
      LEFT JOIN reembedding_tries AS failed ON failed.product = products.id AND failed.model = ?
    WHERE pictures.store_id = ? AND pictures.model = ? AND pictures.product > ?
      AND (failed.due_at IS NULL OR failed.due_at <= ?)
    ORDER BY pictures.product LIMIT ?`)
  const count = db.prepare<[string, number], { products: number }>(
    'SELECT count(DISTINCT product) AS products FROM pictures WHERE store_id = ? AND model = ?',
  )
  const failed = db.prepare(`
    INSERT INTO reembedding_tries (product, store_id, model, tries, due_at, error)
    SELECT id, store_id, @model, @tries, @dueAt, @error FROM products WHERE id = @product AND store_id = @storeId
    ON CONFLICT (product) DO UPDATE SET model = excluded.model, tries = excluded.tries, due_at = excluded.due_at,
      error = excluded.error`)
  const forgotten = db.prepare('DELETE FROM reembedding_tries WHERE product = ?')

  return {
    /** Stores with pictures of other models, each once. */
    listStores: (): string[] => [
      ...new Set(others.flatMap((other) => stores.all(other).map(({ storeId }) => storeId))),
    ],

    /**
     * Products of a store whose turn it is, by their rows.
     *
     * @param after goes on behind this row.
     * @param now Unix ms; products whose next try is later are left out.
     */
    listWaiting(storeId: string, after: number, now: number, limit: number): WaitingProduct[] {
      const rows = others.flatMap((other) =>
        waiting.all(model, storeId, other, after, BigInt(now), BigInt(limit)),
      )
      // A product may have pictures of several older models.
      const products = new Map(rows.map((row) => [row.id, row]))
      return [...products.values()].sort((a, b) => a.id - b.id).slice(0, limit)
    },

    /** The number of a store's products with a picture of another model. */
    countWaiting: (storeId: string): number =>
      others.reduce((sum, other) => sum + (count.get(storeId, other)?.products ?? 0), 0),

    /** Notes a try that failed. Ignores a product that is gone. */
    noteFailure: (failure: FailedTry): void =>
      void failed.run({
        ...failure,
        product: BigInt(failure.product),
        model: BigInt(model),
        tries: BigInt(failure.tries),
        dueAt: BigInt(failure.dueAt),
      }),

    forgetFailure: (product: number): void => void forgotten.run(BigInt(product)),
  }
}
