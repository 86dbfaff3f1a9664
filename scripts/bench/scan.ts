/**
 * Compares exact search in memory with its limit and its peer: `bun scripts/bench/scan.ts [vectors] [dimension]`.
 *
 * The limit is parts/limit.c on one thread; the peer is sqlite-vec's scan of float32. All take turns in the same run, so
 * a busy machine slows them equally; read the ratios. Run `bun scripts/generate/kernel.ts` first.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { createVectorArena, type Segment } from '../../src/platform/vectors/arena.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'
import { findNearestSlots, type SlotChoice } from './parts/nearest.ts'

const count = Number(process.argv[2] ?? 50_000)
const dimension = Number(process.argv[3] ?? 512)
const K = 10
const QUERIES = 20
const TURNS = 5
const folder = mkdtempSync(join(tmpdir(), 'lookalike-scan-'))

try {
  run()
} finally {
  rmSync(folder, { recursive: true })
}

function run(): void {
  const vectors = Float32Array.from({ length: count * dimension }, drawNormal)
  for (let slot = 0; slot < count; slot++) normalise(readVector(vectors, slot))
  const queries = Array.from({ length: QUERIES }, () =>
    normalise(Float32Array.from({ length: dimension }, drawNormal)),
  )

  const { table, putMicros, changeMicros } = fillTable(vectors)
  const loads = Array.from({ length: 3 }, () => loadArena(table))
  const { arena, segment } = loads[0] as ReturnType<typeof loadArena>

  const twentieth = Uint32Array.from({ length: Math.floor(count / 20) }, (_, index) => index * 20 + 3)
  const mask = Uint8Array.from({ length: count }, () => (Math.random() < 0.3 ? 1 : 0))
  const limit = compileLimit()
  const search = (choice?: SlotChoice) => () => {
    for (const query of queries) findNearestSlots(segment, query, K, choice)
  }
  const times = measureInTurns({
    limit: limit ?? (() => Number.NaN),
    ours: createTimer(search()),
    scan: createTimer(() => queries.map((query) => segment.scanAll(query))),
    category: createTimer(search({ among: twentieth })),
    price: createTimer(search({ mask })),
    sqlite: createTimer(() => queries.slice(0, 3).map((query) => table.nearest('store', query, K)), 3),
  })

  const ratio = (value: number, base: number) => (value / base).toFixed(3)
  console.log(`${count} vectors of ${dimension} dimensions, k = ${K}, median of ${TURNS} turns`)
  if (!limit) console.log('gcc is missing: the C limit is skipped')
  console.log(`C limit                        ${times.limit.toFixed(0)} µs`)
  console.log(
    `search                         ${times.ours.toFixed(0)} µs = ${ratio(times.ours, times.limit)} x limit`,
  )
  console.log(
    `  of this the scan             ${times.scan.toFixed(0)} µs = ${ratio(times.scan, times.limit)} x limit`,
  )
  console.log(
    `sqlite-vec float32             ${times.sqlite.toFixed(0)} µs; search is ${ratio(times.ours, times.sqlite)} of it`,
  )
  console.log(`category filter, 1/20          ${ratio(times.category, times.ours)} x search`)
  console.log(`price filter, 30 %             ${ratio(times.price, times.ours)} x search`)
  console.log(`recall@${K}                      ${measureRecall(vectors, segment, queries)}`)
  console.log(`recall@${K} with price filter    ${measureRecall(vectors, segment, queries, mask)}`)
  const load = Math.min(...loads.map(({ micros }) => micros))
  console.log(
    `load from SQLite               ${(load / 1_000).toFixed(0)} ms = ${(load / count).toFixed(2)} µs a vector`,
  )
  console.log(`vec0 insert, bulk              ${putMicros.toFixed(0)} µs`)
  for (const [name, micros] of Object.entries(changeMicros))
    console.log(`vec0 ${name.padEnd(25)} ${micros.toFixed(0)} µs`)
  const bytes = arena.memoryBytes / (count * dimension)
  console.log(
    `memory                         ${bytes.toFixed(2)} bytes a dimension (float32 takes 4, raw int8 1)`,
  )
}

function drawNormal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
}

function normalise(vector: Float32Array): Float32Array {
  let square = 0
  for (const x of vector) square += x * x
  const factor = 1 / Math.sqrt(square)
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) * factor
  return vector
}

function readVector(vectors: Float32Array, slot: number): Float32Array {
  return vectors.subarray(slot * dimension, (slot + 1) * dimension)
}

/** Fills a table of sqlite-vec and measures its writes. Rowid n holds vector n - 1. */
function fillTable(vectors: Float32Array) {
  const db = new Database(join(folder, 'bench.db'))
  sqliteVec.load(db)
  db.pragma('journal_mode = WAL')
  const table = createVectorTable(db, 'vectors', dimension)
  table.create()
  const each = (from: number, to: number, change: (rowid: number) => void) => {
    const before = performance.now()
    db.transaction(() => {
      for (let rowid = from; rowid < to; rowid++) change(rowid)
    })()
    return ((performance.now() - before) * 1_000) / (to - from)
  }
  const put = (rowid: number) => table.put('store', rowid, readVector(vectors, (rowid - 1) % count))
  const putMicros = each(1, count + 1, put)
  const changeMicros = {
    'insert into the full table': each(count + 1, count + 501, put),
    replace: each(1, 501, put),
    delete: each(count + 1, count + 501, table.remove),
  }
  return { table, putMicros, changeMicros }
}

/** Loads the table into a new arena, and measures the time. */
function loadArena(table: ReturnType<typeof createVectorTable>) {
  const before = performance.now()
  const arena = createVectorArena(dimension)
  table.each((rowid, vector, storeId) => arena.put(storeId, rowid, vector))
  const micros = (performance.now() - before) * 1_000
  const segment = arena.segment('store')
  if (!segment) throw new Error('Nothing was loaded')
  return { arena, segment, micros }
}

/** Compiles the C limit. @returns a function that measures it in microseconds, or undefined if it does not compile. */
function compileLimit(): (() => number) | undefined {
  const program = join(folder, 'limit')
  const source = join(import.meta.dir, 'parts/limit.c')
  const compiler = spawnSync('gcc', ['-O3', '-march=native', '-o', program, source], { stdio: 'inherit' })
  if (compiler.status !== 0) return undefined
  const rounds = Math.max(5, Math.ceil(2_000_000 / count))
  return () => {
    const { stdout } = spawnSync(program, [count, dimension, K, rounds].map(String), { encoding: 'utf8' })
    return Number.parseFloat(stdout)
  }
}

/** Creates a function that measures the microseconds per query of `work`. */
function createTimer(work: () => void, queries = QUERIES): () => number {
  return () => {
    const before = performance.now()
    work()
    return ((performance.now() - before) * 1_000) / queries
  }
}

/** Measures the median time of each contestant, after one turn to warm up. */
function measureInTurns<Name extends string>(contestants: Record<Name, () => number>): Record<Name, number> {
  const names = Object.keys(contestants) as Name[]
  const turns = Array.from({ length: TURNS + 1 }, () => names.map((name) => contestants[name]())).slice(1)
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number
  return Object.fromEntries(
    names.map((name, at) => [name, median(turns.map((turn) => turn[at] as number))]),
  ) as Record<Name, number>
}

/** Measures the share of the exact float32 top k that the search finds. */
function measureRecall(
  vectors: Float32Array,
  segment: Segment,
  queries: Float32Array[],
  mask?: Uint8Array,
): string {
  let found = 0
  for (const query of queries) {
    const scores = Array.from({ length: count }, (_, slot) => ({
      slot,
      score: dot(query, readVector(vectors, slot)),
    }))
    const exact = scores
      .filter(({ slot }) => mask?.[slot] !== 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, K)
    const hits = new Set(
      findNearestSlots(segment, query, K, mask && { mask }).map(({ slot }) => segment.keyAt(slot) - 1),
    )
    found += exact.filter(({ slot }) => hits.has(slot)).length
  }
  return (found / (K * queries.length)).toFixed(4)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
