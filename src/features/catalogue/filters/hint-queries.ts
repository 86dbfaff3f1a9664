import { foldLevel, listLevels } from '../../../core/category-path.ts'
import type { Db } from '../../../platform/db/open.ts'
import { INDEXES, prepareStretch, type Stretch } from './stretch-queries.ts'
import { writeValue } from './value-queries.ts'

export type HintQueries = ReturnType<typeof hintQueries>

/** All SQL of hints: which fields and values a store has. It only reads. */
export function hintQueries(db: Db) {
  const newest = db
    .prepare<[string, bigint], string>(`
      SELECT metadata FROM products INDEXED BY products_created WHERE store_id = ?
      ORDER BY created_at DESC, vector_id DESC LIMIT ?`)
    .pluck()
  const anyLevel = db.prepare<[string, string], { found: 1 }>(
    'SELECT 1 AS found FROM product_levels WHERE store_id = ? AND name = ? LIMIT 1',
  )
  const nextLevels = db.prepare<[string, string], { name: string; path: string | null }>(`
    SELECT level.name, metadata -> '$.category_path' AS path
    FROM product_levels AS level JOIN products ON products.id = product
    WHERE level.store_id = ? AND level.name > ? ORDER BY level.name LIMIT 1`)
  const nextValues = { category: columnWalk('category'), brand: columnWalk('brand') }
  const sameValues = { category: columnSeek('category'), brand: columnSeek('brand') }

  /** The next value of an indexed column, with one product that has it. */
  function columnWalk(column: 'category' | 'brand') {
    return db.prepare<[string, string], { value: string; metadata: string }>(`
      SELECT ${column} AS value, metadata FROM products INDEXED BY ${INDEXES[column]}
      WHERE store_id = ? AND ${column} > ? ORDER BY ${column} LIMIT 1`)
  }

  function columnSeek(column: 'category' | 'brand') {
    return db.prepare<[string, string], { found: 1 }>(`
      SELECT 1 AS found FROM products INDEXED BY ${INDEXES[column]} WHERE store_id = ? AND ${column} = ? LIMIT 1`)
  }

  return {
    /** Prepares the different values of a field, as JSON, in a stretch of a store. */
    prepareDistinct(field: string) {
      const values: Record<string, string> = {}
      const value = writeValue(field, 'f', values)
      const read = prepareStretch<string | null>(db, { of: 'store' }, `DISTINCT ${value}`, {
        sql: '1',
        values,
      })
      return (storeId: string, stretch: Stretch): (string | null)[] => {
        const { statement, values } = read(storeId, stretch)
        return statement.pluck().all(values)
      }
    },

    /** Prepares a scan for metadata fields; its result has a 1 for each field that a product of a stretch has. */
    preparePresence(fields: readonly string[]) {
      const values: Record<string, string> = {}
      const columns = fields.map((field, n) => `max(${writeValue(field, `f${n}`, values)} IS NOT NULL)`)
      const read = prepareStretch<(number | null)[]>(db, { of: 'store' }, columns.join(', '), {
        sql: '1',
        values,
      })
      return (storeId: string, stretch: Stretch): (number | null)[] => {
        const { statement, values } = read(storeId, stretch)
        return statement.raw().get(values) ?? []
      }
    },

    /** Prepares a read of the metadata of all products of a stretch, as JSON. */
    prepareMetadata() {
      const read = prepareStretch<string>(db, { of: 'store' }, 'metadata', { sql: '1', values: {} })
      return (storeId: string, stretch: Stretch): string[] => {
        const { statement, values } = read(storeId, stretch)
        return statement.pluck().all(values)
      }
    },

    /** The metadata of the store's newest products, as JSON. */
    listNewest: (storeId: string, limit: number): string[] => newest.all(storeId, BigInt(limit)),

    /** The value of an indexed column that follows another one, in the spelling of a product. */
    nextValue(storeId: string, field: 'category' | 'brand', after: string) {
      const row = nextValues[field].get(storeId, after)
      return (
        row && { folded: row.value, spelled: String(JSON.parse(row.metadata)[field] ?? row.value).trim() }
      )
    },

    /** The level name or path that follows another one, in the spelling of a product. */
    nextLevel(storeId: string, after: string) {
      const row = nextLevels.get(storeId, after)
      return (
        row && {
          folded: row.name,
          spelled: listLevels(JSON.parse(row.path ?? 'null')).get(row.name) ?? row.name,
        }
      )
    },

    /** Whether a product of the store has this folded value. */
    hasValue: (storeId: string, field: 'category' | 'brand', folded: string): boolean =>
      sameValues[field].get(storeId, folded) !== undefined ||
      (field === 'category' && anyLevel.get(storeId, foldLevel(folded)) !== undefined),
  }
}
