import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { productQueries } from '../../src/features/catalogue/products/queries.ts'
import { registerModel } from '../../src/platform/db/models.ts'
import { DATABASE_FILE, type Db, openDatabase } from '../../src/platform/db/open.ts'
import { oneModel } from '../support/models.ts'
import { NO_THUMBNAILS } from '../support/thumbnails.ts'
import { recordBar } from './bars.ts'
import { findFaults } from './consistency.ts'
import { type Random, readRepetitions, seededRandom } from './random.ts'
import { runCommand } from './service.ts'

const ROUNDS = readRepetitions('WAL_ROUNDS', 200)
/** One in so many is opened by a command of the program before the test looks at it. */
const BY_PROGRAM = 25
const TRANSACTIONS = 80
const DIMENSION = 8
const MODEL = { id: 'numbers', hash: 'a'.repeat(64), dimension: DIMENSION }
const STORE = 'store'
/** Bytes before the first frame (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
const WAL_HEADER_BYTES = 32

const folder = mkdtempSync(join(tmpdir(), 'lookalike-wal-'))
const original = join(folder, 'original')
/** States after each committed transaction, and how long the log was then; the first is the checkpointed file. */
const states: { content: string; walBytes: number }[] = []

beforeAll(() => {
  mkdirSync(original)
  const db = openDatabase(original)
  db.prepare(
    `INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, 'one', 'One', 'free', x'00', 0)`,
  ).run(STORE)
  const model = registerModel(db, MODEL, 0)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma('wal_autocheckpoint = 0')
  const queries = productQueries(db, oneModel(model), NO_THUMBNAILS)
  const random = seededRandom(1)
  note(db)
  while (states.length <= TRANSACTIONS) {
    if (db.transaction(() => write(queries, random, states.length))()) note(db)
  }
  // While the connection is open: closing it would empty the log.
  for (const end of ['', '-wal']) {
    copyFileSync(join(original, DATABASE_FILE + end), join(folder, `kept${end}`))
  }
  db.close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function note(db: Db): void {
  states.push({ content: contentOf(db), walBytes: statSync(join(original, `${DATABASE_FILE}-wal`)).size })
}

/** One transaction of the service: a product written, with one to three pictures, or deleted. */
function write(queries: ReturnType<typeof productQueries>, random: Random, version: number): boolean {
  const productId = `p${random.below(30)}`
  if (random.below(4) === 0) {
    const product = queries.find(STORE, productId)
    if (product) queries.remove(product)
    return product !== undefined
  }
  const pictures = Array.from({ length: 1 + random.below(3) }, (_, n) => ({
    added: {
      imageUrl: `https://img.test/${version}-${n}.jpg`,
      contentHash: Buffer.from(random.bytes(32)),
      bytes: 1,
      width: 64,
      height: 64,
      contentType: 'image/png',
      phash: '0'.repeat(16),
      palette: [],
    },
    vector: Float32Array.from({ length: DIMENSION }, () => random.below(1000)),
  }))
  const metadata = { version, filling: 'x'.repeat(random.below(300)) }
  const imageUrl = `https://img.test/${version}-0.jpg`
  const product = { storeId: STORE, productId, vectorId: `v${version}`, imageUrl, metadata }
  queries.save({ ...product, isDemo: false, keepsTime: false, now: version }, pictures)
  return true
}

const contentOf = (db: Db): string =>
  JSON.stringify([
    db.prepare('SELECT product_id, metadata, image_url, updated_at FROM products ORDER BY id').all(),
    db.prepare('SELECT id, product, position, image_url FROM pictures ORDER BY id').all(),
    db.prepare('SELECT rowid, vec_to_json(embedding) AS vector FROM vectors_1 ORDER BY rowid').all(),
  ])

/** The last state whose log ends at or before an offset. */
const lastBefore = (offset: number): number => states.findLastIndex(({ walBytes }) => walBytes <= offset)

/**
 * Opens the database as a crash left it: the file and a spoilt log, no shared memory. Now and then the program itself is
 * the first to open it.
 */
async function reopened(round: number, wal: Uint8Array): Promise<{ content: string; faults: string[] }> {
  const dir = join(folder, `round-${round}`)
  mkdirSync(dir)
  copyFileSync(join(folder, 'kept'), join(dir, DATABASE_FILE))
  writeFileSync(join(dir, `${DATABASE_FILE}-wal`), wal)
  try {
    if (round % BY_PROGRAM === 1) {
      await runCommand(dir, 'outbox', '--json')
      openedByProgram++
    }
    const db = openDatabase(dir)
    try {
      registerModel(db, MODEL, 0)
      return { content: contentOf(db), faults: findFaults(db, dir) }
    } finally {
      db.close()
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

let openedByProgram = 0

test('the log as it was gives back every transaction', async () => {
  const wal = readFileSync(join(folder, 'kept-wal'))
  expect(await reopened(0, wal)).toEqual({ content: states.at(-1)?.content ?? '', faults: [] })
})

interface Damage {
  at: number
  wal: Uint8Array
  /** Number of the state that must be left. */
  expected: number
}

/** Compares reopened databases with the states before the damage, and leaves the figures of the bar. */
async function judge(part: string, damages: Iterable<Damage>): Promise<void> {
  const wrong: string[] = []
  const before = openedByProgram
  let n = 0
  for (const { at, wal, expected } of damages) {
    const { content, faults } = await reopened(++n, wal)
    const state = states.findIndex((known) => known.content === content)
    if (state !== expected) wrong.push(`damaged at ${at}: state ${state} instead of ${expected}`)
    wrong.push(...faults.map((fault) => `damaged at ${at}: ${fault}`))
  }
  const measured = `${wrong.length} opened as anything but the transactions before the damage; ${openedByProgram - before} of them by the program`
  recordBar({ bar: 2, part, on: 'process', n, measured, isMet: wrong.length === 0 })
  expect(wrong).toEqual([])
  expect(n).toBe(ROUNDS)
  expect(openedByProgram - before).toBe(Math.ceil(ROUNDS / BY_PROGRAM))
}

test(`a log cut off anywhere gives exactly the transactions before the cut (${ROUNDS} cuts)`, async () => {
  const wal = readFileSync(join(folder, 'kept-wal'))
  const random = seededRandom(2)
  const cuts = Array.from({ length: ROUNDS }, () => random.below(wal.length))
  await judge(
    'cuts',
    cuts.map((at) => ({ at, wal: wal.subarray(0, at), expected: Math.max(0, lastBefore(at)) })),
  )
}, 600_000)

test(`a log with any stretch overwritten gives exactly the transactions before it (${ROUNDS} stretches)`, async () => {
  const wal = readFileSync(join(folder, 'kept-wal'))
  const random = seededRandom(3)
  const stretches = function* () {
    for (let round = 1; round <= ROUNDS; round++) {
      const at = random.below(wal.length - 64)
      const spoilt = new Uint8Array(wal)
      const length = 1 + random.below(4096)
      // Every byte differs, so the stretch is spoilt from its first byte on.
      for (let i = at; i < Math.min(spoilt.length, at + length); i++) spoilt[i] = ~(spoilt[i] ?? 0)
      yield { at, wal: spoilt, expected: at < WAL_HEADER_BYTES ? 0 : lastBefore(at) }
    }
  }
  await judge('stretches', stretches())
}, 600_000)
