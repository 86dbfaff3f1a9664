/**
 * Measures how a service with many products starts:
 *
 *     bun scripts/bench/start.ts [--products 5000,50000,200000] [--rounds N] [--executable dist/lookalike,old/lookalike]
 *       [--keep FOLDER]
 *
 * * the time until it listens, beyond that of an empty install, against a bare read of the vectors: the same blobs through
 *   the same library, with nothing done to them;
 * * the memory of its main process when it listens and at its peak, beyond that of an empty install, against the arena: what the
 *   vectors take in memory.
 *
 * The executables start in turns on copies of one data folder, after one start that migrates and unpacks. Read the ratios and the
 * CPU milliseconds, because the machine may be busy with other things. `--keep` seeds into a folder that later runs use again.
 */
import '../model/silent.ts'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '../../src/platform/db/open.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'
import { BLOCK_SLOTS, blockBytesOf, widthOf } from '../../src/platform/vectors/workspace.ts'
import { readUsage, type Usage } from './parts/memory.ts'
import { seedStore } from './parts/seed.ts'
import { median, printTable } from './parts/statistics.ts'

const DIMENSION = 512

/** One start, up to the moment when the service listens. */
interface Start extends Usage {
  ms: number
}

/** What the starts of one executable on one folder took. */
type Contestant = { executable: string; folder: string; starts: Start[] }

const { values: flags } = parseArgs({
  options: {
    products: { type: 'string' },
    rounds: { type: 'string' },
    executable: { type: 'string' },
    keep: { type: 'string' },
  },
})
const sizes = (flags.products ?? '5000,50000,200000').split(',').map(Number)
const rounds = Number(flags.rounds ?? 5)
const executables = (flags.executable ?? 'dist/lookalike').split(',').map((path) => resolve(path))
const modelDir = join(import.meta.dir, '../../models/lookalike-clip-v0')
const folder = mkdtempSync(join(tmpdir(), 'lookalike-start-'))

try {
  for (const products of sizes) await measure(products)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(products: number): Promise<void> {
  const seeded = await seed(products)
  const copyFor = (executable: string, n: number): Contestant => {
    const copy = join(folder, `${products}-${n}`)
    cpSync(seeded, copy, { recursive: true })
    return { executable, folder: copy, starts: [] }
  }
  const full = executables.map(copyFor)
  const empty = executables.map((executable, n) => ({
    executable,
    folder: join(folder, `empty-${n}`),
    starts: [],
  }))
  const all: Contestant[] = [...full, ...empty]
  const reads: { ms: number; cpuMs: number }[] = []
  for (const { executable, folder } of all) await start(executable, folder)
  for (let round = 0; round < rounds; round++) {
    reads.push(readVectors(seeded))
    for (const contestant of all)
      contestant.starts.push(await start(contestant.executable, contestant.folder))
  }
  const arena = arenaBytes(products)
  const read = { ms: median(reads.map(({ ms }) => ms)), cpuMs: median(reads.map(({ cpuMs }) => cpuMs)) }
  console.log(`\n${products} products, ${rounds} rounds, medians`)
  console.log(
    `  the arena takes ${mega(arena)} MB; the bare read of the vectors ${read.ms.toFixed(0)} ms, CPU ${read.cpuMs.toFixed(0)} ms`,
  )
  printTable([
    [
      '',
      'listens ms',
      'CPU ms',
      'beyond empty ms',
      '/ bare read',
      'CPU / bare read',
      'PSS MB',
      'beyond empty / arena',
      'peak / arena',
    ],
    ...full.map(({ executable, starts }, n) => {
      const beyond = (what: keyof Start) => middle(starts, what) - middle(empty[n]?.starts ?? [], what)
      return [
        executable,
        middle(starts, 'ms').toFixed(0),
        middle(starts, 'cpuMs').toFixed(0),
        beyond('ms').toFixed(0),
        (beyond('ms') / read.ms).toFixed(2),
        (beyond('cpuMs') / read.cpuMs).toFixed(2),
        mega(middle(starts, 'pss')),
        (beyond('pss') / arena).toFixed(2),
        (beyond('peak') / arena).toFixed(2),
      ]
    }),
  ])
  for (const { folder } of full) rmSync(folder, { recursive: true, force: true })
}

async function seed(products: number): Promise<string> {
  const seeded = join(flags.keep ?? folder, `products-${products}`)
  if (!existsSync(seeded)) await seedStore(seeded, modelDir, products)
  return seeded
}

/** Starts an executable, waits until it listens, and stops it. */
async function start(executable: string, dataDir: string): Promise<Start> {
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' }
  const before = performance.now()
  const child = Bun.spawn([executable, 'serve'], { env, stdout: 'pipe', stderr: 'inherit' })
  let text = ''
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('listening on ')) break
  }
  const ms = performance.now() - before
  if (!text.includes('listening on ')) throw new Error('The service ended before it listened')
  const usage = readUsage(child.pid)
  child.kill('SIGTERM')
  await child.exited
  return { ms, ...usage }
}

/** Reads every vector of a data folder and does nothing with it. */
function readVectors(dataDir: string): { ms: number; cpuMs: number } {
  const db = openDatabase(dataDir)
  try {
    const vectors = createVectorTable(db, 'vectors_1', DIMENSION)
    const [before, cpuBefore] = [performance.now(), process.cpuUsage()]
    for (const { rowids } of vectors.blocks()) if (rowids.length === 0) throw new Error('An empty block')
    const { user, system } = process.cpuUsage(cpuBefore)
    return { ms: performance.now() - before, cpuMs: (user + system) / 1_000 }
  } finally {
    db.close()
  }
}

/** The bytes that so many vectors take in memory. */
function arenaBytes(count: number): number {
  return (count * blockBytesOf(widthOf(DIMENSION))) / BLOCK_SLOTS
}

function middle(starts: readonly Start[], what: keyof Start): number {
  return median(starts.map((start) => start[what]))
}

function mega(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
