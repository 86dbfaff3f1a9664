import type { Row, Value } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import { findMovedTable } from './plan.ts'

/** Values of a key, as one database has them; bytes in hex. */
export type Key = readonly (string | number)[]

/** What one database needs to read and write the rows of a table. */
export interface TableShape {
  table: string
  /** Columns that travel, those of the key first. */
  columns: readonly string[]
  key: readonly string[]
  /** What a SELECT shows of a row, as it travels. */
  list: string
  /** The key as this database has it, each column called `key_…`. */
  keyList: string
  from: string
  /** Whether a row belongs to `@storeId` and travels. */
  condition: string
  /** Values of a key as SQLite takes them. */
  bind(key: Key): Value[]
  /** The key of a row that was read with `keyList`. */
  readKey(row: Row): (string | number)[]
}

const KEY = 'key_'

/** Looks at a table as it is in this database. */
export function shapeOf(db: Db, table: string): TableShape {
  const { key, bytes = [], without = [], where = '1', out = {} } = findMovedTable(table)
  const all = db
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY cid')
    .pluck()
    .all(table)
    .filter((name) => name !== 'store_id' && !without.includes(name))
  const columns = [...key, ...all.filter((name) => !key.includes(name))]
  const list = columns.map((column) => `${out[column] ?? `${table}.${column}`} AS ${column}`)
  const keyList = key.map((column) => `${table}.${column} AS ${KEY}${column}`)
  return {
    ...{ table, columns, key },
    list: list.join(', '),
    keyList: keyList.join(', '),
    from: `FROM ${table}`,
    condition: `${ownership(table)} AND (${where})`,
    bind: (values) =>
      key.map((column, n) =>
        bytes.includes(column) ? Buffer.from(String(values[n]), 'hex') : (values[n] as Value),
      ),
    readKey: (row) =>
      key.map((column) => {
        const value = row[KEY + column]
        return value instanceof Uint8Array
          ? Buffer.from(value).toString('hex').toUpperCase()
          : (value as string | number)
      }),
  }
}

function ownership(table: string): string {
  if (table === 'stores') return 'stores.id = @storeId'
  if (table === 'user_group_members')
    return 'user_group_members.group_id IN (SELECT id FROM user_groups WHERE store_id = @storeId)'
  return `${table}.store_id = @storeId`
}

/** The columns of the index by which rows of a store are read in order. */
export function orderOf({ table, key }: Pick<TableShape, 'table' | 'key'>): string[] {
  const { unique } = findMovedTable(table)
  return unique.includes('store_id') ? [...key] : [...unique]
}

/** Compares keys as SQLite does: numbers before texts, texts by their bytes. */
export function compareKeys(a: Key, b: Key): number {
  for (const [n, left] of a.entries()) {
    const right = b[n] as string | number
    if (typeof left !== typeof right) return typeof left === 'number' ? -1 : 1
    const order =
      typeof left === 'number'
        ? left - (right as number)
        : Buffer.compare(Buffer.from(left), Buffer.from(right as string))
    if (order !== 0) return order
  }
  return 0
}

/** JSON has no bytes. */
export const toJson = (value: Value): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
