import { afterAll, beforeAll, expect, test } from 'bun:test'
import { recordBar } from './bars.ts'
import { type Connection, firstStatus, openConnection, statuses } from './connection.ts'
import { readRepetitions } from './random.ts'
import type { ApiDocument } from './requests.ts'
import {
  type Install,
  newInstall,
  productForm,
  readMemory,
  type Service,
  startService,
  until,
} from './service.ts'

const SLOW_SENDERS = readRepetitions('HTTP_SLOW_SENDERS', 50)
const ABORTED_UPLOADS = readRepetitions('HTTP_ABORTED_UPLOADS', 60)
const LEGITIMATE = 40
const MEGABYTE = 1024 * 1024
/** More than any route takes, and more than the service reads at all. */
const HUGE = 120 * MEGABYTE
const GROWTH_MB = 250

let install: Install
let service: Service
let before: number
/** Refusals that were seen. */
let refused = 0

beforeAll(async () => {
  install = await newInstall()
  service = await startService(install, { settings: { TRUSTED_PROXIES: '127.0.0.1/32' } })
  expect((await upload('first', 1)).status).toBe(201)
  before = memory()
}, 60_000)
afterAll(async () => {
  await service?.crash()
  install.remove()
})

const bearer = () => ({ authorization: `Bearer ${install.token}` })
const memory = () => (process.platform === 'linux' ? readMemory(service.pid).peak : 0)

const upload = async (id: string, seed: number) =>
  fetch(`${service.address}/v1/products`, {
    method: 'POST',
    headers: bearer(),
    body: await productForm(id, seed),
  })

/** A shop's ordinary work goes on: search, lists and health are all answered. */
async function expectGoodService(): Promise<void> {
  const headers = { ...bearer(), 'content-type': 'application/json' }
  const body = JSON.stringify({ query: 'red', analytics: false })
  const answers = await Promise.all(
    Array.from({ length: LEGITIMATE }, (_, n) =>
      n % 4 === 0
        ? fetch(`${service.address}/v1/search/text`, { method: 'POST', headers, body })
        : fetch(`${service.address}${n % 4 === 1 ? '/health' : '/v1/products'}`, { headers }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(LEGITIMATE).fill(200))
}

async function conversation(...said: (string | Uint8Array)[]): Promise<string> {
  const connection = await openConnection(service.address)
  for (const part of said) connection.send(part)
  const answer = await connection.ended()
  connection.close()
  return answer
}

let networks = 0

/** The head of a request; each comes from a network of its own, or the budgets of addresses would answer. */
const head = (method: string, path: string, ...headers: string[]): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: lookalike',
    `x-forwarded-for: 198.18.${++networks % 256}.${networks >> 8}`,
    `authorization: Bearer ${install.token}`,
    ...headers,
    '',
    '',
  ].join('\r\n')

test(`${SLOW_SENDERS} clients that send their headers byte by byte hold nobody up`, async () => {
  const senders = await Promise.all(
    Array.from({ length: SLOW_SENDERS }, () => openConnection(service.address)),
  )
  const words = head('GET', '/health', 'x-slow: yes')
  for (let at = 0; at < 40; at++) for (const sender of senders) sender.send(words[at] ?? '')
  await expectGoodService()
  // The ones that finish after all are answered as well.
  for (const sender of senders) sender.send(words.slice(40))
  await until('all are answered', () => senders.every((sender) => firstStatus(sender.received()) === 200))
  for (const sender of senders) sender.close()
  const measured = 'others were answered meanwhile, and each of them at its end'
  recordBar({ bar: 28, part: 'slow senders', on: 'program', n: senders.length, measured, isMet: true })
  expect(senders.length).toBe(SLOW_SENDERS)
}, 60_000)

test('clients that connect and say nothing hold nobody up', async () => {
  const silent = await Promise.all(Array.from({ length: 200 }, () => openConnection(service.address)))
  await expectGoodService()
  for (const connection of silent) connection.close()
}, 60_000)

/** A widget's requests are judged by key and origin first; `widget/searches.test.ts` sends them too much. */
const isOfWidget = (path: string): boolean => path.startsWith('/v1/widget/')
/** These refuse who calls before they look at the body: no super-admin, events without a signature, pages of other sites. */
const isClosed = (path: string): boolean =>
  ['/v1/admin/', '/v1/node/'].some((closed) => path.startsWith(closed)) ||
  ['/v1/billing/stripe/webhook', '/portal/session'].includes(path)

/** Every other operation that takes a body, with its first media type. */
async function operationsWithBody(): Promise<{ method: string; path: string; type: string }[]> {
  const { paths } = (await (await fetch(`${service.address}/openapi.json`)).json()) as ApiDocument
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) => {
      const [type] = Object.keys(requestBody?.content ?? {})
      const url = path.replace(/\{[^}]+\}/g, 'x')
      return type === undefined || isOfWidget(path) || isClosed(path)
        ? []
        : [{ method: method.toUpperCase(), path: url, type }]
    }),
  )
}

test('a body that is announced as too large is refused with 413 before it comes', async () => {
  for (const { method, path, type } of await operationsWithBody()) {
    // These two go to the disk as they arrive.
    const least = /\/(bulk|import)$/.test(path) ? [101 * MEGABYTE] : [16 * MEGABYTE, 90 * MEGABYTE]
    for (const length of [...least, HUGE, 1e15]) {
      const answer = await conversation(
        head(method, path, `content-type: ${type}`, `content-length: ${length}`),
      )
      expect([method, path, length, firstStatus(answer)]).toEqual([method, path, length, 413])
      refused++
    }
  }
  await expectGoodService()
}, 120_000)

/** Sends chunks of zeros until the other side answers or closes; whatever comes first. */
async function pour(connection: Connection, total: number): Promise<void> {
  const data = new Uint8Array(MEGABYTE)
  for (
    let sent = 0;
    sent < total && connection.isOpen() && connection.received() === '';
    sent += data.length
  ) {
    connection.send(`${data.length.toString(16)}\r\n`)
    const isTaken = connection.socket.write(data)
    connection.send('\r\n')
    if (!isTaken)
      await Promise.race([new Promise((done) => connection.socket.once('drain', done)), connection.ended()])
  }
  if (connection.isOpen()) connection.send('0\r\n\r\n')
}

test('a body that grows too large on its way is refused with a 4xx or cut off', async () => {
  for (const { method, path, type } of await operationsWithBody()) {
    const connection = await openConnection(service.address)
    const boundary = type === 'multipart/form-data' ? '; boundary=b' : ''
    connection.send(head(method, path, `content-type: ${type}${boundary}`, 'transfer-encoding: chunked'))
    await pour(connection, HUGE)
    await until('it is answered or closed', () => connection.received() !== '' || !connection.isOpen())
    const status = firstStatus(connection.received())
    expect([method, path, status ?? 413]).toEqual([method, path, 413])
    refused++
    connection.close()
  }
  await expectGoodService()
}, 120_000)

test('too many or too long headers are refused with 431', async () => {
  const many = Array.from({ length: 10_000 }, (_, n) => `x-${n}: y`)
  for (const headers of [many, [`x-long: ${'y'.repeat(500_000)}`], [`cookie: ${'a=b; '.repeat(20_000)}`]]) {
    expect(firstStatus(await conversation(head('GET', '/health', ...headers)))).toBe(431)
    refused++
  }
  const path = `/v1/products/${'p'.repeat(200_000)}`
  expect([400, 404, 414, 431]).toContain(firstStatus(await conversation(head('GET', path))) as number)
  await expectGoodService()
}, 60_000)

/** Each is answered with a refusal, or the connection is closed without a word; none is taken for a request. */
const MALFORMED: Record<string, string> = {
  'no HTTP at all': 'hello\r\n\r\n',
  'TLS to a plain port': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(500, '\x07'),
  'an unknown version': 'GET /health HTTP/9.9\r\nhost: a\r\n\r\n',
  'no host': 'GET /health HTTP/1.1\r\n\r\n',
  'a header without a colon': 'GET /health HTTP/1.1\r\nhost: a\r\nnonsense\r\n\r\n',
  'a space before the colon': 'GET /health HTTP/1.1\r\nhost: a\r\ncontent-length : 0\r\n\r\n',
  'a NUL in a header': 'GET /health HTTP/1.1\r\nhost: a\r\nx: \0\r\n\r\n',
  'a length that is none': 'POST /oauth/token HTTP/1.1\r\nhost: a\r\ncontent-length: ten\r\n\r\n',
  'a negative length': 'POST /oauth/token HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n',
  'two lengths':
    'POST /oauth/token HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd',
  'a length and chunks':
    'POST /oauth/token HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'an unknown encoding': 'POST /oauth/token HTTP/1.1\r\nhost: a\r\ntransfer-encoding: magic\r\n\r\nabc',
  'a chunk of no size':
    'POST /oauth/token HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n',
  'a chunk of endless size':
    'POST /oauth/token HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nabc\r\n0\r\n\r\n',
}

test.each(Object.entries(MALFORMED))(
  '%s is no request',
  async (_, text) => {
    const connection = await openConnection(service.address)
    connection.send(Buffer.from(text, 'latin1'))
    await until(
      'it is answered or closed',
      () => connection.received() !== '' || !connection.isOpen(),
      10_000,
    )
    const answer = connection.received()
    const status = firstStatus(answer)
    connection.close()
    // Every answer to what was taken for a request has its id.
    if (!text.includes('\r\nabc\r\n')) expect(answer.toLowerCase()).not.toContain('x-request-id')
    // 505 is for versions of HTTP that nobody speaks.
    expect(status === undefined || (status >= 400 && status < 500) || status === 505).toBe(true)
    refused++
    expect((await fetch(`${service.address}/health`)).status).toBe(200)
  },
  30_000,
)

test('requests sent in one go over one connection are answered in their order', async () => {
  const connection = await openConnection(service.address)
  const paths = Array.from({ length: 50 }, (_, n) => (n % 5 === 4 ? '/nowhere' : '/health'))
  connection.send(paths.map((path) => head('GET', path)).join(''))
  await until('all are answered', () => statuses(connection.received()).length >= paths.length)
  expect(statuses(connection.received())).toEqual(paths.map((path) => (path === '/health' ? 200 : 404)))
  connection.close()
}, 30_000)

test(`${ABORTED_UPLOADS} uploads that break off leave nothing behind`, async () => {
  const whole = new Response(await productForm('aborted', 2))
  const type = `content-type: ${whole.headers.get('content-type')}`
  const bytes = await whole.bytes()
  await Promise.all(
    Array.from({ length: ABORTED_UPLOADS }, async (_, n) => {
      const connection = await openConnection(service.address)
      connection.send(head('POST', '/v1/products', type, `content-length: ${bytes.length}`))
      const part = bytes.subarray(0, Math.floor((bytes.length * n) / ABORTED_UPLOADS))
      await new Promise((done) => connection.socket.write(part, done))
      if (n % 2 === 0) connection.socket.resetAndDestroy()
      else connection.close()
    }),
  )
  await expectGoodService()
  refused += ABORTED_UPLOADS
  const { status } = await fetch(`${service.address}/v1/products/aborted`, { headers: bearer() })
  expect(status).toBe(404)
}, 60_000)

test('after all that memory is bounded and a product can be indexed', async () => {
  const growth = memory() - before
  recordBar({
    bar: 28,
    part: 'limits',
    on: 'program',
    n: refused,
    measured: '413, 431, 4xx or closed, and others answered',
    isMet: true,
  })
  recordBar({
    bar: 28,
    part: 'memory',
    on: 'program',
    n: 1,
    measured: `peak ${growth.toFixed(0)} MB above the start`,
    isMet: growth < GROWTH_MB,
  })
  expect(refused).toBeGreaterThan(ABORTED_UPLOADS + Object.keys(MALFORMED).length)
  expect(growth).toBeLessThan(GROWTH_MB)
  expect((await upload('last', 3)).status).toBe(201)
}, 30_000)
