import { foldLevel, listLevels } from '../../../core/category-path.ts'
import { readTime } from '../../../core/moments.ts'
import { fold } from '../../../core/text.ts'
import type { Db } from '../../../platform/db/open.ts'
import { SQL_FUNCTIONS, type SqlCondition, toPaths, toSql } from './condition-queries.ts'
import type { Node } from './filter.ts'
import { createPaletteTest } from './palette.ts'

/** A place in the order in which the products of a store are walked: by their age, which never changes. */
export interface Place {
  time: number
  id: string
}

/** A stretch of a walk: the products after one place, up to another. */
export interface Stretch {
  after: Place
  /** Undefined for the rest. */
  until: Place | undefined
}

export const START: Place = { time: Number.MIN_SAFE_INTEGER, id: '' }

/** The part of a store that is walked, by the index that has it in the order of age. */
export type Scope =
  | { of: 'store' }
  /** Folded. */
  | { of: 'category' | 'brand'; value: string }
  /** A category or a level above categories; folded. */
  | { of: 'level'; value: string; path: string }

const INDEXES = { store: 'products_created', category: 'products_category', brand: 'products_brand' } as const

export type FilterQueries = ReturnType<typeof filterQueries>

/** All SQL of filters and facets; it only reads. Reading a whole store is cut into stretches by the caller. */
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

  const newest = db
    .prepare<[string, bigint], string>(`
      SELECT metadata FROM products INDEXED BY products_created WHERE store_id = ?
      ORDER BY created_at DESC, vector_id DESC LIMIT ?`)
    .pluck()
  const named = db.prepare<[string, string], { id: number; productId: string }>(`
    SELECT products.id, product_id AS productId FROM json_each(?) AS wanted CROSS JOIN products ON products.id = wanted.value
    WHERE store_id = ? ORDER BY products.id`)
  const dated = db.prepare<[string], { found: 1 }>(`
    SELECT 1 AS found FROM products INDEXED BY products_turns
    WHERE store_id = ? AND price_turns_at IS NOT NULL LIMIT 1`)
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

  /** Prepares a read of a stretch; what it names of a client's is bound. */
  function stretchOf<Row>(scope: Scope, columns: string, condition: SqlCondition) {
    const prepare = (until: string) =>
      db.prepare<Record<string, unknown>, Row>(`
        SELECT ${columns} FROM ${tableOf(scope, `AND (created_at, vector_id) > (@afterTime, @afterId) ${until}`)}
          AND (${condition.sql})`)
    // Each takes milliseconds for a filter of a hundred conditions, and most walks need one of them.
    let bounded: ReturnType<typeof prepare> | undefined
    let open: ReturnType<typeof prepare> | undefined
    return (storeId: string, { after, until }: Stretch) => {
      const values = {
        ...{ ...condition.values, ...scopeValues(scope), storeId },
        ...{ afterTime: BigInt(after.time), afterId: after.id },
      }
      if (!until) {
        open ??= prepare('')
        return { statement: open, values }
      }
      bounded ??= prepare('AND (created_at, vector_id) <= (@untilTime, @untilId)')
      return { statement: bounded, values: { ...values, untilTime: BigInt(until.time), untilId: until.id } }
    }
  }

  return {
    /** Where a walk comes after so many products; undefined where fewer are left. */
    findPlace(storeId: string, scope: Scope, after: Place, products: number): Place | undefined {
      const behind = 'AND (created_at, vector_id) > (@afterTime, @afterId)'
      const places = placesOf(scope, 'created_at AS time, vector_id AS place', behind)
      return db
        .prepare<Record<string, unknown>, Place>(`
          SELECT time, place AS id FROM (${places}) ORDER BY time, place LIMIT 1 OFFSET @products`)
        .get({
          ...{ ...scopeValues(scope), storeId, products: BigInt(products - 1) },
          ...{ afterTime: BigInt(after.time), afterId: after.id },
        })
    },

    /** Whether a sale of the store begins or ends some day. */
    hasDatedSales: (storeId: string): boolean => dated.get(storeId) !== undefined,

    /** Whether a product of the store is below a level of this name or path. */
    hasLevel: (storeId: string, path: string): boolean => anyLevel.get(storeId, path) !== undefined,

    /** Prepares a filter; the result lists the rows of a stretch that pass. */
    prepareFilter(root: Node, scope: Scope) {
      const read = stretchOf<number>(scope, 'id', toSql(root))
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

    /** Prepares the different values of a field, as JSON, in a stretch of a store. */
    prepareDistinct(field: string) {
      const values: Record<string, string> = {}
      const value = writeValue(field, 'f', values)
      const read = stretchOf<string | null>({ of: 'store' }, `DISTINCT ${value}`, { sql: '1', values })
      return (storeId: string, stretch: Stretch): (string | null)[] => {
        const { statement, values } = read(storeId, stretch)
        return statement.pluck().all(values)
      }
    },

    /** Prepares a look at some metadata fields; the result says for each whether a product of a stretch has it, 1 or not. */
    preparePresence(fields: readonly string[]) {
      const values: Record<string, string> = {}
      const columns = fields.map((field, n) => `max(${writeValue(field, `f${n}`, values)} IS NOT NULL)`)
      const read = stretchOf<(number | null)[]>({ of: 'store' }, columns.join(', '), { sql: '1', values })
      return (storeId: string, stretch: Stretch): (number | null)[] => {
        const { statement, values } = read(storeId, stretch)
        return statement.raw().get(values) ?? []
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

    /** Rows and ids of some of the store's products, in the order of the rows. */
    listProducts: (storeId: string, rows: readonly number[]) => named.all(JSON.stringify(rows), storeId),
  }
}

/** The products of a scope between two places, as columns of the index that has them in their order. */
function placesOf(scope: Scope, columns: string, between: string): string {
  if (scope.of !== 'level') {
    const condition = scope.of === 'store' ? '' : `AND ${scope.of} = @scope`
    return `SELECT ${columns} FROM products INDEXED BY ${INDEXES[scope.of]} WHERE store_id = @storeId ${condition} ${between}`
  }
  // A level's name is never that of the product's own category, so no product is in both.
  return `${placesOf({ of: 'category', value: '' }, columns, between)} UNION ALL
    SELECT ${columns.replace(/^id\b/, 'product')} FROM product_levels WHERE store_id = @storeId AND name = @level ${between}`
}

/** What follows FROM for the products of a scope between two places, up to the first condition. */
const tableOf = (scope: Scope, between: string): string =>
  scope.of === 'level'
    ? `(${placesOf(scope, 'id AS found', between)}) CROSS JOIN products ON products.id = found WHERE store_id = @storeId`
    : placesOf(scope, '', between).replace(/^SELECT\s+FROM /, '')

const scopeValues = (scope: Scope): Record<string, string> => ({
  ...(scope.of !== 'store' && { scope: scope.value }),
  ...(scope.of === 'level' && { level: scope.path }),
})

const OWN_VALUES: Readonly<Record<string, string>> = {
  product_id: 'json_quote(product_id)',
  is_demo: `CASE is_demo WHEN 1 THEN 'true' ELSE 'false' END`,
  created_at: 'created_at',
  indexed_at: 'indexed_at',
  updated_at: 'updated_at',
}

/** A field as JSON, or null. */
function writeValue(field: string, parameter: string, values: Record<string, unknown>): string {
  const own = Object.hasOwn(OWN_VALUES, field) ? OWN_VALUES[field] : undefined
  if (own !== undefined) return own
  const name = field.startsWith('metadata.') ? field.slice('metadata.'.length) : field
  const paths = toPaths(name).map((path, n) => {
    values[`${parameter}_${n}`] = path
    return `metadata -> @${parameter}_${n}`
  })
  return paths.length === 1 ? `(${paths[0]})` : `coalesce(${paths.join(', ')})`
}

export const isPrice = (field: string): boolean => field === 'price' || field === 'metadata.price'

/** What is paid at a moment as JSON, or null. */
function writePaid(now: number, values: Record<string, unknown>): string {
  values['now'] = BigInt(now)
  return `CASE WHEN sale IS NOT NULL AND coalesce(sale_from <= @now, 1) AND coalesce(sale_until > @now, 1)
    THEN metadata -> '$.sale_price' ELSE metadata -> '$.price' END`
}
