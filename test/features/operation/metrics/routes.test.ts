import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { EmbedderGauges } from '../../../../src/platform/embedder/embedder.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { startBulk } from '../../catalogue/jobs/jobs.ts'

const TOKEN = 'a-token-of-the-tests'

/** What the metrics say: values by name and labels, as in `jobs_running` or `stores_total{status="active"}`. */
async function scrape(app: TestApp, headers: Record<string, string> = { host: 'localhost' }) {
  const response = await app.http.handle(new Request('http://localhost/metrics', { headers }))
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const values = new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]))
  return { status: response.status, headers: response.headers, text, values }
}

describe('who may read the metrics (contract 8.1)', () => {
  let app: TestApp
  let closed: TestApp
  beforeAll(() => {
    app = testApp({}, { METRICS_TOKEN: TOKEN, TRUSTED_PROXIES: '127.0.0.1/32' })
    closed = testApp()
  })
  afterAll(async () => {
    await app.close()
    await closed.close()
  })

  test.each(['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:9', 'LOCALHOST'])(
    'a program on this machine may, by the name %s',
    async (host) => {
      expect((await scrape(app, { host })).status).toBe(200)
    },
  )

  test.each([
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-proto': 'https' },
    { 'x-real-ip': '127.0.0.1' },
    { 'x-client-ip': '127.0.0.1' },
    { 'true-client-ip': '127.0.0.1' },
    { 'cf-connecting-ip': '127.0.0.1' },
    { host: 'search.shop.example' },
    { host: 'localhost.shop.example' },
    { host: '' },
    { authorization: 'Bearer ' },
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: `Basic ${TOKEN}` },
  ])('%p is not enough where others could send it', async (header) => {
    const host = 'authorization' in header ? 'search.shop.example' : 'localhost'
    const headers = { host, ...header } as Record<string, string>
    const answer = await scrape(app, headers)
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'unauthorized' })
    expect(answer.headers.get('www-authenticate')).toStartWith('Bearer')
    expect((await scrape(closed, headers)).status).toBe(401)
  })

  test('whoever has the token may from everywhere, also through a proxy', async () => {
    const headers = {
      host: 'search.shop.example',
      authorization: `Bearer ${TOKEN}`,
      'x-forwarded-for': '9.9.9.9',
    }
    const { status, headers: answered } = await scrape(app, headers)
    expect(status).toBe(200)
    expect(answered.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(answered.get('cache-control')).toBe('no-store')
    expect((await scrape(closed, headers)).status).toBe(401)
  })
})

/** A request is counted after its answer has left. */
const counted = () => new Promise((resolve) => setImmediate(resolve))

describe('what the metrics count', () => {
  test('requests by the pattern of their route, never by what a client made up', async () => {
    const app = testApp()
    const token = await app.signIn()
    await counted()
    const before = (await scrape(app)).values.get('http_request_duration_seconds_count') ?? 0
    for (const path of ['/v1/products/sku-1', '/v1/products/sku-2']) await app.call('GET', path, { token })
    await app.call('GET', '/v1/products/sku-1')
    await app.call('GET', '/nothing/here')
    await app.call('PUT', '/v1/products')
    await counted()
    const { values, text } = await scrape(app)
    const count = (labels: string) => values.get(`http_requests_total{${labels}}`)
    expect(count('method="GET",route="/v1/products/:product_id",status="404"')).toBe(2)
    expect(count('method="GET",route="/v1/products/:product_id",status="401"')).toBe(1)
    expect(count('method="other",route="other",status="404"')).toBe(1)
    expect(count('method="other",route="other",status="405"')).toBe(1)
    // The first scrape is counted after its answer.
    expect((values.get('http_request_duration_seconds_count') ?? 0) - before).toBe(6)
    expect(text).not.toMatch(/sku-|nothing/)
    await app.close()
  })

  test('searches by type and stage', async () => {
    const app = testApp()
    const token = await app.signIn()
    await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    const { values } = await scrape(app)
    for (const stage of ['read', 'rank', 'total']) {
      expect(values.get(`search_duration_seconds_count{type="text",stage="${stage}"}`)).toBe(1)
    }
    await app.close()
  })

  test('stores, products and jobs, and the items that failed', async () => {
    const app = testApp()
    const token = await app.signIn()
    await app.store('two')
    const bad = { product_id: 'sku-2', image_url: 'https://img.test/none.jpg', metadata: {} }
    const good = { product_id: 'sku-3', image_url: app.picture('three', 3), metadata: {} }
    const job = await startBulk(app, token, [bad, good])
    const running = await scrape(app)
    expect(running.values.get('jobs_running')).toBe(1)
    expect(running.values.get('job_items_waiting')).toBeWithin(1, 3)
    expect(running.values.get('stores_total{status="active"}')).toBe(2)
    const storeId = app.stores.requireBySlug('one').id
    await app.jobs.waitUntilOver(storeId, job)
    app.clock.advance(10_000)
    const { values } = await scrape(app)
    expect(values.get('jobs_running')).toBe(0)
    expect(values.get('job_items_failed_total')).toBe(1)
    expect(values.get('job_items_done_total')).toBe(1)
    expect(values.get('products_total')).toBe(1)
    await app.close()
  })

  test('the queue of the model, its time, and the memory of its processes', async () => {
    let listener: Parameters<EmbedderGauges['watch']>[0] = () => {}
    const none = { tasks: 0, oldestMs: 0 }
    const idle = { search: none, index: none, bulk: none }
    const gauges: EmbedderGauges = {
      watch(given) {
        listener = given
      },
      readQueues: () => ({ text: idle, picture: { ...idle, bulk: { tasks: 3, oldestMs: 2_500 } } }),
      readMemoryBytes: () => ({ text: 5, picture: undefined }),
    }
    const app = testApp({ embedder: { ...fakeEmbedder(), gauges } })
    listener('picture', { waitMs: 2_000, workMs: 30 })
    const { values } = await scrape(app)
    expect(values.get('embed_queue_depth{kind="picture",stage="bulk"}')).toBe(3)
    expect(values.get('embed_queue_oldest_seconds{kind="picture",stage="bulk"}')).toBe(2.5)
    expect(values.get('embed_queue_depth{kind="text",stage="search"}')).toBe(0)
    expect(values.get('embed_duration_seconds_sum{kind="picture",stage="wait"}')).toBe(2)
    expect(values.get('embed_duration_seconds_sum{kind="picture",stage="work"}')).toBe(0.03)
    expect(values.get('process_memory_bytes{process="model_text"}')).toBe(5)
    expect(values.has('process_memory_bytes{process="model_picture"}')).toBe(false)
    expect(values.get('process_memory_bytes{process="service"}')).toBeGreaterThan(1_000_000)
    expect(values.get(`model_info{id="fake",hash="${'f'.repeat(64)}",dimension="8"}`)).toBe(1)
    await app.close()
  })

  test('the last backup that counts; nothing before there is one', async () => {
    const app = testApp()
    expect((await scrape(app)).values.has('backup_last_success_timestamp')).toBe(false)
    app.db
      .prepare(
        `INSERT INTO backups (id, state, started_by, path, has_secrets, is_rotated, started_at, made_at)
       VALUES ('b', 'completed', 'schedule', '/b', 1, 1, 0, ?)`,
      )
      .run(1_900_000_000_000)
    expect((await scrape(app)).values.get('backup_last_success_timestamp')).toBe(1_900_000_000)
    await app.close()
  })
})

test('a client that tries everything gets 400 series, and no more', async () => {
  const app = testApp()
  const meters = (await import('../../../../src/features/operation/metrics/meters.ts')).createMeters()
  for (let n = 0; n < 3_000; n++) {
    meters.countRequest({ method: 'GET', route: `/v1/route-${n}`, status: 200, durationMs: 1 })
  }
  const text = await meters.read()
  expect(text.match(/^http_requests_total\{/gm)).toHaveLength(401)
  expect(text).toContain('http_requests_total{method="other",route="other",status="200"} 2600')
  await app.close()
})
