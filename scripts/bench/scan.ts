/**
 * Compares search in memory with its limit and its peer: `bun scripts/bench/scan.ts [--products 50000] [--kinds 0]`.
 *
 * The limit is parts/limit.c on one thread; the peer is sqlite-vec's scan of float32. The ranking is the service's own, as a
 * request calls it; filters and recall are those of its scan. With `--kinds` the vectors are near duplicates of so many. All
 * take turns in the same run. The ratios are those of processor time, which counts the threads of a large scan together; what
 * these threads are good for shows by the clock, where a core is free. Run `bun scripts/generate/kernel.ts` first.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import {
  createProductIndex,
  type IndexedStore,
} from '../../src/features/catalogue/product-index/product-index.ts'
import { makePlan } from '../../src/features/discovery/search/plan.ts'
import { type RankingRequest, rank } from '../../src/features/discovery/search/ranking.ts'
import { createVectorArena, type Segment, type VectorArena } from '../../src/platform/vectors/arena.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'
import type { Bench, Figure, Row } from './parts/bench.ts'
import { NO_CPU } from './parts/cpu.ts'
import { createExactScan } from './parts/exact.ts'
import { compileLimit, LIMIT, type Times } from './parts/limit.ts'
import { findNearestSlots, type SlotChoice } from './parts/nearest.ts'
import { type Bound, roundsWithin } from './parts/rounds.ts'
import { runAlone } from './parts/run.ts'
import { addChunks } from './parts/seed.ts'
import { median } from './parts/statistics.ts'
import { DIMENSION, generateVectors } from './parts/vectors.ts'

const K = 10
const QUERIES = 20
const TURNS = 5
/** Vectors that the queries of one measurement read; a large store is asked less often in a turn. */
const TIMED_VECTORS = 5_000_000
const SEARCH: Omit<RankingRequest, 'fusion'> = { condition: { fields: {} }, threshold: 0, depth: 20 }

/** What the service ranks by, for a picture that the categories steer, or for words. */
function planOf(store: IndexedStore, vector: Float32Array, text?: string): RankingRequest['fusion'] {
  const map = { midpoint: 0.2, slope: 8 }
  const { fusions } = makePlan(
    {
      ...{ storeId: 'store', store, looksTwice: true, steering: { boost: 0.1, isInOne: false } },
      calibration: { image_image: map, text_image: map },
      compare: () => ({
        reliability: 0.5,
        fits: store.columns.listCategories().map((category) => ({ category, cosine: 1 / (4 + category) })),
      }),
    },
    { kind: 'sides', ...(text === undefined ? { picture: { vector } } : { words: { text, vector } }) },
  )
  const [fusion] = fusions
  if (!fusion) throw new Error('There is nothing to rank by')
  return fusion
}

const row = (id: string, what: string, against: string, more: Partial<Row> = {}): Row => ({
  ...{ id, what, against, unit: 'ratio', isFolded: true },
  ...more,
})
const LARGE = { 50000: { atLeast: 1 }, 1000000: { atLeast: 0.99 } } as const

export const scan: Bench = {
  name: 'scan',
  rows: [
    row('scan-limit', 'ranking by a picture', LIMIT, {
      isFolded: false,
      goals: { 50000: { atMost: 2.5 } },
    }),
    row('scan-clock', 'the same by the clock, best turn of each', LIMIT, {
      goals: { 1000000: { atMost: 0.7 } },
    }),
    row('scan-words', 'ranking by words', LIMIT, { goals: { 50000: { atMost: 2.5 } } }),
    row('scan-exact', 'ranking by a picture with `exact: true`', LIMIT),
    row('scan-deep', 'ranking 1,000 deep', LIMIT),
    row('scan-only', 'of this the scan', LIMIT),
    row('scan-sqlite', 'exact search in memory', 'sqlite-vec, float32', { goal: { atMost: 0.05 } }),
    row('scan-category', 'the same with a category filter, 1/20', 'without', {
      goals: { 50000: { atMost: 0.6 }, 200000: { atMost: 0.6 }, 1000000: { atMost: 0.6 } },
    }),
    row('scan-price', 'the same with a price filter, 30 %', 'without', { goal: { atMost: 1.25 } }),
    row('scan-recall', 'recall of the best 10 of the ranking', 'the exact ranking', { goals: LARGE }),
    row('scan-recall-exact', 'recall of the best 10 of the exact scan', 'exact float32', { goals: LARGE }),
    row('scan-recall-price', 'the same with a price filter', 'exact float32', { goals: LARGE }),
  ],
  minutes: { quick: 0.5, full: 4 },
  flags: ['kinds'],
  async run({ products, contestants, own, rounds = TURNS, rowSeconds }, report) {
    const bound = { rounds, seconds: rowSeconds * scan.rows.length }
    for (const count of products) {
      const folder = mkdtempSync(join(tmpdir(), 'lookalike-scan-'))
      try {
        const contestant = contestants.at(-1)?.name ?? ''
        await measure(folder, count, Number(own['kinds'] ?? 0), bound, (row, value, more = {}) =>
          report({ row, contestant, products: count, value, ...more }),
        )
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
  },
}

async function measure(
  folder: string,
  count: number,
  kinds: number,
  bound: Bound,
  say: (row: string, value: number, more?: Partial<Figure>) => void,
): Promise<void> {
  const vectors = new Float32Array((count + QUERIES) * DIMENSION)
  let filled = 0
  for (const vector of generateVectors(count + QUERIES, kinds)) vectors.set(vector, filled++ * DIMENSION)
  // Copies: a thread that gets a view gets all of the memory behind it, two gigabytes for a million vectors.
  const queries = Array.from({ length: QUERIES }, (_, n) => readVector(vectors, count + n).slice())
  const table = fillTable(folder, vectors, count)
  const arena = createVectorArena(DIMENSION)
  const store = fillIndex(arena, vectors, count)
  const segment = arena.segment('store')
  if (!segment) throw new Error('Nothing was loaded')
  const twentieth = Uint32Array.from({ length: Math.floor(count / 20) }, (_, index) => index * 20 + 3)
  const mask = Uint8Array.from({ length: count }, () => (Math.random() < 0.3 ? 1 : 0))
  const limit = compileLimit(folder) ?? (() => ({ wall: Number.NaN, cpu: Number.NaN }))
  const timed = queries.slice(0, Math.max(3, Math.floor(TIMED_VECTORS / count)))
  const timer = (work: () => void | Promise<void>) => createTimer(work, timed.length)
  const search = (choice?: SlotChoice) => () => {
    for (const query of timed) findNearestSlots(segment, query, K, choice)
  }
  const ranking =
    ({ text, ...wanted }: Partial<RankingRequest> & { text?: string }) =>
    async () => {
      for (const vector of timed) {
        await rank(store, { ...SEARCH, ...wanted, fusion: planOf(store, vector, text) })
      }
    }
  const times = await measureInTurns(bound, {
    limit: () => limit(count),
    words: timer(ranking({ text: 'nothing' })),
    picture: timer(ranking({})),
    exact: timer(ranking({ isExact: true })),
    deep: timer(ranking({ depth: 1_000 })),
    ours: timer(search()),
    scan: timer(() => void timed.map((query) => segment.scanAll(query))),
    category: timer(search({ among: twentieth })),
    price: timer(search({ mask })),
    sqlite: createTimer(() => void queries.slice(0, 3).map((query) => table.nearest('store', query, K)), 3),
  })
  const compare = (row: string, name: keyof typeof times, base: keyof typeof times) =>
    say(row, times[name].cpu / times[base].cpu, {
      cpu: { ...NO_CPU, main: times[name].cpu / 1_000 },
      note: `${times[name].cpu.toFixed(0)} to ${times[base].cpu.toFixed(0)} µs`,
    })
  compare('scan-limit', 'picture', 'limit')
  say('scan-clock', times.picture.wall / times.limit.wall, {
    note: `${times.picture.wall.toFixed(0)} to ${times.limit.wall.toFixed(0)} µs`,
  })
  compare('scan-words', 'words', 'limit')
  compare('scan-exact', 'exact', 'limit')
  compare('scan-deep', 'deep', 'limit')
  compare('scan-only', 'scan', 'limit')
  compare('scan-sqlite', 'ours', 'sqlite')
  compare('scan-category', 'category', 'ours')
  compare('scan-price', 'price', 'ours')
  say('scan-recall', await measureRankingRecall(store, queries))
  const exact = createExactScan({ queries, k: K, mask })
  for (let slot = 0; slot < count; slot++) exact.visit(slot, readVector(vectors, slot))
  say('scan-recall-exact', measureRecall(exact.all(), segment, queries))
  say('scan-recall-price', measureRecall(exact.chosen(), segment, queries, mask))
}

function readVector(vectors: Float32Array, slot: number): Float32Array {
  return vectors.subarray(slot * DIMENSION, (slot + 1) * DIMENSION)
}

/** Fills a table of sqlite-vec. Rowid n holds vector n - 1. */
function fillTable(folder: string, vectors: Float32Array, count: number) {
  const db = new Database(join(folder, 'bench.db'))
  sqliteVec.load(db)
  db.pragma('journal_mode = WAL')
  const table = createVectorTable(db, 'vectors', DIMENSION)
  table.create()
  function* each() {
    for (let slot = 0; slot < count; slot++) yield readVector(vectors, slot)
  }
  db.pragma('synchronous = OFF')
  db.transaction(() => addChunks(db, 'vectors', 'store', each()))()
  return table
}

/** The index of the service, with the vectors as the first pictures of as many products. */
function fillIndex(arena: VectorArena, vectors: Float32Array, count: number): IndexedStore {
  const index = createProductIndex(arena)
  for (let slot = 0; slot < count; slot++) {
    const metadata = {
      category: `category ${slot % 20}`,
      price: slot % 100,
      color_name: slot % 3 === 0 ? 'blue' : 'red',
    }
    const productId = `p${slot}`
    const entry = {
      storeId: 'store',
      productId,
      pictureId: slot + 1,
      product: slot + 1,
      isFirst: true,
      metadata,
    }
    index.put(entry, readVector(vectors, slot))
  }
  const store = index.findStore('store')
  if (!store) throw new Error('Nothing was indexed')
  return store
}

/** The share of the exact ranking's first products that the ranking finds. */
async function measureRankingRecall(store: IndexedStore, queries: Float32Array[]): Promise<number> {
  let found = 0
  for (const vector of queries) {
    const wanted = { ...SEARCH, fusion: planOf(store, vector), depth: K }
    const exact = await rank(store, { ...wanted, isExact: true })
    const ids = new Set((await rank(store, wanted))?.hits.map(({ pictureId }) => pictureId))
    found += exact?.hits.filter(({ pictureId }) => ids.has(pictureId)).length ?? 0
  }
  return found / (K * queries.length)
}

/** Creates a function that measures one query of `work`. */
function createTimer(work: () => void | Promise<void>, queries: number): () => Promise<Times> {
  return async () => {
    const [before, cpuBefore] = [performance.now(), process.cpuUsage()]
    await work()
    const { user, system } = process.cpuUsage(cpuBefore)
    return { wall: ((performance.now() - before) * 1_000) / queries, cpu: (user + system) / queries }
  }
}

/**
 * Measures each contestant after one turn to warm up: the median of its processor times, and its best time by the clock, in
 * which others disturbed it least.
 */
async function measureInTurns<Name extends string>(
  bound: Bound,
  contestants: Record<Name, () => Times | Promise<Times>>,
): Promise<Record<Name, Times>> {
  const names = Object.keys(contestants) as Name[]
  const turns: Times[][] = []
  const takeTurn = async () => {
    const times: Times[] = []
    for (const name of names) times.push(await contestants[name]())
    return times
  }
  await takeTurn()
  for (const _ of roundsWithin(bound)) turns.push(await takeTurn())
  const of = (at: number, what: keyof Times) => turns.map((times) => (times[at] as Times)[what])
  return Object.fromEntries(
    names.map((name, at) => [name, { wall: Math.min(...of(at, 'wall')), cpu: median(of(at, 'cpu')) }]),
  ) as Record<Name, Times>
}

/** Measures the share of the exact top k of float32 that the search finds. */
function measureRecall(
  exact: readonly (readonly number[])[],
  segment: Segment,
  queries: readonly Float32Array[],
  mask?: Uint8Array,
): number {
  let found = 0
  for (const [n, query] of queries.entries()) {
    const near = findNearestSlots(segment, query, K, mask && { mask })
    const hits = new Set(near.map(({ slot }) => segment.keyAt(slot) - 1))
    found += exact[n]?.filter((slot) => hits.has(slot)).length ?? 0
  }
  return found / (K * queries.length)
}

if (import.meta.main) await runAlone(scan)
