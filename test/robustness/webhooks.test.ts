import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { recordBar } from './bars.ts'
import { type Client, createClient } from './client.ts'
import { readRepetitions, seededRandom } from './random.ts'
import { type Install, newInstall, productForm, type Service, startService, until } from './service.ts'

const EVENTS = readRepetitions('WEBHOOK_EVENTS', 300)
const PER_ROUND = 40
const WRITERS = 4
const PRODUCTS = 24
const SETTINGS = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }
const HOOKS = '/v1/search/webhooks'

const random = seededRandom(readRepetitions('CRASH_SEED', 11))

interface Message {
  id: string
  event: string
  timestamp: string
  product: string
  /** Of the envelope, without what differs between webhooks. */
  text: string
  atMs: number
}

/** Receivers by path. */
const receivers: Record<string, (request: Request, message: () => Promise<Message>) => Promise<Response>> = {}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 60,
  async fetch(request) {
    const body = await request.text()
    const read = async (): Promise<Message> => {
      const { event, timestamp, data } = JSON.parse(body)
      const id = request.headers.get('webhook-id') ?? ''
      const text = JSON.stringify([event, timestamp, data])
      return { id, event, timestamp, product: data.product_id, text, atMs: performance.now() }
    }
    const path = new URL(request.url).pathname
    const headers = Object.fromEntries(request.headers)
    if (secrets[path] !== undefined) new Webhook(secrets[path]).verify(body, headers)
    return (await receivers[path]?.(request, read)) ?? new Response('nobody', { status: 404 })
  },
  error: () => {
    unverified++
    return new Response('not genuine', { status: 400 })
  },
})
const secrets: Record<string, string> = {}
let unverified = 0

let install: Install
let service: Service
let client: Client

async function start(): Promise<void> {
  service = await startService(install, { settings: SETTINGS })
  client = createClient(service.address, install.token)
}

beforeEach(async () => {
  install = await newInstall()
  await start()
}, 60_000)
afterEach(async () => {
  await service?.crash()
  install.remove()
})
afterAll(() => server.stop(true))

async function hook(path: string): Promise<string> {
  const url = `http://127.0.0.1:${server.port}${path}`
  const events = ['product.indexed', 'product.updated', 'product.deleted']
  const { status, body } = await client('POST', HOOKS, { url, events })
  expect(status).toBe(200)
  secrets[path] = String(body['standard_secret'])
  return String(body['id'])
}

/** Every change of the feed, as the text that its message carries. */
async function readFeed(): Promise<string[]> {
  const texts: string[] = []
  for (let after = 0, hasMore = true; hasMore; after = texts.length) {
    const { body } = await client('GET', `/v1/changes?after=${after}&limit=1000`)
    const changes = body['changes'] as { number: number; event: string; timestamp: string; data: object }[]
    for (const { number, event, timestamp, data } of changes) {
      expect(number).toBe(texts.length + 1)
      texts.push(JSON.stringify([event, timestamp, data]))
    }
    hasMore = Boolean(body['has_more'])
  }
  return texts
}

/** Sends what still waits for its next attempt at once. @returns how many deliveries those are. */
async function hurry(id: string): Promise<number> {
  const { body } = await client('GET', `${HOOKS}/${id}/deliveries?state=pending&limit=100`)
  const waiting = body['deliveries'] as { id: string; next_attempt_at: string }[]
  const late = waiting.filter(({ next_attempt_at }) => Date.parse(next_attempt_at) > Date.now())
  for (const delivery of late) await client('POST', `${HOOKS}/deliveries/${delivery.id}/resend`)
  return waiting.length
}

test(`through kill -9 every acknowledged change arrives, and none that was undone (${EVENTS} events)`, async () => {
  const got: Message[] = []
  let isHealthy = false
  receivers['/flaky'] = async (_, read) => {
    const message = await read()
    const chance = random.below(10)
    // Half of the failures come after the receiver has taken the message.
    if (isHealthy || chance >= 5 || chance < 2) got.push(message)
    if (isHealthy || chance >= 5) return new Response('ok')
    if (chance === 4) return new Response(null, { status: 302, headers: { location: '/elsewhere' } })
    return new Response('out of order', { status: chance % 2 === 0 ? 500 : 429 })
  }
  const id = await hook('/flaky')
  const acknowledged: { product: string; version: number | undefined }[] = []
  let version = 0
  let kills = 0

  async function write(): Promise<boolean> {
    const product = `product-${random.below(PRODUCTS)}`
    const isRemoval = random.below(5) === 0
    const own = ++version
    const answer = await (isRemoval
      ? client('DELETE', `/v1/products/${product}`)
      : client(
          'POST',
          '/v1/products',
          await productForm(product, random.below(8), { version: own, name: 'Größe 😀' }),
        )
    ).catch(() => undefined)
    if (!answer) return false
    if (answer.status < 300) acknowledged.push({ product, version: isRemoval ? undefined : own })
    return true
  }

  while (acknowledged.length < EVENTS) {
    const killAt = acknowledged.length + 1 + random.below(PER_ROUND)
    let isKilled = false
    const writer = async () => {
      while (!isKilled && (await write())) {
        if (acknowledged.length < killAt || isKilled) continue
        isKilled = true
        await Bun.sleep(random.below(12))
        await service.crash()
        kills++
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, writer))
    await start()
  }

  isHealthy = true
  await until('everything is delivered', async () => (await hurry(id)) === 0, 60_000)
  const feed = await readFeed()
  const told = new Set(got.map(({ text }) => text))
  const lost = feed.filter((text) => !told.has(text))
  const undone = [...told].filter((text) => !feed.includes(text))
  // A change has one delivery, however often it was sent.
  const ids = Map.groupBy(got, ({ text }) => text)
  const torn = [...ids.values()].filter((same) => new Set(same.map((message) => message.id)).size > 1)
  const versions = new Set(
    feed
      .map((text) => JSON.parse(text))
      .flatMap(([event, , data]) => (event === 'product.indexed' ? [data.metadata.version] : [])),
  )
  const updates = feed.filter((text) => text.startsWith('["product.updated"')).length
  const removals = feed.filter((text) => text.startsWith('["product.deleted"')).length
  const saved = acknowledged.filter(({ version }) => version !== undefined)
  const isWhole = versions.size + updates >= saved.length && removals >= acknowledged.length - saved.length

  const measured = `${kills} kills, ${feed.length} changes, ${got.length} messages taken, ${lost.length} lost, ${undone.length} of undone changes, ${torn.length} with two ids, ${unverified} not verified`
  const isMet = isWhole && lost.length + undone.length + torn.length + unverified === 0
  recordBar({ bar: 9, part: 'events through kill -9', on: 'program', n: feed.length, measured, isMet })
  expect({ lost, undone, torn, unverified, isWhole }).toEqual({
    ...{ lost: [], undone: [], torn: [], unverified: 0, isWhole: true },
  })
  expect(kills).toBeGreaterThan(0)
}, 3_600_000)

test('each operation on a product emits its event', async () => {
  const got: Message[] = []
  receivers['/all'] = async (_, read) => {
    got.push(await read())
    return new Response('ok')
  }
  await hook('/all')
  const operations: [name: string, event: string, run: () => Promise<{ status: number }>][] = [
    [
      'POST of a new id',
      'product.indexed',
      async () => client('POST', '/v1/products', await productForm('p', 1)),
    ],
    ['POST again', 'product.updated', async () => client('POST', '/v1/products', await productForm('p', 2))],
    [
      ...(['PATCH', 'product.updated'] as const),
      () => client('PATCH', '/v1/products/p', { metadata: { price: 1 } }),
    ],
    ['PUT', 'product.updated', async () => client('PUT', '/v1/products/p', await productForm('p', 3))],
    ['DELETE', 'product.deleted', () => client('DELETE', '/v1/products/p')],
  ]
  const expected: string[] = []
  for (const [name, event, run] of operations) {
    const { status } = await run()
    expect([name, status < 300]).toEqual([name, true])
    expected.push(event)
    await until(`the event of ${name} arrives`, () => got.length >= expected.length)
  }
  const events = got.map(({ event }) => event)
  const isMet = Bun.deepEquals(events, expected)
  const measured = `${events.length} events of ${operations.length} operations`
  recordBar({ bar: 10, part: 'operations', on: 'program', n: operations.length, measured, isMet })
  expect(events).toEqual(expected)
}, 60_000)

test('a receiver that hangs holds up no other one', async () => {
  const got: Message[] = []
  const hanging: (() => void)[] = []
  receivers['/hangs'] = () => new Promise((resolve) => hanging.push(() => resolve(new Response('late'))))
  receivers['/works'] = async (_, read) => {
    got.push(await read())
    return new Response('ok')
  }
  for (let n = 0; n < 5; n++) await hook('/hangs')
  await hook('/works')
  const answeredAt: number[] = []
  for (let n = 0; n < 20; n++) {
    expect((await client('POST', '/v1/products', await productForm(`p${n}`, n % 8))).status).toBe(201)
    answeredAt.push(performance.now())
  }
  await until('all of them arrive', () => got.length === 20, 10_000)
  const delays = got.map(({ product, atMs }) => atMs - (answeredAt[Number(product.slice(1))] ?? 0))
  for (const end of hanging) end()
  expect(delays).toHaveLength(20)
  console.log(`a delivery beside five receivers that hang: at most ${Math.max(...delays).toFixed(0)} ms late`)
}, 60_000)
