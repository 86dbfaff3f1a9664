import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { pictureBytes } from '../../../support/app.ts'
import { countRows } from '../../../support/seed.ts'
import { openShop, range, type Shop } from './shop.ts'

let at: Shop

beforeEach(async () => {
  at = await openShop()
})
afterEach(() => at.close())

const deletions = () =>
  at.app.db
    .prepare<[], string>("SELECT data FROM changes WHERE event = 'product.deleted' ORDER BY number")
    .pluck()
    .all()
    .map((data) => JSON.parse(data).product_id)
const put = (product_id: string) =>
  at.app.call('POST', '/v1/products', {
    token: at.token,
    body: { product_id, image_url: at.app.picture(product_id, 2) },
  })
const remove = (id: string) => at.app.call('DELETE', `/v1/products/${id}`, { token: at.token })

describe('products that are gone from the file', () => {
  test('are deleted, each with its event, when they are at most 20 %', async () => {
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(3, 10), 'new')
    const { last_run } = await at.run(feed.id)
    expect(last_run).toMatchObject({ status: 'completed', error: null, counts: { missing: 2, deleted: 2 } })
    expect(at.list()).toEqual([...range(3, 10), 'new'])
    expect(deletions()).toEqual(['001', '002'])
  })

  test('stay without delete_missing, and go once it is set', async () => {
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add()
    at.shop.file = at.table(...range(2, 10))
    expect((await at.run(feed.id)).last_run?.counts).toMatchObject({ missing: 0, deleted: 0 })
    expect(at.list()).toEqual(range(1, 10))
    await at.call('PATCH', `/${feed.id}`, { delete_missing: true })
    expect((await at.run(feed.id)).last_run?.counts).toMatchObject({ missing: 1, deleted: 1 })
    expect(at.list()).toEqual(range(2, 10))
  })

  test('stay when they are more than 20 %; the run says so each time, until it is forced', async () => {
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(4, 10), ...range(20, 40))
    for (const next of [await at.run(feed.id), await at.waitForNext(feed.id)]) {
      expect(next.last_run).toMatchObject({
        status: 'stopped',
        counts: { missing: 3, deleted: 0 },
        error: {
          error: 'too_many_missing',
          details: { missing: 3, unnamed_rows: 0 },
          message: expect.stringContaining(`POST /v1/feeds/${feed.id}/run with {"force_delete": true}`),
        },
      })
      expect(next.consecutive_failures).toBe(0)
    }
    // The share is that of the products before the run.
    expect(at.list()).toHaveLength(31)
    const forced = await at.run(feed.id, { force_delete: true })
    expect(forced.last_run).toMatchObject({ status: 'completed', counts: { missing: 3, deleted: 3 } })
    expect(at.list()).toEqual([...range(4, 10), ...range(20, 40)])
    // Force holds for one run.
    at.shop.file = at.table('004')
    expect((await at.run(feed.id)).last_run?.status).toBe('stopped')
  })

  test('what the run itself brings does not make the share smaller', async () => {
    at.shop.file = at.table(...range(1, 5))
    const feed = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(101, 200))
    expect((await at.run(feed.id)).last_run).toMatchObject({
      status: 'stopped',
      error: { details: { missing: 5, feed_products: 5 } },
    })
  })

  test('stay while rows of the file name no product: one of them may be theirs', async () => {
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add({ delete_missing: true })
    at.shop.file = `${at.table(...range(2, 10))}1,2,3,4\n`
    const { last_run } = await at.run(feed.id)
    expect(last_run).toMatchObject({
      status: 'stopped',
      error: { error: 'unnamed_rows', details: { missing: 1, unnamed_rows: 1 } },
    })
    expect(at.list()).toEqual(range(1, 10))
    const forced = await at.run(feed.id, { force_delete: true })
    expect(forced.last_run?.counts).toMatchObject({ deleted: 1 })
  })

  test.each([
    ['empty', ''],
    ['only a header', 'id,image,name\n'],
    ['no product', 'id,image,name\n,,\n1,2,3,4\n'],
    ['another table', 'a,b\n1,2\n'],
    ['XML that breaks off', '<rss><channel><item><g:id>001</g:id>'],
  ])('stay when the file is broken (%s), also with force', async (_, file) => {
    at.shop.file = at.table(...range(1, 3))
    const feed = await at.add({ delete_missing: true })
    at.shop.file = file
    for (const body of [{}, { force_delete: true }]) {
      const { last_run } = await at.run(feed.id, body)
      expect(last_run?.status).toBe('failed')
      expect(last_run?.counts.deleted).toBe(0)
    }
    expect(at.list()).toEqual(range(1, 3))
    expect((await at.read(feed.id)).consecutive_failures).toBe(2)
  })

  test('stay when their rows are wrong, because the file still names them', async () => {
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add({ delete_missing: true })
    at.shop.file = `${at.table(...range(2, 10))}001,,No picture\n`
    const { last_run } = await at.run(feed.id)
    expect(last_run).toMatchObject({ status: 'completed', counts: { failed: 1, missing: 0, deleted: 0 } })
    expect(at.list()).toEqual(range(1, 10))
  })

  test('drafts count as gone', async () => {
    const row = (id: string, status: string) => `${id},Mug ${id},${at.app.picture(id, 1)},${status}`
    const head = 'Handle,Title,Image Src,Status'
    at.shop.file = [head, ...range(1, 10).map((id) => row(id, 'active')), ''].join('\n')
    const feed = await at.add({ delete_missing: true })
    at.shop.file = [head, ...range(1, 9).map((id) => row(id, 'active')), row('010', 'draft'), ''].join('\n')
    expect((await at.run(feed.id)).last_run?.counts).toMatchObject({ missing: 1, deleted: 1 })
    expect(at.list()).toEqual(range(1, 9))
  })
})

describe('products that came another way', () => {
  test('stay: those of requests, although the feed has changed them', async () => {
    await put('own')
    at.shop.file = at.table(...range(1, 9), 'own')
    const feed = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(1, 9))
    expect((await at.run(feed.id)).last_run?.counts).toMatchObject({ missing: 0, deleted: 0 })
    expect(at.list()).toEqual([...range(1, 9), 'own'])
  })

  test('stay: those that a client has deleted and made again', async () => {
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add({ delete_missing: true })
    await remove('001')
    await put('001')
    at.shop.file = at.table(...range(2, 10))
    expect((await at.run(feed.id)).last_run?.counts).toMatchObject({ missing: 0, deleted: 0 })
    expect(at.list()).toEqual(range(1, 10))
  })

  test('stay: demo products', async () => {
    await at.app.call('POST', '/v1/products/demo', { token: at.token })
    const demo = at.list()
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(2, 10))
    expect((await at.run(feed.id)).last_run?.counts).toMatchObject({ missing: 1, deleted: 1 })
    expect(at.list()).toEqual([...range(2, 10), ...demo].sort())
  })

  test('what a feed makes again after it was deleted is the feed’s', async () => {
    at.shop.file = at.table(...range(1, 10))
    const feed = await at.add({ delete_missing: true })
    await remove('001')
    await at.run(feed.id, { full: true })
    expect(at.list()).toEqual(range(1, 10))
    at.shop.file = at.table(...range(2, 10))
    expect((await at.run(feed.id)).last_run?.counts).toMatchObject({ missing: 1, deleted: 1 })
  })
})

describe('two feeds that name one product', () => {
  test('the last one that names it deletes it', async () => {
    const files: Record<string, string> = {}
    at.shop.answer = (request, response) => void response.end(files[String(request.url)])
    files['/a'] = at.table(...range(1, 10))
    files['/b'] = at.table('001', ...range(11, 19))
    const base = at.url.replace('/products.csv', '')
    const a = await at.add({ url: `${base}/a`, delete_missing: true })
    const b = await at.add({ url: `${base}/b`, delete_missing: true })
    files['/a'] = at.table(...range(2, 10))
    expect((await at.run(a.id)).last_run?.counts).toMatchObject({ missing: 0, deleted: 0 })
    expect(at.list()).toContain('001')
    files['/b'] = at.table(...range(11, 19))
    expect((await at.run(b.id)).last_run?.counts).toMatchObject({ missing: 1, deleted: 1 })
    expect(at.list()).not.toContain('001')
  })

  test('one that was deleted names nothing', async () => {
    const files: Record<string, string> = { '/b': at.table('001') }
    at.shop.answer = (request, response) => void response.end(files[String(request.url)])
    files['/a'] = at.table(...range(1, 10))
    const base = at.url.replace('/products.csv', '')
    const a = await at.add({ url: `${base}/a`, delete_missing: true })
    const b = await at.add({ url: `${base}/b` })
    await at.call('DELETE', `/${b.id}`)
    files['/a'] = at.table(...range(2, 10))
    expect((await at.run(a.id)).last_run?.counts).toMatchObject({ missing: 1, deleted: 1 })
    expect(at.list()).not.toContain('001')
  })
})

test('a deleted feed leaves its products, and nothing else', async () => {
  at.shop.file = at.table(...range(1, 3))
  const feed = await at.add({ delete_missing: true })
  await at.call('DELETE', `/${feed.id}`)
  await at.app.tidy()
  expect(at.list()).toEqual(range(1, 3))
  for (const table of ['feeds', 'feed_products']) expect(countRows(at.app, table)).toBe(0)
})

describe('what a client sends during a run', () => {
  let isUp: boolean
  let slow: PromiseWithResolvers<void>

  beforeEach(async () => {
    isUp = false
    slow = Promise.withResolvers()
    await at.close()
    at = await openShop({
      fetcher: {
        async fetch(url) {
          if (url.includes('slow')) await slow.promise
          if (!url.includes('late') || isUp) return pictureBytes(1)
          throw new ApiError('image_download_failed', 'Too slow', { details: { reason: 'timeout' } })
        },
      },
    })
  })

  /** Begins a run whose file no longer names the product 001, and whose job is still running. */
  async function begin(): Promise<string> {
    at.shop.file = at.table(...range(1, 10))
    const { id } = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(2, 10), 'slow')
    at.app.clock.advance(1_000)
    await at.call('POST', `/${id}/run`)
    await at.app.feeds.drain()
    expect((await at.read(id)).last_run?.status).toBe('importing')
    at.app.clock.advance(1_000)
    return id
  }

  test('stays: a product that was changed; the next run deletes it', async () => {
    const id = await begin()
    const body = { metadata: { name: 'Sold at the counter' } }
    await at.app.call('PATCH', '/v1/products/001', { token: at.token, body })
    slow.resolve()
    await at.settle()
    expect((await at.read(id)).last_run?.counts).toMatchObject({ missing: 1, deleted: 0 })
    expect(at.list()).toContain('001')
    at.app.clock.advance(1_000)
    expect((await at.run(id, { full: true })).last_run?.counts).toMatchObject({ missing: 1, deleted: 1 })
  })

  test('stays: a product of a job that waits, which makes it again', async () => {
    const id = await begin()
    const products = [{ product_id: '001', image_url: 'https://img.test/late.jpg' }]
    const bulk = await at.app.call('POST', '/v1/products/bulk', { token: at.token, body: { products } })
    slow.resolve()
    await at.settle()
    expect((await at.read(id)).last_run?.counts).toMatchObject({ missing: 1, deleted: 1 })
    isUp = true
    at.app.clock.advance(60_000)
    at.app.jobs.wake()
    await at.app.jobs.waitUntilOver(at.storeId, String(bulk.body['job_id']))
    const job = await at.app.call('GET', `/v1/jobs/${bulk.body['job_id']}`, { token: at.token })
    expect(job.body).toMatchObject({ status: 'completed', succeeded: 1, unchanged: 0 })
    expect(at.list()).toContain('001')
  })
})

test('a product that the feed never imported and no longer names is forgotten', async () => {
  await put('own')
  at.shop.file = at.table(...range(1, 9), 'own')
  const feed = await at.add()
  const named = () =>
    at.app.db.prepare('SELECT product_id FROM feed_products ORDER BY product_id').pluck().all()
  expect(named()).toEqual([...range(1, 9), 'own'])
  at.shop.file = at.table(...range(1, 8))
  await at.run(feed.id)
  // The ninth it has brought: it may still have to be deleted.
  expect(named()).toEqual(range(1, 9))
})
