import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildJobs } from '../../../../src/features/catalogue/jobs/module.ts'
import { createSpool } from '../../../../src/http/spool.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { countRows, fillDisk } from '../../../support/seed.ts'
import { openStore } from '../../../support/storage.ts'
import { countsOf, listProducts, postBulk, productsOf, readJob, startBulk, waitForJob } from './jobs.ts'

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  ;({ token, storeId } = await openStore(app, 'enterprise'))
})
afterEach(() => app.close())

const run = async (products: unknown[]) =>
  waitForJob(app, storeId, token, await startBulk(app, token, products))

const filesIn = (name: string): string[] => {
  const dir = join(app.workFolder, name)
  return existsSync(dir) ? readdirSync(dir) : []
}

const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
]

const jobRows = () => countRows(app, 'jobs', { store_id: storeId })
const itemRows = () => countRows(app, 'job_items', { store_id: storeId })

describe('POST /v1/products/bulk (contract 2.10)', () => {
  test('answers 202 with the id and the total, and every product can be found when the job is over', async () => {
    const { status, body } = await postBulk(app, token, { products: productsOf(app, 60) })
    expect([status, body['status'], body['total']]).toEqual([202, 'processing', 60])
    const job = await waitForJob(app, storeId, token, String(body['job_id']))
    expect(countsOf(job)).toEqual({
      ...{ status: 'completed', total: 60, processed: 60 },
      ...{ succeeded: 60, unchanged: 0, failed: 0, cancelled: 0 },
    })
    expect(job).toMatchObject({ type: 'bulk_index', progress: 1, errors: [], eta_seconds: null })
    expect(Object.keys(await listProducts(app, token))).toHaveLength(60)
    const found = await app.call('POST', '/v1/search/text', { token, body: { query: '3', limit: 100 } })
    expect(found.body['count']).toBe(60)
  })

  test('a second run of the same products changes nothing and downloads nothing', async () => {
    const products = productsOf(app, 5)
    await run(products)
    app.downloads.length = 0
    expect(countsOf(await run(products))).toMatchObject({ status: 'completed', unchanged: 5, succeeded: 0 })
    expect(app.downloads).toEqual([])
  })

  test('a wrong item fails alone, with its index, code, message and pointer', async () => {
    const [good] = productsOf(app, 1)
    const job = await run([
      { product_id: 'a', image_url: 'https://img.test/sku-0.jpg', metadata: { price: 'cheap' } },
      good,
      'no object',
      { product_id: 'bad/id' },
      { product_id: 'many', image_url: 'x', metadata: { deep: { a: { b: { c: { d: { e: 1 } } } } } } },
    ])
    expect(countsOf(job)).toMatchObject({ status: 'completed', total: 5, succeeded: 1, failed: 4 })
    const errors = job['errors'] as Record<string, unknown>[]
    expect(
      errors.map(({ index, product_id, error, retryable }) => [index, product_id, error, retryable]),
    ).toEqual([
      [0, 'a', 'validation_error', false],
      [2, null, 'validation_error', false],
      [3, 'bad/id', 'validation_error', false],
      [4, 'many', 'validation_error', false],
    ])
    expect(errors[0]).toMatchObject({
      message: 'metadata.price must be a number',
      details: { errors: [{ pointer: '/metadata/price', code: 'type' }] },
    })
  })

  test('an item whose picture fails for good is listed, and the job is failed when every item failed', async () => {
    const job = await run([{ product_id: 'a', image_url: 'https://img.test/none.jpg' }])
    expect(countsOf(job)).toMatchObject({ status: 'failed', failed: 1, succeeded: 0 })
    expect(job['errors']).toEqual([
      {
        index: 0,
        product_id: 'a',
        image_url: 'https://img.test/none.jpg',
        thumbnail_url: null,
        error: 'image_download_failed',
        message: 'The server answered 404',
        details: { reason: 'http_status', upstream_status: 404 },
        retryable: true,
      },
    ])
  })

  test('of several items about one product the last counts, with a warning', async () => {
    const [first, other] = productsOf(app, 2)
    const job = await run([first, other, { ...first, metadata: { name: 'last' } }])
    expect(countsOf(job)).toMatchObject({ total: 3, succeeded: 2, unchanged: 1, status: 'completed' })
    expect(job['warnings']).toEqual(['The product_id "sku-0" occurs more than once; the last item counts'])
    expect((await listProducts(app, token))['sku-0']).toBe('last')
  })

  test('pictures in data: URIs are kept, and the file of the job is gone when it is over', async () => {
    const picture = Buffer.concat([pictureBytes(1), Buffer.alloc(200_000, ' ')]).toString('base64')
    const job = await run([{ product_id: 'a', image_url: `data:image/jpeg;base64,${picture}` }])
    expect(countsOf(job)).toMatchObject({ succeeded: 1 })
    const { body } = await app.call('GET', '/v1/products/a', { token })
    expect(body['image_url']).toStartWith('http://lookalike.test/pictures/')
    expect([filesIn('bodies'), filesIn('jobs')]).toEqual([[], []])
  })

  test('fields beside the list are ignored, wherever they stand', async () => {
    const products = JSON.stringify(productsOf(app, 1))
    const body = `\ufeff { "note": [1, {"a": "]"}], "products" : ${products} , "callback_url": null, "x": "}" } `
    expect((await postBulk(app, token, body)).status).toBe(202)
  })

  test('one request spends one request of the plan', async () => {
    const { token: free } = await openStore(app, 'free', app.newSlug())
    const { headers } = await postBulk(app, free, { products: productsOf(app, 20, 'free') })
    expect(headers.get('ratelimit')).toContain('r=9')
  })

  test.each<[string, string, unknown[]]>([
    ['nothing', '', [400, 'invalid_json']],
    ['text that is no JSON', '{"products": [{]}', [400, 'invalid_json']],
    ['text that is cut off', '{"products": [{"product_id": "a"', [400, 'invalid_json']],
    ['text that goes on', '{"products": []} x', [400, 'invalid_json']],
    ['a list', '[]', [422, 'validation_error']],
    ['no products', '{}', [422, 'validation_error']],
    ['products that are no list', '{"products": {"a": 1}}', [422, 'validation_error']],
    ['an empty list', '{"products": []}', [422, 'validation_error']],
    ['two lists', '{"products": [1], "products": [2]}', [422, 'validation_error']],
    ['10,001 products', `{"products": [${'1,'.repeat(10_000)}1]}`, [422, 'validation_error']],
    [
      'a callback where none can be sent',
      '{"products": [1], "callback_url": "http://x.test"}',
      [422, 'url_not_allowed'],
    ],
  ])('%s is refused, and nothing is left', async (_name, body, expected) => {
    expect(refusal(await postBulk(app, token, body))).toEqual(expected)
    expect([jobRows(), filesIn('bodies')]).toEqual([0, []])
  })

  test('more than 1,000 fields beside the list are refused', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]))
    expect((await postBulk(app, token, { ...fields(1_000), products: [{}] })).status).toBe(202)
    const { status, body } = await postBulk(app, token, { ...fields(1_001), products: [{}] })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
  })

  test('a fault in the text is named with its line and column', async () => {
    const { body } = await postBulk(
      app,
      token,
      '{"products": [\n  {"product_id": "ä😀", "metadata": {"a": 1,}}]}',
    )
    expect(body['details']).toEqual({ line: 2, column: 45 })
    const late = await postBulk(app, token, '{"products": [\n{}\n  ;]}')
    expect(late.body['details']).toEqual({ line: 3, column: 3 })
  })

  test('another type is refused before anything is read, and too large a body by its announcement', async () => {
    const typed = await postBulk(app, token, '{}', { 'content-type': 'text/csv' })
    expect(refusal(typed)).toEqual([415, 'unsupported_media_type'])
    const large = await postBulk(app, token, '{}', { 'content-length': String(100 * 1024 * 1024 + 1) })
    expect(refusal(large)).toEqual([413, 'payload_too_large'])
  })

  test('a body that does not arrive completely is refused', async () => {
    const cut = await postBulk(app, token, '{"products": [1]}', { 'content-length': '5000' })
    expect(refusal(cut)).toEqual([400, 'invalid_request'])
    expect(filesIn('bodies')).toEqual([])
  })

  test('a store has at most 20 unfinished jobs', async () => {
    app.jobs.stop()
    for (let n = 0; n < 20; n++) await startBulk(app, token, productsOf(app, 1))
    expect(refusal(await postBulk(app, token, { products: productsOf(app, 1) }))).toEqual([503, 'overloaded'])
    const other = await openStore(app, 'enterprise', app.newSlug())
    expect((await postBulk(app, other.token, { products: productsOf(app, 1) })).status).toBe(202)
  })

  test('a key repeats the answer and starts no second job', async () => {
    const products = productsOf(app, 2)
    const key = { 'idempotency-key': 'k-1' }
    const first = await postBulk(app, token, { products }, key)
    const again = await postBulk(app, token, { products }, key)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
    expect(again.body).toEqual(first.body)
    expect(jobRows()).toBe(1)
    const other = await postBulk(app, token, { products: products.slice(1) }, key)
    expect(refusal(other)).toEqual([422, 'idempotency_key_reused'])
    await app.jobs.waitUntilOver(storeId, String(first.body['job_id']))
  })

  test('the plan takes products up to its cap, in the order of the request', async () => {
    const free = await openStore(app, 'free', app.newSlug())
    const id = await startBulk(app, free.token, productsOf(app, 60, 'p'))
    const job = await waitForJob(app, free.storeId, free.token, id)
    expect(countsOf(job)).toMatchObject({ status: 'completed', succeeded: 50, failed: 10 })
    const errors = job['errors'] as { index: number; error: string }[]
    expect(errors.map(({ index }) => index)).toEqual([50, 51, 52, 53, 54, 55, 56, 57, 58, 59])
    expect(errors[0]).toMatchObject({ error: 'product_limit_exceeded', details: { max_products: 50 } })
    expect(Object.keys(await listProducts(app, free.token))).toEqual(expect.arrayContaining(['p-0', 'p-49']))
  })

  test('a place that an earlier item could not use goes to a later one', async () => {
    const free = await openStore(app, 'free', app.newSlug())
    const products = productsOf(app, 52, 'p')
    app.web.delete(products[10]?.image_url as string)
    const id = await startBulk(app, free.token, products)
    const job = await waitForJob(app, free.storeId, free.token, id)
    const errors = job['errors'] as { index: number; error: string }[]
    expect(errors.map(({ index, error }) => [index, error])).toEqual([
      [10, 'image_download_failed'],
      [51, 'product_limit_exceeded'],
    ])
  })

  test('the first 100 errors come with the job, all of them in pages', async () => {
    const id = await startBulk(app, token, Array(150).fill({}))
    const job = await waitForJob(app, storeId, token, id)
    expect([(job['errors'] as unknown[]).length, job['errors_truncated']]).toEqual([100, true])
    const first = await app.call('GET', `${job['errors_url']}?limit=100`, { token })
    const cursor = first.body['next_cursor']
    const second = await app.call('GET', `${job['errors_url']}?limit=100&cursor=${cursor}`, { token })
    const errors = [...(first.body['errors'] as object[]), ...(second.body['errors'] as object[])]
    expect(errors.map((error) => (error as { index: number }).index)).toEqual(
      Array.from({ length: 150 }, (_, n) => n),
    )
    expect(second.body['next_cursor']).toBeNull()
    expect(await readJob(app, token, id)).toEqual(job)
  })

  test('ten thousand products are taken in many short steps, and only 202 makes the job visible', async () => {
    app.jobs.stop()
    const products = Array.from({ length: 10_000 }, (_, n) => ({
      product_id: `sku-${n}`,
      image_url: `https://img.test/${n}.jpg`,
    }))
    let turns = 0
    let hasSeen = 0
    let isOver = false
    const isVisible = () => jobRows() > countRows(app, 'jobs', { store_id: storeId, status: 'preparing' })
    const count = () => {
      turns++
      if (isVisible() && itemRows() !== 10_000) hasSeen++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const { status, body } = await postBulk(app, token, { products })
    isOver = true
    expect([status, body['total']]).toEqual([202, 10_000])
    // Fifty rows in a step.
    expect(turns).toBeGreaterThanOrEqual(200)
    expect([hasSeen, itemRows()]).toEqual([0, 10_000])
  })

  test('a database that is full takes nothing: 503 storage_full, and nothing is left', async () => {
    const mend = fillDisk(app, 20)
    const products = Array.from({ length: 2_000 }, (_, n) => ({
      product_id: `sku-${n}`,
      image_url: `https://img.test/${'x'.repeat(500)}${n}.jpg`,
    }))
    expect(refusal(await postBulk(app, token, { products }))).toEqual([503, 'storage_full'])
    mend()
    expect([jobRows(), itemRows()]).toEqual([0, 0])
    expect([filesIn('bodies'), filesIn('jobs')]).toEqual([[], []])
  })

  test('a callback is sent in the last transaction of the job, and its state is shown', async () => {
    const sent: unknown[] = []
    const jobs = buildJobs(app.base, {
      storeRows: app.storeRows,
      products: app.products,
      models: app.models,
      spool: createSpool({ files: noFiles, monotonic: app.clock.monotonic, ids: app.ids }),
      files: noFiles,
      countItems() {},
      callbacks: {
        check() {},
        send: (store, { event, url, data }) =>
          sent.push([store, event, url, data.status, app.db.inTransaction]),
        find: () => ({ state: 'delivered', attempts: 1, last_status: 200 }),
      },
      onFinished: (store, { status }) => void sent.push([store, status, app.db.inTransaction]),
      onBroughtByFeed() {},
    })
    const store = app.storeRows.findStore(storeId)
    if (!store) throw new Error('no store')
    const { job_id } = await jobs.service.start(store, {
      type: 'bulk_index',
      items: (async function* () {
        yield { kind: 'delete' as const, productId: 'none' }
      })(),
      callbackUrl: () => 'https://shop.test/hook',
    })
    await jobs.service.waitUntilOver(storeId, job_id)
    expect(sent).toEqual([
      [storeId, 'job.completed', 'https://shop.test/hook', 'completed', true],
      [storeId, 'completed', true],
    ])
    expect(jobs.service.find(storeId, job_id).callback).toEqual({
      ...{ url: 'https://shop.test/hook', state: 'delivered', attempts: 1, last_status: 200 },
    })
  })
})

const noFiles = {
  create: async () => {
    throw new Error('no file is expected')
  },
  read: async () => new Uint8Array(),
  readNow: () => undefined,
  pieces: async function* () {},
  remove: async () => {},
  list: async () => [],
}
