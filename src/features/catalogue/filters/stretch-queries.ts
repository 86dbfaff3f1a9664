import type { Db } from '../../../platform/db/open.ts'
import type { SqlCondition } from './condition-queries.ts'

/*
 * How a store is walked in SQL: stretch by stretch, along the index of the part that is walked. A stretch is read again with
 * other bounds, so its statement is prepared once for each walk.
 */

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

export const INDEXES = {
  store: 'products_created',
  category: 'products_category',
  brand: 'products_brand',
} as const

/** Prepares a read of a stretch; names that a client sent are bound. */
export function prepareStretch<Row>(db: Db, scope: Scope, columns: string, condition: SqlCondition) {
  const prepare = (until: string) =>
    db.prepare<Record<string, unknown>, Row>(`
      SELECT ${columns} FROM ${tableOf(scope, `AND (created_at, vector_id) > (@afterTime, @afterId) ${until}`)}
        AND (${condition.sql})`)
  // Each takes milliseconds for a filter of a hundred conditions, and most walks need one of them.
  let bounded: ReturnType<typeof prepare> | undefined
  let open: ReturnType<typeof prepare> | undefined
  return (storeId: string, { after, until }: Stretch) => {
    const values = {
      ...condition.values,
      ...scopeValues(scope),
      storeId,
      afterTime: BigInt(after.time),
      afterId: after.id,
    }
    if (!until) {
      open ??= prepare('')
      return { statement: open, values }
    }
    bounded ??= prepare('AND (created_at, vector_id) <= (@untilTime, @untilId)')
    return { statement: bounded, values: { ...values, untilTime: BigInt(until.time), untilId: until.id } }
  }
}

/** Finds the place of a walk after some products; undefined if fewer are left. */
export function preparePlaceSearch(db: Db) {
  const prepare = (scope: Scope) => {
    const behind = 'AND (created_at, vector_id) > (@afterTime, @afterId)'
    const places = placesOf(scope, 'created_at AS time, vector_id AS place', behind)
    return db.prepare<Record<string, unknown>, Place>(`
      SELECT time, place AS id FROM (${places}) ORDER BY time, place LIMIT 1 OFFSET @products`)
  }
  // To prepare one takes as long as to run it, and a walk runs it hundreds of times.
  const statements = new Map<Scope['of'], ReturnType<typeof prepare>>()

  return (storeId: string, scope: Scope, after: Place, products: number): Place | undefined => {
    const statement = statements.get(scope.of) ?? prepare(scope)
    statements.set(scope.of, statement)
    return statement.get({
      ...scopeValues(scope),
      storeId,
      products: BigInt(products - 1),
      afterTime: BigInt(after.time),
      afterId: after.id,
    })
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

/** The text after FROM for the products of a scope between two places, up to the first condition. */
const tableOf = (scope: Scope, between: string): string =>
  scope.of === 'level'
    ? `(${placesOf(scope, 'id AS found', between)}) CROSS JOIN products ON products.id = found WHERE store_id = @storeId`
    : placesOf(scope, '', between).replace(/^SELECT\s+FROM /, '')

const scopeValues = (scope: Scope): Record<string, string> => ({
  ...(scope.of !== 'store' && { scope: scope.value }),
  ...(scope.of === 'level' && { level: scope.path }),
})
