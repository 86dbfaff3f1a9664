/**
 * Compares search in memory with its limit and its peer: `bun scripts/bench/scan.ts [vectors] [dimension] [kinds]`.
 *
 * The limit is parts/limit.c on one thread; the peer is sqlite-vec's scan of float32. `rank` is the service's own ranking,
 * as a request calls it, and the rest its parts. With `kinds` the vectors are near duplicates of so many. All take turns in
 * the same run, so a busy machine slows them equally; read the ratios. Run `bun scripts/generate/kernel.ts` first.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import {
  createProductIndex,
  type IndexedStore,
} from '../../src/features/catalogue/product-index/product-index.ts'
import { type RankingRequest, rank } from '../../src/features/discovery/search/ranking.ts'
import { createVectorArena, type Segment } from '../../src/platform/vectors/arena.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'
import { findNearestSlots, type SlotChoice } from './parts/nearest.ts'
import { median, printTable } from './parts/statistics.ts'

const count = Number(process.argv[2] ?? 50_000)
const dimension = Number(process.argv[3] ?? 512)
const kinds = Number(process.argv[4] ?? 0)
const K = 10
const QUERIES = 20
const TURNS = 5
const SEARCH: RankingRequest = {
  vector: new Float32Array(dimension),
  filter: {},
  map: { midpoint: 0.2, slope: 8 },
  threshold: 0,
  categoryBoost: 0.1,
  depth: 20,
}

const folder = mkdtempSync(join(tmpdir(), 'lookalike-scan-'))

try {
  await run()
} finally {
  rmSync(folder, { recursive: true })
}

async function run(): Promise<void> {
  const centres = Array.from({ length: kinds }, drawVector)
  const draw = (n: number) => {
    const vector = drawVector()
    const centre = centres[n % kinds]
    return centre ? normalise(vector.map((x, i) => 0.02 * x + (centre[i] as number))) : vector
  }
  const vectors = new Float32Array(count * dimension)
  for (let slot = 0; slot < count; slot++) vectors.set(draw(slot), slot * dimension)
  const queries = Array.from({ length: QUERIES }, (_, n) => draw(n))

  const { table, putMicros, changeMicros } = fillTable(vectors)
  const loads = Array.from({ length: 3 }, () => loadArena(table))
  const { arena, segment } = loads[0] as ReturnType<typeof loadArena>

  const twentieth = Uint32Array.from({ length: Math.floor(count / 20) }, (_, index) => index * 20 + 3)
  const mask = Uint8Array.from({ length: count }, () => (Math.random() < 0.3 ? 1 : 0))
  const limit = compileLimit()
  const search = (choice?: SlotChoice) => () => {
    for (const query of queries) findNearestSlots(segment, query, K, choice)
  }
  const store = fillIndex(vectors)
  const ranking = (wanted: Partial<RankingRequest>) => async () => {
    for (const vector of queries) await rank(store, { ...SEARCH, ...wanted, vector })
  }
  const times = await measureInTurns({
    limit: limit ?? (() => ({ wall: Number.NaN, cpu: Number.NaN })),
    'rank: words': createTimer(ranking({ text: 'nothing' })),
    'rank: picture': createTimer(ranking({})),
    'rank: picture, exact': createTimer(ranking({ isExact: true })),
    'rank: 1,000 deep': createTimer(ranking({ depth: 1_000 })),
    'rank: two filters': createTimer(ranking({ filter: { priceMin: 30, priceMax: 59, color: 'red' } })),
    ours: createTimer(search()),
    scan: createTimer(() => void queries.map((query) => segment.scanAll(query))),
    category: createTimer(search({ among: twentieth })),
    price: createTimer(search({ mask })),
    sqlite: createTimer(() => void queries.slice(0, 3).map((query) => table.nearest('store', query, K)), 3),
  })

  console.log(
    `${count} vectors of ${dimension} dimensions${kinds > 0 ? ` in ${kinds} kinds` : ''}, k = ${K},`,
  )
  console.log(`median of ${TURNS} turns; times and CPU in ms, ratios are of the times`)
  if (!limit) console.log('gcc is missing: the C limit is skipped')
  const ms = (micros: number) => (micros / 1_000).toFixed(3)
  const ratio = (value: number, base: number) => (value / base).toFixed(3)
  printTable([
    ['', 'time', 'CPU', 'of the limit', 'of sqlite-vec'],
    ...Object.entries(times).map(([name, { wall, cpu }]) => [
      ...[name, ms(wall), ms(cpu)],
      ...[ratio(wall, times.limit.wall), ratio(wall, times.sqlite.wall)],
    ]),
  ])
  console.log(`category filter, 1/20          ${ratio(times.category.wall, times.ours.wall)} x search`)
  console.log(`price filter, 30 %             ${ratio(times.price.wall, times.ours.wall)} x search`)
  console.log(`recall@${K} of the ranking       ${await measureRankingRecall(store, queries)}`)
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

function drawVector(): Float32Array {
  return normalise(Float32Array.from({ length: dimension }, drawNormal))
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

/** The index of the service, with the vectors as the first pictures of as many products. */
function fillIndex(vectors: Float32Array): IndexedStore {
  const index = createProductIndex(createVectorArena(dimension))
  for (let slot = 0; slot < count; slot++) {
    const metadata = {
      category: `category ${slot % 20}`,
      price: slot % 100,
      color_name: slot % 3 === 0 ? 'blue' : 'red',
    }
    const entry = { storeId: 'store', pictureId: slot + 1, product: slot + 1, isFirst: true, metadata }
    index.put(entry, readVector(vectors, slot))
  }
  const store = index.findStore('store')
  if (!store) throw new Error('Nothing was indexed')
  return store
}

/** The share of the exact ranking's first products that the ranking finds. */
async function measureRankingRecall(store: IndexedStore, queries: Float32Array[]): Promise<string> {
  let found = 0
  for (const vector of queries) {
    const wanted = { ...SEARCH, vector, categoryBoost: 0, depth: K }
    const exact = await rank(store, { ...wanted, isExact: true })
    const ids = new Set((await rank(store, wanted))?.hits.map(({ pictureId }) => pictureId))
    found += exact?.hits.filter(({ pictureId }) => ids.has(pictureId)).length ?? 0
  }
  return (found / (K * queries.length)).toFixed(4)
}

/** Microseconds of one query. */
interface Times {
  wall: number
  /** Of all threads of this process. */
  cpu: number
}

/** Compiles the C limit. @returns a function that measures it, or undefined if it does not compile. */
function compileLimit(): (() => Times) | undefined {
  const program = join(folder, 'limit')
  const source = join(import.meta.dir, 'parts/limit.c')
  const compiler = spawnSync('gcc', ['-O3', '-march=native', '-o', program, source], { stdio: 'inherit' })
  if (compiler.status !== 0) return undefined
  const rounds = Math.max(5, Math.ceil(2_000_000 / count))
  return () => {
    const { stdout } = spawnSync(program, [count, dimension, K, rounds].map(String), { encoding: 'utf8' })
    // It does nothing but compute.
    return { wall: Number.parseFloat(stdout), cpu: Number.parseFloat(stdout) }
  }
}

/** Creates a function that measures one query of `work`. */
function createTimer(work: () => void | Promise<void>, queries = QUERIES): () => Promise<Times> {
  return async () => {
    const [before, cpuBefore] = [performance.now(), process.cpuUsage()]
    await work()
    const { user, system } = process.cpuUsage(cpuBefore)
    return { wall: ((performance.now() - before) * 1_000) / queries, cpu: (user + system) / queries }
  }
}

/** Measures the median times of each contestant, after one turn to warm up. */
async function measureInTurns<Name extends string>(
  contestants: Record<Name, () => Times | Promise<Times>>,
): Promise<Record<Name, Times>> {
  const names = Object.keys(contestants) as Name[]
  const turns: Times[][] = []
  for (let turn = 0; turn <= TURNS; turn++) {
    const times: Times[] = []
    for (const name of names) times.push(await contestants[name]())
    if (turn > 0) turns.push(times)
  }
  const middle = (at: number, what: keyof Times) => median(turns.map((times) => (times[at] as Times)[what]))
  return Object.fromEntries(
    names.map((name, at) => [name, { wall: middle(at, 'wall'), cpu: middle(at, 'cpu') }]),
  ) as Record<Name, Times>
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
