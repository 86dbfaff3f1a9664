import type { Db } from '../../../platform/db/open.ts'
import type { IndexEntry } from './product-index.ts'

export type ProductIndexQueries = ReturnType<typeof productIndexQueries>

/**
 * All SQL that fills the product index.
 *
 * @param model the row in `models` whose vectors are searched.
 */
export function productIndexQueries(db: Db, model: number) {
  const entries = db.prepare<
    [number],
    { pictureId: number; storeId: string; product: number; position: number; metadata: string }
  >(`
    SELECT pictures.id AS pictureId, pictures.store_id AS storeId, pictures.product AS product, position, metadata
    FROM pictures JOIN products ON products.id = pictures.product WHERE model = ?`)

  return {
    /** Visits every picture that has a vector, with the fields that searches filter by. */
    *listEntries(): Generator<IndexEntry> {
      for (const { position, metadata, ...row } of entries.iterate(model)) {
        yield { ...row, isFirst: position === 0, metadata: JSON.parse(metadata) }
      }
    },
  }
}
