import type { Ids } from '../../../core/ids.ts'
import { malformed, type Row, type Value } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import { findCopied, type JsonShape, NAMED_ROWS_MAX } from './plan.ts'
import { listColumns } from './reading.ts'

/** A row as it is written; what it leaves undefined gets the default of its column. */
export interface AdaptedRow {
  row: Readonly<Record<string, Value | undefined>>
  /** Runs once the row is written. @param number that SQLite gave it. */
  written?(number: number): void
}

/** Changes a row before it is written. @param name its `id` in the file. @returns undefined to leave the row out. */
export type Adapt = (row: Row, name: Value) => AdaptedRow | undefined

export type RowWriter = ReturnType<typeof createRowWriter>

/**
 * Writes the rows of a store that came in a file, under the id that the store has here. It only ever adds rows: a row that
 * collides with one of this install is refused.
 *
 * @param adapt by the name of the table.
 */
export function createRowWriter(
  db: Db,
  storeId: string,
  ids: Pick<Ids, 'uuid'>,
  adapt: Readonly<Record<string, Adapt>>,
) {
  const names = new Map<string, Map<Value, Value>>()

  function namesOf(table: string): Map<Value, Value> {
    const known = names.get(table) ?? new Map<Value, Value>()
    names.set(table, known)
    return known
  }

  /** @throws UnreadableFile */
  function translate(table: string, name: Value): Value {
    const found = names.get(table)?.get(name)
    if (found === undefined) throw malformed(`a row names another that is not in the file (${table})`)
    return found
  }

  /** Begins with a table. @param columns as the file names them. @returns what writes a row; call it in a transaction. */
  function open(table: string, columns: readonly Value[]): (values: readonly Value[]) => void {
    const plan = findCopied(table)
    const known = listColumns(db, table)
    const allowed = new Set([...known, ...(plan.extra ?? [])])
    const unique = new Set(columns)
    if (
      unique.size !== columns.length ||
      columns.some((name) => typeof name !== 'string' || !allowed.has(name))
    )
      throw malformed(`${table} has columns that this program does not know`)
    const integers = listIntegers(db, table)
    const inserts = new Map<string, (row: Row) => number>()

    function insert(row: AdaptedRow['row']): number {
      const present = Object.keys(row).filter((column) => row[column] !== undefined)
      const key = present.join()
      let run = inserts.get(key)
      if (!run) {
        const values = present.map((column) => plan.in?.[column] ?? `@${column}`)
        const statement = db.prepare(
          `INSERT INTO ${table} (${['store_id', ...present].join(', ')}) VALUES (${['@store_id', ...values].join(', ')})`,
        )
        run = (of) => Number(statement.run({ ...of, store_id: storeId }).lastInsertRowid)
        inserts.set(key, run)
      }
      return run(row as Row)
    }

    return (values) => {
      if (values.length !== columns.length)
        throw malformed(`a row of ${table} has too few or too many values`)
      const row: Row = {}
      for (const [n, column] of columns.entries()) row[column as string] = values[n] as Value
      for (const column of integers) checkInteger(table, row[column])
      for (const [column, shape] of Object.entries(plan.json ?? {})) checkJson(table, row[column], shape)
      for (const [column, other] of Object.entries(plan.refs ?? {}))
        if (row[column] !== null) row[column] = translate(other, row[column] ?? null)
      const before = row['id'] ?? null
      if (plan.named) checkRoom(table, namesOf(table))
      if (plan.named === 'uuid') row['id'] = ids.uuid()
      if (plan.named === 'number') delete row['id']
      const adapted = adapt[table] ? adapt[table](row, before) : { row }
      if (!adapted) return
      const number = writeRow(table, () => insert(adapted.row))
      adapted.written?.(number)
      if (plan.named) namesOf(table).set(before, plan.named === 'uuid' ? (row['id'] as Value) : number)
    }
  }

  return {
    open,
    /** The name that a row of the file has here. @throws UnreadableFile for a row that the file does not hold. */
    translate,
  }
}

function checkRoom(table: string, known: ReadonlyMap<Value, Value>): void {
  if (known.size >= NAMED_ROWS_MAX) throw malformed(`there are more than ${NAMED_ROWS_MAX} rows in ${table}`)
}

/** A row that breaks a rule of its table is the file's fault. */
function writeRow(table: string, write: () => number): number {
  try {
    return write()
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code)) throw error
    throw malformed(`a row of ${table} does not fit into its table (${(error as Error).message})`)
  }
}

const listIntegers = (db: Db, table: string): string[] =>
  db
    .prepare<[string], string>(`SELECT name FROM pragma_table_info(?) WHERE type = 'INTEGER'`)
    .pluck()
    .all(table)

/** The last moment that a date can be; larger numbers are not exact. */
const INTEGER_MAX = 8.64e15

/** @throws UnreadableFile for a number that the program could not show, as a moment or otherwise. */
function checkInteger(table: string, value: Value | undefined): void {
  if (typeof value === 'number' && Math.abs(value) > INTEGER_MAX)
    throw malformed(`a number in a row of ${table} is too large`)
}

/** @throws UnreadableFile for a text that the program could not read. */
function checkJson(table: string, value: Value | undefined, shape: JsonShape): void {
  if (value === null || value === undefined) return
  if (typeof value !== 'string' || !hasShape(parse(value), shape))
    throw malformed(`a row of ${table} is malformed`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function hasShape(value: unknown, shape: JsonShape): boolean {
  if (shape === 'object') return isObject(value)
  return (
    Array.isArray(value) &&
    value.every((one) => (shape === 'texts' ? typeof one === 'string' : isObject(one)))
  )
}

/** Keeps the sweeper from the pictures of a store that is arriving, whose products come later. */
export const holdKeptPicture = (db: Db, address: string): void =>
  void db.prepare('DELETE FROM released_pictures WHERE address = ?').run(address)

/** The same for a large store, in steps. */
export function* releaseKeptInSteps(db: Db, storeId: string): Generator<void> {
  const next = db.prepare<[string, Buffer], { address: string; hash: Buffer }>(`
    SELECT address, content_hash AS hash FROM kept_pictures WHERE store_id = ? AND content_hash > ?
    ORDER BY content_hash LIMIT 200`)
  const release = db.prepare('INSERT OR IGNORE INTO released_pictures (address, content_hash) VALUES (?, ?)')
  for (let after: Buffer | undefined = Buffer.alloc(0); after; ) {
    const rows = next.all(storeId, after)
    db.transaction(() => {
      for (const { address, hash } of rows) release.run(address, hash)
    }).immediate()
    after = rows.at(-1)?.hash
    yield
  }
}

/** Lets the sweeper look at all kept pictures of a store. */
export const releaseKeptPictures = (db: Db, storeId: string): void =>
  void db
    .prepare(`
      INSERT OR IGNORE INTO released_pictures (address, content_hash)
      SELECT address, content_hash FROM kept_pictures WHERE store_id = ?`)
    .run(storeId)
