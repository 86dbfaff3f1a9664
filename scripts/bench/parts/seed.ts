import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { systemIds } from '../../../src/core/ids.ts'
import { hashSecret } from '../../../src/core/secrets.ts'
import { DATABASE_FILE, type Db, migrate } from '../../../src/platform/db/open.ts'
import type { ModelFingerprint } from '../../../src/platform/embedder/embedder.ts'
import { readModelFiles } from '../../../src/platform/embedder/model-files.ts'
import { createVectorTable } from '../../../src/platform/vectors/vec0.ts'
import { DIMENSION, generateVectors } from './vectors.ts'

export interface Credentials {
  client_id: string
  client_secret: string
}

export interface SeedOptions {
  /** Kinds of near duplicates among the pictures; 0 for pictures that have nothing to do with each other. */
  kinds?: number
  /** Stores that share the products in turns; the credentials are those of the first. */
  stores?: number
  /** Takes the credentials of each store. */
  note?(credentials: Credentials): void
  /** Writes the vectors through sqlite-vec, one by one: ten times slower, but the file is as the service makes it. */
  isThroughVec0?: boolean
}

/**
 * The schema that is filled. Every program since then takes it: it migrates what it finds, with the same statements as an
 * install that has existed for long. That is also quicker, because migrations build each index at once.
 */
const SCHEMA = 9

/** Vectors of one chunk, as in `vec0.ts`. */
const CHUNK_SIZE = 64

/** The pictures were never bytes. */
const FACTS = "'image/jpeg', 1, 800, 1000, @print, '[]'"

/**
 * Creates an install with `count` products and one picture of each. Takes about 30 µs a product and is for benchmarks and
 * tests: nothing is safe from a power cut before the end.
 *
 * @throws Error if the folder holds an install already.
 */
export function seedStore(
  folder: string,
  modelDir: string,
  count: number,
  { kinds = 0, stores = 1, isThroughVec0 = false, note }: SeedOptions = {},
): Credentials {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, DATABASE_FILE)
  if (existsSync(path)) throw new Error(`${path} exists already`)
  const db = new Database(path)
  try {
    for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -64000']) db.pragma(pragma)
    db.loadExtension(sqliteVec.getLoadablePath())
    migrate(db, SCHEMA)
    return db.transaction(() => {
      const owners = Array.from({ length: stores }, (_, n) => addStore(db, n))
      for (const owner of owners) note?.(owner)
      const { fingerprint } = readModelFiles(modelDir)
      const { dimension } = fingerprint
      const model = addModel(db, fingerprint)
      const ids = owners.map(({ client_id }) => client_id)
      addProducts(db, ids, model, count)
      const table = createVectorTable(db, `vectors_${model}`, dimension)
      table.create()
      const storeOf = (n: number) => ids[n % ids.length] as string
      if (isThroughVec0) {
        let rowid = 0
        for (const vector of generateVectors(count, kinds, dimension))
          table.put(storeOf(rowid), ++rowid, vector)
      } else if (stores > 1) throw new Error('Vectors of several stores are written through vec0')
      else {
        const vectors = generateVectors(count, kinds, dimension)
        addChunks(db, `vectors_${model}`, storeOf(0), vectors, dimension)
      }
      return owners[0] as Credentials
    })()
  } finally {
    db.close()
  }
}

function addStore(db: Db, n: number): Credentials {
  const credentials = { client_id: systemIds.uuid(), client_secret: systemIds.secret(32) }
  db.prepare(
    "INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, ?, ?, 'enterprise', ?, ?)",
  ).run(
    credentials.client_id,
    `bench-${n}`,
    `Bench ${n}`,
    hashSecret(credentials.client_secret),
    BigInt(Date.now()),
  )
  return credentials
}

/**
 * Says of every picture of an install, which a program has migrated, that no thumbnail can be made of it. Otherwise a service
 * tries to fetch each of them while it is measured.
 */
export function wantNoThumbnails(folder: string): void {
  const db = new Database(join(folder, DATABASE_FILE))
  try {
    const columns = db.prepare<[], { name: string }>('PRAGMA table_info(pictures)').all()
    // The oldest programs made none.
    if (columns.some(({ name }) => name === 'thumbnail'))
      db.exec('UPDATE pictures SET thumbnail = 0 WHERE thumbnail < 0')
  } finally {
    db.close()
  }
}

/** @returns its row. */
function addModel(db: Db, { id, hash, dimension }: ModelFingerprint): number {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO models (name, hash, dimension, created_at) VALUES (?, ?, ?, ?)')
    .run(id, hash, BigInt(dimension), BigInt(Date.now()))
  return Number(lastInsertRowid)
}

/** Adds products and their pictures; both have the rows 1 to `count`. */
function addProducts(db: Db, stores: readonly string[], model: number, count: number): void {
  const addProduct = db.prepare(`
    INSERT INTO products (id, store_id, product_id, vector_id, image_url, metadata, category, brand, color, price, name,
      created_at, indexed_at, updated_at)
    VALUES (@row, @storeId, @productId, @vectorId, @imageUrl, @metadata, @category, 'acme', 'red', @price, @name,
      @at, @at, @at)`)
  const addPicture = db.prepare(`
    INSERT INTO pictures (id, product, store_id, position, image_url, model, content_hash, content_type, bytes, width,
      height, phash, palette)
    VALUES (@row, @row, @storeId, 0, @imageUrl, ${model}, @contentHash, ${FACTS})`)
  const first = Date.now() - count
  for (let n = 1; n <= count; n++) {
    const [name, category, price] = [`Product ${n}`, `category ${n % 20}`, n % 100]
    const row = {
      row: BigInt(n),
      storeId: stores[(n - 1) % stores.length],
      imageUrl: `https://shop.test/${n}.jpg`,
    }
    addProduct.run({
      ...row,
      productId: `sku-${n}`,
      vectorId: systemIds.uuid(),
      metadata: JSON.stringify({ name, category, price, color_name: 'red', brand: 'Acme' }),
      category,
      price,
      name: name.toLowerCase(),
      at: BigInt(first + n),
    })
    // With one print for all, the report about the catalogue would compare every picture with its neighbours.
    const print = Bun.hash(`${n}`).toString(16).padStart(16, '0')
    addPicture.run({ ...row, contentHash: Buffer.from(`${n}`), print })
  }
}

/** Adds vectors of one store by whole chunks to the shadow tables of sqlite-vec 0.1, as it would itself. */
export function addChunks(
  db: Db,
  table: string,
  storeId: string,
  vectors: Iterable<Float32Array>,
  dimension = DIMENSION,
): void {
  // Otherwise SQLite lets nobody but sqlite-vec write there.
  db.unsafeMode(true)
  const addChunk = db.prepare(
    `INSERT INTO ${table}_chunks (size, partition00, validity, rowids) VALUES (${CHUNK_SIZE}, ?, ?, ?)`,
  )
  const addBlob = db.prepare(
    `INSERT INTO ${table}_vector_chunks00 (_rowid_, rowid, vectors) VALUES (?, ?, ?)`,
  )
  const addRow = db.prepare(`INSERT INTO ${table}_rowids (rowid, chunk_id, chunk_offset) VALUES (?, ?, ?)`)
  const floats = new Float32Array(CHUNK_SIZE * dimension)
  const blob = new Uint8Array(floats.buffer)
  let held = 0
  let rowid = 0
  const flush = () => {
    const rowids = new BigInt64Array(CHUNK_SIZE)
    const validity = new Uint8Array(CHUNK_SIZE / 8)
    for (let slot = 0; slot < held; slot++) {
      rowids[slot] = BigInt(rowid - held + 1 + slot)
      validity[slot >> 3] = (validity[slot >> 3] ?? 0) | (1 << (slot & 7))
    }
    const chunk = addChunk.run(storeId, validity, new Uint8Array(rowids.buffer)).lastInsertRowid
    addBlob.run(BigInt(chunk), BigInt(chunk), blob)
    for (let slot = 0; slot < held; slot++) addRow.run(rowids[slot], BigInt(chunk), BigInt(slot))
    floats.fill(0)
    held = 0
  }
  for (const vector of vectors) {
    floats.set(vector, held * dimension)
    held++
    rowid++
    if (held === CHUNK_SIZE) flush()
  }
  if (held > 0) flush()
  db.unsafeMode(false)
}
