import { hashSecret } from '../../src/core/secrets.ts'
import type { Db } from '../../src/platform/db/open.ts'
import { buildOwnership } from '../../src/platform/db/store-rows.ts'
import { TABLES } from '../../src/platform/db/tables.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'

/** Every table with rows of stores, in the order in which rows may come. Vectors lie in the table of the first model. */
export const STORE_TABLES = Object.keys(TABLES).filter((name) => typeof TABLES[name]?.rows !== 'string')

/** Filled by triggers. */
const BY_TRIGGERS = ['stores', 'released_pictures']

const nameOf = (table: string): string => (table === 'vectors' ? 'vectors_1' : table)

interface Column {
  name: string
  type: string
  notnull: 0 | 1
  dflt_value: string | null
  pk: number
}

/** Values that a service must find at peace: nothing that it would do, send or tidy away at once. */
const VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  search_checks: { query: 'boots' },
  store_words: { entry: '{"words":["sofa","couch"]}' },
  jobs: { status: 'completed', finished_at: Date.now(), kept_bytes: 0 },
  idempotency_keys: { status: 200, body: '{}' },
  job_items: { state: 'failed' },
  change_numbers: { oldest_number: 0 },
  deliveries: { state: 'delivered' },
  webhooks: { enabled: 0 },
  feeds: { next_run_at: Date.now() + 86_400_000 },
  ip_entries: { cidr: '0.0.0.0/0' },
  store_settings: { settings: '{}' },
  pictures: { palette: '[]', model: 1, width: 64, height: 64, bytes: 1 },
}

/** The first value that a CHECK of the column allows. */
function readChoice(sql: string, column: string): string | undefined {
  const choice = new RegExp(`CHECK \\(${column} IN \\(('([^']+)'|\\d+)`).exec(sql)
  return choice?.[2] ?? choice?.[1]
}

/** Gives a store rows in every table that `TABLES` says is the store's, whatever columns they have. */
export function fillStore(db: Db, storeId: string, rows: number, dimension = 8): void {
  const userId = `user of ${storeId}`
  db.prepare(
    'INSERT OR IGNORE INTO users (id, email, name, password_hash, created_at) VALUES (?, ?, ?, ?, 0)',
  ).run(...[userId, `${storeId}@people.test`, 'somebody', 'no hash'])
  for (const table of STORE_TABLES) {
    if (BY_TRIGGERS.includes(table)) continue
    if (table === 'vectors') fillVectors(db, storeId, dimension)
    else fillTable(db, table, storeId, userId, rows)
  }
}

function fillVectors(db: Db, storeId: string, dimension: number): void {
  const vectors = createVectorTable(db, 'vectors_1', dimension)
  for (const id of db
    .prepare<[string], number>('SELECT id FROM pictures WHERE store_id = ?')
    .pluck()
    .all(storeId)) {
    if (vectors.find(storeId, id)) continue
    const vector = new Float32Array(dimension)
    vector[id % dimension] = 1
    vectors.put(storeId, id, vector)
  }
}

function fillTable(db: Db, table: string, storeId: string, userId: string, rows: number): void {
  const sql =
    db.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table) ?? ''
  const columns = db.prepare<[string], Column>('SELECT * FROM pragma_table_info(?)').all(table)
  const parents = new Map(
    db
      .prepare<[string], { from: string; table: string }>(
        'SELECT "from", "table" FROM pragma_foreign_key_list(?)',
      )
      .all(table)
      .map((key) => [key.from, key.table]),
  )
  const fixed = VALUES[table] ?? {}
  const isRowId = ({ pk, type, name }: Column) => pk === 1 && type === 'INTEGER' && !parents.has(name)
  const isNeeded = (column: Column) =>
    Object.hasOwn(fixed, column.name) ||
    (!isRowId(column) && (column.pk > 0 || (column.notnull === 1 && column.dflt_value === null)))
  const needed = columns.filter(isNeeded)
  const keysOf = (parent: string): unknown[] =>
    db
      .prepare(`SELECT ${parent === 'jobs' || parent === 'products' ? 'id' : listKey(db, parent)} FROM ${parent}
        WHERE ${buildOwnership(db, parent)}`)
      .pluck()
      .all({ storeId })
  const known = new Map(
    [...parents].flatMap(([from, parent]) =>
      TABLES[parent]?.rows === 'node' || parent === 'stores' ? [] : [[from, keysOf(parent)] as const],
    ),
  )

  function value({ name, type }: Column, n: number): unknown {
    if (Object.hasOwn(fixed, name)) return fixed[name]
    if (name === 'store_id') return storeId
    if (parents.get(name) === 'users') return userId
    if (parents.get(name) === 'models') return 1
    const keys = known.get(name)
    if (keys) return keys[n % keys.length]
    const choice = readChoice(sql, name)
    if (choice !== undefined) return type === 'INTEGER' ? Number(choice) : choice
    const unique = `${table} ${name} ${storeId} ${n}`
    if (type === 'BLOB') return hashSecret(unique)
    if (type !== 'TEXT')
      return name === 'day' ? Math.floor(Date.now() / 86_400_000) : name.endsWith('_at') ? Date.now() - n : n
    return sql.includes(`json_valid(${name})`) ? '{}' : unique
  }

  const names = needed.map(({ name }) => name)
  const insert = db.prepare(
    `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
  )
  for (let n = 0; n < rows; n++)
    insert.run(Object.fromEntries(needed.map((column) => [column.name, bound(value(column, n))])))
}

const bound = (value: unknown): unknown =>
  typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value

const listKey = (db: Db, table: string): string =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk = 1').pluck().get(table) ?? ''

/** The rows of a store in each table, as text. */
export function dumpStore(db: Db, storeId: string): Record<string, string> {
  const dump = STORE_TABLES.map((table) => {
    const rows = db
      .prepare(`SELECT * FROM ${nameOf(table)} WHERE ${buildOwnership(db, table)}`)
      .all({ storeId })
      .map((row) => JSON.stringify(row))
    return [table, rows.sort().join('\n')]
  })
  return Object.fromEntries(dump)
}

/** The tables that still hold rows of a store, with their number. */
export function countLeft(db: Db, storeId: string): Record<string, number> {
  const counts = STORE_TABLES.map((table) => {
    const rows = db
      .prepare<{ storeId: string }, number>(
        `SELECT count(*) FROM ${nameOf(table)} WHERE ${buildOwnership(db, table)}`,
      )
      .pluck()
      .get({ storeId })
    return [table, rows ?? 0] as const
  })
  return Object.fromEntries(counts.filter(([, rows]) => rows > 0))
}
