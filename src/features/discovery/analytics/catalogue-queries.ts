import type { Statement } from 'better-sqlite3'
import type { Db } from '../../../platform/db/open.ts'

/** A text of the catalogue that shoppers may search for. */
export interface CatalogueText {
  /** Folded. */
  text: string
  products: number
}

/** Products counted for one text. */
const COUNTED_MAX = 1_000

/** Products of one name that are read, and hidden names that are skipped. */
const MEMBERS_MAX = 10
const HIDDEN_MAX = 200

/** Sorts after every other character: `prefix + LAST` comes after all texts with the prefix. */
export const LAST = '\u{10ffff}'

interface TextSource {
  next: Pick<Statement<[{ storeId: string; after: string; to: string }], string | null>, 'get'>
  has: Pick<Statement<[{ storeId: string; text: string }], number>, 'get'>
  /** 0 if only variants have the text and their product goes by another one. */
  isShown?: Pick<Statement<[{ storeId: string; text: string }], number>, 'get'>
}

export type CatalogueQueries = ReturnType<typeof catalogueQueries>

/** All SQL by which analytics read the catalogue. */
export function catalogueQueries(db: Db) {
  const metadata = db.prepare<{ storeId: string; ids: string }, { productId: string; metadata: string }>(`
    SELECT product_id AS productId, metadata FROM json_each(@ids) CROSS JOIN products
      ON store_id = @storeId AND product_id = value`)
  const byColumn = (column: string, index: string) => {
    const from = `FROM products INDEXED BY ${index} WHERE store_id = @storeId AND ${column} IS NOT NULL`
    return {
      // Seeks from text to text, where DISTINCT would read every product.
      next: db
        .prepare<{ storeId: string; after: string; to: string }, string | null>(
          `SELECT min(${column}) ${from} AND ${column} > @after AND ${column} < @to`,
        )
        .pluck(),
      has: db
        .prepare<{ storeId: string; text: string }, number>(
          `SELECT count(*) FROM (SELECT 1 ${from} AND ${column} = @text LIMIT ${COUNTED_MAX})`,
        )
        .pluck(),
    }
  }
  const sources: TextSource[] = [
    byColumn('category', 'products_category'),
    byColumn('brand', 'products_brand'),
    {
      next: db
        .prepare<{ storeId: string; after: string; to: string }, string | null>(`
        SELECT min(sort_name) FROM products INDEXED BY products_name
        WHERE store_id = @storeId AND sort_name > @after AND sort_name < @to`)
        .pluck(),
      has: db
        .prepare<{ storeId: string; text: string }, number>(`
        SELECT count(*) FROM (SELECT 1 FROM products INDEXED BY products_name
          WHERE store_id = @storeId AND sort_name = @text LIMIT ${COUNTED_MAX})`)
        .pluck(),
      isShown: db
        .prepare<{ storeId: string; text: string }, number>(`
        SELECT EXISTS (
          SELECT 1 FROM (
            SELECT product_id, variant_group FROM products INDEXED BY products_name
            WHERE store_id = @storeId AND sort_name = @text LIMIT ${MEMBERS_MAX}) AS named
          WHERE variant_group IS NULL OR variant_group = product_id OR (
            NOT EXISTS (SELECT 1 FROM products WHERE store_id = @storeId AND product_id = named.variant_group)
            AND @text = (SELECT min(sort_name) FROM products INDEXED BY products_group
              WHERE store_id = @storeId AND variant_group = named.variant_group AND sort_name > '')))`)
        .pluck(),
    },
  ]
  const categories = sources[0]

  return {
    /** The metadata of some products, by product id. */
    findMetadata: (storeId: string, ids: readonly string[]): Map<string, Record<string, unknown>> =>
      new Map(
        metadata
          .all({ storeId, ids: JSON.stringify(ids) })
          .map(({ productId, metadata }) => [productId, JSON.parse(metadata) as Record<string, unknown>]),
      ),

    /**
     * Lists categories, then brands, then names that begin with a text. Of the variants of one product it takes the name of
     * their parent, or that of the first where the store has no parent.
     *
     * @param prefix folded; empty for all.
     */
    listTexts(storeId: string, prefix: string, limit: number): CatalogueText[] {
      const found = new Map<string, number>()
      for (const { next, has, isShown } of sources) {
        let after = prefix
        let hidden = 0
        const take = (text: string) => {
          if (found.has(text)) return
          if (isShown?.get({ storeId, text }) === 0) hidden++
          else found.set(text, has.get({ storeId, text }) ?? 0)
        }
        if (prefix !== '' && (has.get({ storeId, text: prefix }) ?? 0) > 0) take(prefix)
        while (found.size < limit && hidden < HIDDEN_MAX) {
          const text = next.get({ storeId, after, to: prefix + LAST })
          if (text === null || text === undefined) break
          take(text)
          after = text
        }
      }
      return [...found].slice(0, limit).map(([text, products]) => ({ text, products }))
    },

    /** Category names of a store, folded, in order. */
    listCategories(storeId: string, limit: number): string[] {
      const found: string[] = []
      for (let after = ''; found.length < limit; ) {
        const text = categories?.next.get({ storeId, after, to: LAST })
        if (text === null || text === undefined) break
        found.push(text)
        after = text
      }
      return found
    },
  }
}
