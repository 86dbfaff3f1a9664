/**
 * Counts what the shoppers of a generated store take together, and measures the night: its time and CPU, the longest step of the event
 * loop, and the rows that it holds and keeps. Beside it, a request for such a list against one for similar products, in one process and
 * in turns.
 *
 *     nice bun scripts/bench/together.ts [--events 100000] [--products 10000] [--requests 400]
 *
 * Two thirds of the events are clicks of visitors, the rest lines of orders. Products are as popular as in a shop: some stand in most
 * baskets. A tenth of the baskets comes from 200 planted pairs; the last line says how many of them stand first in their lists.
 */
import { createWriteGate } from '../../src/core/write-gate.ts'
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { systemClock } from '../../src/core/clock.ts'
import { createTogetherMaker } from '../../src/features/discovery/together/maker.ts'
import { togetherQueries } from '../../src/features/discovery/together/queries.ts'
import { openDatabase, withoutFsync } from '../../src/platform/db/open.ts'
import { seededRandom } from '../../test/robustness/random.ts'
import { testApp } from '../../test/support/app.ts'
import { median } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    products: { type: 'string', default: '10000' },
    requests: { type: 'string', default: '400' },
  },
})
const [EVENTS, PRODUCTS, REQUESTS] = [Number(flags.events), Number(flags.products), Number(flags.requests)]
const PAIRS = Math.min(200, Math.floor(PRODUCTS / 4))
const STORE = '01900000-0000-7000-8000-000000000001'
const { below: pick } = seededRandom(29)
const random = (): number => pick(2 ** 31) / 2 ** 31
/** A product; the low numbers are popular. */
const product = (): string => `p${Math.floor(PRODUCTS * random() ** 4)}`
const partnerOf = (pair: number): [string, string] => [
  `p${PRODUCTS - 1 - 2 * pair}`,
  `p${PRODUCTS - 2 - 2 * pair}`,
]

const folder = mkdtempSync(join(tmpdir(), 'lookalike-together-'))
try {
  const db = openDatabase(folder)
  fill(db)
  await measureNight(db)
  db.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
await measureRequests()

function fill(db: ReturnType<typeof openDatabase>): void {
  const now = Date.now()
  const insert = db.prepare(`
    INSERT INTO feedback_events (id, store_id, product_id, action, is_attributed, order_id, order_value, currency, quantity, session_id,
      origin, occurred_at, created_at, standing, is_product_counted)
    VALUES (@id, @store, @product, @action, 0, @order, @value, @currency, 1, @session, 'api', @at, @at, 0, 1)`)
  db.transaction(() => {
    db.prepare(`INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at)
      VALUES (?, 'shop', 'Shop', 'enterprise', x'00', 0)`).run(STORE)
    const add =
      db.prepare(`INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, created_at, updated_at, indexed_at)
      VALUES (?, ?, ?, '', '{}', 0, 0, 0)`)
    for (let n = 0; n < PRODUCTS; n++) add.run(STORE, `p${n}`, `v${n}`)
    for (let told = 0, basket = 0; told < EVENTS; basket++) {
      const isOrder = random() < 0.5
      const planted = random() < 0.1 ? partnerOf(pick(PAIRS)) : []
      const products = [
        ...planted,
        ...Array.from({ length: (isOrder ? 1 : 2) + pick(isOrder ? 3 : 6) }, product),
      ]
      for (const [n, id] of new Set(products).entries()) {
        insert.run({
          ...{ id: `e${told}`, store: STORE, product: id, at: now - 1_000 * basket + Number(n === id) },
          action: isOrder ? 'purchase' : 'click',
          ...(isOrder
            ? { order: `o${basket}`, value: 1, currency: 'EUR' }
            : { order: null, value: null, currency: null }),
          session: isOrder ? null : `s${basket}`,
        })
        told++
      }
    }
  })()
}

async function measureNight(db: ReturnType<typeof openDatabase>): Promise<void> {
  const queries = togetherQueries(db)
  let [held, heldCpu, mostRows, goesOn] = [0, 0, 0, true]
  const look = (last: number, cpu: NodeJS.CpuUsage) => {
    held = Math.max(held, performance.now() - last)
    const { user, system } = process.cpuUsage(cpu)
    heldCpu = Math.max(heldCpu, (user + system) / 1_000)
    const next: [number, NodeJS.CpuUsage] = [performance.now(), process.cpuUsage()]
    if (goesOn) setImmediate(() => look(...next))
  }
  const maker = createTogetherMaker({
    gate: createWriteGate(),
    queries: {
      ...queries,
      save(storeId, run) {
        mostRows = Math.max(mostRows, run.pairs)
        queries.save(storeId, run)
      },
    },
    clock: systemClock,
    atomically: (work) => db.transaction(work).immediate(),
    withoutFsync: (work) => withoutFsync(db, work),
    log: pino({ level: 'silent' }),
    dayOf: (_, ms) => Math.floor(ms / 86_400_000),
  })
  look(performance.now(), process.cpuUsage())
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  await maker.run()
  const [ms, used] = [performance.now() - began, process.cpuUsage(cpu)]
  goesOn = false
  const [kept] = db
    .prepare<[], { n: number; bytes: number }>(
      'SELECT count(*) AS n, sum(length(products)) AS bytes FROM together_lists',
    )
    .all()
  const first = Array.from({ length: PAIRS }, (_, n) => partnerOf(n)).filter(([one, other]) => {
    const list = queries.findList(STORE, one)
    return list !== undefined && (JSON.parse(list.products) as [string, number][])[0]?.[0] === other
  }).length
  console.log(
    `night of ${EVENTS} events, ${PRODUCTS} products: ${ms.toFixed(0)} ms, CPU ${((used.user + used.system) / 1_000).toFixed(0)} ms`,
  )
  console.log(
    `longest hold of the event loop: ${held.toFixed(1)} ms by the clock, ${heldCpu.toFixed(1)} ms of CPU`,
  )
  console.log(
    `pairs held at most ${mostRows}; lists kept ${kept?.n}, ${Math.round((kept?.bytes ?? 0) / 1024)} KiB`,
  )
  console.log(`planted pairs first in their list: ${first} of ${PAIRS}`)
}

async function measureRequests(): Promise<void> {
  const app = testApp()
  const token = await app.signIn('shop')
  for (let n = 0; n < 2_000; n++) {
    const body = {
      product_id: `p${n}`,
      image_url: app.picture(`p${n}`, 1 + (n % 7), 1 + (n % 5)),
      metadata: { price: n },
    }
    await app.call('POST', '/v1/products', { token, body })
  }
  const add = app.db.prepare("INSERT INTO together_lists SELECT id, ?, 'purchases', ?, 1 FROM stores")
  for (let n = 0; n < 100; n++) {
    const products = Array.from({ length: 20 }, (_, k) => [`p${100 + ((20 * n + k) % 1_900)}`, 0.9 - k / 100])
    add.run(`p${n}`, JSON.stringify(products))
  }
  const times: Record<'together' | 'similar', number[]> = { together: [], similar: [] }
  for (let n = 0; n < REQUESTS; n++) {
    for (const row of ['together', 'similar'] as const) {
      const began = process.cpuUsage()
      await app.call('GET', `/v1/products/p${n % 100}/${row}`, { token })
      const { user, system } = process.cpuUsage(began)
      times[row].push((user + system) / 1_000)
    }
    await app.settle()
  }
  const [together, similar] = [median(times.together), median(times.similar)]
  console.log(
    `a request, 2,000 products: together ${together.toFixed(2)} ms of CPU, similar ${similar.toFixed(2)} ms, ratio ${(together / similar).toFixed(2)}`,
  )
  await app.close()
}
