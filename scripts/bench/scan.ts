/**
 * Compares exact search in memory with its limit and its peer: `bun scripts/bench/scan.ts [--products 50000]`.
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
import type { Bench, Figure, Row } from './parts/bench.ts'
import { type CpuTime, NO_CPU } from './parts/cpu.ts'
import { findNearestSlots, type SlotChoice } from './parts/nearest.ts'
import { runAlone } from './parts/run.ts'
import { DIMENSION } from './parts/vectors.ts'

let count = 0
const dimension = DIMENSION
const K = 10
const QUERIES = 20
const TURNS = 5
let folder = ''

const row = (id: string, what: string, against: string, more: Partial<Row> = {}): Row => ({
  ...{ id, what, against, unit: 'ratio' },
  ...more,
})
const LIMIT = 'a C loop on one thread (int8, VNNI)'

export const scan: Bench = {
  name: 'scan',
  rows: [
    row('scan-limit', 'exact search in memory', LIMIT, {
      goals: { 50000: { atMost: 2.2 }, 1000000: { atMost: 0.7 } },
    }),
    row('scan-only', 'of this the scan', LIMIT, { isFolded: true }),
    row('scan-sqlite', 'exact search in memory', 'sqlite-vec, float32', { goal: { atMost: 0.05 } }),
    row('scan-category', 'the same with a category filter, 1/20', 'without', {
      isFolded: true,
      goals: { 50000: { atMost: 0.6 }, 200000: { atMost: 0.6 }, 1000000: { atMost: 0.6 } },
    }),
    row('scan-price', 'the same with a price filter, 30 %', 'without', {
      ...{ goal: { atMost: 1.25 }, isFolded: true },
    }),
    row('scan-recall', 'recall of the best 10', 'exact float32', {
      isFolded: true,
      goals: { 50000: { atLeast: 1 }, 1000000: { atLeast: 0.99 } },
    }),
    row('scan-recall-price', 'recall of the best 10 with a price filter', 'exact float32', {
      isFolded: true,
      goals: { 50000: { atLeast: 1 }, 1000000: { atLeast: 0.99 } },
    }),
  ],
  async run({ products, contestants }, report) {
    for (count of products) {
      folder = mkdtempSync(join(tmpdir(), 'lookalike-scan-'))
      try {
        const say = (row: string, value: number, more: Partial<Figure> = {}) =>
          report({ row, contestant: contestants.at(-1)?.name ?? '', products: count, value, ...more })
        run(say)
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
  },
}

function run(say: (row: string, value: number, more?: Partial<Figure>) => void): void {
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
  const scores = new Float32Array(count)
  const limit = compileLimit()
  const search = (choice?: SlotChoice) => () => {
    for (const query of queries) findNearestSlots(segment, query, K, choice)
  }
  const times = measureInTurns({
    limit: limit ?? (() => Number.NaN),
    ours: createTimer(search()),
    scan: createTimer(() => queries.map((query) => segment.scanAll(query, scores))),
    category: createTimer(search({ among: twentieth })),
    price: createTimer(search({ mask })),
    sqlite: createTimer(() => queries.slice(0, 3).map((query) => table.nearest('store', query, K)), 3),
  })

  const before = process.cpuUsage()
  search()()
  const { user, system } = process.cpuUsage(before)
  const cpu: CpuTime = { ...NO_CPU, main: (user + system) / 1_000 / QUERIES }
  const note = `${times.ours.toFixed(0)} µs`
  if (!limit) console.error('gcc is missing: the C limit is skipped')
  say('scan-limit', times.ours / times.limit, { cpu, note: `${note} to ${times.limit.toFixed(0)}` })
  say('scan-only', times.scan / times.limit)
  say('scan-sqlite', times.ours / times.sqlite, { note: `${note} to ${times.sqlite.toFixed(0)}` })
  say('scan-category', times.category / times.ours)
  say('scan-price', times.price / times.ours)
  say('scan-recall', measureRecall(vectors, segment, queries))
  say('scan-recall-price', measureRecall(vectors, segment, queries, mask))
  console.log(`${count} vectors of ${dimension} dimensions, k = ${K}, median of ${TURNS} turns`)
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
): number {
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
  return found / (K * queries.length)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

if (import.meta.main) await runAlone(scan)
