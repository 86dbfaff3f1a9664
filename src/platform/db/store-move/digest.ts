import type { CapturedRow } from './capture.ts'
import { MOVED_TABLES, NAMED_BY } from './plan.ts'
import type { MoveReader } from './reading.ts'
import type { Sum } from './row-format.ts'
import { compareKeys, type Key } from './rows.ts'

/** Rows of each table, and a sum of their hashes that does not depend on their order. */
export type Digest = Readonly<Record<string, { rows: number; sum: string }>>

/** The rows from behind the end of the chunk before up to `end`; undefined for the last one. */
interface Chunk {
  end: Key | undefined
  rows: number
  sum: bigint
  isStale: boolean
}

export type MoveDigest = ReturnType<typeof createMoveDigest>

const CHUNK_ROWS = 32
/** Rows that one step of the first look reads. */
const STEP_ROWS = 64
/** Chunks that one step of a later look reads. */
const STEP_CHUNKS = 4
const MODULUS = 1n << 128n

/**
 * Sums up what a store's rows are, on both sides of a move, each from its own database. The first time it reads all of them in
 * steps; afterwards only those next to rows that have changed, so that a look in the pause of writes costs what
 * changed since the last one. Where much has changed, `refresh` reads that in steps before.
 *
 * Whoever changes rows says so by `touch`. The two sides may cut their tables into other chunks.
 */
export function createMoveDigest(reader: Pick<MoveReader, 'sums' | 'findEnd'>) {
  const stores = new Map<string, Map<string, Chunk[]>>()
  /** Those of which everything was read. */
  const whole = new Set<string>()

  /** Reads a stretch of a table into chunks. */
  function read(storeId: string, table: string, after: Key | null, end: Key | undefined): Chunk[] {
    const chunks: Chunk[] = []
    let open: Chunk = { end: undefined, rows: 0, sum: 0n, isStale: false }
    let last: Sum | undefined
    for (const row of reader.sums(storeId, table, after, end)) {
      if (last && open.rows === CHUNK_ROWS) {
        chunks.push({ ...open, end: last.key })
        open = { end: undefined, rows: 0, sum: 0n, isStale: false }
      }
      open.rows++
      open.sum = (open.sum + row.sum) % MODULUS
      last = row
    }
    return [...chunks, { ...open, end }]
  }

  /** @yields after each step. Others may touch rows and refresh meanwhile: each chunk is replaced at once. */
  function* refresh(storeId: string): Generator<void> {
    if (!whole.has(storeId)) return
    let done = 0
    for (const [table, chunks] of stores.get(storeId) ?? []) {
      for (let n = 0; n < chunks.length; n++) {
        const chunk = chunks[n] as Chunk
        if (!chunk.isStale) continue
        const fresh = read(storeId, table, chunks[n - 1]?.end ?? null, chunk.end)
        chunks.splice(n, 1, ...fresh)
        n += fresh.length - 1
        if (++done % STEP_CHUNKS === 0) yield
      }
    }
  }

  return {
    /**
     * Reads everything once, in steps of some milliseconds. Rows may change meanwhile, if they are touched.
     *
     * @yields after each step, for others to have a turn.
     */
    *prepare(storeId: string): Generator<void> {
      const tables = new Map<string, Chunk[]>()
      whole.delete(storeId)
      stores.set(storeId, tables)
      for (const table of MOVED_TABLES) {
        const chunks: Chunk[] = []
        tables.set(table, chunks)
        let after: Key | null = null
        for (;;) {
          const end: Key | undefined = reader.findEnd(storeId, table, after, STEP_ROWS)
          chunks.push(...read(storeId, table, after, end))
          yield
          if (end === undefined) break
          after = end
        }
      }
      whole.add(storeId)
    },

    /** Reads again what is next to rows that were touched, in short steps. What is touched meanwhile may be left for {@link read}. */
    refresh,

    isReady: (storeId: string): boolean => whole.has(storeId),

    /** Says that rows have changed, or are gone. */
    touch(storeId: string, rows: readonly Pick<CapturedRow, 'table' | 'key'>[]): void {
      const tables = stores.get(storeId)
      if (!tables) return
      for (const { table, key } of rows) {
        const chunks = tables.get(table)
        const chunk = chunks?.[findChunk(chunks, key)]
        if (chunk) chunk.isStale = true
        for (const named of NAMED_BY[table] ?? [])
          for (const other of tables.get(named) ?? []) other.isStale = true
      }
    },

    /** @throws Error before {@link prepare} has come to its end. */
    read(storeId: string): Digest {
      const tables = whole.has(storeId) && stores.get(storeId)
      if (!tables) throw new Error('The digest is not prepared')
      for (const _ of refresh(storeId));
      return Object.fromEntries(
        [...tables].map(([table, chunks]) => {
          let rows = 0
          let sum = 0n
          for (const chunk of chunks) {
            rows += chunk.rows
            sum = (sum + chunk.sum) % MODULUS
          }
          return [table, { rows, sum: sum.toString(16) }]
        }),
      )
    },

    forget(storeId: string): void {
      stores.delete(storeId)
      whole.delete(storeId)
    },
  }
}

/** The first chunk that does not end before a key. */
function findChunk(chunks: readonly Chunk[], key: Key): number {
  let low = 0
  let high = chunks.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const { end } = chunks[middle] as Chunk
    if (end === undefined || compareKeys(end, key) >= 0) high = middle
    else low = middle + 1
  }
  return low
}
