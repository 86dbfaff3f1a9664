/**
 * Writes a year of generated searches with the feedback on them through the history's writer, the feedback service and what
 * counts them, and measures the reads, the memory, the disk and the CPU. In the end the analytics must equal a naive count.
 *
 *     nice bun scripts/bench/analytics.ts [--searches 1000000] [--days 365] [--products 20000] [--results 20] [--folder DIR]
 *
 * The days pass on a clock of the script. Every night does what the service does: it packs the counts of past days, deletes
 * rows older than SEARCH_HISTORY_DAYS and, once in 30 days, draws the map of unmet demand. Searches arrive in groups, each with
 * its feedback. Ten million searches take about an hour of one core and some gigabytes of disk; every ten days a line tells
 * how far it is. Beside each time of a read stands the longest time that the event loop was held meanwhile.
 */
import { createWriteGate } from '../../src/core/write-gate.ts'
import '../model/silent.ts'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { DAY_MS } from '../../src/core/clock.ts'
import { dayOf } from '../../src/core/days.ts'
import { systemIds } from '../../src/core/ids.ts'
import { PLANS } from '../../src/core/plans.ts'
import { buildAnalytics } from '../../src/features/discovery/analytics/module.ts'
import { buildFeedback } from '../../src/features/discovery/feedback/module.ts'
import { createSearchHistory } from '../../src/features/discovery/search/history.ts'
import { searchQueries } from '../../src/features/discovery/search/queries.ts'
import type { Base } from '../../src/features/module.ts'
import { createLateWrites } from '../../src/platform/db/late-writes.ts'
import { registerModel } from '../../src/platform/db/models.ts'
import { DATABASE_FILE, openDatabase, withoutFsync } from '../../src/platform/db/open.ts'
import { createThrottles } from '../../src/platform/db/throttles.ts'
import { createWriteBehind } from '../../src/platform/db/write-behind.ts'
import { createWriteGroups } from '../../src/platform/db/write-groups.ts'
import type { Embedder } from '../../src/platform/embedder/embedder.ts'
import { seededRandom } from '../../test/robustness/random.ts'
import { createShoppers, PAGE, type Visit } from './parts/shoppers.ts'
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
const STORE = '01900000-0000-7000-8000-000000000001'
const START = Date.UTC(2030, 0, 1)
const HISTORY_DAYS = 90
const MAP_EVERY_DAYS = 30
const DIMENSION = 512

const folder = flags.folder ?? mkdtempSync(join(tmpdir(), 'lookalike-analytics-'))
const db = openDatabase(folder)
db.prepare(
  "INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, 'bench', 'Bench', 'enterprise', x'00', 0)",
).run(STORE)
let now = START
const clock = { now: () => now, monotonic: () => performance.now() }
const model = registerModel(db, { id: 'bench', hash: 'bench', dimension: DIMENSION }, now)
addProducts()

const atomically = <Result>(work: () => Result): Result => db.transaction(work).immediate()
const base: Base = {
  ...{ db, clock, ids: systemIds, log: pino({ level: 'error' }), atomically },
  record() {},
  withoutFsync: (write) => withoutFsync(db, write),
  defer() {},
  reportFault(error) {
    throw error
  },
  throttle: createThrottles(db).create,
  gate: createWriteGate(),
  plans: PLANS,
  baseUrl: () => 'http://localhost',
}
const name = 'searches and feedback'
const writes = createLateWrites({ ...base, name, writes: createWriteBehind({ ...base, name }) })
const serving = { ...model, embedder: seededWords() }
const analytics = buildAnalytics(base, {
  dayOf: (_storeId, ms) => dayOf(ms),
  suggestWords: async () => [],
  findTimeZone: () => 'UTC',
  ...{ models: { of: () => serving }, findFillFacts: () => undefined, flush: writes.flush },
  thumbnailAddresses: { ofSearch: () => '', check: () => undefined },
  keepsUnmatched: () => false,
  addThumbnailUrls: (_, items) => items.map((item) => ({ ...item, thumbnail_url: null })),
  historyDays: HISTORY_DAYS,
})
const rows = searchQueries(db, () => model.row)
const history = createSearchHistory({
  queries: {
    record: rows.record,
    findSearch: rows.findSearch,
    findRow: rows.findRow,
    forgetBefore: (before, limit) => withoutFsync(db, () => rows.forgetBefore(before, limit)),
  },
  writes,
  replaceKeystroke: analytics.service.replaceKeystroke,
  takeUnmet: analytics.service.takeUnmet,
  recordSearch: analytics.service.recordSearch,
  countRules() {},
  ...{ clock, days: HISTORY_DAYS },
})
const feedback = buildFeedback(base, {
  history,
  endKeystrokeBurst: analytics.service.endKeystrokeBurst,
  countEvent: analytics.service.countEvent,
  countRules() {},
  takeBack: analytics.service.takeBack,
  hidesPrices: () => false,
  writeTogether: createWriteGroups(db, clock),
  days: HISTORY_DAYS,
})
const [packing, drawing] = ['packing', 'drawing'].map((verb) => {
  const chore = analytics.chores.find(({ name }) => name.startsWith(verb))
  if (!chore) throw new Error(`There is no chore ${verb}`)
  return chore.run
})

/** The rows that feedback, popular products and suggestions look at. */
function addProducts(): void {
  const insert = db.prepare(`
    INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, category, name, created_at, indexed_at, updated_at)
    VALUES (?, ?, ?, 'https://shop.example/p.jpg', ?, ?, ?, 0, 0, 0)`)
  db.transaction(() => {
    for (let n = 0; n < PRODUCTS; n++) {
      const [name, category] = [`product number ${n}`, `category ${n % 100}`]
      const metadata = JSON.stringify({ name, category, price: n % 500 })
      insert.run(STORE, `product-${n}`, systemIds.uuid(), metadata, category, name)
    }
  }).immediate()
}

/** Words have vectors that say nothing; the map is drawn in the same time with them. */
function seededWords() {
  const random = seededRandom(2)
  return {
    model: { id: 'bench', hash: 'bench', dimension: DIMENSION },
    embedText: async () => ({
      vector: Float32Array.from({ length: DIMENSION }, () => random.below(2_001) / 1_000 - 1),
      isUnknown: false,
    }),
  } as unknown as Embedder
}

const cpuMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000
const megabytes = (bytes: number): number => Math.round(bytes / 1e6)
const fileBytes = (name: string): number => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0

/** What one group of shoppers does. Clicks and carts wait with the searches; purchases wait for the disk. */
async function live(visits: readonly Visit[]): Promise<void> {
  const recorded: Promise<unknown>[] = []
  for (const { search, events } of visits) {
    now = search.createdAt
    history.add(search)
    for (const event of events) recorded.push(feedback.service.record(STORE, event, { searchSource: PAGE }))
  }
  await Promise.all(recorded)
  history.flush()
}

const shoppers = createShoppers({
  storeId: STORE,
  products: PRODUCTS,
  results: RESULTS,
  dimension: DIMENSION,
})
const spent = { live: 0, packing: 0, pruning: 0, drawing: 0 }
async function spend(what: keyof typeof spent, work: () => unknown): Promise<void> {
  const before = process.cpuUsage()
  await work()
  spent[what] += cpuMs(process.cpuUsage(before))
}

const begin = performance.now()
let largestDatabase = 0
for (let day = 0; day < DAYS; day++) {
  const ofDay = Math.floor(((day + 1) * SEARCHES) / DAYS) - Math.floor((day * SEARCHES) / DAYS)
  for (let n = 0; n < ofDay; n += GROUP) {
    const visits = shoppers.visit(START + day * DAY_MS, n, Math.min(GROUP, ofDay - n), ofDay)
    await spend('live', () => live(visits))
  }
  now = START + (day + 1) * DAY_MS
  await spend('packing', () => packing?.())
  await spend('pruning', async () => {
    await history.prune()
    for (const { run } of feedback.chores) await run()
  })
  if (day % MAP_EVERY_DAYS === MAP_EVERY_DAYS - 1 || day === DAYS - 1)
    await spend('drawing', () => drawing?.())
  largestDatabase = Math.max(largestDatabase, fileBytes(DATABASE_FILE) + fileBytes(`${DATABASE_FILE}-wal`))
  if (day % 10 === 9) {
    const seconds = Math.round((performance.now() - begin) / 1_000)
    console.log(
      `day ${day + 1}: ${shoppers.naive.rows} searches in ${seconds} s, CPU ${Math.round(cpuMs(process.cpuUsage()) / 1_000)} s, resident ${megabytes(process.memoryUsage.rss())} MB, disk ${megabytes(largestDatabase)} MB`,
    )
  }
}
// The last moment of the year, so that its 365 days are the last 365.
now = START + DAYS * DAY_MS - 1

const { naive } = shoppers
const each = (ms: number): string => (ms / naive.rows).toFixed(3)
console.log(
  `searches: ${naive.rows} in ${DAYS} days, ${RESULTS} results each, ${PRODUCTS} products, groups of ${GROUP}`,
)
console.log(
  `wall time: ${Math.round((performance.now() - begin) / 1_000)} s; CPU of everything, making it up included: ${Math.round(cpuMs(process.cpuUsage()) / 1_000)} s`,
)
console.log(`CPU of a search with its row, its counts and its feedback: ${each(spent.live)} ms`)
console.log(
  `CPU of a night: packing ${(spent.packing / DAYS).toFixed(0)} ms, deleting old rows ${(spent.pruning / DAYS).toFixed(0)} ms; drawing the map ${(spent.drawing / Math.ceil(DAYS / MAP_EVERY_DAYS)).toFixed(0)} ms; all in steps`,
)
db.pragma('wal_checkpoint(TRUNCATE)')
console.log(
  `disk: ${megabytes(fileBytes(DATABASE_FILE))} MB, at most ${megabytes(largestDatabase)} MB with the write-ahead log`,
)
printTables()

/** Where the disk goes; reading all pages takes a while. */
function printTables(): void {
  const tables = db
    .prepare<[], { name: string; rows: number }>(
      "SELECT name, 0 AS rows FROM sqlite_schema WHERE type = 'table'",
    )
    .all()
  const wanted =
    /^(searches|feedback_events|tallies|tally_packs|tally_items|product_revenue|engaged_searches|burst_searches|unmet_searches)$/
  for (const { name } of tables.filter((table) => wanted.test(table.name))) {
    const count = db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get()
    console.log(`  ${name}: ${count} rows`)
  }
  const blocks = db.prepare<[], number>('SELECT sum(length(pack)) FROM tally_packs').pluck().get() ?? 0
  console.log(`  column blocks of counts: ${(blocks / 1e6).toFixed(1)} MB`)
}

const { service } = analytics
for (const [name, read] of [
  ['analytics?days=365', () => service.read(STORE, { days: 365 })],
  ['analytics?days=7', () => service.read(STORE, { days: 7 })],
  ['popular?days=365', () => service.popular(STORE, { days: 365 })],
  ['suggestions', () => service.suggest(STORE, {})],
  ['suggestions?q=words of query 1', () => service.suggest(STORE, { q: 'words of query 1' })],
  ['unmet', () => service.readUnmet(STORE, {})],
] as [string, () => unknown][]) {
  const times: number[] = []
  const cpu: number[] = []
  let held = 0
  for (let round = 0; round < 9; round++) {
    let last = performance.now()
    const watch = setInterval(() => {
      held = Math.max(held, performance.now() - last)
      last = performance.now()
    }, 1)
    const readBegin = performance.now()
    const cpuBegin = process.cpuUsage()
    await read()
    times.push(performance.now() - readBegin)
    cpu.push(cpuMs(process.cpuUsage(cpuBegin)))
    held = Math.max(held, performance.now() - last)
    clearInterval(watch)
  }
  console.log(
    `${name}: CPU ${median(cpu).toFixed(1)} ms (median; first ${cpu[0]?.toFixed(1)} ms), wall ${median(times).toFixed(1)} ms, loop held ${held.toFixed(0)} ms at most`,
  )
}
console.log(`resident memory at most: ${Math.round(process.resourceUsage().maxRSS / 1_000)} MB`)

const report = await service.read(STORE, { days: DAYS })
const counted = {
  searches: report.searches.total,
  zero: report.searches.zero_results,
  clicked: report.engagement.searches_with_click,
  ctr: report.engagement.ctr,
  conversion_rate: report.engagement.conversion_rate,
  revenue: report.revenue.map(({ currency, total, unattributed, orders }) => ({
    ...{ currency, total, unattributed, orders },
  })),
}
const round4 = (value: number): number => Math.round(value * 1e4) / 1e4
const expected: typeof counted = {
  searches: naive.searches,
  zero: naive.zero,
  clicked: naive.clicked,
  ctr: round4(naive.clicked / naive.searches),
  conversion_rate: round4(naive.purchased / naive.searches),
  revenue: Object.keys(naive.cents)
    .sort((a, b) => (naive.cents[b] ?? 0) - (naive.cents[a] ?? 0))
    .map((currency) => ({
      currency,
      total: (naive.cents[currency] ?? 0) / 100,
      unattributed: (naive.unattributedCents[currency] ?? 0) / 100,
      orders: naive.orders[currency] ?? 0,
    })),
}
const isEqual = Bun.deepEquals(counted, expected)
console.log(`the naive count ${isEqual ? 'is equal' : 'DIFFERS'}: ${JSON.stringify(counted)}`)
if (!isEqual) console.log(`expected: ${JSON.stringify(expected)}`)
db.close()
if (flags.folder === undefined) rmSync(folder, { recursive: true })
process.exit(isEqual ? 0 : 1)
