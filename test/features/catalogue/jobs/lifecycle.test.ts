import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { ApiError } from '../../../../src/core/errors.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { countRows, failWrites } from '../../../support/seed.ts'
import { openStore } from '../../../support/storage.ts'
import { countsOf, listProducts, productsOf, readJob, startBulk, tick, waitForJob } from './jobs.ts'

let app: TestApp
let gate: ReturnType<typeof gatedEmbedder>
let token: string
let storeId: string

/** What the fake web answers for an address before it serves its picture. */
const faults = new Map<string, ApiError[]>()

beforeEach(async () => {
  gate = gatedEmbedder()
  faults.clear()
  app = testApp({
    embedder: gate.embedder,
    fetcher: {
      async fetch(url) {
        const fault = faults.get(url)?.shift()
        if (fault) throw fault
        const bytes = app.web.get(url)
        if (bytes) return bytes
        throw failed('http_status', 404)
      },
    },
  })
  ;({ token, storeId } = await openStore(app, 'enterprise'))
})
afterEach(async () => {
  gate.open()
  app.jobs.stop()
  await app.jobs.drain()
  await app.close()
})

const failed = (reason: string, upstream_status?: number) =>
  new ApiError('image_download_failed', 'The picture could not be downloaded', {
    details: { reason, ...(upstream_status && { upstream_status }) },
  })

const run = async (products: unknown[]) =>
  waitForJob(app, storeId, token, await startBulk(app, token, products))

const items = (columns = 'state, attempts') =>
  app.db.prepare(`SELECT ${columns} FROM job_items ORDER BY id`).all()

/** Lets time pass second by second, as a running service would. */
async function pass(seconds: number): Promise<void> {
  for (let n = 0; n < seconds; n++) {
    app.clock.advance(1_000)
    tick(app)
    await Bun.sleep(0)
  }
}

const cancel = (id: string) => app.call('POST', `/v1/jobs/${id}/cancel`, { token })
const retry = (id: string) => app.call('POST', `/v1/jobs/${id}/retry`, { token })

describe('items that fail', () => {
  test.each([
    ['dns', undefined],
    ['connect', undefined],
    ['timeout', undefined],
    ['http_status', 429],
    ['http_status', 503],
  ] as const)('%s %p is tried again after a pause, and then succeeds', async (reason, status) => {
    const [product] = productsOf(app, 1)
    faults.set(product?.image_url as string, [failed(reason, status), failed(reason, status)])
    const id = await startBulk(app, token, [product])
    const over = app.jobs.waitUntilOver(storeId, id)
    await pass(1)
    expect(items()).toEqual([{ state: 'pending', attempts: 1 }])
    await pass(20)
    await over
    expect(countsOf(await readJob(app, token, id))).toMatchObject({ succeeded: 1 })
    expect(items()).toEqual([])
  })

  test('a picture whose decoder stopped gets one more try', async () => {
    const [good, bad] = productsOf(app, 2)
    const lost = new ApiError('image_unreadable', 'The picture cannot be decoded', {
      details: { cause: 'the decoder stopped' },
    })
    faults.set(good?.image_url as string, [lost])
    faults.set(bad?.image_url as string, [lost, lost, lost])
    const id = await startBulk(app, token, [good, bad])
    const over = app.jobs.waitUntilOver(storeId, id)
    await pass(20)
    await over
    expect(countsOf(await readJob(app, token, id))).toMatchObject({ succeeded: 1, failed: 1 })
    expect(faults.get(bad?.image_url as string)).toHaveLength(1)
  })

  test('a picture that changes between two tries is taken as it is at the last one', async () => {
    const [first, second] = [app.picture('first', 1), app.picture('second', 2)]
    faults.set(second, [failed('timeout')])
    const id = await startBulk(app, token, [
      { product_id: 'sku-0', image_url: first, additional_image_urls: [second] },
    ])
    const over = app.jobs.waitUntilOver(storeId, id)
    await pass(1)
    expect(items()).toEqual([{ state: 'pending', attempts: 1 }])
    app.web.set(first, pictureBytes(5))
    await pass(20)
    await over
    expect(countsOf(await readJob(app, token, id))).toMatchObject({ succeeded: 1, failed: 0 })
    const hash = createHash('sha256').update(pictureBytes(5)).digest()
    const contents = app.db.prepare('SELECT content_hash FROM pictures ORDER BY id').pluck().all() as Buffer[]
    expect([contents.length, contents[0]?.equals(hash)]).toEqual([2, true])
  })

  test('a clock that is set back by a day holds no item up', async () => {
    const [product] = productsOf(app, 1)
    faults.set(product?.image_url as string, [failed('timeout')])
    const id = await startBulk(app, token, [product])
    const over = app.jobs.waitUntilOver(storeId, id)
    await Bun.sleep(0)
    app.clock.advance(-86_400_000)
    await pass(5)
    await over
    expect(countsOf(await readJob(app, token, id))).toMatchObject({ succeeded: 1 })
  })

  test('five tries are the most', async () => {
    const [product] = productsOf(app, 1)
    faults.set(product?.image_url as string, Array(9).fill(failed('timeout')))
    const id = await startBulk(app, token, [product])
    const over = app.jobs.waitUntilOver(storeId, id)
    await pass(240)
    await over
    expect(countsOf(await readJob(app, token, id))).toMatchObject({ status: 'failed', failed: 1 })
    expect(faults.get(product?.image_url as string)).toHaveLength(4)
  })

  test.each([
    ['http_status', 404],
    ['blocked_address', undefined],
    ['not_an_image', undefined],
    ['tls', undefined],
  ] as const)('%s %p is not tried again', async (reason, status) => {
    const [product] = productsOf(app, 1)
    faults.set(product?.image_url as string, [failed(reason, status)])
    expect(countsOf(await run([product]))).toMatchObject({ status: 'failed', failed: 1 })
  })

  test('a full disk or a model that cannot be used holds the job, and costs no try', async () => {
    const [product] = productsOf(app, 1)
    faults.set(product?.image_url as string, [
      new ApiError('storage_full', 'The disk is full'),
      new ApiError('storage_full', 'The disk is full'),
      new ApiError('overloaded', 'Too much to do'),
    ])
    const id = await startBulk(app, token, [product])
    const over = app.jobs.waitUntilOver(storeId, id)
    // The second fault comes a second after the first, the third two seconds later.
    await pass(4)
    expect(items('state, attempts, delays')).toEqual([{ state: 'pending', attempts: 0, delays: 1 }])
    await pass(6)
    await over
  })

  test('a write that the disk refuses is done later', async () => {
    const mend = failWrites(app, 'INSERT ON products', 'disk')
    const id = await startBulk(app, token, productsOf(app, 1))
    const over = app.jobs.waitUntilOver(storeId, id)
    await pass(1)
    mend()
    await pass(10)
    await over
    expect(countsOf(await readJob(app, token, id))).toMatchObject({ succeeded: 1 })
  })
})

describe('a newer write of the same product stays (contract 2.11)', () => {
  test('a client’s write after the acknowledgement', async () => {
    app.jobs.stop()
    const products = productsOf(app, 3)
    const id = await startBulk(app, token, products)
    const put = { ...products[1], metadata: { name: 'newer' } }
    expect((await app.call('POST', '/v1/products', { token, body: put })).status).toBe(201)
    expect(countsOf(await readJob(app, token, id))).toMatchObject({ unchanged: 1, processed: 1 })
    const next = await restart()
    await next.jobs.waitUntilOver(storeId, id)
    expect((await listProducts(app, token))['sku-1']).toBe('newer')
    await next.jobs.drain()
  })

  test('a client’s deletion', async () => {
    await run(productsOf(app, 2))
    gate.close()
    const changed = productsOf(app, 2, 'other').map((product, n) => ({ ...product, product_id: `sku-${n}` }))
    const id = await startBulk(app, token, [...productsOf(app, 30, 'first'), ...changed])
    const deleted = app.call('DELETE', '/v1/products/sku-1', { token })
    expect((await deleted).status).toBe(200)
    gate.open()
    await app.jobs.waitUntilOver(storeId, id)
    expect((await listProducts(app, token))['sku-1']).toBeUndefined()
  })

  test('but not a demo product: that stands back behind what waits', async () => {
    app.jobs.stop()
    const [product] = productsOf(app, 1)
    const demoId = 'demo-lamp-black'
    const id = await startBulk(app, token, [{ ...product, product_id: demoId, metadata: { name: 'own' } }])
    const { body } = await app.call('POST', '/v1/products/demo', { token })
    expect(body['products']).toContain(demoId)
    const next = await restart()
    await next.jobs.waitUntilOver(storeId, id)
    const found = await app.call('GET', `/v1/products/${demoId}`, { token })
    expect((found.body['metadata'] as { name: string }).name).toBe('own')
    await next.jobs.drain()
  })

  test('a write that came before the acknowledgement does not undo the job', async () => {
    gate.close()
    const [product] = productsOf(app, 1)
    const older = app.call('POST', '/v1/products', { token, body: product })
    await gate.waited(1)
    const id = await startBulk(app, token, [{ ...product, metadata: { name: 'from the job' } }])
    gate.open()
    await older
    await app.jobs.waitUntilOver(storeId, id)
    expect(await listProducts(app, token)).toEqual({ 'sku-0': 'from the job' })
  })

  test('a later job, although an item of the earlier one is tried again after it', async () => {
    const [product] = productsOf(app, 1)
    faults.set(product?.image_url as string, [failed('timeout')])
    const first = await startBulk(app, token, [product])
    await pass(1)
    await run([{ ...product, metadata: { name: 'second' } }])
    await pass(10)
    expect(countsOf(await readJob(app, token, first))).toMatchObject({ status: 'completed', unchanged: 1 })
    expect(await listProducts(app, token)).toEqual({ 'sku-0': 'second' })
  })
})

/** Another run of the program on the same database, after a crash of the first one. */
async function restart(): Promise<TestApp> {
  const next = testApp({
    db: app.db,
    embedder: gate.embedder,
    clock: app.clock,
    ids: app.ids,
    fetcher: { fetch: async (url) => app.web.get(url) ?? pictureBytes(1) },
  })
  await next.loadIndex()
  next.jobs.wake()
  return next
}

describe('cancelling', () => {
  test('items that have not started are cancelled, and those in progress finish', async () => {
    gate.close()
    const id = await startBulk(app, token, productsOf(app, 100))
    await gate.waited(12)
    const { status, body } = await cancel(id)
    expect([status, body['status'], body['finished_at']]).toEqual([200, 'cancelled', null])
    expect(Number(body['cancelled'])).toBeGreaterThan(50)
    gate.open()
    await app.jobs.waitUntilOver(storeId, id)
    const job = await readJob(app, token, id)
    expect(Number(job['succeeded']) + Number(job['cancelled'])).toBe(100)
    expect(Object.keys(await listProducts(app, token))).toHaveLength(Number(job['succeeded']))
    expect(job['finished_at']).not.toBeNull()
  })

  test('a job that is over cannot be cancelled', async () => {
    const id = await startBulk(app, token, productsOf(app, 1))
    await app.jobs.waitUntilOver(storeId, id)
    const { status, body } = await cancel(id)
    expect([status, body['error']]).toEqual([409, 'conflict'])
  })

  test('is completed after a crash', async () => {
    gate.close()
    const id = await startBulk(app, token, productsOf(app, 40))
    await gate.waited(12)
    app.db.exec("UPDATE jobs SET status = 'cancelled'")
    app.jobs.stop()
    const next = await restart()
    await next.jobs.waitUntilOver(storeId, id)
    expect(countsOf(await readJob(next, token, id))).toMatchObject({ status: 'cancelled', cancelled: 40 })
    await next.jobs.drain()
  })
})

describe('retrying', () => {
  test('does what failed again, and nothing else', async () => {
    const products = productsOf(app, 5)
    const missing = products[2]?.image_url as string
    const bytes = app.web.get(missing) as Uint8Array
    app.web.delete(missing)
    const id = await startBulk(app, token, [...products, {}])
    await app.jobs.waitUntilOver(storeId, id)
    app.web.set(missing, bytes)
    const { status, body } = await retry(id)
    expect([status, body['status'], body['failed']]).toEqual([200, 'processing', 1])
    await app.jobs.waitUntilOver(storeId, id)
    expect(countsOf(await readJob(app, token, id))).toMatchObject({
      succeeded: 5,
      failed: 1,
      status: 'completed',
    })
    expect(refusal(await retry(id))).toEqual([409, 'conflict'])
  })

  test('leaves a product alone that was written since', async () => {
    const [product] = productsOf(app, 1)
    app.web.delete(product?.image_url as string)
    const id = await startBulk(app, token, [product])
    await app.jobs.waitUntilOver(storeId, id)
    app.picture('sku-0', 1)
    await app.call('POST', '/v1/products', { token, body: { ...product, metadata: { name: 'newer' } } })
    expect(refusal(await retry(id))).toEqual([409, 'conflict'])
    const { errors } = (await readJob(app, token, id)) as { errors: { retryable: boolean }[] }
    expect(errors.map(({ retryable }) => retryable)).toEqual([false])
  })

  test('is refused while the job runs', async () => {
    gate.close()
    const id = await startBulk(app, token, productsOf(app, 1))
    expect(refusal(await retry(id))).toEqual([409, 'conflict'])
  })
})

const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
]

describe('the order of work', () => {
  test('stores take turns: a small job is over long before a large one', async () => {
    const other = await openStore(app, 'enterprise', 'two')
    gate.close()
    const large = await startBulk(app, token, productsOf(app, 300))
    const small = await startBulk(app, other.token, productsOf(app, 5, 'small'))
    gate.open()
    await app.jobs.waitUntilOver(storeId, large)
    await app.jobs.waitUntilOver(other.storeId, small)
    const before = app.db.prepare(
      "SELECT count(*) FROM products WHERE id < (SELECT max(id) FROM products WHERE product_id LIKE 'small-%')",
    )
    expect(Number(before.pluck().get())).toBeLessThan(40)
  })

  test('an item that takes longer than five minutes is given to somebody else, and its late end has no effect', async () => {
    gate.close()
    const [product] = productsOf(app, 1)
    const id = await startBulk(app, token, [product])
    await gate.waited(1)
    await pass(5 * 60 + 62)
    expect(items()).toEqual([{ state: 'pending', attempts: 1 }])
    gate.open()
    await pass(5)
    await app.jobs.waitUntilOver(storeId, id)
    expect(countsOf(await readJob(app, token, id))).toMatchObject({ processed: 1, succeeded: 1 })
  })

  test('a lease outlives its minute as long as somebody works', async () => {
    gate.close()
    await startBulk(app, token, productsOf(app, 1))
    await gate.waited(1)
    await pass(200)
    expect(items()).toEqual([{ state: 'running', attempts: 0 }])
  })

  test('what a crash left is done by the next run, each item once', async () => {
    gate.close()
    const id = await startBulk(app, token, productsOf(app, 30))
    await gate.waited(12)
    app.jobs.stop()
    app.db.exec(
      "INSERT INTO jobs (job_id, store_id, type, status, created_at) SELECT 'x', id, 'import', 'preparing', 0 FROM stores",
    )
    gate.open()
    const next = await restart()
    await next.jobs.waitUntilOver(storeId, id)
    expect(countsOf(await readJob(next, token, id))).toMatchObject({ status: 'completed', succeeded: 30 })
    await next.jobs.drain()
    expect(countRows(app, 'jobs', { status: 'preparing' })).toBe(0)
  })

  test('a service that stops begins nothing more and puts back what it had taken', async () => {
    gate.close()
    await startBulk(app, token, productsOf(app, 60))
    await gate.waited(12)
    app.jobs.stop()
    gate.open()
    await app.jobs.drain()
    const states = app.db.prepare('SELECT DISTINCT state FROM job_items ORDER BY state').pluck().all()
    expect(states).toEqual(['pending'])
  })

  test('items can be deletions', async () => {
    await run(productsOf(app, 2))
    const store = app.storeRows.findStore(storeId)
    if (!store) throw new Error('no store')
    const { job_id } = await app.jobs.start(store, {
      type: 'feed',
      items: (async function* () {
        yield { kind: 'delete' as const, productId: 'sku-0' }
        yield { kind: 'delete' as const, productId: 'never there' }
      })(),
    })
    await app.jobs.waitUntilOver(storeId, job_id)
    expect(countsOf(await readJob(app, token, job_id))).toMatchObject({ succeeded: 1, unchanged: 1 })
    expect(Object.keys(await listProducts(app, token))).toEqual(['sku-1'])
  })
})

describe('reading jobs', () => {
  test('lists are paged, newest first, and filtered by status', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      app.clock.advance(1_000)
      ids.push(await startBulk(app, token, n === 2 ? [{}] : productsOf(app, 1)))
      await app.jobs.waitUntilOver(storeId, ids[n] as string)
    }
    const page = async (query: string) => (await app.call('GET', `/v1/jobs?${query}`, { token })).body
    const first = await page('limit=3')
    const second = await page(`limit=3&cursor=${first['next_cursor']}`)
    const listed = [first, second].flatMap(({ jobs }) =>
      (jobs as { job_id: string }[]).map(({ job_id }) => job_id),
    )
    expect(listed).toEqual(ids.toReversed())
    const failures = (await page('status=failed'))['jobs'] as { job_id: string }[]
    expect(failures.map(({ job_id }) => job_id)).toEqual([ids[2] as string])
    expect(refusal(await app.call('GET', '/v1/jobs?cursor=x', { token }))).toEqual([400, 'invalid_cursor'])
  })

  test('a job of another store does not exist', async () => {
    const id = await startBulk(app, token, productsOf(app, 1))
    const other = await openStore(app, 'enterprise', 'two')
    for (const path of ['', '/errors', '/events']) {
      expect((await app.call('GET', `/v1/jobs/${id}${path}`, { token: other.token })).status).toBe(404)
    }
    for (const verb of ['cancel', 'retry']) {
      expect((await app.call('POST', `/v1/jobs/${id}/${verb}`, { token: other.token })).status).toBe(404)
    }
    expect((await app.call('GET', '/v1/jobs', { token: other.token })).body['jobs']).toEqual([])
  })

  test('a job is deleted 30 days after its end', async () => {
    await run([...productsOf(app, 3), {}])
    app.clock.advance(30 * 86_400_000)
    await app.jobs.prune()
    expect(items()).toHaveLength(1)
    app.clock.advance(1)
    await app.jobs.prune()
    expect([items(), app.db.prepare('SELECT * FROM jobs').all()]).toEqual([[], []])
  })
})
