import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Server } from 'bun'
import { openDatabase } from '../../src/platform/db/open.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'
import { encoded, noisePicture } from '../platform/embedder/pictures.ts'
import { recordBar } from './bars.ts'
import { findFaults } from './consistency.ts'
import { readRepetitions, seededRandom } from './random.ts'
import { type Install, newInstall, type Service, startService, until } from './service.ts'

/** Kills during one job after the other; before a release 50 with 500 products each. */
const KILLS = readRepetitions('JOB_KILLS', 4)
const PRODUCTS = readRepetitions('JOB_PRODUCTS', 80)
const DIMENSION = 512
const HOOK = '/hook'
const EVENTS = ['product.indexed', 'product.updated']
const LOOPBACK = '127.0.0.0/8'

/** As the feed and a webhook tell it. */
interface Change {
  event: string
  timestamp: string
  data: object
}

let install: Install
let service: Service
let pictures: Server<undefined>
/** The changes that the store's webhook was told of. */
const told = new Set<string>()
const random = seededRandom(readRepetitions('JOB_SEED', 11))
const drawn = new Map<string, Promise<Uint8Array>>()

const draw = (name: string): Promise<Uint8Array> => {
  const known = drawn.get(name) ?? encoded(noisePicture(64, 64, drawn.size + 1).png())
  drawn.set(name, known)
  return known
}

beforeAll(async () => {
  install = await newInstall()
  pictures = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname !== HOOK) return new Response((await draw(pathname)) as Uint8Array<ArrayBuffer>)
      told.add(toText((await request.json()) as Change))
      return new Response('ok')
    },
  })
  await start()
  const url = `http://127.0.0.1:${pictures.port}${HOOK}`
  const { status } = await ask('POST', '/v1/search/webhooks', { url, events: EVENTS })
  expect(status).toBe(200)
}, 60_000)
afterAll(async () => {
  await service?.crash()
  await pictures?.stop(true)
  install.remove()
})

async function start(): Promise<void> {
  const settings = { FETCH_ALLOW_CIDRS: LOOPBACK, WEBHOOK_ALLOW_CIDRS: LOOPBACK }
  service = await startService(install, { settings, untilReady: false })
}

const ask = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(service.address + path, {
    method,
    headers: { authorization: `Bearer ${install.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const productsOf = (round: number) =>
  Array.from({ length: PRODUCTS }, (_, n) => ({
    product_id: `product-${n}`,
    image_url: `http://127.0.0.1:${pictures.port}/${round}-${n}.png`,
    metadata: { round },
  }))

const toText = ({ event, timestamp, data }: Change): string => JSON.stringify([event, timestamp, data])

/** Every change of the store, as its feed tells it. */
async function readChanges(): Promise<string[]> {
  const texts: string[] = []
  for (let hasMore = true; hasMore; ) {
    const { body } = await ask('GET', `/v1/changes?after=${texts.length}&limit=1000`)
    texts.push(...(body['changes'] as Change[]).map(toText))
    hasMore = Boolean(body['has_more'])
  }
  return texts
}

function readDatabase() {
  const db = openDatabase(install.dataDir)
  // The tables of vectors belong to the model, whose row is the first.
  createVectorTable(db, 'vectors_1', DIMENSION)
  try {
    return {
      faults: findFaults(db, join(install.dataDir, 'pictures')),
      products: db.prepare("SELECT product_id AS id, metadata ->> 'round' AS round FROM products").all() as {
        id: string
        round: number
      }[],
      items: db.prepare('SELECT state, count(*) AS number FROM job_items GROUP BY state').all(),
    }
  } finally {
    db.close()
  }
}

test(`a job goes on after kill -9, ${KILLS} times: every product is there once, as the last job says, and every change is told`, async () => {
  let kills = 0
  let jobs = 0
  const wrong: unknown[] = []
  for (let round = 1; kills < KILLS; round++) {
    const { status, body } = await ask('POST', '/v1/products/bulk', { products: productsOf(round) })
    expect([status, body['total']]).toEqual([202, PRODUCTS])
    const path = `/v1/jobs/${body['job_id']}`
    let job = (await ask('GET', path)).body
    while (kills < KILLS && job['status'] === 'processing') {
      const before = Number(job['processed'])
      const killAt = before + random.below(Math.max(2, PRODUCTS >> 1))
      await until('some items are done', async () => {
        job = (await ask('GET', path)).body
        return job['status'] !== 'processing' || Number(job['processed']) >= killAt
      })
      await Bun.sleep(random.below(20))
      await service.crash()
      kills++
      wrong.push(...readDatabase().faults)
      await start()
      job = (await ask('GET', path)).body
    }
    await until(
      'the job is over',
      async () => {
        job = (await ask('GET', path)).body
        return job['finished_at'] !== null
      },
      120_000,
    )
    const { succeeded, unchanged, failed } = job
    // Exactly: an item that was done twice would be counted as unchanged.
    if (succeeded !== PRODUCTS || unchanged !== 0 || failed !== 0) wrong.push(job)
    const { products, faults } = readDatabase()
    wrong.push(...faults, ...products.filter((product) => product.round !== round))
    if (products.length !== PRODUCTS) wrong.push(`${products.length} products`)
    jobs++
  }
  const changes = await readChanges()
  // Each job made or changed every product once.
  if (changes.length !== jobs * PRODUCTS) wrong.push(`${changes.length} changes of ${jobs} jobs`)
  const untold = () => changes.filter((change) => !told.has(change))
  await until('every change is delivered', () => untold().length === 0, 120_000).catch(() =>
    wrong.push(...untold()),
  )
  const measured = `${jobs} jobs of ${PRODUCTS} products, ${changes.length} changes delivered, ${wrong.length} items lost, repeated or inconsistent`
  const run = { on: 'program', n: kills, measured, isMet: wrong.length === 0 } as const
  recordBar({ bar: 1, part: 'bulk jobs', ...run })
  recordBar({ bar: 8, part: 'kills', ...run })
  expect(wrong).toEqual([])
  expect(kills).toBe(KILLS)
}, 7_200_000)

test('SIGTERM puts running items back within its time, and the next start goes on', async () => {
  const { body } = await ask('POST', '/v1/products/bulk', { products: productsOf(1_000) })
  const path = `/v1/jobs/${body['job_id']}`
  const events = await fetch(`${service.address}${path}/events`, {
    headers: { authorization: `Bearer ${install.token}` },
  })
  const followed = events.text()
  expect(await service.stop()).toBe(0)
  expect(await followed).toContain('event: progress')
  const states = readDatabase().items as { state: string }[]
  expect(states.map(({ state }) => state)).not.toContain('running')
  await start()
  await until('the job is over', async () => (await ask('GET', path)).body['finished_at'] !== null, 120_000)
  expect((await ask('GET', path)).body).toMatchObject({ succeeded: PRODUCTS, failed: 0 })
}, 180_000)

test('a body that is cut off leaves nothing', async () => {
  const count = async () => ((await ask('GET', '/v1/jobs?limit=100')).body['jobs'] as unknown[]).length
  const before = await count()
  const cut = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(new TextEncoder().encode(`{"products": [${'{"product_id": "a"},'.repeat(10_000)}`))
      await Bun.sleep(5)
    },
  })
  const sending = fetch(`${service.address}/v1/products/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${install.token}`, 'content-type': 'application/json' },
    body,
    signal: cut.signal,
  }).catch(() => undefined)
  const spooled = async () => [...new Bun.Glob('*').scanSync({ cwd: join(install.dataDir, 'bodies') })]
  await until('the body arrives', async () => (await spooled().catch(() => [])).length === 1)
  cut.abort()
  await sending
  await until('the file is gone', async () => (await spooled()).length === 0)
  expect(await count()).toBe(before)
}, 60_000)
