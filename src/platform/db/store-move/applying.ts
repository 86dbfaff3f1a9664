import { malformed, type Row, type Value } from '../../../core/row-lines.ts'
import { listModels, type StoredModel } from '../models.ts'
import type { Db } from '../open.ts'
import { findMovedTable, MOVED_TABLES } from './plan.ts'
import { listPictureColumns } from './reading.ts'
import { shapeOf } from './rows.ts'

/** What only the target can do with a row. */
export interface WriterHooks {
  /** Checks a row as the API would check what it says. @throws UnreadableFile */
  check(table: string, row: Row): void
  /** Seals a plain text for a column of this database. */
  seal(table: string, row: Row, plain: string): Uint8Array
  sealFactor(userId: string, secret: string): Uint8Array
  newId(): string
}

/** What a batch has changed. */
export interface Applied {
  rows: number
  /** Products that were written. */
  written: Set<string>
  /** Products that are gone. */
  gone: Set<string>
  /** Pictures that are gone, by their ids here. */
  dropped: number[]
}

export type MoveWriter = ReturnType<typeof createMoveWriter>

const LENGTH_ERROR_MAX = 0.01
const LINE_CHARS_MAX = 32 * 1024 * 1024
/** The last moment that a date can be; larger numbers are not exact. */
const INTEGER_MAX = 8.64e15
const PICTURES_MAX = 100

/**
 * Writes the rows of a store that is arriving, under the id that it has everywhere. Each line may come again: what is there
 * already is written over. Whoever sends them may want to harm other stores here, so a row only ever touches rows of this store.
 */
export function createMoveWriter(db: Db, storeId: string, hooks: WriterHooks) {
  const writers = new Map<string, RowWriter>()
  const products = createProductWriter(db, storeId)
  const accounts = createAccountWriter(db, storeId, hooks)

  function writerOf(table: string): RowWriter {
    const known = writers.get(table) ?? createRowWriter(db, storeId, table, hooks)
    writers.set(table, known)
    return known
  }

  function put(table: string, row: Row, applied: Applied): void {
    const { pictures, account, ...rest } = row as Row & { pictures?: unknown; account?: unknown }
    if ((pictures === undefined) === (table === 'products')) throw malformed('a product without pictures')
    if ((account === undefined) === (table === 'memberships')) throw malformed('a member without an account')
    hooks.check(table, rest)
    if (table === 'memberships') accounts.put(rest, account)
    writerOf(table).put(rest)
    if (table !== 'products') return
    const productId = String(rest['product_id'])
    products.putPictures(productId, pictures, applied.dropped)
    applied.written.add(productId)
    applied.gone.delete(productId)
  }

  function remove(table: string, key: Row, applied: Applied): void {
    if (table === 'products') {
      const productId = String(key['product_id'])
      products.removeVectors(productId, applied.dropped)
      applied.written.delete(productId)
      applied.gone.add(productId)
    }
    writerOf(table).remove(key)
  }

  function applyLine(text: string, applied: Applied): void {
    const { t: table, put: row, del: key } = readLine(text)
    try {
      if (row) put(table, row, applied)
      else if (key) remove(table, key, applied)
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (!/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code)) throw error
      throw malformed(`a row of ${table} does not fit into its table (${(error as Error).message})`)
    }
    applied.rows++
  }

  const forgetPeople = db.prepare<[string]>('DELETE FROM move_people WHERE store_id = ?')
  // Whoever has become a member of another store meanwhile stays.
  const dropPeople = db.prepare<{ storeId: string }>(`
    DELETE FROM users WHERE is_super_admin = 0 AND id IN (SELECT user_id FROM move_people WHERE store_id = @storeId)
      AND NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = users.id AND store_id <> @storeId)`)

  return {
    /** Deletes the accounts that came with the store, which never opens. Call it in a transaction. */
    dropPeople(): void {
      dropPeople.run({ storeId })
      forgetPeople.run(storeId)
    },

    /**
     * Writes lines in their order. Call it in a transaction, which its errors must roll back.
     *
     * @throws UnreadableFile for a line that no source writes, or that would touch what is not this store's.
     */
    apply(lines: readonly string[]): Applied {
      const applied: Applied = { rows: 0, written: new Set(), gone: new Set(), dropped: [] }
      for (const line of lines) applyLine(line, applied)
      return applied
    },

    /** Forgets which accounts came with the store: from now on they are accounts like all others here. */
    settle: (): void => void forgetPeople.run(storeId),
  }
}

interface Line {
  t: string
  put?: Row | undefined
  del?: Row | undefined
}

function readLine(text: string): Line {
  if (text.length > LINE_CHARS_MAX) throw malformed('a line is too long')
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw malformed('a line is no JSON')
  }
  const { t, put, del, ...more } = (read ?? {}) as Record<string, unknown>
  if (typeof t !== 'string' || !MOVED_TABLES.includes(t) || Object.keys(more).length > 0)
    throw malformed('a line names a table that does not travel')
  if ((put === undefined) === (del === undefined)) throw malformed()
  return {
    t,
    put: put === undefined ? undefined : readRow(put),
    del: del === undefined ? undefined : readRow(del),
  }
}

function readRow(value: unknown): Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed()
  const row: Record<string, unknown> = {}
  for (const [name, of] of Object.entries(value)) row[name] = name === 'pictures' ? of : readValue(of)
  return row as Row
}

function readValue(value: unknown): Value {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const { base64 } = (value ?? {}) as { base64?: unknown }
  if (typeof value === 'object' && typeof base64 === 'string') return Buffer.from(base64, 'base64')
  throw malformed()
}

interface Column {
  name: string
  type: string
}

const listTypes = (db: Db, table: string): Map<string, string> =>
  new Map(
    db
      .prepare<[string], Column>('SELECT name, type FROM pragma_table_info(?)')
      .all(table)
      .map(({ name, type }) => [name, type]),
  )

type RowWriter = ReturnType<typeof createRowWriter>

function createRowWriter(db: Db, storeId: string, table: string, hooks: WriterHooks) {
  const plan = findMovedTable(table)
  const shape = shapeOf(db, table)
  const types = listTypes(db, table)
  const hasStore = types.has('store_id')
  const columns = shape.columns
  const value = (column: string) => plan.in?.[column] ?? `@${column}`
  const scoped = buildScope(table)
  const all = hasStore ? ['store_id', ...columns] : [...columns]
  const values = all.map((column) => (column === 'store_id' ? '@store_id' : value(column)))
  const changed = columns.filter((column) => !plan.unique.includes(column))
  const update =
    changed.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')} WHERE ${scoped}`
  const key = shape.key.map((column) => `${column} = ${value(column)}`)
  const statements = buildStatements()
  const removal = db.prepare<[Row]>(`DELETE FROM ${table} WHERE ${[...key, scoped].join(' AND ')}`)
  const exists = db
    .prepare<[Row], number>(`SELECT 1 FROM ${table} WHERE ${[...key, scoped].join(' AND ')}`)
    .pluck()

  function buildStatements() {
    if (table === 'stores') {
      const set = changed.map((column) => `${column} = @${column}`).join(', ')
      return [db.prepare<[Row]>(`UPDATE stores SET ${set} WHERE id = @store_id AND id = @id`)]
    }
    const insert = `INSERT INTO ${table} (${all.join(', ')}) SELECT ${values.join(', ')}`
    if (!plan.isAppendOnly)
      return [db.prepare<[Row]>(`${insert} WHERE true ON CONFLICT (${plan.unique.join(', ')}) DO ${update}`)]
    // A trigger refuses to write it over. What an address was taken out of follows.
    return [
      db.prepare<[Row]>(`${insert} WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${key.join(' AND ')})`),
      db.prepare<[Row]>(
        `UPDATE ${table} SET details = @details WHERE details IS NOT @details AND ${[...key, scoped].join(' AND ')}`,
      ),
    ]
  }

  function bind(row: Row): Row {
    const bound: Row = { store_id: storeId }
    for (const [name, given] of Object.entries(row)) {
      if (!columns.includes(name)) throw malformed(`${table} has no column ${name.slice(0, 64)} that travels`)
      const type = types.get(name)
      if (type === 'INTEGER' && typeof given === 'number') {
        if (!Number.isInteger(given) || Math.abs(given) > INTEGER_MAX)
          throw malformed(`a number in a row of ${table} is too large`)
        bound[name] = BigInt(given) as unknown as number
      } else bound[name] = given
    }
    return bound
  }

  return {
    put(row: Row): void {
      if (Object.keys(row).length !== columns.length) throw malformed(`a row of ${table} lacks columns`)
      const bound = bind(row)
      for (const column of plan.sealed ?? []) {
        const plain = row[column]
        if (typeof plain === 'string') bound[column] = hooks.seal(table, row, plain)
        else if (plain !== null) throw malformed(`a row of ${table} is sealed`)
      }
      let changes = 0
      for (const statement of statements) changes += statement.run(bound).changes
      // Nothing was written: the same row was there, or it is another store's.
      if (changes === 0 && exists.get(bound) === undefined)
        throw malformed(`a row of ${table} belongs to another store`)
    },

    /** A row that is not there is gone already. */
    remove(name: Row): void {
      if (table === 'stores') throw malformed('the store itself cannot go')
      if (Object.keys(name).length !== shape.key.length || shape.key.some((column) => !(column in name)))
        throw malformed(`a row of ${table} is not named`)
      if (plan.isAppendOnly) return
      removal.run(bind(name))
    },
  }
}

/** Whether a row is of the store that arrives. */
function buildScope(table: string): string {
  if (table === 'stores') return 'stores.id = @store_id'
  if (table === 'user_group_members')
    return 'user_group_members.group_id IN (SELECT id FROM user_groups WHERE store_id = @store_id)'
  return `${table}.store_id = @store_id`
}

interface Account {
  id: string
  name: string
  password_hash: string
  verified_at: number | null
  created_at: number
  password_changed_at: number | null
  factor: { secret: string; created_at: number; enabled_at: number } | null
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const PASSWORD_HASH = /^\$argon2id\$[\x21-\x7e]{20,400}$/
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/

/** Makes the accounts of members that this node does not know. Others keep their own name, password and second factor. */
function createAccountWriter(db: Db, storeId: string, hooks: WriterHooks) {
  const find = db.prepare<[string], string>('SELECT id FROM users WHERE email = ?').pluck()
  const isTaken = db.prepare<[string], number>('SELECT 1 FROM users WHERE id = ?').pluck()
  const isOurs = db
    .prepare<[string, string], number>('SELECT 1 FROM move_people WHERE store_id = ? AND user_id = ?')
    .pluck()
  const note = db.prepare<[string, string]>('INSERT INTO move_people (store_id, user_id) VALUES (?, ?)')
  const add = db.prepare<[Row]>(`
    INSERT INTO users (id, email, name, password_hash, verified_at, created_at, password_changed_at)
    VALUES (@id, @email, @name, @password_hash, @verified_at, @created_at, @password_changed_at)`)
  const follow = db.prepare<[Row]>(`
    UPDATE users SET name = @name, password_hash = @password_hash, verified_at = @verified_at,
      password_changed_at = @password_changed_at
    WHERE id = @id`)
  const dropFactor = db.prepare<[string]>('DELETE FROM two_factor WHERE user_id = ?')
  const addFactor = db.prepare<[Row]>(`
    INSERT INTO two_factor (user_id, sealed_secret, created_at, enabled_at) VALUES (@id, @sealed, @created, @enabled)`)
  const whole = (value: number | null) => (value === null ? null : (BigInt(value) as unknown as number))

  function write(email: string, { id: given, factor, ...account }: Account): void {
    const known = find.get(email)
    if (known !== undefined && isOurs.get(storeId, known) === undefined) return
    const id = known ?? (isTaken.get(given) === undefined ? given : hooks.newId())
    const row: Row = {
      ...{ id, email, name: account.name, password_hash: account.password_hash },
      verified_at: whole(account.verified_at),
      created_at: whole(account.created_at),
      password_changed_at: whole(account.password_changed_at),
    }
    if (known === undefined) {
      add.run(row)
      note.run(storeId, id)
    } else follow.run(row)
    dropFactor.run(id)
    if (factor === null) return
    const sealed = hooks.sealFactor(id, factor.secret)
    addFactor.run({ id, sealed, created: whole(factor.created_at), enabled: whole(factor.enabled_at) })
  }

  return {
    put({ user_id: email }: Row, text: unknown): void {
      if (typeof email !== 'string' || !ADDRESS.test(email)) throw malformed('the address of a member')
      write(email, readAccount(text))
    },
  }
}

const ACCOUNT_KEYS = [
  'id',
  'name',
  'password_hash',
  'verified_at',
  'created_at',
  'password_changed_at',
  'factor',
]
const isMoment = (value: unknown) => Number.isInteger(value) && Math.abs(Number(value)) <= INTEGER_MAX
const isMomentOrNull = (value: unknown) => value === null || isMoment(value)

/** @throws UnreadableFile for an account that no node sends, such as one that is to be a super-admin here. */
function readAccount(text: unknown): Account {
  const account = parseObject(text)
  const { id, name, password_hash, verified_at, created_at, password_changed_at, factor } = account
  if (Object.keys(account).some((key) => !ACCOUNT_KEYS.includes(key)))
    throw malformed('an account says more of a person than travels')
  const isSound =
    typeof id === 'string' &&
    UUID.test(id) &&
    typeof name === 'string' &&
    name.length <= 200 &&
    typeof password_hash === 'string' &&
    PASSWORD_HASH.test(password_hash) &&
    isMomentOrNull(verified_at) &&
    isMoment(created_at) &&
    isMomentOrNull(password_changed_at)
  if (!isSound || !isFactor(factor)) throw malformed('an account')
  return account as unknown as Account
}

function isFactor(value: unknown): boolean {
  if (value === null) return true
  if (typeof value !== 'object' || value === undefined) return false
  const { secret, created_at, enabled_at } = value as Record<string, unknown>
  return (
    typeof secret === 'string' &&
    /^[A-Z2-7]{16,128}$/.test(secret) &&
    isMoment(created_at) &&
    isMoment(enabled_at)
  )
}

function parseObject(text: unknown): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(String(text))
    if (typeof read === 'object' && read !== null && !Array.isArray(read))
      return read as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw malformed('an account')
}

/** Writes the pictures of a product with their vectors. */
function createProductWriter(db: Db, storeId: string) {
  const columns = listPictureColumns(db)
  const findProduct = db
    .prepare<[string, string], number>('SELECT id FROM products WHERE store_id = ? AND product_id = ?')
    .pluck()
  const listPictures = db.prepare<[bigint], { id: number; position: number }>(
    'SELECT id, position FROM pictures WHERE product = ?',
  )
  const set = columns.map((column) => `${column} = @${column}`).join(', ')
  const THUMBNAIL = `iif(typeof(@thumbnail) = 'integer', @thumbnail, coalesce((SELECT id FROM thumbnails
    WHERE hash = unhex(@thumbnail) AND store_id = @store_id), -3))`
  const update = db.prepare<[Row]>(`
    UPDATE pictures SET ${set}, model = @model, second_model = NULL, thumbnail = ${THUMBNAIL} WHERE id = @id`)
  const insert = db.prepare<[Row]>(`
    INSERT INTO pictures (product, store_id, model, thumbnail, ${columns.join(', ')})
    VALUES (@product, @store_id, @model, ${THUMBNAIL}, ${columns.map((column) => `@${column}`).join(', ')})`)
  const drop = db.prepare<[bigint]>('DELETE FROM pictures WHERE id = ?')
  const integers = new Set(
    [...listTypes(db, 'pictures')].filter(([, type]) => type === 'INTEGER').map(([name]) => name),
  )
  let models = listModels(db)

  function findModel(hash: unknown): StoredModel {
    const known = () => models.find((model) => model.hash === hash)
    if (!known()) models = listModels(db)
    const model = known()
    if (!model) throw malformed('a vector of a model that was not announced')
    return model
  }

  function removeVector(picture: number): void {
    for (const { vectors } of models) vectors.remove(picture)
  }

  function write(product: number, given: unknown, id: number | undefined): number {
    if (typeof given !== 'object' || given === null) throw malformed('a picture')
    const { model: hash, vector: bytes, thumbnail, ...facts } = given as Record<string, unknown>
    const row: Row = { product: whole(product), store_id: storeId }
    if (Object.keys(facts).length !== columns.length) throw malformed('the facts of a picture')
    for (const column of columns) {
      if (!(column in facts)) throw malformed('the facts of a picture')
      const value = readValue(facts[column])
      const isWhole = integers.has(column) && typeof value === 'number'
      if (isWhole && (!Number.isInteger(value) || Math.abs(value) > INTEGER_MAX))
        throw malformed('the facts of a picture')
      row[column] = isWhole ? whole(value) : value
    }
    if (!isJson(row['palette'])) throw malformed('the colours of a picture')
    const model = findModel(hash)
    const vector = readVector(readValue(bytes ?? null), model.dimension)
    row['model'] = whole(model.row)
    row['thumbnail'] = readThumbnail(thumbnail)
    if (id !== undefined) update.run({ ...row, id: whole(id) })
    const written = id ?? Number(insert.run(row).lastInsertRowid)
    removeVector(written)
    if (vector) model.vectors.put(storeId, written, vector)
    return written
  }

  return {
    putPictures(productId: string, given: unknown, dropped: number[]): void {
      if (!Array.isArray(given) || given.length > PICTURES_MAX) throw malformed('the pictures of a product')
      const product = findProduct.get(storeId, productId) as number
      const here = new Map(listPictures.all(BigInt(product)).map(({ id, position }) => [position, id]))
      for (const picture of given) {
        const { position } = (picture ?? {}) as { position?: unknown }
        if (!Number.isInteger(position)) throw malformed('the facts of a picture')
        write(product, picture, here.get(position as number))
        here.delete(position as number)
      }
      for (const id of here.values()) {
        removeVector(id)
        drop.run(BigInt(id))
        dropped.push(id)
      }
    },

    removeVectors(productId: string, dropped: number[]): void {
      const product = findProduct.get(storeId, productId)
      if (product === undefined) return
      for (const { id } of listPictures.all(BigInt(product))) {
        removeVector(id)
        dropped.push(id)
      }
    },
  }
}

const whole = (value: number): number => BigInt(value) as unknown as number

function readThumbnail(value: unknown): Value {
  if (Number.isInteger(value) && Number(value) <= 0) return whole(Number(value))
  if (typeof value === 'string' && /^[0-9A-F]{16,64}$/.test(value)) return value
  throw malformed('a thumbnail')
}

/** @throws UnreadableFile for one that is not of length 1. */
function readVector(bytes: Value, dimension: number): Float32Array | undefined {
  if (bytes === null) return undefined
  if (!(bytes instanceof Uint8Array) || bytes.length !== 4 * dimension) throw malformed('a vector')
  const vector = new Float32Array(Uint8Array.from(bytes).buffer)
  let squares = 0
  for (const value of vector) squares += value * value
  if (!(Math.abs(Math.sqrt(squares) - 1) <= LENGTH_ERROR_MAX)) throw malformed('a vector')
  return vector
}

function isJson(value: Value | undefined): boolean {
  try {
    JSON.parse(String(value))
    return true
  } catch {
    return false
  }
}
