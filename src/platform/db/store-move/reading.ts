import { createHash } from 'node:crypto'
import type { Row, Value } from '../../../core/row-lines.ts'
import { listModels, type StoredModel } from '../models.ts'
import type { Db } from '../open.ts'
import { MODEL_OF_PICTURE } from '../store-copy/plan.ts'
import type { CapturedRow } from './capture.ts'
import { findMovedTable, MOVED_TABLES } from './plan.ts'
import { type Key, orderOf, shapeOf, type TableShape, toJson } from './rows.ts'

/** What only this node can open, and what lies in files. */
export interface MoveSecrets {
  /** @returns the plain text of a sealed column; undefined if it does not open. */
  open(storeId: string, table: string, row: Row, sealed: Uint8Array): string | undefined
  /** @returns the secret of a person's authenticator. */
  openFactor(userId: string, sealed: Uint8Array): string | undefined
}

export interface ReaderDeps extends MoveSecrets {
  /** Reads the content of an item that lies in the file of its job; undefined if the file is gone. */
  readJobContent(jobId: string, offset: number, bytes: number): string | undefined
}

/** Where a walk goes on; it goes into JSON. */
export type Cursor = [table: string, after: Key | null]

export interface Piece {
  lines: string[]
  /** undefined at the end. */
  next: Cursor | undefined
}

export type MoveReader = ReturnType<typeof createMoveReader>

/** Rows that one step looks at, those of other stores included. */
const WINDOW = 500

/**
 * Reads the rows of a store that moves, a line each: `{t: table, put: row}`, or `{t, del: key}` for one that is gone.
 * Each call is one short look at the database; whatever changes between two calls, the capture has noted.
 */
export function createMoveReader(db: Db, deps: ReaderDeps) {
  const readers = new Map<string, RowReader>()
  const products = createProductReader(db)
  const accounts = createAccountReader(db, deps)
  /** Products of a walk that is under way, in the order in which they were made. */
  const walks = new Map<string, Float64Array>()

  function readerOf(table: string): RowReader {
    const known = readers.get(table) ?? createRowReader(db, table)
    readers.set(table, known)
    return known
  }

  /** @returns undefined for a row that cannot travel. */
  function complete(storeId: string, table: string, row: Row, key: Key): Row | undefined {
    if (table === 'memberships') return { ...row, account: accounts.read(String(key[0])) }
    if (table === 'job_items') return completeItem(row, key)
    for (const column of findMovedTable(table).sealed ?? []) {
      const sealed = row[column]
      if (!(sealed instanceof Uint8Array)) continue
      const plain = deps.open(storeId, table, row, sealed)
      // Without it a signing secret is nothing; a feed goes on without its login.
      if (plain === undefined && table === 'signing_secrets') return undefined
      row[column] = plain ?? null
    }
    return row
  }

  const places = db.prepare<[number, number], { offset: number | null; bytes: number | null }>(
    'SELECT file_offset AS offset, file_bytes AS bytes FROM job_items WHERE job = ? AND position = ?',
  )
  /** What an item has yet to do lies in the row itself, or in the file of its job. */
  function completeItem(row: Row, [job, position]: Key): Row {
    const place = places.get(Number(job), Number(position))
    if (row['content'] !== null || !place || place.offset === null || row['state'] !== 'pending') return row
    const content = deps.readJobContent(String(row['job']), place.offset, place.bytes ?? 0)
    return { ...row, content: content ?? null }
  }

  function format(storeId: string, table: string, row: Row, key: Key): string | undefined {
    const whole = complete(storeId, table, row, key)
    return whole && formatPut(table, whole)
  }

  function walkProducts(storeId: string, after: Key | null, maxBytes: number): Piece {
    const ids = walks.get(storeId) ?? products.listIds(storeId)
    walks.set(storeId, ids)
    const last = Number(after?.[0] ?? -1)
    const lines: string[] = []
    let bytes = 0
    let at = findBehind(ids, last)
    for (; at < ids.length && bytes < maxBytes; at++) {
      const line = products.readById(storeId, ids[at] as number)
      if (line === undefined) continue
      lines.push(line)
      bytes += line.length
    }
    if (at < ids.length) return { lines, next: ['products', [ids[at - 1] as number]] }
    walks.delete(storeId)
    return { lines, next: undefined }
  }

  function walkRows(storeId: string, table: string, after: Key | null, maxBytes: number): Piece {
    const reader = readerOf(table)
    const end = reader.findEnd(storeId, after, WINDOW)
    const lines: string[] = []
    let bytes = 0
    for (const { row, key } of reader.iterate(storeId, after, end)) {
      const line = format(storeId, table, row, key)
      if (line !== undefined) {
        lines.push(line)
        bytes += line.length
      }
      // The statement ends here, and the next step goes on behind this row.
      if (bytes >= maxBytes) return { lines, next: [table, key] }
    }
    return { lines, next: end && [table, end] }
  }

  function readOne(storeId: string, { table, key }: Pick<CapturedRow, 'table' | 'key'>): string | undefined {
    if (table === 'products') {
      const productId = String(key[0])
      return products.readByName(storeId, productId) ?? formatDelete(table, { product_id: productId })
    }
    const reader = readerOf(table)
    const found = reader.find(storeId, key)
    if (found) return format(storeId, table, found.row, found.key)
    const name = reader.translate(storeId, key)
    return name && formatDelete(table, name)
  }

  const pictureFiles = db
    .prepare<[string, Buffer, bigint], Buffer>(`
      SELECT content_hash FROM kept_pictures WHERE store_id = ? AND content_hash > ? ORDER BY content_hash LIMIT ?`)
    .pluck()

  return {
    /**
     * Reads on. Rows come in the order of the tables; products in the order in which they were made, which decides between
     * equal scores.
     *
     * @param after where the last call ended.
     * @param maxBytes is passed by one row at most.
     * @param tables only these.
     */
    walk(
      storeId: string,
      after: Cursor | undefined,
      maxBytes: number,
      tables: readonly string[] = MOVED_TABLES,
    ): Piece {
      const ordered = MOVED_TABLES.filter((table) => tables.includes(table))
      const table = after?.[0] ?? ordered[0]
      if (table === undefined) return { lines: [], next: undefined }
      const place = after?.[1] ?? null
      const piece =
        table === 'products'
          ? walkProducts(storeId, place, maxBytes)
          : walkRows(storeId, table, place, maxBytes)
      if (piece.next) return piece
      const following = ordered[ordered.indexOf(table) + 1]
      return { lines: piece.lines, next: following === undefined ? undefined : [following, null] }
    },

    /** Rows that have changed, as they are now: those to write in the order of the tables, then those that are gone. */
    readCaptured(storeId: string, rows: readonly CapturedRow[]): string[] {
      const place = (row: CapturedRow) => MOVED_TABLES.indexOf(row.table)
      const sorted = rows.filter((row) => place(row) >= 0).sort((a, b) => place(a) - place(b))
      const lines = (isWanted: (table: string) => boolean) =>
        sorted
          .filter(({ table }) => isWanted(table))
          .map((row) => readOne(storeId, row))
          .filter((line) => line !== undefined)
      const isLast = (table: string) => findMovedTable(table).isLast === true
      const first = lines((table) => !isLast(table))
      const gone = first.filter(isDelete)
      return [...first.filter((line) => !isDelete(line)), ...gone.reverse(), ...lines(isLast)]
    },

    /** Content hashes of kept files in hex, in their order. */
    listPictureFiles: (storeId: string, after: string | undefined, max: number): string[] =>
      pictureFiles
        .all(storeId, Buffer.from(after ?? '', 'hex'), BigInt(max))
        .map((hash) => Buffer.from(hash).toString('hex')),

    /** Content hashes of the kept files that lines name. */
    picturesOf: (lines: readonly string[]): string[] =>
      lines
        .filter((line) => line.startsWith('{"t":"kept_pictures","put"'))
        .map((line) => {
          const { put } = JSON.parse(line) as { put: { content_hash: { base64: string } } }
          return Buffer.from(put.content_hash.base64, 'base64').toString('hex')
        }),

    /** For the digest: rows of a table from behind one key to another, as the two sides must have them alike. */
    *sums(storeId: string, table: string, after: Key | null, end: Key | undefined): Generator<Sum> {
      if (table === 'products') yield* products.sums(storeId, after, end)
      else
        for (const { row, key } of readerOf(table).iterate(storeId, after, end)) {
          const { account: _, ...shown } = (complete(storeId, table, row, key) ?? row) as Row & {
            account?: unknown
          }
          yield { key, sum: hashLine(formatPut(table, shown as Row)) }
        }
    },

    /** Where a step over so many rows ends; undefined at the end of the table. */
    findEnd: (storeId: string, table: string, after: Key | null, rows: number): Key | undefined =>
      table === 'products'
        ? products.findEnd(storeId, after, rows)
        : readerOf(table).findEnd(storeId, after, rows),
  }
}

/** The place of the first number above `last`. */
function findBehind(sorted: Float64Array, last: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) > last) high = middle
    else low = middle + 1
  }
  return low
}

/** A row, and its part of the sum. */
export interface Sum {
  key: Key
  sum: bigint
}

function hashLine(line: string): bigint {
  const hash = createHash('sha256').update(line).digest()
  return (hash.readBigUInt64LE(0) << 64n) | hash.readBigUInt64LE(8)
}

const formatPut = (table: string, row: Row): string =>
  JSON.stringify({
    t: table,
    put: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toJson(value)])),
  })

const formatDelete = (table: string, key: Row): string => JSON.stringify({ t: table, del: key })
const isDelete = (line: string): boolean => /^\{"t":"\w{1,64}","del":/.test(line)

interface Found {
  row: Row
  key: Key
}

type RowReader = ReturnType<typeof createRowReader>

function createRowReader(db: Db, table: string) {
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

/** Reads the accounts of members, as a node without them makes them. */
function createAccountReader(db: Db, { openFactor }: MoveSecrets) {
  const account = db.prepare<[string], Row>(`
    SELECT id, name, password_hash, verified_at, created_at, password_changed_at FROM users WHERE id = ?`)
  const factor = db.prepare<[string], { sealed: Buffer; created: number; enabled: number }>(`
    SELECT sealed_secret AS sealed, created_at AS created, enabled_at AS enabled FROM two_factor
    WHERE user_id = ? AND enabled_at IS NOT NULL`)
  return {
    read(userId: string): Value {
      const found = factor.get(userId)
      const secret = found && openFactor(userId, found.sealed)
      const second =
        secret === undefined ? null : { secret, created_at: found?.created, enabled_at: found?.enabled }
      return JSON.stringify({ ...account.get(userId), factor: second })
    },
  }
}

/** Reads products, each with its pictures and their vectors of the store's model. */
function createProductReader(db: Db) {
  const shape = shapeOf(db, 'products')
  const byId = db.prepare<[bigint, string], Row>(
    `SELECT ${shape.list}, products.id AS key_id FROM products WHERE id = ? AND store_id = ?`,
  )
  const byName = db.prepare<[string, string], Row>(
    `SELECT ${shape.list}, products.id AS key_id FROM products WHERE store_id = ? AND product_id = ?`,
  )
  const ids = db.prepare<[string], number>('SELECT id FROM products WHERE store_id = ?').pluck()
  const pictureColumns = listPictureColumns(db)
  const pictures = db.prepare<[bigint], Row>(`
    SELECT ${pictureColumns.join(', ')}, id AS key_id, ${MODEL_OF_PICTURE} AS key_model,
      CASE WHEN thumbnail > 0 THEN (SELECT hex(hash) FROM thumbnails WHERE thumbnails.id = pictures.thumbnail)
        ELSE thumbnail END AS thumbnail
    FROM pictures WHERE product = ? ORDER BY position`)
  const [endFirst, endNext] = ['', 'AND product_id > @after'].map((more) =>
    db
      .prepare<[Row], string>(
        `SELECT product_id FROM products WHERE store_id = @storeId ${more} ORDER BY product_id LIMIT 1 OFFSET @skip`,
      )
      .pluck(),
  )
  const listNames = (conditions: string) =>
    db
      .prepare<[Row], string>(
        `SELECT product_id FROM products WHERE store_id = @storeId ${conditions} ORDER BY product_id`,
      )
      .pluck()
  const names = {
    all: listNames(''),
    after: listNames('AND product_id > @after'),
    upTo: listNames('AND product_id <= @end'),
    both: listNames('AND product_id > @after AND product_id <= @end'),
  }
  let models = new Map<number, StoredModel>()
  function modelOf(row: number): StoredModel | undefined {
    if (!models.has(row)) models = new Map(listModels(db).map((model) => [model.row, model]))
    return models.get(row)
  }

  function formatProduct(storeId: string, read: Row | undefined): string | undefined {
    if (!read) return undefined
    const { key_id: id, ...product } = read
    const list = pictures.all(BigInt(Number(id))).map(({ key_id: picture, key_model: row, ...facts }) => {
      const model = modelOf(Number(row))
      const vector = model?.vectors.find(storeId, Number(picture))
      const bytes = vector && new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
      const whole: Row = { ...facts, model: model?.hash ?? null, vector: bytes ?? null }
      return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, toJson(value)]))
    })
    const put = Object.fromEntries(
      Object.entries(product).map(([name, value]) => [name, toJson(value as Value)]),
    )
    return JSON.stringify({ t: 'products', put: { ...put, pictures: list } })
  }

  const readByName = (storeId: string, productId: string) =>
    formatProduct(storeId, byName.get(storeId, productId))

  return {
    listIds: (storeId: string): Float64Array => Float64Array.from(ids.all(storeId)).sort(),
    readById: (storeId: string, id: number) => formatProduct(storeId, byId.get(BigInt(id), storeId)),
    readByName,
    findEnd(storeId: string, after: Key | null, rows: number): Key | undefined {
      const skip = BigInt(rows - 1) as unknown as number
      const end = after
        ? endNext?.get({ storeId, after: String(after[0]), skip })
        : endFirst?.get({ storeId, skip })
      return end === undefined ? undefined : [end]
    },
    *sums(storeId: string, after: Key | null, end: Key | undefined): Generator<Sum> {
      const statement = after ? (end ? names.both : names.after) : end ? names.upTo : names.all
      const place: Row = {
        storeId,
        ...(after && { after: String(after[0]) }),
        ...(end && { end: String(end[0]) }),
      }
      for (const name of statement.all(place)) {
        const line = readByName(storeId, name)
        if (line !== undefined) yield { key: [name], sum: hashLine(line) }
      }
    },
  }
}

/** Columns of a picture that travel as they are. */
export const listPictureColumns = (db: Db): string[] =>
  db
    .prepare<[], string>("SELECT name FROM pragma_table_info('pictures') ORDER BY cid")
    .pluck()
    .all()
    .filter((name) => !['id', 'product', 'store_id', 'model', 'second_model', 'thumbnail'].includes(name))
