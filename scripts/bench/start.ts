/**
 * Measures how a service starts, with few products and with many, and what memory it then holds:
 *
 *     bun scripts/bench/start.ts [--products 5000,50000] [--rounds N] [--executable old/lookalike --executable dist/lookalike]
 *       [--keep FOLDER]
 *
 * * the very first start of an executable, which unpacks its parts, on an empty folder;
 * * until the service listens, until it lists products, and until the first search by words is answered;
 * * the first of these beyond an empty install, against a bare read of the vectors: the same blobs through SQLite, thrown away;
 * * the first start after an upgrade from the schema that seeds have, until `/health` answers and until products are listed;
 * * the memory of the main process when it lists products, and when it has been at rest for a while, words included: beyond an
 *   empty install, against the vectors with 16 bits;
 * * the memory of all processes then; pages that several share count once.
 *
 * All start in turns, after one start that migrates and unpacks. The system's file cache is warm. The figures are processor time of
 * the main process, because the machine may be busy with other things; the clock's stand beside them. `--keep` seeds into a folder that later runs use again.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from '../../src/platform/db/open.ts'
import type { Bench, Figure, Row } from './parts/bench.ts'
import { type CpuTime, NO_CPU, readCpu } from './parts/cpu.ts'
import { readMemory, readTreePss } from './parts/memory.ts'
import type { Contestant, Options } from './parts/options.ts'
import { type MeasuredService, startListening } from './parts/process.ts'
import { roundsWithin } from './parts/rounds.ts'
import { runAlone } from './parts/run.ts'
import { inTurns, median } from './parts/statistics.ts'
import { type Filled, openStock, type Stock } from './parts/stock.ts'
import { DIMENSION } from './parts/vectors.ts'

const ROUNDS_DEFAULT = 3
const IDLE_MS = 3_000
/** A process that used less of a second than this has nothing left to read in. */
const REST_CPU_MS = 50
const REST_SECONDS_MAX = 60
const BYTES_A_VECTOR = 2 * DIMENSION
/** The memory of fewer vectors is lost in that of the program. */
const VECTORS_MIN = 50_000
/** An upgrade of fewer products is over at once. */
const UPGRADE_MIN = 50_000

const row = (id: string, what: string, unit: Row['unit'], more: Partial<Row> = {}): Row => ({
  ...{ id, what, unit, against: '' },
  ...more,
})

const ROWS: readonly Row[] = [
  row('start-first', 'the very first start, until it listens', 'CPU s', { goal: { atMost: 1.5 } }),
  row('start-first-memory', 'idle memory after the very first start', 'ratio', {
    ...{ against: 'after a later start', goal: { atMost: 1.1 } },
  }),
  row('start-empty', 'a start without products, until it listens', 'CPU s', { goal: { atMost: 0.3 } }),
  row('start', 'a start, until it listens', 'CPU s', {
    goals: { 50000: { atMost: 0.3 }, 1000000: { atMost: 4 } },
  }),
  row('start-products', 'a start, until it lists products', 'CPU s', {
    goals: { 50000: { atMost: 0.3 }, 1000000: { atMost: 4 } },
  }),
  row('start-read', 'the same beyond an empty install', 'ratio', {
    against: 'a bare read of the vectors, by CPU',
  }),
  row('start-search', 'a start, until a search by words is answered', 'CPU s', {
    goals: { 50000: { atMost: 3 }, 1000000: { atMost: 10 } },
  }),
  row('upgrade', 'an upgrade from an old schema, until `/health` answers', 's', {
    goals: { 50000: { atMost: 1 }, 1000000: { atMost: 1 } },
  }),
  row('upgrade-products', 'an upgrade from an old schema, until it lists products', 'CPU s'),
  row('memory-vectors', 'memory beyond an empty install when it lists products', 'ratio', {
    ...{ against: 'the vectors with 16 bits', goals: { 1000000: { atMost: 1.4 } } },
  }),
  row('memory-words', 'the same at rest, with the words', 'ratio', {
    ...{ against: 'the vectors with 16 bits', goals: { 1000000: { atMost: 1.4 } } },
  }),
  row('memory-empty', 'idle memory without products, all processes', 'MB', { goal: { atMost: 250 } }),
  row('memory-idle', 'idle memory, all processes', 'MB', { goals: { 50000: { atMost: 450 } } }),
]

/** One start. */
interface Start {
  listening: Moment
  products: Moment
  search: Moment
  /** Of the main process when it lists products and at rest, and of all processes at rest, in bytes. */
  pss: number
  restPss: number
  idlePss: number
}

/** How far a start has come: since its beginning by the clock, and by the processor time of all processes. */
interface Moment {
  ms: number
  cpu: CpuTime
}

interface Runner {
  contestant: Contestant
  filled: Filled
  /** 0 for the empty install. */
  products: number
  starts: Start[]
}

export const start: Bench = {
  name: 'start',
  rows: ROWS,
  minutes: { quick: 1.5, full: 5.5 },
  async run(options, report) {
    using stock = openStock(options)
    const rounds = options.rounds ?? ROUNDS_DEFAULT
    const empty = await openRunners(options, stock, 0)
    for (const products of options.products) {
      const runners = await openRunners(options, stock, products)
      const all = [...runners, ...empty]
      const reads: number[] = []
      for (const round of roundsWithin({ rounds, seconds: options.rowSeconds * ROWS.length })) {
        reads.push(readVectors((runners[0] as Runner).filled.seed))
        for (const k of inTurns(all.length, round)) {
          const runner = all[k] as Runner
          runner.starts.push(await startOnce(runner))
        }
      }
      for (const [k, runner] of runners.entries())
        reportFull(runner, empty[k] as Runner, median(reads), report)
      for (const runner of runners) await reportUpgrade(runner, stock, report)
    }
    for (const runner of empty) {
      await reportEmpty(runner, stock, rounds, report)
    }
  },
}

async function openRunners({ contestants }: Options, stock: Stock, products: number): Promise<Runner[]> {
  const runners: Runner[] = []
  for (const contestant of contestants)
    runners.push({ contestant, products, filled: await stock.fill(contestant, products), starts: [] })
  return runners
}

async function startOnce({ filled: { folder, credentials, settings }, contestant }: Runner): Promise<Start> {
  const begin = performance.now()
  await using service = await startListening(folder, contestant.executable, settings)
  const now = (): Moment => ({ ms: performance.now() - begin, cpu: readCpu(service.pid) })
  const listening = now()
  const products = await untilListed(service, credentials, now)
  const { pss } = readMemory(service.pid)
  const client = await service.signIn(credentials)
  // It answers 503 until the model is ready.
  while (!(await client.searchText('red mug').catch(() => undefined))) await Bun.sleep(5)
  const search = now()
  while (!(await fetch(`${service.address}/health/ready`)).ok) await Bun.sleep(5)
  await untilAtRest(service.pid)
  const [restPss, idlePss] = [readMemory(service.pid).pss, readTreePss(service.pid)]
  return { listening, products, search, pss, restPss, idlePss }
}

/** A service may listen before it has read its products, and answers 503 until then. */
async function untilListed(
  service: MeasuredService,
  credentials: Filled['credentials'],
  now: () => Moment,
): Promise<Moment> {
  const list = async () => (await service.signIn(credentials)).list('limit=1')
  while (!(await list().catch(() => undefined))) await Bun.sleep(20)
  return now()
}

/** Waits for what a start leaves to be done afterwards. */
async function untilAtRest(pid: number): Promise<void> {
  await Bun.sleep(IDLE_MS)
  for (let second = 0; second < REST_SECONDS_MAX; second++) {
    const before = readCpu(pid).main
    await Bun.sleep(1_000)
    if (readCpu(pid).main - before < REST_CPU_MS) return
  }
}

function reportFull(
  { contestant: { name }, products, starts }: Runner,
  { starts: emptyStarts }: Runner,
  readMs: number,
  report: (figure: Figure) => void,
): void {
  const beyond = (read: (one: Start) => number) => middle(starts, read) - middle(emptyStarts, read)
  const say = (row: string, value: number, more: Partial<Figure> = {}) =>
    report({ row, contestant: name, products, value, ...more })
  const until = (row: string, read: (one: Start) => Moment) => say(row, ...describeMoment(starts.map(read)))
  until('start', ({ listening }) => listening)
  until('start-products', (one) => one.products)
  say(
    'start-search',
    ...describeMoment(
      starts.map(({ search }) => search),
      true,
    ),
  )
  const listedMs = beyond((one) => one.products.cpu.main)
  say('start-read', listedMs / readMs, { note: `${listedMs.toFixed(0)} to ${readMs.toFixed(0)} ms` })
  if (products >= VECTORS_MIN) {
    const bytes = products * BYTES_A_VECTOR
    const sayMemory = (row: string, held: number) =>
      say(row, held / bytes, { note: `${mega(held)} to ${mega(bytes)} MB` })
    sayMemory(
      'memory-vectors',
      beyond(({ pss }) => pss),
    )
    sayMemory(
      'memory-words',
      beyond(({ restPss }) => restPss),
    )
  }
  say('memory-idle', middle(starts, ({ idlePss }) => idlePss) / 1e6)
}

/**
 * The figure of a row and what else is said of it: the median of the processor time of the main process, or of all that a search
 * by words needs, and the clock's. The others start beside it, and nobody waits for them.
 */
function describeMoment(moments: readonly Moment[], isSearch = false): [number, Partial<Figure>] {
  const seconds = median(moments.map(({ ms }) => ms)) / 1_000
  const cpu = moments.at(-1)?.cpu ?? NO_CPU
  return [
    median(moments.map(({ cpu: { main, words } }) => (isSearch ? main + words : main))) / 1_000,
    { cpu, note: `${seconds.toFixed(2)} s by the clock` },
  ]
}

/** Starts a program once on a copy of what was seeded, which an old program could have left. */
async function reportUpgrade(
  { contestant, filled, products }: Runner,
  { root }: Stock,
  report: (figure: Figure) => void,
): Promise<void> {
  if (products < UPGRADE_MIN) return
  const folder = mkdtempSync(join(root, 'upgrade-'))
  try {
    cpSync(filled.seed, folder, { recursive: true })
    const begin = performance.now()
    const port = findFreePort()
    // It answers before it says that it listens.
    const answered = untilAnswered(`http://127.0.0.1:${port}/health`).then(() => performance.now() - begin)
    const settings = { ...filled.settings, PORT: String(port) }
    await using service = await startListening(folder, contestant.executable, settings)
    const now = (): Moment => ({ ms: performance.now() - begin, cpu: readCpu(service.pid) })
    const of = { contestant: contestant.name, products }
    report({ row: 'upgrade', ...of, value: (await answered) / 1_000 })
    const [value, more] = describeMoment([await untilListed(service, filled.credentials, now)])
    report({ row: 'upgrade-products', ...of, value, ...more })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function findFreePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

async function untilAnswered(url: string): Promise<void> {
  const ask = async () => (await fetch(url)).ok
  while (!(await ask().catch(() => false))) await Bun.sleep(5)
}

async function reportEmpty(
  { contestant, starts }: Runner,
  stock: Stock,
  rounds: number,
  report: (figure: Figure) => void,
): Promise<void> {
  const say = (row: string, value: number, more: Partial<Figure> = {}) =>
    report({ row, contestant: contestant.name, value, ...more })
  const idle = middle(starts, ({ idlePss }) => idlePss)
  say('start-empty', ...describeMoment(starts.map(({ listening }) => listening)))
  say('memory-empty', idle / 1e6)
  // The sources have nothing to unpack.
  if (contestant.executable === undefined) return
  const firsts: { listening: Moment; idlePss: number }[] = []
  for (let round = 0; round < rounds; round++) firsts.push(await startFirst(contestant.executable, stock))
  say('start-first', ...describeMoment(firsts.map(({ listening }) => listening)))
  const first = median(firsts.map(({ idlePss }) => idlePss))
  say('start-first-memory', first / idle, { note: `${mega(first)} to ${mega(idle)} MB` })
}

/** Starts an executable on a folder where nothing was. */
async function startFirst(executable: string, { root }: Stock) {
  const folder = mkdtempSync(join(root, 'first-'))
  try {
    const begin = performance.now()
    await using service = await startListening(folder, executable)
    const listening: Moment = { ms: performance.now() - begin, cpu: readCpu(service.pid) }
    while (!(await fetch(`${service.address}/health/ready`)).ok) await Bun.sleep(5)
    await Bun.sleep(IDLE_MS)
    return { listening, idlePss: readTreePss(service.pid) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads every vector of a data folder and does nothing with it. @returns CPU ms. */
function readVectors(folder: string): number {
  const db = new Database(join(folder, DATABASE_FILE), { readonly: true })
  try {
    const before = process.cpuUsage()
    for (const { vectors } of db
      .prepare<[], { vectors: Uint8Array }>('SELECT vectors FROM vectors_1_vector_chunks00')
      .iterate()) {
      if (vectors.length === 0) throw new Error('An empty block')
      // Left to the garbage collector, they would pile up to the size of the table.
      if (vectors.buffer instanceof ArrayBuffer && vectors.length === vectors.buffer.byteLength)
        vectors.buffer.transfer(0)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  } finally {
    db.close()
  }
}

function middle(starts: readonly Start[], read: (one: Start) => number): number {
  return median(starts.map(read))
}

function mega(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}

if (import.meta.main) await runAlone(start)
