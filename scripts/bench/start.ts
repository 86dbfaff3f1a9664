/**
 * Measures how a service starts, with few products and with many, and what memory it then holds:
 *
 *     bun scripts/bench/start.ts [--products 5000,50000] [--rounds N] [--executable old/lookalike --executable dist/lookalike]
 *       [--keep FOLDER]
 *
 * * the very first start of an executable, which unpacks its parts, on an empty folder;
 * * the time until the service listens, with its index loaded, and until the first search by words is answered;
 * * that time beyond an empty install's, against a bare read of the vectors: the same blobs through SQLite, thrown away;
 * * the memory of the main process when it listens, beyond an empty install's, against the vectors with 16 bits;
 * * the memory of all processes after some idle seconds; pages that several share count once.
 *
 * All start in turns, after one start that migrates and unpacks. The system's file cache is warm. Read the ratios and the CPU
 * milliseconds, because the machine may be busy with other things. `--keep` seeds into a folder that later runs use again.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from '../../src/platform/db/open.ts'
import type { Bench, Figure, Row } from './parts/bench.ts'
import { type CpuTime, NO_CPU, readCpu } from './parts/cpu.ts'
import { readMemory, readTreePss } from './parts/memory.ts'
import type { Contestant, Options } from './parts/options.ts'
import { startListening } from './parts/process.ts'
import { runAlone } from './parts/run.ts'
import { inTurns, median } from './parts/statistics.ts'
import { type Filled, openStock, type Stock } from './parts/stock.ts'
import { DIMENSION } from './parts/vectors.ts'

const ROUNDS_DEFAULT = 3
const IDLE_MS = 3_000
const BYTES_A_VECTOR = 2 * DIMENSION
/** The memory of fewer vectors is lost in that of the program. */
const VECTORS_MIN = 50_000

const row = (id: string, what: string, unit: Row['unit'], more: Partial<Row> = {}): Row => ({
  ...{ id, what, unit, against: '' },
  ...more,
})

const ROWS: readonly Row[] = [
  row('start-first', 'the very first start, until it listens', 's', { goal: { atMost: 1.5 } }),
  row('start-first-memory', 'idle memory after the very first start', 'ratio', {
    ...{ against: 'after a later start', goal: { atMost: 1.1 } },
  }),
  row('start-empty', 'a start without products, until it listens', 's', { goal: { atMost: 0.3 } }),
  row('start', 'a start, until it listens', 's', {
    goals: { 50000: { atMost: 0.3 }, 1000000: { atMost: 4 } },
  }),
  row('start-read', 'the same beyond an empty install', 'ratio', { against: 'a bare read of the vectors' }),
  row('start-search', 'a start, until a search by words is answered', 's', { goal: { atMost: 3 } }),
  row('memory-vectors', 'memory beyond an empty install when it listens', 'ratio', {
    ...{ against: 'the vectors with 16 bits', goals: { 1000000: { atMost: 1.4 } } },
  }),
  row('memory-empty', 'idle memory without products, all processes', 'MB', { goal: { atMost: 350 } }),
  row('memory-idle', 'idle memory, all processes', 'MB', { goals: { 50000: { atMost: 500 } } }),
]

/** One start. */
interface Start {
  /** Until it listens, and until a search is answered. */
  ms: number
  searchMs: number
  /** Until it listens. */
  cpu: CpuTime
  /** Of the main process when it listens, and of all when idle, in bytes. */
  pss: number
  idlePss: number
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
  async run(options, report) {
    using stock = openStock(options)
    const rounds = options.rounds ?? ROUNDS_DEFAULT
    const empty = await openRunners(options, stock, 0)
    for (const products of options.products) {
      const runners = await openRunners(options, stock, products)
      const all = [...runners, ...empty]
      const reads: number[] = []
      for (let round = 0; round < rounds; round++) {
        reads.push(readVectors((runners[0] as Runner).filled.seed))
        for (const k of inTurns(all.length, round)) {
          const runner = all[k] as Runner
          runner.starts.push(await startOnce(runner))
        }
      }
      for (const [k, runner] of runners.entries())
        reportFull(runner, empty[k] as Runner, median(reads), report)
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
  const ms = performance.now() - begin
  const cpu = readCpu(service.pid)
  const { pss } = readMemory(service.pid)
  const client = await service.signIn(credentials)
  // It answers 503 until the model is ready.
  while (!(await client.searchText('red mug').catch(() => undefined))) await Bun.sleep(5)
  const searchMs = performance.now() - begin
  while (!(await fetch(`${service.address}/health/ready`)).ok) await Bun.sleep(5)
  await Bun.sleep(IDLE_MS)
  return { ms, searchMs, cpu, pss, idlePss: readTreePss(service.pid) }
}

function reportFull(
  { contestant: { name }, products, starts }: Runner,
  { starts: emptyStarts }: Runner,
  readMs: number,
  report: (figure: Figure) => void,
): void {
  const beyond = (what: 'ms' | 'pss') => middle(starts, what) - middle(emptyStarts, what)
  const say = (row: string, value: number, more: Partial<Figure> = {}) =>
    report({ row, contestant: name, products, value, ...more })
  say('start', middle(starts, 'ms') / 1_000, { cpu: starts.at(-1)?.cpu ?? NO_CPU })
  say('start-read', beyond('ms') / readMs, { note: `${beyond('ms').toFixed(0)} to ${readMs.toFixed(0)} ms` })
  say('start-search', middle(starts, 'searchMs') / 1_000)
  if (products >= VECTORS_MIN) {
    const bytes = products * BYTES_A_VECTOR
    say('memory-vectors', beyond('pss') / bytes, { note: `${mega(beyond('pss'))} to ${mega(bytes)} MB` })
  }
  say('memory-idle', middle(starts, 'idlePss') / 1e6)
}

async function reportEmpty(
  { contestant, starts }: Runner,
  stock: Stock,
  rounds: number,
  report: (figure: Figure) => void,
): Promise<void> {
  const say = (row: string, value: number, more: Partial<Figure> = {}) =>
    report({ row, contestant: contestant.name, value, ...more })
  const idle = middle(starts, 'idlePss')
  say('start-empty', middle(starts, 'ms') / 1_000, { cpu: starts.at(-1)?.cpu ?? NO_CPU })
  say('memory-empty', idle / 1e6)
  // The sources have nothing to unpack.
  if (contestant.executable === undefined) return
  const firsts: Pick<Start, 'ms' | 'idlePss' | 'cpu'>[] = []
  for (let round = 0; round < rounds; round++) firsts.push(await startFirst(contestant.executable, stock))
  say('start-first', median(firsts.map(({ ms }) => ms)) / 1_000, { cpu: firsts.at(-1)?.cpu ?? NO_CPU })
  const first = median(firsts.map(({ idlePss }) => idlePss))
  say('start-first-memory', first / idle, { note: `${mega(first)} to ${mega(idle)} MB` })
}

/** Starts an executable on a folder where nothing was. */
async function startFirst(executable: string, { root }: Stock) {
  const folder = mkdtempSync(join(root, 'first-'))
  try {
    const begin = performance.now()
    await using service = await startListening(folder, executable)
    const ms = performance.now() - begin
    const cpu = readCpu(service.pid)
    while (!(await fetch(`${service.address}/health/ready`)).ok) await Bun.sleep(5)
    await Bun.sleep(IDLE_MS)
    return { ms, cpu, idlePss: readTreePss(service.pid) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads every vector of a data folder and does nothing with it. @returns how long that takes, in ms. */
function readVectors(folder: string): number {
  const db = new Database(join(folder, DATABASE_FILE), { readonly: true })
  try {
    const begin = performance.now()
    for (const { vectors } of db
      .prepare<[], { vectors: Uint8Array }>('SELECT vectors FROM vectors_1_vector_chunks00')
      .iterate()) {
      if (vectors.length === 0) throw new Error('An empty block')
      // Left to the garbage collector, they would pile up to the size of the table.
      if (vectors.buffer instanceof ArrayBuffer && vectors.length === vectors.buffer.byteLength)
        vectors.buffer.transfer(0)
    }
    return performance.now() - begin
  } finally {
    db.close()
  }
}

function middle(starts: readonly Start[], what: Exclude<keyof Start, 'cpu'>): number {
  return median(starts.map((start) => start[what]))
}

function mega(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}

if (import.meta.main) await runAlone(start)
