/**
 * Measures what a build costs: memory, disk and processor time by stores and products.
 *
 *     bun scripts/scale/costs.ts [--executable dist/lookalike] [--sizes 0,2000,20000,50000] [--only-move] [--write]
 *
 * `--write` keeps the figures in scripts/scale/costs.json, which `plan.ts` and the guide's chapter "Larger" go by. The stores are
 * seeded with chance vectors, as those of the benches. Processor time is the kernel's, so another load on the machine matters little;
 * the seconds of a start are those of all processes until the node is ready. A move is measured between two nodes where the
 * build has one; `--only-move` measures that alone and keeps the other figures.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { connect, DATABASE_FILE } from '../../src/platform/db/open.ts'
import { cpuMs } from '../bench/parts/cpu.ts'
import { untilIdle } from '../bench/parts/idle.ts'
import { readTreePss } from '../bench/parts/memory.ts'
import { drawPhotographs } from '../bench/parts/photographs.ts'
import { printTable } from '../bench/parts/statistics.ts'
import { type Filled, openStock } from '../bench/parts/stock.ts'
import { moveStore } from './parts/moves.ts'
import { openProgram } from './parts/program.ts'
import { openStage } from './parts/stage.ts'
import { type Costs, type Move, type Point, shareOf } from './plan/costs.ts'

const { values: flags } = parseArgs({
  options: {
    executable: { type: 'string', default: 'dist/lookalike' },
    sizes: { type: 'string', default: '0,2000,20000,50000' },
    'only-move': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const FILE = join(import.meta.dir, 'costs.json')
const MANY = { stores: 200, each: 40 }
/** The first searches of a process are slow, as its code is not compiled yet. */
const WARM_UP = 120
const SEARCHES = 60
const REST_S = 20
const PHOTOGRAPHS = 40
/** A move's rate is what the larger store adds to the time of the smaller one. */
const MOVED = [200, 5_000] as const

const program = openProgram(flags.executable)
const [executable] = program
const contestant = { name: flags.executable, executable }
if (flags['only-move']) {
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Costs
  keep({ ...kept, move: await measureMove() })
  process.exit(0)
}
using stock = openStock({ keep: undefined })
const memory: Point[] = []
const disk: Point[] = []
const words: Point[] = []
const product: Point[] = []
const starts: Point[] = []
let answerBytes = 0
for (const products of flags.sizes.split(',').map(Number)) {
  const filled = await stock.fill(contestant, products)
  const one = await measure(filled, products)
  memory.push({ products, value: one.memory })
  disk.push({ products, value: one.disk })
  starts.push({ products, value: one.startSeconds })
  if (products > 0) {
    words.push({ products, value: one.wordsMs })
    product.push({ products, value: one.productMs })
    answerBytes = Math.max(answerBytes, one.answerBytes)
  }
  console.error(`${products} products`, JSON.stringify(one))
}
const pictures = MANY.stores * MANY.each
const many = await measure(
  await stock.fill(contestant, pictures, { stores: MANY.stores, isThroughVec0: true }),
  MANY.each,
)
console.error(`${MANY.stores} stores of ${MANY.each}`, JSON.stringify(many))
const costs: Costs = {
  measured: {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`,
    // The first lines are the version and the commit.
    version: Bun.spawnSync([...program, 'version'])
      .stdout.toString()
      .split(/\s*\n/, 2)
      .join(', '),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  },
  memory: shareOf(memory, { ...MANY, pictures, value: many.memory }),
  disk: shareOf(disk, { ...MANY, pictures, value: many.disk }),
  idleCores: many.idleCores,
  thumbnailBytes: await weighThumbnails(),
  ...{ wordsCpuMs: words, productCpuMs: product, answerBytes, startSeconds: starts },
  move: await measureMove(),
}
keep(costs)
printTable([
  ['what', 'measured'],
  ['memory of a node, of a store, of a picture', sizes(costs.memory)],
  ['disk of a node, of a store, of a picture', sizes(costs.disk)],
  ['busy cores of a node at rest', costs.idleCores.toFixed(4)],
  ['a thumbnail', `${(costs.thumbnailBytes / 1e3).toFixed(1)} kB`],
  ...words.map(({ products, value }) => [
    `a search by words, ${products} products`,
    `${value.toFixed(2)} CPU ms`,
  ]),
  ...product.map(({ products, value }) => [
    `a search by a product, ${products}`,
    `${value.toFixed(2)} CPU ms`,
  ]),
  ...starts.map(({ products, value }) => [`a start, ${products} products`, `${value.toFixed(2)} CPU s`]),
  ['an answer of 20 results', `${(answerBytes / 1e3).toFixed(1)} kB`],
  ['a move', costs.move ? JSON.stringify(costs.move, rounded) : 'not measured: this build has none'],
])
process.exit(0)

interface Measured {
  memory: number
  disk: number
  startSeconds: number
  idleCores: number
  wordsMs: number
  productMs: number
  answerBytes: number
}

async function measure({ folder, credentials, start }: Filled, products: number): Promise<Measured> {
  await using service = await start()
  const startSeconds = cpuMs(service.pid) / 1_000
  const client = await service.signIn(credentials)
  const cpuOf = async (search: (n: number) => Promise<unknown>) => {
    for (let n = 0; n < WARM_UP; n++) await search(SEARCHES + n)
    const before = cpuMs(service.pid)
    for (let n = 0; n < SEARCHES; n++) await search(n)
    return (cpuMs(service.pid) - before) / SEARCHES
  }
  await untilIdle(service.pid)
  let bytes = 0
  const wordsMs = await cpuOf(async (n) => {
    const found = await client.searchText(`red mug number ${n}`)
    bytes = Math.max(bytes, JSON.stringify(found).length)
  })
  // Of many stores, the one that is asked has the first product.
  const productMs = await cpuOf((n) =>
    products === 0
      ? client.searchText(`blue chair number ${n}`)
      : client.searchLike({ product_id: `sku-${1 + ((n * MANY.stores) % products)}` }),
  )
  await untilIdle(service.pid)
  const restBegin = cpuMs(service.pid)
  await Bun.sleep(REST_S * 1_000)
  return {
    ...{ startSeconds, wordsMs, productMs },
    idleCores: (cpuMs(service.pid) - restBegin) / (REST_S * 1_000),
    memory: readTreePss(service.pid),
    disk: statSync(join(folder, DATABASE_FILE)).size,
    // The headers of an answer take about half a kilobyte.
    answerBytes: bytes + 500,
  }
}

/** Indexes drawn photographs in an empty store. @returns the mean bytes of a thumbnail. */
async function weighThumbnails(): Promise<number> {
  const { folder, credentials, start } = await stock.fill(contestant, 0)
  const photographs = await drawPhotographs(PHOTOGRAPHS)
  {
    await using service = await start()
    const client = await service.signIn(credentials)
    for (const [n, bytes] of photographs.entries()) await client.index(`photo-${n}`, bytes)
  }
  const db = connect(folder)
  try {
    return Number(db.prepare('SELECT coalesce(avg(length(webp)), 0) FROM thumbnails').pluck().get())
  } finally {
    db.close()
  }
}

async function measureMove(): Promise<Move | null> {
  const { success } = Bun.spawnSync([...program, 'node', 'invite', '--help'])
  if (!success) return null
  const seconds: number[] = []
  for (const products of MOVED) {
    await using stage = await openStage('costs', { program, products })
    seconds.push(await moveStore(stage.shop, stage.nodes[0], stage.nodes[1]))
  }
  const [small = 0, large = 0] = seconds
  const productsASecond = (MOVED[1] - MOVED[0]) / Math.max(0.01, large - small)
  return { productsASecond, fixedSeconds: Math.max(0, small - MOVED[0] / productsASecond) }
}

function keep(costs: Costs): void {
  if (flags.write) writeFileSync(FILE, `${JSON.stringify(costs, rounded, 2)}\n`)
  else console.log(JSON.stringify(costs, rounded, 2))
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

function sizes({ node, store, picture }: Costs['memory']): string {
  return `${(node / 1e6).toFixed(0)} MB, ${(store / 1e3).toFixed(1)} kB, ${(picture / 1e3).toFixed(2)} kB`
}
