import type Database from 'better-sqlite3'

/** Up to 64 vectors of one store. They are views of memory that is given back when the next block is asked for. */
export interface VectorBlock {
  storeId: string
  rowids: readonly number[]
  /** The vector of `rowids[n]`; copy it to keep it. */
  vectorAt(n: number): Float32Array
}

/** Where up to 64 vectors of one store lie. */
export interface VectorChunk {
  chunk: number
  storeId: string
  rowids: readonly number[]
}

/** The durable vectors of all stores in one vec0 table. The caller opens the transactions. */
export interface VectorTable {
  create(): void
  /** Adds what a table lacks that an older program made. */
  complete(): void
  /** Adds a vector, or replaces the one with the same rowid. @throws SqliteError when another store has that rowid. */
  put(storeId: string, rowid: number, vector: Float32Array): void
  /** Ignores an unknown rowid. */
  remove(rowid: number): void
  /** Deletes some vectors of a store, at most 64. @returns how many; 0 when none is left. */
  removeSome(storeId: string): number
  /** The store and the rows of the first chunk behind another one; undefined behind the last. */
  findChunk(after: number): VectorChunk | undefined
  /** A copy of one vector; undefined when the store has none under this rowid. */
  find(storeId: string, rowid: number): Float32Array | undefined
  /** Visits all vectors in no particular order. The vector is a view that is valid only during the visit; copy it. */
  each(visit: (rowid: number, vector: Float32Array, storeId: string) => void): void
  /**
   * All vectors in blocks, in no particular order, as they were when the first block was asked for. The database must not
   * be written to through the same connection before the last one; reading it in between is cheap.
   *
   * @param storeId reads the vectors of this store, and no others. Then other rows may be written in between.
   */
  blocks(storeId?: string): Generator<VectorBlock, void>
  count(): number
  /** Some vectors from all over the table, and always the same ones of the same table. They are copies. */
  samples(count: number): { storeId: string; rowid: number; vector: Float32Array }[]
  /** The exact `k` nearest vectors of a store by cosine, best first. Scans with SQL: a reference, not for searches. */
  nearest(storeId: string, vector: Float32Array, k: number): { rowid: number; score: number }[]
}

/** Vectors per chunk. With sqlite-vec's default of 1,024, 1,000 small stores take 21 times their raw size. */
const CHUNK_SIZE = 64

/**
 * @param db a connection with sqlite-vec loaded.
 * @param table a name of letters, digits and underscores.
 */
export function createVectorTable(db: Database.Database, table: string, dimension: number): VectorTable {
  if (!/^[a-z_][a-z_0-9]*$/i.test(table)) throw new Error(`${table} cannot be the name of a vector table`)
  const sql = createStatements(db, table)
  const checked = (vector: Float32Array) => {
    if (vector.length !== dimension)
      throw new Error(`The vector has ${vector.length} dimensions, not ${dimension}`)
    return vector
  }
  /** Reads the chunks of a store one by one, so that the database may be written to in between. */
  function* chunksOf(storeId: string): Generator<Chunk, void> {
    for (const id of sql.chunkIds().all(storeId)) {
      const chunk = sql.chunk().get(BigInt(id))
      if (chunk) yield chunk
    }
  }

  function* blocks(storeId?: string): Generator<VectorBlock, void> {
    for (const chunk of storeId === undefined ? sql.chunks().iterate() : chunksOf(storeId)) {
      yield openBlock(chunk, dimension)
      freeBytes(chunk.vectors)
    }
  }

  /** For every new vector vec0 looks for the last chunk of its store; without an index it walks those of all stores. */
  function complete(): void {
    db.exec(`CREATE INDEX IF NOT EXISTS ${table}_chunks_store ON ${table}_chunks (partition00)`)
  }

  return {
    complete,
    create() {
      db.exec(`CREATE VIRTUAL TABLE ${table} USING vec0(
        store_id TEXT PARTITION KEY, embedding FLOAT[${dimension}] distance_metric=cosine, chunk_size=${CHUNK_SIZE})`)
      complete()
    },
    // better-sqlite3 binds numbers as REAL, which vec0 refuses for a rowid and for k.
    put(storeId, rowid, vector) {
      const { changes } = sql.update().run(checked(vector), BigInt(rowid), storeId)
      if (changes === 0) sql.insert().run(BigInt(rowid), storeId, vector)
    },
    remove(rowid) {
      sql.remove().run(BigInt(rowid))
    },
    removeSome(storeId) {
      const chunk = sql.chunkOf().get(storeId)
      const rowids = chunk ? listSlots(chunk).map(({ rowid }) => rowid) : []
      for (const rowid of rowids) sql.remove().run(rowid)
      return rowids.length
    },
    findChunk(after) {
      const chunk = sql.chunkBehind().get(BigInt(after))
      return (
        chunk && {
          chunk: chunk.id,
          storeId: chunk.storeId,
          rowids: listSlots(chunk).map(({ rowid }) => Number(rowid)),
        }
      )
    },
    find(storeId, rowid) {
      const row = sql.find().get(BigInt(rowid), storeId)
      return row && new Float32Array(new Uint8Array(row.embedding).buffer)
    },
    each(visit) {
      for (const { storeId, rowids, vectorAt } of blocks()) {
        for (const [n, rowid] of rowids.entries()) visit(rowid, vectorAt(n), storeId)
      }
    },
    blocks,
    count: () => sql.count().get() as number,
    samples(count) {
      const { first, last } = sql.bounds().get() as { first: number | null; last: number | null }
      const found = new Map<number, { storeId: string; rowid: number; vector: Float32Array }>()
      if (first === null || last === null) return []
      for (let n = 0; n < count; n++) {
        const from = first + Math.floor(((last - first) * n) / Math.max(count - 1, 1))
        const chunk = sql.chunkFrom().get(BigInt(from))
        const block = chunk && openBlock(chunk, dimension)
        const rowid = block?.rowids[0]
        if (!block || rowid === undefined) continue
        found.set(rowid, { storeId: block.storeId, rowid, vector: block.vectorAt(0).slice() })
        freeBytes(chunk.vectors)
      }
      return [...found.values()]
    },
    nearest(storeId, vector, k) {
      const rows = sql.nearest().all(checked(vector), BigInt(k), storeId)
      return rows.map(({ rowid, distance }) => ({ rowid, score: 1 - distance }))
    },
  }
}

interface Chunk {
  storeId: string
  /** One bit for each slot, lowest first. */
  validity: Uint8Array
  /** One 64-bit integer for each slot. */
  rowids: Uint8Array
  vectors: Uint8Array
}

/** Prepared on first use, because the table may not exist before. */
function createStatements(db: Database.Database, table: string) {
  // The shadow tables of sqlite-vec 0.1.
  const chunks = `SELECT chunks.partition00 AS storeId, chunks.validity, chunks.rowids, blobs.vectors
    FROM ${table}_chunks AS chunks JOIN ${table}_vector_chunks00 AS blobs ON blobs.rowid = chunks.chunk_id`
  return {
    insert: once(() => db.prepare(`INSERT INTO ${table} (rowid, store_id, embedding) VALUES (?, ?, ?)`)),
    update: once(() => db.prepare(`UPDATE ${table} SET embedding = ? WHERE rowid = ? AND store_id = ?`)),
    chunkOf: once(() =>
      db.prepare<[string], Pick<Chunk, 'validity' | 'rowids'>>(
        `SELECT validity, rowids FROM ${table}_chunks WHERE partition00 = ? LIMIT 1`,
      ),
    ),
    chunkBehind: once(() =>
      db.prepare<[bigint], Omit<Chunk, 'vectors'> & { id: number }>(
        `SELECT chunk_id AS id, partition00 AS storeId, validity, rowids FROM ${table}_chunks
        WHERE chunk_id > ? ORDER BY chunk_id LIMIT 1`,
      ),
    ),
    remove: once(() => db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)),
    find: once(() =>
      db.prepare<[bigint, string], { embedding: Uint8Array }>(
        `SELECT embedding FROM ${table} WHERE rowid = ? AND store_id = ?`,
      ),
    ),
    nearest: once(() =>
      db.prepare<[Float32Array, bigint, string], { rowid: number; distance: number }>(
        `SELECT rowid, distance FROM ${table} WHERE embedding MATCH ? AND k = ? AND store_id = ? ORDER BY distance`,
      ),
    ),
    chunks: once(() => db.prepare<[], Chunk>(chunks)),
    count: once(() => db.prepare<[], number>(`SELECT count(*) FROM ${table}_rowids`).pluck()),
    bounds: once(() =>
      db.prepare(`SELECT min(chunk_id) AS first, max(chunk_id) AS last FROM ${table}_chunks`),
    ),
    chunkFrom: once(() =>
      db.prepare<[bigint], Chunk>(`${chunks} WHERE chunks.chunk_id >= ? ORDER BY chunks.chunk_id LIMIT 1`),
    ),
    chunk: once(() => db.prepare<[bigint], Chunk>(`${chunks} WHERE chunks.chunk_id = ?`)),
    chunkIds: once(() =>
      db
        .prepare<[string], number>(
          `SELECT chunk_id FROM ${table}_chunks WHERE partition00 = ? ORDER BY chunk_id`,
        )
        .pluck(),
    ),
  }
}

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= make()
    return value
  }
}

function openBlock(chunk: Chunk, dimension: number): VectorBlock {
  const bytes = align(chunk.vectors)
  const slots = listSlots(chunk)
  return {
    storeId: chunk.storeId,
    rowids: slots.map(({ rowid }) => Number(rowid)),
    vectorAt(n) {
      const slot = slots[n]?.slot ?? CHUNK_SIZE
      return new Float32Array(bytes.buffer, bytes.byteOffset + 4 * slot * dimension, dimension)
    },
  }
}

/** The slots of a chunk that hold a vector, with the rows of the vectors. */
function listSlots({ validity, rowids }: Pick<Chunk, 'validity' | 'rowids'>) {
  const view = new DataView(rowids.buffer, rowids.byteOffset, rowids.byteLength)
  const slots: { slot: number; rowid: bigint }[] = []
  for (let slot = 0; slot < CHUNK_SIZE; slot++) {
    if ((((validity[slot >> 3] ?? 0) >> (slot & 7)) & 1) !== 0)
      slots.push({ slot, rowid: view.getBigInt64(8 * slot, true) })
  }
  return slots
}

const align = (bytes: Uint8Array) => (bytes.byteOffset % 4 === 0 ? bytes : bytes.slice())

/** Gives memory back at once. Left to the garbage collector, the blocks of a large table would pile up to its size. */
function freeBytes(bytes: Uint8Array): void {
  if (bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength)
    bytes.buffer.transfer(0)
}
