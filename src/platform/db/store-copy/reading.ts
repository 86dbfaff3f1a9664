import { formatLine, type Row, type Value } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import { findCopied } from './plan.ts'

/** Fills the columns of a row that only code can fill. @param id its number, where the rows are in order. */
export type Fill = (row: Row, id: number) => Row

/** The columns of a table that travel, without those that code adds. */
export function listColumns(db: Db, table: string): string[] {
  const { without = [] } = findCopied(table)
  return db
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY cid')
    .pluck()
    .all(table)
    .filter((name) => name !== 'store_id' && !without.includes(name))
}

/**
 * Reads the rows of a table that travel with a store, as lines; the first names the columns. Call it in a transaction, which
 * shows all tables as they were at one moment.
 */
export function* readRows(db: Db, table: string, storeId: string, fill?: Fill): Generator<string> {
  const { out = {}, extra = [], where = '1', inOrder = false } = findCopied(table)
  const columns = listColumns(db, table)
  const all = [...columns, ...extra]
  yield formatLine(all)
  const shown = all.filter((column) => columns.includes(column) || column in out)
  const list = shown.map((column) => `${out[column] ?? column} AS ${column}`).join(', ')
  const write = (row: Row, id: number): string => {
    const filled = fill ? { ...row, ...fill(row, id) } : row
    return formatLine(all.map((column) => filled[column] as Value))
  }
  const rows = `FROM ${table} WHERE store_id = @storeId AND (${where})`
  if (!inOrder) {
    const every = db.prepare<[{ storeId: string }], Row>(`SELECT ${list} ${rows}`)
    for (const row of every.iterate({ storeId })) yield write(row, 0)
    return
  }
  // Rows that are sorted by SQLite would all be in its memory at once.
  const ids = db.prepare<[{ storeId: string }], number>(`SELECT id ${rows}`).pluck().all({ storeId })
  const one = db.prepare<[bigint], Row>(`SELECT ${list} FROM ${table} WHERE id = ?`)
  for (const id of Float64Array.from(ids).sort()) yield write(one.get(BigInt(id)) as Row, id)
}

/** Reads the database as it is at one moment, however long the work takes and whoever writes meanwhile. */
export async function atOneMoment<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  db.exec('BEGIN')
  try {
    return await work()
  } finally {
    db.exec('ROLLBACK')
  }
}
