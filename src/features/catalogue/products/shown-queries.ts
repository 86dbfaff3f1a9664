import type { Db } from '../../../platform/db/open.ts'
import type { PictureFacts } from '../../../platform/embedder/embedder.ts'
import type { ProductRow } from './queries.ts'

/** A product as the API shows it. */
export interface ShownProduct
  extends Pick<ProductRow, 'productId' | 'vectorId' | 'imageUrl' | 'metadata' | 'indexedAt' | 'updatedAt'> {
  /** The first picture. */
  picture: PictureFacts & { bytes: number }
  /** The first picture, if it has a thumbnail. */
  thumbnail: number | null
  /** The addresses of the other pictures, in the product's order. */
  otherUrls: string[]
}

export type ShownQueries = ReturnType<typeof shownQueries>

interface RawShown
  extends Omit<ShownProduct, 'metadata' | 'picture' | 'otherUrls'>,
    Omit<PictureFacts, 'palette'> {
  id: number
  metadata: string
  bytes: number
  palette: string
  /** A list as JSON; null for none. */
  otherUrls: string | null
}

/** One statement, because each takes and releases the read lock. Only few products have a second picture to look for. */
const SHOWN = `
  SELECT products.id, product_id AS productId, vector_id AS vectorId, products.image_url AS imageUrl, metadata,
    indexed_at AS indexedAt, updated_at AS updatedAt, content_type AS contentType, bytes, width, height, phash, palette,
    CASE thumbnail WHEN 1 THEN pictures.id END AS thumbnail,
    CASE WHEN EXISTS (SELECT 1 FROM pictures WHERE product = products.id AND position = 1) THEN
      (SELECT json_group_array(image_url ORDER BY position) FROM pictures WHERE product = products.id AND position > 0)
    END AS otherUrls
  FROM products JOIN pictures ON product = products.id AND position = 0`

/** All SQL that reads products as the API shows them. */
export function shownQueries(db: Db) {
  const shown = db.prepare<[string, string], RawShown>(
    `${SHOWN} WHERE products.store_id = ? AND product_id = ?`,
  )
  const severalShown = db.prepare<[ids: string], RawShown>(
    `${SHOWN} WHERE products.id IN (SELECT value FROM json_each(?))`,
  )

  return {
    /** Finds a product as the API shows it. */
    findShown(storeId: string, productId: string): ShownProduct | undefined {
      const row = shown.get(storeId, productId)
      return row && toShown(row)
    },

    /** The same of some products by their rows, in this order and without those that are gone. */
    listShown(ids: readonly number[]): ShownProduct[] {
      const rows = new Map(severalShown.all(JSON.stringify(ids)).map((row) => [row.id, row]))
      return ids.flatMap((id) => {
        const row = rows.get(id)
        return row ? [toShown(row)] : []
      })
    },
  }
}

const toShown = (row: RawShown): ShownProduct => {
  const { productId, vectorId, imageUrl, metadata, indexedAt, updatedAt, palette, otherUrls } = row
  const { contentType, bytes, width, height, phash } = row
  return {
    ...{ productId, vectorId, imageUrl, metadata: JSON.parse(metadata), indexedAt, updatedAt },
    picture: { contentType, bytes, width, height, phash, palette: JSON.parse(palette) },
    thumbnail: row.thumbnail,
    otherUrls: otherUrls === null ? [] : JSON.parse(otherUrls),
  }
}
