import type { Db } from '../../../platform/db/open.ts'

/** A product that another one may be a copy of, with the picture that says so. */
export interface DuplicateRow {
  productId: string
  pictureId: number
  /** As saved: a public address, or the path of a kept picture. */
  imageUrl: string
}

/** A product whose picture may be a copy. */
export interface DuplicateQuery {
  storeId: string
  productId: string
  /** null for a product without variants. */
  variantGroup: string | null
}

export type DuplicateQueries = ReturnType<typeof duplicateQueries>

/** All SQL about duplicates. */
export function duplicateQueries(db: Db) {
  const first = db.prepare<DuplicateQuery & { ids: string }, DuplicateRow>(`
    SELECT products.product_id AS productId, pictures.id AS pictureId, pictures.image_url AS imageUrl
    FROM json_each(@ids) AS asked
    CROSS JOIN pictures ON pictures.id = asked.value
    CROSS JOIN products ON products.id = pictures.product
    WHERE pictures.store_id = @storeId AND is_demo = 0 AND product_id <> @productId
      AND (@variantGroup IS NULL OR metadata ->> '$.variant_group' IS NOT @variantGroup)
    ORDER BY asked.key LIMIT 1`)

  return {
    /** Finds the first of some pictures that belongs to another product, outside the variants and no demo. */
    findFirst: (query: DuplicateQuery, pictureIds: readonly number[]): DuplicateRow | undefined =>
      first.get({ ...query, ids: JSON.stringify(pictureIds) }),
  }
}
