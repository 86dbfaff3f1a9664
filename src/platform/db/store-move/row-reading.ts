import type { Row, Value } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import { findMovedTable } from './plan.ts'
import { type Key, orderOf, shapeOf, type TableShape, toJson } from './rows.ts'

interface Found {
  row: Row
  key: Key
}

export type RowReader = ReturnType<typeof createRowReader>

/** Reads rows of a table in the order of their keys. */
export function createRowReader(db: Db, table: string) {
  const shape = shapeOf(db, table)
  const order = orderOf(shape)
  const isOfStores = findMovedTable(table).unique.includes('store_id')
  // The plus keeps SQLite from an index of the store, by which it would have to sort.
  const condition = isOfStores
    ? shape.condition
    : shape.condition.replace(`${table}.store_id = @storeId`, `+${table}.store_id = @storeId`)
  const columns = order.map((column) => `${table}.${column}`).join(', ')
  const compare = (sign: string, prefix: string) =>
    order.length === 0 ? '1' : `(${columns}) ${sign} (${order.map((_, n) => `@${prefix}${n}`).join(', ')})`
  const sorted = order.length === 0 ? '' : `ORDER BY ${columns}`
  const list = [shape.list, shape.keyList].filter((part) => part !== '').join(', ')
  const scope = isOfStores ? `${table}.store_id = @storeId` : '1'

  const prepare = (where: string) =>
    db.prepare<[Row], Row>(`SELECT ${list} ${shape.from} WHERE ${where} ${sorted}`)
  const between = {
    all: prepare(condition),
    after: prepare(`${compare('>', 'a')} AND ${condition}`),
    upTo: prepare(`${compare('<=', 'e')} AND ${condition}`),
    both: prepare(`${compare('>', 'a')} AND ${compare('<=', 'e')} AND ${condition}`),
  }
  const one = prepare(`${compare('=', 'a')} AND ${condition}`)
  const ends =
    order.length === 0
      ? undefined
      : [scope, `${compare('>', 'a')} AND ${scope}`].map((where) =>
          db.prepare<[Row], Row>(
            `SELECT ${shape.keyList} ${shape.from} WHERE ${where} ${sorted} LIMIT 1 OFFSET @skip`,
          ),
        )
  const names = prepareNames(db, shape)

  function bind(storeId: string, after: Key | null, end: Key | undefined): Row {
    const row: Row = { storeId }
    for (const [n, value] of (after ? shape.bind(after) : []).entries()) row[`a${n}`] = value
    for (const [n, value] of (end ? shape.bind(end) : []).entries()) row[`e${n}`] = value
    return row
  }

  function split(read: Row): Found {
    const row: Row = {}
    for (const column of shape.columns) row[column] = read[column] as Value
    return { row, key: shape.readKey(read) }
  }

  return {
    findEnd(storeId: string, after: Key | null, rows: number): Key | undefined {
      const statement = ends?.[after ? 1 : 0]
      const { storeId: _, ...place } = bind(storeId, after, undefined)
      const found = statement?.get({
        ...(isOfStores && { storeId }),
        ...place,
        skip: BigInt(rows - 1) as unknown as number,
      })
      return found && shape.readKey(found)
    },

    *iterate(storeId: string, after: Key | null, end: Key | undefined): Generator<Found> {
      if (order.length === 0 && after) return
      const statement = after ? (end ? between.both : between.after) : end ? between.upTo : between.all
      for (const read of statement.iterate(bind(storeId, after, end))) yield split(read)
    },

    find(storeId: string, key: Key): Found | undefined {
      const read = one.get(bind(storeId, key, undefined))
      return read && split(read)
    },

    /** The name of a row that is gone, as the target knows it; undefined if nobody can say it any more. */
    translate(storeId: string, key: Key): Row | undefined {
      const values: Row = {}
      for (const [n, value] of shape.bind(key).entries()) values[shape.key[n] as string] = value
      const name = names ? names.get({ ...values, store_id: storeId }) : values
      if (!name || Object.values(name).includes(null)) return undefined
      return Object.fromEntries(
        Object.entries(name).map(([column, value]) => [column, toJson(value) as Value]),
      )
    },
  }
}

/** A statement that says a key as it travels, where it holds numbers or ids of this database. */
function prepareNames(db: Db, { table, key }: TableShape) {
  const { out = {} } = findMovedTable(table)
  if (!key.some((column) => column in out)) return undefined
  const values = key.map((column) => `@${column} AS ${column}`).join(', ')
  const list = key.map((column) => `${out[column] ?? `${table}.${column}`} AS ${column}`).join(', ')
  return db.prepare<[Row], Row>(`SELECT ${list} FROM (SELECT ${values}, @store_id AS store_id) AS ${table}`)
}
