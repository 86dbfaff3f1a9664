import type { Db } from '../../../platform/db/open.ts'
import type { ProductSort } from './schema.ts'
import type { Words } from './words.ts'

/** Which products a list shows: those that fit everything that is given. */
export interface ProductFilter {
  storeId: string
  /** Folded; of products whose own category this is. */
  category?: string | undefined
  /** Folded; of products in a category of this name, or below a level of this name or path. */
  level?: { name: string; path: string } | undefined
  brand?: string | undefined
  words?: Words | undefined
  /** Unix ms. */
  updatedSince?: number | undefined
}

/** The place of a product in a list. It means the same in every database that holds the store. */
export interface ProductPosition {
  /** By which the list is sorted. */
  value: string | number
  /** The product's `vector_id`, which orders products with equal values by their age. */
  id: string
}

/** A row of a list: the product and its place. */
export interface ListedProduct extends ProductPosition {
  /** The row of the product. */
  product: number
}

/** A part of a list. */
export interface ListQuery {
  filter: ProductFilter
  sort: ProductSort
  /** The largest number of rows. */
  limit: number
  after?: ProductPosition | undefined
}

/** Where products that may pass a filter are found; each of them is then compared with the whole filter. */
export type Source = 'words' | 'category' | 'level' | 'brand' | 'updated' | 'store'

interface Order {
  column: string
  direction: 'ASC' | 'DESC'
  /** The indexes that have all products of a store, and those of one category, in this order. */
  ofAll: string
  ofCategory?: string
}

const BY_AGE = { column: 'created_at', ofAll: 'products_created', ofCategory: 'products_category' }

const ORDERS: Record<ProductSort, Order> = {
  newest: { ...BY_AGE, direction: 'DESC' },
  oldest: { ...BY_AGE, direction: 'ASC' },
  updated: { column: 'updated_at', direction: 'DESC', ofAll: 'products_updated' },
  name: {
    column: 'sort_name',
    direction: 'ASC',
    ofAll: 'products_name',
    ofCategory: 'products_category_name',
  },
  price_asc: {
    column: 'price_up',
    direction: 'ASC',
    ofAll: 'products_price_up',
    ofCategory: 'products_category_price_up',
  },
  price_desc: {
    column: 'price_down',
    direction: 'DESC',
    ofAll: 'products_price_down',
    ofCategory: 'products_category_price_down',
  },
}

const TABLES: Record<Source, string> = {
  words: `(SELECT rowid AS word FROM product_words WHERE product_words MATCH @candidates LIMIT @candidatesMax)
    CROSS JOIN products ON products.id = word`,
  category: 'products INDEXED BY products_category',
  level: `(SELECT id AS found FROM products INDEXED BY products_category WHERE store_id = @storeId AND category = @levelName
      UNION ALL SELECT product FROM product_levels WHERE store_id = @storeId AND name = @levelPath)
    CROSS JOIN products ON products.id = found`,
  brand: 'products INDEXED BY products_brand',
  updated: 'products INDEXED BY products_updated',
  store: 'products INDEXED BY products_created',
}

/** SQLite's word for no limit. */
const ALL = -1

export type ProductListQueries = ReturnType<typeof productListQueries>

/**
 * SQL of GET /v1/products: filters, sorting and keyset pages. Without statistics SQLite would guess which index serves a
 * list best, so each statement names its own.
 */
export function productListQueries(db: Db) {
  const anyLevel = db.prepare<[string, string], { found: 1 }>(
    'SELECT 1 AS found FROM product_levels WHERE store_id = ? AND name = ? LIMIT 1',
  )
  return {
    /** Whether a product of the store is below a level of this name or path. */
    hasLevel: (storeId: string, path: string): boolean => anyLevel.get(storeId, path) !== undefined,

    /** How many products of all stores have the trigrams of some words, counted up to `max`. */
    countCandidates(candidates: string, max: number): number {
      return countRows(db, 'SELECT 1 FROM product_words WHERE product_words MATCH @candidates LIMIT @max', {
        candidates,
        max: BigInt(max),
      })
    },

    /**
     * How many products pass the filter, counted up to `max`.
     *
     * @param candidatesMax limits the products with the trigrams of the words that are compared; only for the source `words`.
     */
    count(filter: ProductFilter, source: Source, max: number, candidatesMax = ALL): number {
      const { conditions, values } = toConditions(filter)
      return countRows(db, `SELECT 1 FROM ${TABLES[source]} WHERE ${conditions} LIMIT @max`, {
        ...{ ...values, candidatesMax: BigInt(candidatesMax) },
        max: BigInt(max),
      })
    },

    /**
     * Walks along the list's order until enough products have passed the filter.
     *
     * @param until goes no further than this place.
     */
    walk({ filter, sort, limit, after }: ListQuery, until?: ProductPosition): ListedProduct[] {
      const { column, direction } = ORDERS[sort]
      const { conditions, values } = toConditions(filter)
      const beyond = direction === 'ASC' ? '<=' : '>='
      return db
        .prepare(`
          SELECT id AS product, ${column} AS value, vector_id AS id FROM products INDEXED BY ${orderIndex(filter, sort)}
          WHERE ${conditions} ${seek(sort, after)} ${until ? `AND (${column}, vector_id) ${beyond} (@untilValue, @untilId)` : ''}
          ORDER BY ${column} ${direction}, vector_id ${direction} LIMIT @limit`)
        .all({
          ...{ ...values, ...seekValues(after), limit: BigInt(limit) },
          ...(until && { untilValue: until.value, untilId: until.id }),
        }) as ListedProduct[]
    },

    /** The place to which `walk` comes after some products, whether they pass or not; undefined where the list ends before. */
    findPlace({ filter, sort, after }: ListQuery, products: number): ProductPosition | undefined {
      const { column, direction } = ORDERS[sort]
      const index = orderIndex(filter, sort)
      const { storeId, category, brand } = filter
      const scope: ProductFilter = { storeId }
      if (index === ORDERS[sort].ofCategory) scope.category = category
      if (index === 'products_brand') scope.brand = brand
      const { conditions, values } = toConditions(scope)
      return db
        .prepare(`
          SELECT ${column} AS value, vector_id AS id FROM products INDEXED BY ${index}
          WHERE ${conditions} ${seek(sort, after)}
          ORDER BY ${column} ${direction}, vector_id ${direction} LIMIT 1 OFFSET @products`)
        .get({ ...values, ...seekValues(after), products: BigInt(products) }) as ProductPosition | undefined
    },

    /** Finds every product that passes the filter, and sorts them. */
    sort({ filter, sort, limit, after }: ListQuery, source: Source): ListedProduct[] {
      const { column, direction } = ORDERS[sort]
      const { conditions, values } = toConditions(filter)
      return db
        .prepare(`
          SELECT products.id AS product, ${column} AS value, vector_id AS id FROM ${TABLES[source]}
          WHERE ${conditions} ${seek(sort, after)}
          ORDER BY ${column} ${direction}, vector_id ${direction} LIMIT @limit`)
        .all({
          ...{ ...values, ...seekValues(after), candidatesMax: BigInt(ALL) },
          limit: BigInt(limit),
        }) as ListedProduct[]
    },
  }
}

const isByAge = (sort: ProductSort): boolean => sort === 'newest' || sort === 'oldest'

/** The index that has the products in the list's order, if possible those of the category or the brand alone. */
function orderIndex({ category, brand }: ProductFilter, sort: ProductSort): string {
  const { ofAll, ofCategory } = ORDERS[sort]
  if (category !== undefined && ofCategory !== undefined) return ofCategory
  return brand !== undefined && isByAge(sort) ? 'products_brand' : ofAll
}

/** Whether every product that `walk` comes by passes the filter. */
export function isOrdered(
  { category, level, brand, words, updatedSince }: ProductFilter,
  sort: ProductSort,
): boolean {
  if (words || level) return false
  if (updatedSince !== undefined) return sort === 'updated' && category === undefined && brand === undefined
  if (brand !== undefined) return category === undefined && isByAge(sort)
  return category === undefined || ORDERS[sort].ofCategory !== undefined
}

function seek(sort: ProductSort, after: ProductPosition | undefined): string {
  const { column, direction } = ORDERS[sort]
  return after ? `AND (${column}, vector_id) ${direction === 'ASC' ? '>' : '<'} (@afterValue, @afterId)` : ''
}

const seekValues = (after: ProductPosition | undefined) =>
  after && { afterValue: after.value, afterId: after.id }

function countRows(db: Db, rows: string, values: Record<string, unknown>): number {
  const found = db.prepare<Record<string, unknown>, { n: number }>(`SELECT count(*) AS n FROM (${rows})`)
  return found.get(values)?.n ?? 0
}

/** Whether a level above the product's category has a name or path, in SQL. */
const hasLevel = (path: string): string =>
  `(levels IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(levels) WHERE value = ${path}))`

function toConditions({ storeId, category, level, brand, words, updatedSince }: ProductFilter) {
  const parts = ['store_id = @storeId']
  const values: Record<string, unknown> = { storeId }
  const add = (condition: string, more: Record<string, unknown>) => {
    parts.push(condition)
    Object.assign(values, more)
  }
  if (category !== undefined) add('category = @category', { category })
  if (level !== undefined) {
    const { name: levelName, path: levelPath } = level
    add(`(coalesce(category = @levelName, 0) OR ${hasLevel('@levelPath')})`, { levelName, levelPath })
  }
  if (brand !== undefined) add('brand = @brand', { brand })
  if (updatedSince !== undefined)
    add('updated_at >= @updatedSince', { updatedSince: BigInt(Math.trunc(updatedSince)) })
  if (words) add('(instr(sort_name, @inName) > 0 OR instr(lower(product_id), @inId) > 0)', { ...words })
  return { conditions: parts.join(' AND '), values }
}
