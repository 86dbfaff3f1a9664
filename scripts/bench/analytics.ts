/**
 * Fills a year with generated searches and clicks through what counts them, and measures the reads, the disk and the CPU.
 *
 *     bun scripts/bench/analytics.ts [--searches 1000000] [--days 365] [--products 20000] [--results 20] [--folder DIR]
 *
 * Words, products and sessions follow Zipf's law. The days pass on a clock of the script, and every night packs the counts as
 * the service does. The rows of the searches themselves are left out: they go after SEARCH_HISTORY_DAYS. Beside each time of
 * a read stands the longest time that the event loop was held meanwhile.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DAY_MS } from '../../src/core/clock.ts'
import { systemIds } from '../../src/core/ids.ts'
import { createKeyedLock } from '../../src/core/keyed-lock.ts'
import { createBursts } from '../../src/features/discovery/analytics/bursts.ts'
import { catalogueQueries } from '../../src/features/discovery/analytics/catalogue-queries.ts'
import { createCounting } from '../../src/features/discovery/analytics/counting.ts'
import { dayQueries } from '../../src/features/discovery/analytics/day-queries.ts'
import { createPacking } from '../../src/features/discovery/analytics/packing.ts'
import { pruneQueries } from '../../src/features/discovery/analytics/prune-queries.ts'
import { analyticsService } from '../../src/features/discovery/analytics/service.ts'
import { createSumming } from '../../src/features/discovery/analytics/sums.ts'
import { tallyQueries } from '../../src/features/discovery/analytics/tally-queries.ts'
import type { AnsweredSearch } from '../../src/features/discovery/search/history.ts'
import { searchQueries } from '../../src/features/discovery/search/queries.ts'
import { DATABASE_FILE, openDatabase, unsynced } from '../../src/platform/db/open.ts'
import { seededRandom } from '../../test/robustness/random.ts'
import { median } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    searches: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '365' },
    products: { type: 'string', default: '20000' },
    results: { type: 'string', default: '20' },
    group: { type: 'string', default: '25' },
    folder: { type: 'string' },
  },
})
const [SEARCHES, DAYS, PRODUCTS, RESULTS, GROUP] = [
  Number(flags.searches),
  Number(flags.days),
  Number(flags.products),
  Number(flags.results),
  Number(flags.group),
]
const QUERIES = 50_000
const STORE = '01900000-0000-7000-8000-000000000001'
const START = Date.UTC(2030, 0, 1)

const folder = flags.folder ?? mkdtempSync(join(tmpdir(), 'lookalike-analytics-'))
const db = openDatabase(folder)
db.prepare(
  "INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, 'bench', 'Bench', 'enterprise', x'00', 0)",
).run(STORE)
let now = START
const clock = { now: () => now, monotonic: () => performance.now() }
const [days, tallies] = [dayQueries(db), tallyQueries(db)]
const counting = createCounting({ days, tallies, bursts: createBursts() })
const atomically = <Result>(work: () => Result): Result => db.transaction(work).immediate()
const locked = createKeyedLock()
const packing = createPacking({
  ...{ tallies, clock, atomically, historyDays: 90, alone: locked },
  prune: pruneQueries(db),
  unsynced: (write) => unsynced(db, write),
})
const analytics = analyticsService({
  ...{ days, tallies, clock, alone: locked },
  catalogue: catalogueQueries(db),
  unmet: { findMap: () => undefined },
  sums: createSumming({ tallies, clock }),
  flush() {},
})

const random = seededRandom(1)
/** A number below, small ones more often: about 1 / n. */
const zipf = (below: number): number => Math.floor(below ** (random.below(2 ** 30) / 2 ** 30)) - 1

function nextSearch(session: number): AnsweredSearch {
  const query = zipf(QUERIES)
  const first = zipf(PRODUCTS)
  return {
    id: systemIds.uuid(),
    storeId: STORE,
    type: random.below(3) === 0 ? 'upload' : 'text',
    query: `words of query ${query}`,
    parameters: {},
    results: Array.from(
      { length: RESULTS },
      (_, n) => `product-${(first * 7 + n * (1 + (query % 90))) % PRODUCTS}`,
    ),
    topScore: 0.4 + random.below(100) / 200,
    durationMs: 5 + zipf(400),
    isTracked: true,
    sessionId: `session-${session}`,
    createdAt: now,
  }
}

let written = 0
let packedMs = 0
let countCpuMs = 0
let peak = 0
const begin = performance.now()
for (let day = 0; day < DAYS; day++) {
  const ofDay = Math.floor(((day + 1) * SEARCHES) / DAYS) - Math.floor((day * SEARCHES) / DAYS)
  for (let n = 0; n < ofDay; n += GROUP) {
    now = START + day * DAY_MS + Math.floor((n * DAY_MS) / ofDay)
    const searches = Array.from({ length: Math.min(GROUP, ofDay - n) }, () =>
      nextSearch(day * 1e6 + random.below(Math.ceil(ofDay / 2))),
    )
    const before = process.cpuUsage()
    const writes = searches.map(counting.note)
    unsynced(db, () =>
      atomically(() => {
        for (const write of writes) write()
        for (const { id, type, query, createdAt, results } of searches) {
          if (random.below(3) > 0) continue
          counting.noteFeedback(id)
          counting.countEvent({
            ...{ storeId: STORE, action: 'click', productId: results[0] ?? '', isKnownProduct: true },
            search: { id, type, query, createdAt, isTracked: true },
            ...{ position: 1, occurredAt: createdAt },
          })
        }
      }),
    )
    const { user, system } = process.cpuUsage(before)
    countCpuMs += (user + system) / 1_000
    written += searches.length
  }
  const packBegin = performance.now()
  await packing.run()
  packedMs += performance.now() - packBegin
  if (day % 30 === 29) {
    peak = Math.max(peak, process.memoryUsage.rss())
    console.log(`day ${day + 1}: ${written} searches in ${Math.round((performance.now() - begin) / 1000)} s`)
  }
}

db.pragma('wal_checkpoint(TRUNCATE)')
const bytes = statSync(join(folder, DATABASE_FILE)).size
console.log(
  `searches: ${written} in ${DAYS} days, ${RESULTS} results each, ${PRODUCTS} products, groups of ${GROUP}`,
)
console.log(`CPU to count a search and a third of a click: ${(countCpuMs / written).toFixed(3)} ms`)
console.log(`packing: ${(packedMs / DAYS).toFixed(0)} ms a night, in steps`)
console.log(`disk: ${(bytes / 1e6).toFixed(1)} MB, ${(bytes / written).toFixed(1)} bytes a search`)

const sample = Array.from({ length: 2_000 }, (_, n) => nextSearch(n))
const history = searchQueries(db, 1)
const before = process.cpuUsage()
for (let n = 0; n < sample.length; n += GROUP)
  unsynced(db, () =>
    atomically(() => {
      for (const search of sample.slice(n, n + GROUP)) history.record(search)
    }),
  )
const { user, system } = process.cpuUsage(before)
console.log(
  `CPU to write the row of a search, to compare: ${((user + system) / 1_000 / sample.length).toFixed(3)} ms`,
)

for (const [name, read] of [
  ['analytics, 365 days', () => analytics.read(STORE, { days: 365 })],
  ['analytics, 7 days', () => analytics.read(STORE, { days: 7 })],
  ['popular, 365 days', () => analytics.popular(STORE, { days: 365 })],
  ['suggestions with a prefix', () => analytics.suggest(STORE, { q: 'words of query 1' })],
] as [string, () => Promise<unknown>][]) {
  const times: number[] = []
  const cpu: number[] = []
  let held = 0
  for (let round = 0; round < 5; round++) {
    let last = performance.now()
    const watch = setInterval(() => {
      held = Math.max(held, performance.now() - last)
      last = performance.now()
    }, 1)
    const readBegin = performance.now()
    const cpuBegin = process.cpuUsage()
    await read()
    times.push(performance.now() - readBegin)
    const used = process.cpuUsage(cpuBegin)
    cpu.push((used.user + used.system) / 1_000)
    held = Math.max(held, performance.now() - last)
    clearInterval(watch)
  }
  console.log(
    `${name}: median ${median(times).toFixed(0)} ms (CPU ${median(cpu).toFixed(0)} ms), first ${times[0]?.toFixed(0)} ms, loop held ${held.toFixed(0)} ms at most`,
  )
}
console.log(`resident memory at most: ${Math.round(Math.max(peak, process.memoryUsage.rss()) / 1e6)} MB`)
const report = await analytics.read(STORE, { days: DAYS })
console.log(
  `check: total ${report.searches.total}, sessions ${report.searches.sessions}, ctr ${report.engagement.ctr}`,
)
db.close()
if (flags.folder === undefined) rmSync(folder, { recursive: true })
process.exit(0)
