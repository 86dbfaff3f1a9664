import type { Db } from '../../../platform/db/open.ts'
import type { IndexEntry } from './product-index.ts'

export type ProductIndexQueries = ReturnType<typeof productIndexQueries>

/**
 * All SQL that fills the product index.
 *
 * @param model the row in `models` whose vectors are searched.
 */
export function productIndexQueries(db: Db, model: number) {
  type StoredEntry = Omit<IndexEntry, 'isFirst' | 'metadata'> & { position: number; metadata: string }
  const entries = `
    SELECT pictures.id AS pictureId, pictures.store_id AS storeId, pictures.product AS product, position, metadata
    FROM pictures JOIN products ON products.id = pictures.product WHERE model = ?`
  const all = db.prepare<[number], StoredEntry>(entries)
  const ofStore = db.prepare<[number, string], StoredEntry>(`${entries} AND pictures.store_id = ?`)

  return {
    /** Visits every picture that has a vector, of one store or of all, with the fields that searches filter by. */
    *listEntries(storeId?: string): Generator<IndexEntry> {
      const rows = storeId === undefined ? all.iterate(model) : ofStore.iterate(model, storeId)
      for (const { position, metadata, ...row } of rows) {
        yield { ...row, isFirst: position === 0, metadata: JSON.parse(metadata) }
      }
    },
  }
}
