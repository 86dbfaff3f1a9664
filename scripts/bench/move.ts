/**
 * Moves a catalogue to another model under load, and judges every search of it.
 *
 *     bun scripts/bench/move.ts [--products 5000] [--executable dist/lookalike] [--kills 2] [--model FOLDER …]
 *
 * Two stores are searched by words and pictures all the time, and products of the large one change. By default they move to a twin of the
 * bundled model, whose `config.json` differs by a space, and to small random weights of another dimension, each time with the
 * way back. Twice on the way there the service is killed with `kill -9` and started again. Every answer must be that of the old
 * model or that of the new one; none is empty, none of both, and no store goes back to the old one on its way. Products that
 * changed meanwhile are found by their last picture.
 *
 * The exit code is 1 if anything of this fails. `--model` takes other folders. Models are added by `lookalike model add`.
 */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeRandomFolder } from '../model/random-folder.ts'
import { isSound, judge, type Reference, type Sample } from './move/judge.ts'
import {
  askAll,
  change,
  createShop,
  fill,
  isFound,
  kill,
  QUERIES,
  type Shop,
  type Stage,
  search,
  servePictures,
  start,
} from './move/shop.ts'
import { MODEL_DIR, ROOT } from './parts/options.ts'
import { median, printTable } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    products: { type: 'string', default: '5000' },
    executable: { type: 'string' },
    kills: { type: 'string', default: '2' },
    model: { type: 'string', multiple: true, default: [] },
  },
})
const PRODUCTS = Number(flags.products)
const KILLS = Number(flags.kills)
const SEARCH_PAUSE_MS = 20
const WRITE_PAUSE_MS = 200
const LOOK_MS = 200
/** Of the load that goes on before and after. */
const CALM_MS = 3_000

interface Status {
  in_use: string
  move: { state: string; to: string; products: number; products_done: number; failed: number } | null
}

const work = mkdtempSync(join(tmpdir(), 'lookalike-move-'))
process.once('exit', () => rmSync(work, { recursive: true, force: true }))
const pictures = servePictures()
const stage: Stage = {
  ...{ dataDir: join(work, 'data'), executable: flags.executable && resolve(flags.executable) },
  ...{ pictures: `http://127.0.0.1:${pictures.port}`, service: undefined, clients: new Map() },
}
const shops = [
  await createShop(stage.dataDir, 'large', { products: PRODUCTS, changes: true }),
  await createShop(stage.dataDir, 'small', { products: Math.ceil(PRODUCTS / 10), changes: false }),
]
const rows: string[][] = []
let faults = 0
try {
  await start(stage, shops)
  for (const shop of shops) await fill(stage, shop)
  console.error('the stores are filled')
  for (const folder of listModels()) {
    const name = basename(folder)
    const { in_use: home } = await readStatus()
    await command('model', 'add', folder)
    console.error(`${name} is added`)
    await drill(`to ${name}`, name, ['model', 'use', name], KILLS)
    await drill(`back from ${name}`, home, ['model', 'use', '--back'], 0)
    await command('model', 'confirm')
  }
} finally {
  await stage.service?.[Symbol.asyncDispose]()
  await pictures.stop(true)
}
printTable([
  [
    'move',
    's',
    'ms a search before, meanwhile',
    'products',
    'kills',
    'searches',
    'unanswered',
    'just started',
    'empty',
    'old',
    'new',
    'either',
    'mixed',
    'went back',
    'changed, lost',
  ],
  ...rows,
])
process.exit(faults > 0 ? 1 : 0)

function listModels(): string[] {
  if (flags.model.length > 0) return flags.model.map((folder) => resolve(folder))
  const twin = join(work, 'twin')
  cpSync(MODEL_DIR, twin, { recursive: true })
  appendFileSync(join(twin, 'config.json'), ' \n')
  const other = join(work, 'other')
  makeRandomFolder({ model: 'clip-b32', folder: other, precisions: ['q8'], isSmall: true })
  return [twin, other]
}

/** Moves all stores under load, and judges what was answered meanwhile. */
async function drill(title: string, to: string, order: readonly string[], kills: number): Promise<void> {
  const before = await askAllShops()
  const load = startLoad()
  await Bun.sleep(CALM_MS)
  const begin = performance.now()
  await command(...order, '--detach')
  const status = await follow(to, kills)
  const end = performance.now()
  const seconds = (end - begin) / 1_000
  await Bun.sleep(CALM_MS)
  const { samples, changed } = await load.stop()
  const after = await askAllShops()
  const verdict = judge(samples, before, after)
  let lost = 0
  for (const [shop, versions] of changed)
    for (const [n, version] of versions) if (!(await isFound(stage, shop, n, version))) lost++
  if (!isSound(verdict) || lost > 0 || status.in_use !== to || (status.move?.failed ?? 0) > 0) faults++
  for (const sample of verdict.mixed.slice(0, 3)) console.error(title, 'neither', JSON.stringify(sample))
  const { answered, unanswered, starting, empty, old, either, mixed, backwards } = verdict
  const figures = [
    ...[status.move?.products ?? 0, kills, answered, unanswered, starting],
    ...[empty, old, verdict.new, either],
  ]
  const searchMs = [
    samples.filter(({ at }) => at < begin),
    samples.filter(({ at }) => at >= begin && at < end),
  ].map((some) => median(some.filter(({ answer }) => answer).map(({ ms }) => ms)).toFixed(1))
  rows.push([
    ...[
      title,
      seconds.toFixed(1),
      searchMs.join(', '),
      ...figures.map(String),
      String(mixed.length),
      String(backwards),
    ],
    `${[...changed.values()].reduce((sum, versions) => sum + versions.size, 0)}, ${lost}`,
  ])
  console.error(`${title}: ${status.move?.state}, ${answered} searches`)
}

/** Waits for the end of a move. It kills the service when equal parts of the products are done, and starts it again. */
async function follow(to: string, kills: number): Promise<Status> {
  let killed = 0
  for (;;) {
    const status = await readStatus()
    const { move } = status
    if (!move) throw new Error('There is no move')
    if (move.state !== 'running') {
      if (move.state !== 'done' || killed < kills)
        throw new Error(`The move to ${to} ended as ${move.state} after ${killed} kills`)
      return status
    }
    if (killed < kills && move.products_done >= (move.products * (killed + 1)) / (kills + 1)) {
      killed++
      await kill(stage)
      await start(stage, shops)
    }
    await Bun.sleep(LOOK_MS)
  }
}

async function askAllShops(): Promise<Map<string, Reference>> {
  const answers = new Map<string, Reference>()
  for (const { name } of shops) answers.set(name, await askAll(stage, name))
  return answers
}

/** Searches every store and changes products until it is told to stop. A request that gets no answer is no fault. */
function startLoad() {
  const told = new AbortController()
  const samples: Sample[] = []
  const changed = new Map<string, Map<number, number>>()
  const searching = async ({ name: store }: Shop) => {
    for (let query = 0; !told.signal.aborted; query = (query + 1) % QUERIES) {
      const at = performance.now()
      const found = await search(stage, store, query).catch(() => undefined)
      const ms = performance.now() - at
      samples.push({ store, query, at, ms, answer: found?.answer, isStarting: found?.isStarting ?? false })
      await Bun.sleep(SEARCH_PAUSE_MS)
    }
  }
  const writing = async (shop: Shop) => {
    const versions = new Map<number, number>()
    changed.set(shop.name, versions)
    for (let version = Date.now(); !told.signal.aborted; version++) {
      const n = await change(stage, shop, version).catch(() => undefined)
      if (n !== undefined) versions.set(n, version)
      // It may have been kept or not, so nothing is known of the product that this one would be.
      else versions.clear()
      await Bun.sleep(WRITE_PAUSE_MS)
    }
  }
  const lanes = [...shops.map(searching), ...shops.filter(({ extras }) => extras > 0).map(writing)]
  return {
    async stop() {
      told.abort()
      await Promise.all(lanes)
      return { samples, changed }
    },
  }
}

async function readStatus(): Promise<Status> {
  return JSON.parse(await command('model', 'status', '--json')) as Status
}

/** Runs a command of the program on the data folder. @returns its output. @throws Error if it fails. */
async function command(...words: string[]): Promise<string> {
  const program = stage.executable ? [stage.executable] : [process.execPath, join(ROOT, 'src/main.ts')]
  const child = Bun.spawn([...program, ...words], {
    env: { ...process.env, DATA_DIR: stage.dataDir, OFFLINE: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`lookalike ${words.join(' ')} ended with ${code}: ${err}`)
  return out
}
