import { afterAll, beforeAll, expect, test } from 'bun:test'
import { PLANS } from '../../src/core/plans.ts'
import { type Db, openDatabase } from '../../src/platform/db/open.ts'
import { recordBar } from './bars.ts'
import {
  type Install,
  newInstall,
  runCommand,
  type Service,
  smallPicture,
  startService,
  until,
} from './service.ts'

/** What a free store may leave in an hour beside what its plan counts. */
const HOUR_BYTES_MAX = 50_000_000
const PRODUCTS = 50
const { requestsPerMinute, changeBytesMax, feedbackEventsMax } = PLANS.free

let install: Install
let service: Service
/** Opened once: the polls below read several times a second. */
let db: Db
let widgetKey = ''

beforeAll(async () => {
  install = await newInstall()
  service = await startService(install)
  db = openDatabase(install.dataDir)
}, 90_000)
afterAll(async () => {
  db?.close()
  await service?.crash()
  install.remove()
})

async function ask(method: string, path: string, body?: unknown) {
  const isPage = path.startsWith('/v1/widget/')
  const response = await fetch(service.address + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(isPage
        ? { 'x-service-key': widgetKey, origin: 'https://shop.example' }
        : { authorization: `Bearer ${install.token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** Bytes of the database that hold something. */
function readBytes(): number {
  const read = (name: string) => Number(db.pragma(name, { simple: true }))
  return (read('page_count') - read('freelist_count')) * read('page_size')
}

/** Items of a job that were done. */
const readSucceeded = (jobId: string): unknown =>
  db.prepare('SELECT succeeded FROM jobs WHERE job_id = ? AND finished_at IS NOT NULL').pluck().get(jobId)

/** Does something several times. @returns the bytes that one time leaves. */
async function measure(times: number, work: (n: number) => Promise<unknown>): Promise<number> {
  // What waits to be written belongs to it; a report counts all of it.
  const flush = () => ask('GET', '/v1/search/analytics')
  await flush()
  const before = readBytes()
  for (let n = 0; n < times; n++) await work(n)
  await flush()
  await until('the searches are written', async () => {
    const bytes = readBytes()
    await Bun.sleep(700)
    return readBytes() === bytes
  })
  return (readBytes() - before) / times
}

function judge(part: string, n: number, each: number, times: number, bound = Infinity): void {
  const hour = Math.min(each * times, bound)
  const isMet = hour <= HOUR_BYTES_MAX
  const inMB = (bytes: number) => (bytes / 1e6).toFixed(2)
  const measured = `${inMB(each)} MB each, ${times} in an hour: ${inMB(hour)} MB stay`
  recordBar({ bar: 45, part, on: 'program', n, measured, isMet })
  expect(`${part}: ${hour}`).toBe(`${part}: ${Math.min(hour, HOUR_BYTES_MAX)}`)
}

test('products that are made and deleted leave no more than the feed of changes may hold', async () => {
  const image = Buffer.from(await (await smallPicture(1)).arrayBuffer()).toString('base64')
  const round = async (n: number) => {
    const products = Array.from({ length: PRODUCTS }, (_, i) => ({
      product_id: `p${i}`,
      image_url: `data:image/png;base64,${image}`,
      metadata: { group: 'all', round: n, note: 'x'.repeat(15_900) },
    }))
    const { job_id } = await ask('POST', '/v1/products/bulk', { products })
    // Asking the service would spend the plan's requests.
    await until('the job is over', async () => readSucceeded(String(job_id)) === PRODUCTS)
    await ask('DELETE', '/v1/products', { filters: [{ field: 'group', operator: 'eq', value: 'all' }] })
  }
  await round(0)
  const begin = readBytes()
  // More than the feed of a free store holds.
  const rounds = Math.ceil((1.1 * changeBytesMax) / (PRODUCTS * 16_600))
  const each = await measure(rounds, round)
  // From here on the store is on the plan.
  await runCommand(install.dataDir, 'store', 'set-plan', 'robust', 'free')
  await round(rounds + 1)
  const left = readBytes() - begin
  judge('products', rounds, each, (60 * requestsPerMinute) / 2, left)
  await runCommand(install.dataDir, 'store', 'set-plan', 'robust', 'enterprise')
}, 300_000)

const line = (n: number, i: number) => ({
  ...{ action: 'purchase', result_product_id: `p${i % PRODUCTS}`, order_value: 9.5, currency: 'EUR' },
  ...{ order_id: `order ${n}-${i}-${'x'.repeat(100)}`, session_id: `session ${i}-${'x'.repeat(48)}` },
})
const list = (n: number) => ({ events: Array.from({ length: 1_000 }, (_, i) => line(n, i)) })

test('lists of feedback, single events and those of pages leave little', async () => {
  const each = await measure(5, (n) => ask('POST', '/v1/search/feedback', list(n)))
  judge('feedback lists', 5, each, requestsPerMinute)
  const single = await measure(300, (n) => ask('POST', '/v1/search/feedback', line(-1, n)))
  judge('feedback', 300, single, 600 * requestsPerMinute, (each / 1_000) * feedbackEventsMax)
  const { key } = await ask('POST', '/v1/security/public-keys', {
    name: 'pages',
    origins: ['https://shop.example'],
    rate_per_minute: 1_000,
  })
  widgetKey = String(key)
  // As long as a body of a page may be.
  const short = (n: number) => ({ events: list(n).events.slice(0, 700) })
  const page = (await measure(1, (n) => ask('POST', '/v1/widget/search/feedback', short(1_000 + n)))) / 0.7
  judge('feedback of pages', 1, page, 60, (page / 1_000) * feedbackEventsMax)
}, 120_000)

test('searches leave little', async () => {
  const query = (n: number) => ({
    query: `red mug ${n} ${'word '.repeat(95)}`.slice(0, 500),
    session_id: `${n} ${'x'.repeat(58)}`,
    fields: Array.from({ length: 50 }, (_, i) => `field ${i} ${'x'.repeat(80)}`),
  })
  const each = await measure(200, (n) => ask('POST', '/v1/search/text', query(n)))
  judge('searches', 200, each, 60 * requestsPerMinute)
}, 120_000)
