import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_FILE, type Db, openDatabase } from '../../src/platform/db/open.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'
import { recordBar } from './bars.ts'
import { findFaults } from './consistency.ts'
import { type Random, readRepetitions, seededRandom } from './random.ts'
import {
  type Install,
  killGroup,
  newInstall,
  productForm,
  type Service,
  smallPicture,
  spawnService,
  startService,
  untilReady,
} from './service.ts'

const ROUNDS = readRepetitions('CRASH_ROUNDS', 12)
const START_ROUNDS = readRepetitions('CRASH_START_ROUNDS', 6)
const QUERIES = readRepetitions('CRASH_QUERIES', 10)
const WRITERS = 4
const PICTURES = 80
const DIMENSION = 512
/** The index scores with 16 bits a dimension. */
const COSINE_ERROR = 1e-4

const ABSENT = 'absent'
/** What a product may be found as: absent, or the number of its picture and of its last write. */
type State = string
interface Slot {
  readonly id: string
  /** What the last answer promised. */
  settled: State
  /** What a request that was never answered may have made of it. */
  pending?: State
}

let install: Install
let service: Service
const slots: Slot[] = Array.from({ length: 32 }, (_, n) => ({ id: `product-${n}`, settled: ABSENT }))
const random = seededRandom(readRepetitions('CRASH_SEED', 7))
let version = 0
let answered = 0
/** What really happened: services killed, faults found after it, queries compared, times until ready in ms. */
const kills = { amidWrites: 0, amidStart: 0 }
const found = { faults: 0, wrong: 0, other: 0 }
let queries = 0
const readyMs: number[] = []

beforeAll(async () => {
  install = await newInstall()
})
afterAll(async () => {
  await service?.crash()
  install.remove()
})

const send = (method: string, path: string, body?: FormData | string, type?: string): Promise<Response> =>
  fetch(service.address + path, {
    method,
    headers: { authorization: `Bearer ${install.token}`, ...(type && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  })

/** One write of one product; `settled` follows the answer. @returns whether there was one. */
async function write(slot: Slot): Promise<boolean> {
  const { state, request } = nextWrite(slot, random)
  slot.pending = state
  const answer = await request().catch(() => undefined)
  // A status whose body never came is no answer.
  const body = (await answer?.json().catch(() => undefined)) as { error?: string } | undefined
  if (!answer || !body) return false
  // Before the model is ready only pictures that are known already can be written.
  const isRefused = answer.status === 404 || (answer.status === 503 && body.error === 'model_not_ready')
  if (!isRefused && !answer.ok) throw new Error(`${answer.status}: ${JSON.stringify(body)}`)
  if (answer.ok) {
    slot.settled = state
    answered++
  }
  delete slot.pending
  return true
}

function nextWrite(slot: Slot, { below }: Random): { state: State; request: () => Promise<Response> } {
  const path = `/v1/products/${slot.id}`
  const kind = below(10)
  if (kind < 2) return { state: ABSENT, request: () => send('DELETE', path) }
  version++
  const metadata = { version, category: `kind ${version % 3}` }
  if (kind < 4 && slot.settled !== ABSENT) {
    const state = `${slot.settled.split('/')[0]}/${version}`
    return { state, request: () => send('PATCH', path, JSON.stringify({ metadata }), 'application/json') }
  }
  const seed = below(PICTURES)
  const form = productForm(slot.id, seed, metadata)
  return {
    state: `${seed}/${version}`,
    request: async () =>
      kind < 8 ? send('POST', '/v1/products', await form) : send('PUT', path, await form),
  }
}

/** Writes with several writers until the service is killed after a random number of answers. */
async function writeUntilKilled(): Promise<void> {
  const killAt = answered + 1 + random.below(30)
  let isKilled = false
  const writer = async (own: Slot[]) => {
    while (!isKilled && (await write(random.pick(own)))) {
      if (answered < killAt || isKilled) continue
      isKilled = true
      // Somewhere inside the writes of the others.
      await Bun.sleep(random.below(12))
      await service.crash()
      kills.amidWrites++
    }
  }
  const shares = Array.from({ length: WRITERS }, (_, n) => slots.filter((_, m) => m % WRITERS === n))
  await Promise.all(shares.map(writer))
}

/** A look at what the crash left on the disk, in a copy, so that the service itself has to recover the original. */
async function inspect<Result>(
  look: (db: Db, picturesDir: string) => Promise<Result> | Result,
): Promise<Result> {
  const copy = mkdtempSync(join(tmpdir(), 'lookalike-crashed-'))
  for (const end of ['', '-wal']) {
    const from = join(install.dataDir, DATABASE_FILE + end)
    if (existsSync(from)) copyFileSync(from, join(copy, DATABASE_FILE + end))
  }
  const db = openDatabase(copy)
  try {
    return await look(db, join(install.dataDir, 'pictures'))
  } finally {
    db.close()
    rmSync(copy, { recursive: true })
  }
}

interface Found {
  id: string
  version: number
  hash: string
}

/** Compares every product with what was promised, and takes over what unanswered requests did. */
async function reconcile(db: Db): Promise<string[]> {
  const rows = db
    .prepare<[], Found>(
      `SELECT product_id AS id, metadata ->> 'version' AS version, lower(hex(content_hash)) AS hash
       FROM products LEFT JOIN pictures ON pictures.product = products.id`,
    )
    .all()
  const seeds = new Map<string, number>()
  for (let seed = 0; seed < PICTURES; seed++) seeds.set(await hashOf(seed), seed)
  const actual = new Map(rows.map(({ id, version, hash }) => [id, `${seeds.get(hash)}/${version}`]))
  return slots.flatMap((slot) => {
    const found = actual.get(slot.id) ?? ABSENT
    const wrong = found === slot.settled || found === slot.pending ? [] : [wrongState(slot, found)]
    slot.settled = found
    delete slot.pending
    return wrong
  })
}

const wrongState = ({ id, settled, pending }: Slot, found: State): string =>
  `${id} is ${found}, promised was ${settled}${pending ? ` or ${pending}` : ''}`

const hashes = new Map<number, string>()
async function hashOf(seed: number): Promise<string> {
  const known = hashes.get(seed)
  if (known) return known
  const hash = createHash('sha256')
    .update(await (await smallPicture(seed)).bytes())
    .digest('hex')
  hashes.set(seed, hash)
  return hash
}

interface Reference {
  vector: Float32Array
  /** Best cosine of each product, by sqlite-vec. */
  cosines: Map<string, number>
}

/** What exact search in SQL says to some vectors: stored ones and random ones. */
function references(db: Db): Reference[] {
  const table = createVectorTable(db, 'vectors_1', DIMENSION)
  const productOf = new Map(
    db
      .prepare<[], { id: number; name: string }>(
        'SELECT pictures.id, product_id AS name FROM pictures JOIN products ON products.id = product',
      )
      .all()
      .map(({ id, name }) => [id, name]),
  )
  const stored: Float32Array[] = []
  table.each((_, vector) => void stored.push(vector.slice()))
  return Array.from({ length: stored.length === 0 ? 0 : QUERIES }, (_, n) => {
    const noise = Float32Array.from(random.bytes(DIMENSION), (byte) => byte - 127.5)
    const vector = n % 2 === 0 ? noise : random.pick(stored)
    const cosines = new Map<string, number>()
    for (const { rowid, score } of table.nearest(install.storeId, vector, stored.length)) {
      const name = productOf.get(rowid) ?? `row ${rowid}`
      cosines.set(name, Math.max(score, cosines.get(name) ?? -1))
    }
    return { vector, cosines }
  })
}

interface Answer {
  results: { product_id: string; explain: { cosine: number } }[]
}

/** Differences between the service's index and the reference: another cosine or another order. */
async function differences({ vector, cosines }: Reference): Promise<string[]> {
  // The order of the cosines alone.
  const body = {
    ...{ vector: [...vector], limit: 100, category_boost: 0, second_look: false },
    ...{ explain: true, analytics: false },
  }
  const answer = await send('POST', '/v1/search/url', JSON.stringify(body), 'application/json')
  if (!answer.ok) return [`search answered ${answer.status}: ${await answer.text()}`]
  const { results } = (await answer.json()) as Answer
  const best = [...cosines.values()].sort((a, b) => b - a)
  const isNear = (a: number | undefined, b: number | undefined) =>
    a !== undefined && b !== undefined && Math.abs(a - b) < COSINE_ERROR
  return [
    ...(results.length === cosines.size ? [] : [`${results.length} results instead of ${cosines.size}`]),
    ...results.flatMap(({ product_id, explain: { cosine } }, n) =>
      isNear(cosine, cosines.get(product_id)) && isNear(cosine, best[n])
        ? []
        : [
            `place ${n}: ${product_id} with ${cosine}; SQL says ${cosines.get(product_id)}, best is ${best[n]}`,
          ],
    ),
  ]
}

/** What is on the disk, compared with every promise; then the service starts again and answers from it. */
async function recover(
  isReadyAwaited: boolean,
): Promise<{ faults: string[]; wrong: string[]; other: string[] }> {
  const onDisk = await inspect(async (db, pictures) => ({
    faults: findFaults(db, pictures),
    wrong: await reconcile(db),
    expected: references(db),
  }))
  const begin = performance.now()
  service = await startService(install, { untilReady: isReadyAwaited })
  if (isReadyAwaited) readyMs.push(performance.now() - begin)
  const other = (await Promise.all(onDisk.expected.map(differences))).flat()
  queries += onDisk.expected.length
  found.faults += onDisk.faults.length
  found.wrong += onDisk.wrong.length
  found.other += other.length
  return { faults: onDisk.faults, wrong: onDisk.wrong, other }
}

const SOUND = { faults: [], wrong: [], other: [] }

/** Leaves the figures of the bars, whether the test passed or not. */
function record(part: string, n: number): void {
  if (n === 0) return
  const { faults, wrong } = found
  const slowest = Math.max(0, ...readyMs).toFixed(0)
  const measured = `${answered} writes answered, ${wrong} lost or changed, ${faults} inconsistencies, ready after ${slowest} ms at most`
  recordBar({ bar: 1, part, on: 'program', n, measured, isMet: wrong + faults === 0 })
}

test(`a service killed amid writes loses nothing that it answered, and starts sound (${ROUNDS} times)`, async () => {
  service = await startService(install)
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      await writeUntilKilled()
      // Every second time the writes begin before the model is ready.
      expect({ round, ...(await recover(round % 2 === 0)) }).toEqual({ round, ...SOUND })
    }
  } finally {
    record('writes', kills.amidWrites)
    const measured = `${found.other} answers that differ from exact search in SQL`
    const isMet = found.other === 0
    if (queries > 0) recordBar({ bar: 6, part: 'queries', on: 'program', n: queries, measured, isMet })
  }
  await untilReady(service)
  expect(kills.amidWrites).toBe(ROUNDS)
  expect(answered).toBeGreaterThan(ROUNDS)
  expect(queries).toBeGreaterThan((ROUNDS * QUERIES) / 2)
}, 7_200_000)

test(`a service killed while it starts comes up sound the next time (${START_ROUNDS} times)`, async () => {
  await service.crash()
  for (let round = 1; round <= START_ROUNDS; round++) {
    const { child, logged } = spawnService(install)
    await Bun.sleep(random.below(1_500))
    killGroup(child.pid)
    await Promise.all([child.exited, logged])
    if (child.signalCode === 'SIGKILL') kills.amidStart++
  }
  const after = await recover(true)
  record('start-up', kills.amidStart)
  expect(after).toEqual(SOUND)
  expect(kills.amidStart).toBe(START_ROUNDS)
  const answer = await send('POST', '/v1/products', await productForm('after', 1))
  expect(answer.status).toBe(201)
}, 7_200_000)
