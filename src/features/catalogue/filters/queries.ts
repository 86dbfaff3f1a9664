import { readTime } from '../../../core/moments.ts'
import { fold } from '../../../core/text.ts'
import type { Db } from '../../../platform/db/open.ts'
import { SQL_FUNCTIONS, toSql } from './condition-queries.ts'
import type { Node } from './filter.ts'
import { createPaletteTest } from './palette.ts'
import { preparePlaceSearch, prepareStretch, type Scope, type Stretch } from './stretch-queries.ts'
import { isPrice, writePaid, writeValue } from './value-queries.ts'

export type FilterQueries = ReturnType<typeof filterQueries>

/** The SQL of filters and facets; it only reads. Reading a whole store is cut into stretches by the caller. */
export function filterQueries(db: Db) {
  const isNear = createPaletteTest()
  const asText = (convert: (text: string) => string | number | undefined) => (value: unknown) =>
    typeof value === 'string' ? (convert(value) ?? null) : null
  const isPure = { deterministic: true, directOnly: true } as const
  let folded = { text: '', result: '' }
  // Several conditions on one field ask for the same text in a row.
  const foldAgain = (text: string) => {
    if (text !== folded.text) folded = { text, result: fold(text) }
    return folded.result
  }
  db.function(SQL_FUNCTIONS.fold, isPure, asText(foldAgain))
  db.function(SQL_FUNCTIONS.time, isPure, asText(readTime))
  db.function(SQL_FUNCTIONS.near, isPure, (palette: unknown, hex: unknown, deltaE: unknown) =>
    isNear(String(palette), String(hex), Number(deltaE)) ? 1 : 0,
  )

  const named = db.prepare<[string, string], { id: number; productId: string }>(`
    SELECT products.id, product_id AS productId FROM json_each(?) AS wanted CROSS JOIN products ON products.id = wanted.value
    WHERE store_id = ? ORDER BY products.id`)
  const byId = db
    .prepare<[string, string], number>(`
      SELECT products.id FROM json_each(?) AS wanted
      CROSS JOIN products ON store_id = ? AND product_id = wanted.value`)
    .pluck()
  const byName = db
    .prepare<[string, string, bigint], number>(`
      SELECT products.id FROM json_each(?) AS wanted
      CROSS JOIN products INDEXED BY products_name ON store_id = ? AND sort_name = wanted.value LIMIT ?`)
    .pluck()
  const dated = db.prepare<[string], { found: 1 }>(`
    SELECT 1 AS found FROM products INDEXED BY products_turns
    WHERE store_id = ? AND price_turns_at IS NOT NULL LIMIT 1`)
  const anyLevel = db.prepare<[string, string], { found: 1 }>(
    'SELECT 1 AS found FROM product_levels WHERE store_id = ? AND name = ? LIMIT 1',
  )

  return {
    findPlace: preparePlaceSearch(db),

    /** Whether a sale of the store begins or ends some day. */
    hasDatedSales: (storeId: string): boolean => dated.get(storeId) !== undefined,

    /** Whether a product of the store is below a level of this name or path. */
    hasLevel: (storeId: string, path: string): boolean => anyLevel.get(storeId, path) !== undefined,

    /** Prepares a filter; the result lists the rows of a stretch that pass. */
    prepareFilter(root: Node, scope: Scope) {
      const read = prepareStretch<number>(db, scope, 'id', toSql(root))
      return (storeId: string, stretch: Stretch): number[] => {
        const { statement, values } = read(storeId, stretch)
        return statement.pluck().all(values)
      }
    },

    /** Those of some products that pass, by their ids. */
    listByIds(storeId: string, root: Node, productIds: readonly string[]): number[] {
      const { sql, values } = toSql(root)
      return db
        .prepare<Record<string, unknown>, number>(`
          SELECT products.id FROM json_each(@ids) AS wanted CROSS JOIN products ON store_id = @storeId AND product_id = wanted.value
          WHERE ${sql}`)
        .pluck()
        .all({ ...values, storeId, ids: JSON.stringify(productIds) })
    },

    /** Those of some products that pass, by their rows. */
    listByRows(storeId: string, root: Node, rows: readonly number[]): number[] {
      const { sql, values } = toSql(root)
      return db
        .prepare<Record<string, unknown>, number>(`
          SELECT products.id FROM json_each(@rows) AS wanted CROSS JOIN products ON products.id = wanted.value
          WHERE store_id = @storeId AND (${sql})`)
        .pluck()
        .all({ ...values, storeId, rows: JSON.stringify(rows) })
    },

    /** The rows of products by their ids. */
    listIds: (storeId: string, productIds: readonly string[]): number[] =>
      byId.all(JSON.stringify(productIds), storeId),

    /** The rows of products that have one of some names, folded and not empty; at most `limit` of them. */
    listByNames: (storeId: string, names: readonly string[], limit: number): number[] =>
      byName.all(JSON.stringify(names), storeId, BigInt(limit)),

    /** Prepares a filter for single products, by their rows. */
    preparePass(root: Node): (storeId: string, row: number) => boolean {
      const { sql, values } = toSql(root)
      const passes = db.prepare<Record<string, unknown>, { found: 1 }>(
        `SELECT 1 AS found FROM products WHERE id = @row AND store_id = @storeId AND (${sql})`,
      )
      return (storeId, row) => passes.get({ ...values, storeId, row: BigInt(row) }) !== undefined
    },

    /** Prepares the values of some fields, as JSON, of some products by their rows. `price` is what is paid now. */
    prepareValues(fields: readonly string[], now: number) {
      const values: Record<string, string | bigint> = {}
      const columns = fields.map((field, n) =>
        isPrice(field) ? writePaid(now, values) : writeValue(field, `f${n}`, values),
      )
      const read = db
        .prepare<Record<string, unknown>, (string | number | null)[]>(`
          SELECT ${columns.join(', ')} FROM json_each(@rows) AS wanted CROSS JOIN products ON products.id = wanted.value
          WHERE store_id = @storeId`)
        .raw()
      return (storeId: string, rows: readonly number[]) =>
        read.all({ ...values, storeId, rows: JSON.stringify(rows) })
    },

    /** Rows and ids of some of the store's products, in the order of the rows. */
    listProducts: (storeId: string, rows: readonly number[]) => named.all(JSON.stringify(rows), storeId),
  }
}
