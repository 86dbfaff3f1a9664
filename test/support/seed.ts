import type { Statement } from 'better-sqlite3'
import type { Permission, Role } from '../../src/core/actor.ts'
import type { Db } from '../../src/platform/db/open.ts'

/*
 * The only way of the tests into the tables of an app: it reads what no endpoint shows, makes states that no endpoint
 * reaches, and breaks what only a disk would. A person is named by id or e-mail address, a store by id or slug.
 */

interface Seeded {
  db: Db
}

type Value = string | number | bigint | Uint8Array | null
type Values = Readonly<Record<string, Value>>

const names = (values: Values): string[] => Object.keys(values)
const conditions = (where: Values): string =>
  ['1', ...names(where).map((name) => `"${name}" IS ?`)].join(' AND ')

/** The statements of each database: compiling one takes longer than running it. */
const compiled = new WeakMap<Db, Map<string, Statement>>()

function prepare<Row = unknown>(db: Db, sql: string): Statement<Value[], Row> {
  const known = compiled.get(db) ?? new Map<string, Statement>()
  compiled.set(db, known)
  const statement = known.get(sql) ?? db.prepare(sql)
  known.set(sql, statement)
  return statement as Statement<Value[], Row>
}

// Rows

export const countRows = ({ db }: Seeded, table: string, where: Values = {}): number =>
  prepare<number>(db, `SELECT count(*) FROM ${table} WHERE ${conditions(where)}`)
    .pluck()
    .get(...Object.values(where)) ?? 0

export const readRows = <Row = Record<string, unknown>>(
  { db }: Seeded,
  table: string,
  where: Values = {},
  columns: readonly string[] = ['*'],
): Row[] =>
  prepare<Row>(db, `SELECT ${columns.join()} FROM ${table} WHERE ${conditions(where)}`).all(
    ...Object.values(where),
  )

/** Reads one column, which may be an expression, in the order of the values. */
export const readColumn = <V = unknown>(
  { db }: Seeded,
  table: string,
  column: string,
  where: Values = {},
): V[] =>
  prepare<V>(db, `SELECT ${column} FROM ${table} WHERE ${conditions(where)} ORDER BY 1`)
    .pluck()
    .all(...Object.values(where))

/** Inserts a row. Columns without a value get their default. */
export const insertRow = ({ db }: Seeded, table: string, values: Values): void =>
  void prepare(
    db,
    `INSERT INTO ${table} (${names(values).join()}) VALUES (${names(values)
      .map(() => '?')
      .join()})`,
  ).run(...Object.values(values))

/** Inserts many rows in one transaction; `n` counts from 0. */
export const insertRows = (app: Seeded, table: string, count: number, row: (n: number) => Values): void =>
  app.db.transaction(() => {
    for (let n = 0; n < count; n++) insertRow(app, table, row(n))
  })()

/** Changes the rows that match, all by default, and returns their number. */
export const updateRows = ({ db }: Seeded, table: string, values: Values, where: Values = {}): number =>
  prepare(
    db,
    `UPDATE ${table} SET ${names(values)
      .map((name) => `"${name}" = ?`)
      .join()} WHERE ${conditions(where)}`,
  ).run(...Object.values(values), ...Object.values(where)).changes

/** Deletes the rows that match, all by default, and returns their number. */
export const deleteRows = ({ db }: Seeded, table: string, where: Values = {}): number =>
  prepare(db, `DELETE FROM ${table} WHERE ${conditions(where)}`).run(...Object.values(where)).changes

/** Names every table, but no virtual one: its rows lie in tables of their own. */
export const tableNames = ({ db }: Seeded): string[] =>
  db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .pluck()
    .all()

/** How many rows this connection has written so far. */
export const countWrites = ({ db }: Seeded): number =>
  db.prepare<[], number>('SELECT total_changes()').pluck().get() ?? 0

// The audit log

export interface AuditEvent {
  action: string
  store_id: string | null
  actor_kind: string
  user_id: string | null
  key_id: string | null
  details: Record<string, unknown>
  address: string | null
  request_id: string | null
}

/** Reads the audit events whose action matches a GLOB pattern, oldest first. */
export const readAudit = ({ db }: Seeded, pattern = '*'): AuditEvent[] =>
  db
    .prepare<[string], AuditEvent & { details: string }>(
      'SELECT * FROM audit_events WHERE action GLOB ? ORDER BY id',
    )
    .all(pattern)
    .map((row) => ({ ...row, details: JSON.parse(row.details) }))

// People and their stores

/** @throws Error when there is no such person. */
export const userId = (app: Seeded, user: string): string => idOf(app, 'users', 'email', user)

/** @throws Error when there is no such store. */
export const storeId = (app: Seeded, store: string): string => idOf(app, 'stores', 'slug', store)

function idOf({ db }: Seeded, table: string, name: string, value: string): string {
  const id = prepare<string>(db, `SELECT id FROM ${table} WHERE ? IN (id, ${name})`).pluck().get(value)
  if (id === undefined) throw new Error(`${table} has no ${value}`)
  return id
}

/** The only store of an app. */
export function onlyStoreId(app: Seeded): string {
  const [id, ...others] = readColumn<string>(app, 'stores', 'id')
  if (id === undefined || others.length > 0) throw new Error('the app does not have exactly one store')
  return id
}

const updateUser = (app: Seeded, user: string, values: Values): void =>
  void updateRows(app, 'users', values, { id: userId(app, user) })

/** Makes a person a super-admin, or takes it back. */
export const makeSuperAdmin = (app: Seeded, user: string, isSuperAdmin = true): void =>
  updateUser(app, user, { is_super_admin: Number(isSuperAdmin) })

/** Notes that the person has shown to own the address. */
export const prove = (app: Seeded, user: string, at = 1): void => updateUser(app, user, { proven_at: at })

export const setEmail = (app: Seeded, user: string, email: string): void => updateUser(app, user, { email })

export const passwordHash = (app: Seeded, user: string): string =>
  readColumn<string>(app, 'users', 'password_hash', { id: userId(app, user) })[0] ?? ''

export const setPasswordHash = (app: Seeded, user: string, hash: string): void =>
  updateUser(app, user, { password_hash: hash })

/** Deletes a person with everything that goes with the row. */
export const deleteUser = (app: Seeded, user: string): void =>
  void deleteRows(app, 'users', { id: userId(app, user) })

/** Deletes a store with everything that goes with the row. */
export const deleteStore = (app: Seeded, store: string): void =>
  void deleteRows(app, 'stores', { id: storeId(app, store) })

export const addMembership = (app: Seeded, user: string, store: string, role: Role, at = 1): void =>
  insertRow(app, 'memberships', {
    user_id: userId(app, user),
    store_id: storeId(app, store),
    role,
    created_at: at,
  })

/** Takes a person out of a store, or out of all, and returns the number of stores. */
export const removeMembership = (app: Seeded, user: string, store?: string): number =>
  deleteRows(app, 'memberships', {
    user_id: userId(app, user),
    ...(store !== undefined && { store_id: storeId(app, store) }),
  })

/** Takes everybody else out of a store. */
export const removeOthers = (app: Seeded, user: string, store: string): void =>
  void app.db
    .prepare('DELETE FROM memberships WHERE user_id <> ? AND store_id = ?')
    .run(userId(app, user), storeId(app, store))

/** Changes the role of a person in every store. */
export const setRole = (app: Seeded, user: string, role: Role): void =>
  void updateRows(app, 'memberships', { role }, { user_id: userId(app, user) })

/** Gives every group of a person these permissions. */
export function setGroupPermissions(app: Seeded, user: string, permissions: readonly Permission[]): void {
  const groups = readColumn<string>(app, 'user_group_members', 'group_id', { user_id: userId(app, user) })
  for (const id of groups)
    updateRows(app, 'user_groups', { permission_names: JSON.stringify(permissions) }, { id })
}

// Faults. Each returns a function that mends it.

let faults = 0

/**
 * Makes a kind of write fail.
 *
 * @param writes as in a trigger: `INSERT ON sessions`, `UPDATE OF name ON products`.
 */
export function failWrites({ db }: Seeded, writes: string, message = 'broken'): () => void {
  const name = `fault_${++faults}`
  db.exec(`CREATE TRIGGER ${name} BEFORE ${writes} BEGIN SELECT raise(ABORT, '${message}'); END`)
  return () => void db.exec(`DROP TRIGGER ${name}`)
}

/** Makes the database read-only. */
export function makeReadOnly({ db }: Seeded): () => void {
  db.pragma('query_only = 1')
  return () => void db.pragma('query_only = 0')
}

/**
 * Lets the database not grow any more, as on a full disk.
 *
 * @param spare how many more pages it may take.
 */
export function fillDisk({ db }: Seeded, spare = 0): () => void {
  const pages = Number(db.pragma('page_count', { simple: true }))
  db.pragma(`max_page_count = ${pages + spare}`)
  return () => void db.pragma('max_page_count = 1000000')
}
