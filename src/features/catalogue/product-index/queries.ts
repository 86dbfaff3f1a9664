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

/** Pictures without a vector that are read in one step. */
const BLANKS_AT_ONCE = 64

/**
 * All SQL that fills the product index.
 *
 * @param model the row in `models` whose vectors are searched.
 */
export function productIndexQueries(db: Db, model: number) {
  type Row = [
    n: number,
    product: number,
    productId: string,
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
  const preparePictures = (condition: string) =>
    db
      .prepare<[string, string, number], Row>(`
    SELECT asked.key, product, product_id, position, category, levels, color, brand, price, regular_price, sale, sale_from, sale_until, sold_out,
      palette
    FROM json_each(?) AS asked
    CROSS JOIN pictures ON pictures.id = asked.value
    CROSS JOIN products ON products.id = pictures.product
    WHERE pictures.store_id = ? AND ${condition}`)
      .raw()
  const pictures = preparePictures('? IN (model, second_model)')
  const blanks = preparePictures('NOT ? IN (model, coalesce(second_model, 0))')
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

  const others = db.prepare<[number], number>('SELECT id FROM models WHERE id <> ?').pluck()
  const blankStores = db
    .prepare<[number, number], string>(
      'SELECT DISTINCT store_id FROM pictures INDEXED BY pictures_model WHERE model = ? AND second_model IS NOT ?',
    )
    .pluck()
  const blankPictures = db
    .prepare<[number, string, number, number, number, number], [id: number, product: number]>(`
    SELECT id, product FROM pictures INDEXED BY pictures_model
    WHERE model = ? AND store_id = ? AND second_model IS NOT ? AND product >= ? AND (product > ? OR id > ?)
    ORDER BY product, id LIMIT ${BLANKS_AT_ONCE}`)
    .raw()

  function list(asked: typeof pictures, storeId: string, ids: readonly number[]): AskedPicture[] {
    return asked
      .all(JSON.stringify(ids), storeId, model)
      .map(
        ([
          n,
          product,
          productId,
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
          productId,
          isFirst: position === 0,
          category,
          levels,
          color,
          brand,
          prices: sale === null ? { price, sale, from, until } : { price: regular, sale, from, until },
          isSoldOut: soldOut === 1,
          palette,
        }),
      )
  }

  return {
    /** Those of some pictures of a store that have a vector, with the fields that searches filter by. */
    listPictures: (storeId: string, ids: readonly number[]): AskedPicture[] => list(pictures, storeId, ids),

    /** Stores with pictures that have no vector of the model; without another model nothing is read. */
    listBlankStores: (): string[] => [
      ...new Set(others.all(model).flatMap((other) => blankStores.all(other, model))),
    ],

    /** The pictures of a store that have no vector of the model, some at a time. Others may be written in between. */
    *blanks(storeId: string): Generator<AskedPicture[], void> {
      for (const other of others.all(model)) {
        let after: [id: number, product: number] | undefined = [0, 0]
        while (after) {
          const [id, product]: [number, number] = after
          const found = blankPictures.all(other, storeId, model, product, product, id)
          if (found.length > 0)
            yield list(
              blanks,
              storeId,
              found.map(([picture]) => picture),
            )
          after = found.at(-1)
        }
      }
    },

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
