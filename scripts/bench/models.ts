/**
 * Measures models against the bundled one in the same run: what a picture and words cost, memory, and the scan.
 *
 *     bun scripts/bench/models.ts [--model FOLDER …] [--random clip-b32,siglip-b16 …] [--products 50000] [--executable FILE]
 *
 * `--random` makes folders of true layout and size with random weights, which cost the same as published ones; by default
 * the one of the goals, `clip-b32`. The service runs with each model on two installs: an empty one, whose memory is read
 * before and after pictures are indexed, and one of many products, which is searched by words that it has never seen. All
 * figures but memory are CPU ms, so a busy machine changes little. The scan runs in this process. Linux only.
 */
import '../model/silent.ts'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import { createVectorArena, type Segment } from '../../src/platform/vectors/arena.ts'
import { makeRandomFolder, RANDOM_MODELS } from '../model/random-folder.ts'
import { loadBare, measureLimit } from './parts/bare.ts'
import { type CpuTime, cpuPer, readCpu, sumCpu } from './parts/cpu.ts'
import { untilIdle } from './parts/idle.ts'
import { readTreePss } from './parts/memory.ts'
import { MODEL_DIR } from './parts/options.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { type Client, startMeasuredService } from './parts/process.ts'
import { seedStore } from './parts/seed.ts'
import { median, printTable } from './parts/statistics.ts'
import { generateVectors } from './parts/vectors.ts'

const { values: flags } = parseArgs({
  options: {
    model: { type: 'string', multiple: true, default: [] },
    random: { type: 'string' },
    products: { type: 'string', default: '50000' },
    executable: { type: 'string' },
  },
})
const PRODUCTS = Number(flags.products)
const ROUNDS = 5
const PICTURES = 64
const LANES = 8
const SEARCHES = 60
/** The first of a process are slower. */
const WARM_UP = 60
const SCANNED = 20_000
const SCANS = 20
const DIMENSIONS = [256, 384, 512, 768, 1_024, 1_152]
const MB = 1e6

interface Measured {
  name: string
  dimension: number
  diskMb: number
  /** CPU ms of a picture: of the whole service, and of decoding and inference alone. */
  picture: number
  barePicture: number
  /** CPU ms of a search by words, and of the inference of the words alone. */
  search: CpuTime
  bareWords: number
  /** MB of all processes of an empty install: idle after the start, and after the pictures. */
  idleMb: number
  usedMb: number
}

const work = mkdtempSync(join(tmpdir(), 'lookalike-models-'))
process.once('exit', () => rmSync(work, { recursive: true, force: true }))
const photographs = await drawPhotographs(PICTURES)
const measured: Measured[] = []
for (const folder of [MODEL_DIR, ...listFolders()]) {
  measured.push(await measureModel(folder))
  console.error(`${basename(folder)} is measured`)
}
printModels(measured)
printScans()
process.exit()

function listFolders(): string[] {
  const given = flags.model.map((folder) => resolve(folder))
  const names = (flags.random ?? (given.length > 0 ? '' : 'clip-b32')).split(',').filter(Boolean)
  for (const folder of given) if (!existsSync(folder)) throw new Error(`There is no folder ${folder}`)
  return [...given, ...names.map(makeFolder)]
}

function makeFolder(name: string): string {
  const model = RANDOM_MODELS.find((known) => known === name)
  if (!model) throw new Error(`--random takes ${RANDOM_MODELS.join(', ')}`)
  const folder = join(work, model)
  makeRandomFolder({ model, folder, precisions: ['q8'] })
  return folder
}

async function measureModel(folder: string): Promise<Measured> {
  const bare = await measureBare(folder)
  const service = await measureEmpty(folder)
  return {
    name: basename(folder),
    dimension: readModelFiles(folder).fingerprint.dimension,
    diskMb: measureDisk(folder),
    ...bare,
    ...service,
    search: await measureSearches(folder),
  }
}

/** Decoding and inference with nothing around them. */
async function measureBare(folder: string): Promise<Pick<Measured, 'barePicture' | 'bareWords'>> {
  const bare = await loadBare(undefined, folder)
  const limits: number[] = []
  const words: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    limits.push((await measureLimit(bare, photographs)).cpuMs)
    const before = process.cpuUsage()
    for (let n = 0; n < SEARCHES; n++) await bare.words(nameSomething(round, n))
    words.push(sinceMs(before) / SEARCHES)
  }
  return { barePicture: median(limits), bareWords: median(words) }
}

async function measureEmpty(model: string): Promise<Pick<Measured, 'picture' | 'idleMb' | 'usedMb'>> {
  return await onInstall(model, 0, async (client, pid) => {
    const idleMb = readTreePss(pid) / MB
    const costs: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const before = readCpu(pid)
      await indexAll(client, round)
      // The first round warms up.
      if (round > 0) costs.push(sumCpu(cpuPer(PICTURES, before, readCpu(pid))))
    }
    await untilIdle(pid)
    return { picture: median(costs), idleMb, usedMb: readTreePss(pid) / MB }
  })
}

async function measureSearches(model: string): Promise<CpuTime> {
  return await onInstall(model, PRODUCTS, async (client, pid) => {
    for (let n = 0; n < WARM_UP; n++) await client.searchText(nameSomething(-1, n))
    const rounds: CpuTime[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const before = readCpu(pid)
      for (let n = 0; n < SEARCHES; n++) await client.searchText(nameSomething(round, n))
      rounds.push(cpuPer(SEARCHES, before, readCpu(pid)))
    }
    const middle = (part: keyof CpuTime) => median(rounds.map((round) => round[part]))
    return { main: middle('main'), words: middle('words'), pictures: middle('pictures') }
  })
}

/** Runs the service with a model on an install of its own, once it is idle. */
async function onInstall<Result>(
  model: string,
  products: number,
  measure: (client: Client, pid: number) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(work, 'install-'))
  const credentials = seedStore(folder, model, products)
  const settings = { MODEL_DIR: model, OFFLINE: '1', LOOKALIKE_UNPACK_DIR: join(work, 'unpacked') }
  const executable = flags.executable === undefined ? undefined : resolve(flags.executable)
  try {
    await using service = await startMeasuredService(folder, executable, settings)
    await untilIdle(service.pid)
    return await measure(await service.signIn(credentials), service.pid)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Uploads every picture once. Some bytes behind its end make it a new one for the service, and cost the model nothing. */
async function indexAll(client: Client, round: number): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let n = next++; n < PICTURES; n = next++) {
      const bytes = Buffer.concat([photographs[n] as Uint8Array, Buffer.from(`${round}`)])
      await client.index(`photo-${round}-${n}`, bytes)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** Words that no search before has had. */
function nameSomething(round: number, n: number): string {
  return `a ${round * SEARCHES + n} mm red running shoe with laces`
}

function sinceMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

function measureDisk(folder: string): number {
  const files = [...new Bun.Glob('**/*').scanSync({ cwd: folder, onlyFiles: true })]
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / MB
}

function printModels(models: readonly Measured[]): void {
  const [small] = models
  if (!small) return
  const withoutWords = ({ search, bareWords }: Measured) => sumCpu(search) - bareWords
  const rows = models.map((model) => [
    model.name,
    String(model.dimension),
    model.diskMb.toFixed(0),
    `${model.idleMb.toFixed(0)} / ${model.usedMb.toFixed(0)}`,
    `${model.picture.toFixed(1)} / ${model.barePicture.toFixed(1)}`,
    (model.barePicture / model.picture).toFixed(2),
    `${sumCpu(model.search).toFixed(1)} (main ${model.search.main.toFixed(1)}, words ${model.search.words.toFixed(1)})`,
    model.bareWords.toFixed(1),
    (sumCpu(model.search) / sumCpu(small.search)).toFixed(2),
    (withoutWords(model) / withoutWords(small)).toFixed(2),
  ])
  printTable([
    [
      ...['model', 'dimensions', 'disk MB', 'idle / used MB', 'picture: service / bare', 'bare / service'],
      ...[
        `search by words, ${PRODUCTS} products`,
        'words alone',
        '/ bundled',
        '/ bundled, without the words',
      ],
    ],
    ...rows,
  ])
}

/** CPU time of a scan for each dimension of a vector; widths take turns, and the best of each counts. */
function printScans(): void {
  const widths = DIMENSIONS.map((dimension) => ({ dimension, ...fillSegment(dimension), best: Infinity }))
  for (let round = 0; round < 3 * ROUNDS; round++) {
    for (const width of widths) {
      const before = process.cpuUsage()
      for (const query of width.queries) width.segment.scanAll(query)
      const each = (sinceMs(before) * MB) / (SCANS * SCANNED * width.dimension)
      width.best = Math.min(width.best, each)
    }
  }
  const base = widths.find(({ dimension }) => dimension === 512)?.best ?? Number.NaN
  console.log()
  printTable([
    ['dimensions', 'scan, ps a dimension', '/ 512'],
    ...widths.map(({ dimension, best }) => [
      String(dimension),
      (best * 1e3).toFixed(1),
      (best / base).toFixed(2),
    ]),
  ])
}

function fillSegment(dimension: number): { segment: Segment; queries: Float32Array[] } {
  const arena = createVectorArena(dimension, { largeSlots: SCANNED })
  let key = 0
  for (const vector of generateVectors(SCANNED, 0, dimension)) arena.put('bench', ++key, vector)
  const segment = arena.segment('bench')
  if (!segment) throw new Error('There is nothing to scan')
  return { segment, queries: [...generateVectors(SCANS, 0, dimension)] }
}
