import { fold } from '../../src/core/text.ts'
import type { Db } from '../../src/platform/db/open.ts'

/** The columns that lists read. */
export interface StoredProduct {
  id: string
  /** Saved folded, like category and brand. */
  name?: string | null
  price?: number | null
  category?: string | null
  brand?: string | null
  metadata?: object
  /** Unix ms. */
  createdAt?: number
  updatedAt?: number
}

let vectorIds = 0

export const addStore = (db: Db, id: string): void =>
  void db
    .prepare(
      "INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, ?, '', 'free', x'00', 0)",
    )
    .run(id, id)

/** Writes products without pictures, in one transaction. */
export function addProducts(db: Db, storeId: string, products: readonly StoredProduct[]): void {
  const insert = db.prepare(`
    INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, category, brand, price, name,
      created_at, indexed_at, updated_at)
    VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?, 0, ?)`)
  db.transaction(() => {
    for (const {
      id,
      name,
      price,
      category,
      brand,
      metadata = {},
      createdAt = 0,
      updatedAt = 0,
    } of products) {
      const vectorId = `0-${String(vectorIds++).padStart(12, '0')}`
      insert.run(
        ...[storeId, id, vectorId, JSON.stringify(metadata), category ?? null, brand ?? null, price ?? null],
        ...[name === undefined || name === null ? null : fold(name), BigInt(createdAt), BigInt(updatedAt)],
      )
    }
  })()
}
