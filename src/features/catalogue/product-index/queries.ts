import { listLevels } from '../../../core/category-path.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { StoredPicture } from './product-index.ts'
import { readWords } from './words/fields.ts'
import type { ProductWords } from './words/words.ts'

export type ProductIndexQueries = ReturnType<typeof productIndexQueries>

/** A picture with its place in the list of asked ones. */
export interface AskedPicture extends StoredPicture {
  n: number
}

/**
 * All SQL that fills the product index.
 *
 * @param model the row in `models` whose vectors are searched.
 */
export function productIndexQueries(db: Db, model: number) {
  type Row = [
    n: number,
    product: number,
    position: number,
    category: string | null,
    levels: string | null,
    color: string | null,
    brand: string | null,
    price: number | null,
    regular: number | null,
    sale: number | null,
    from: number | null,
    until: number | null,
    soldOut: 0 | 1,
    palette: string,
  ]
  // Arrays, because objects take longer, and a store may have millions of pictures.
  const pictures = db
    .prepare<[string, string, number], Row>(`
    SELECT asked.key, product, position, category, levels, color, brand, price, regular_price, sale, sale_from, sale_until, sold_out,
      palette
    FROM json_each(?) AS asked
    CROSS JOIN pictures ON pictures.id = asked.value
    CROSS JOIN products ON products.id = pictures.product
    WHERE pictures.store_id = ? AND model = ?`)
    .raw()
  const texts = db
    .prepare<[string, string], [product: number, productId: string, metadata: string]>(`
    SELECT products.id, product_id, metadata
    FROM json_each(?) AS asked
    CROSS JOIN products ON products.id = asked.value
    WHERE store_id = ?`)
    .raw()
  const category = db
    .prepare<[number], string | null>(`SELECT metadata -> '$.category' FROM products WHERE id = ?`)
    .pluck()
  const path = db
    .prepare<[number], string | null>(`SELECT metadata -> '$.category_path' FROM products WHERE id = ?`)
    .pluck()

  return {
    /** Those of some pictures of a store that have a vector, with the fields that searches filter by. */
    listPictures: (storeId: string, ids: readonly number[]): AskedPicture[] =>
      pictures
        .all(JSON.stringify(ids), storeId, model)
        .map(
          ([
            n,
            product,
            position,
            category,
            levels,
            color,
            brand,
            price,
            regular,
            sale,
            from,
            until,
            soldOut,
            palette,
          ]) => ({
            n,
            pictureId: ids[n] as number,
            product,
            isFirst: position === 0,
            category,
            levels,
            color,
            brand,
            prices: sale === null ? { price, sale, from, until } : { price: regular, sale, from, until },
            isSoldOut: soldOut === 1,
            palette,
          }),
        ),

    /** The words of some products of a store, by their rows. */
    listWords: (storeId: string, products: readonly number[]): { product: number; words: ProductWords }[] =>
      products.length === 0
        ? []
        : texts.all(JSON.stringify(products), storeId).map(([product, productId, metadata]) => ({
            product,
            words: readWords(productId, JSON.parse(metadata)),
          })),

    /** How a product spells its category and the levels above it. */
    spelling: {
      category: (product: number): string => String(JSON.parse(category.get(product) ?? '""')).trim(),
      levels: (product: number): Map<string, string> => listLevels(JSON.parse(path.get(product) ?? 'null')),
    },
  }
}
