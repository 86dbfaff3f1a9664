import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import pino from 'pino'
import { duplicatesService } from '../../../../src/features/catalogue/duplicates/service.ts'
import { form, pictureBytes } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { statementLog } from '../../../support/statements.ts'
import { openStore } from '../../../support/storage.ts'
import { type HookedApp, hookedApp } from '../../delivery/webhooks/hooks.ts'
import { startBulk } from '../jobs/jobs.ts'

const DUPLICATE = 'product.duplicate_detected'
/** With the embedder of the tests, equal pictures reach 0.9526. */
const THRESHOLD = 0.95

let app: HookedApp
let log: ReturnType<typeof statementLog>

beforeEach(async () => {
  const db = memoryDatabase()
  log = statementLog(db)
  app = await hookedApp({ db })
  await setThreshold(THRESHOLD)
})
afterEach(async () => {
  app.jobs.stop()
  await app.jobs.drain()
  await app.close()
})

const setThreshold = (duplicate_threshold: number | null) =>
  app.ask('PATCH', '/v1/store/settings', { duplicate_threshold })
const watch = () => app.hook({ events: [DUPLICATE] })

/** Indexes a product whose picture lies between some axes. */
const put = (product_id: string, axes: number[], metadata: Record<string, unknown> = {}) =>
  app.ask('POST', '/v1/products', {
    product_id,
    image_url: app.picture(`${product_id}-${axes}`, ...axes),
    metadata,
  })

async function changes() {
  const { changes } = await app.ask<{ changes: { event: string; origin: string; data: object }[] }>(
    'GET',
    '/v1/changes?limit=1000',
  )
  return changes
}
const listDuplicates = async () =>
  (await changes()).flatMap(({ event, data }) =>
    event === DUPLICATE ? [data as Record<string, unknown>] : [],
  )
const pairs = async () =>
  (await listDuplicates()).map((data) => [data['new_product_id'], data['existing_product_id']])

describe('product.duplicate_detected (contract 4.13, 9.1)', () => {
  test('tells of a copy, after the event of the write itself, and its webhook hears of it', async () => {
    await watch()
    await put('old', [1])
    await put('new', [1])
    const data = {
      new_product_id: 'new',
      existing_product_id: 'old',
      similarity_score: expect.closeTo(0.9526, 3),
      new_image_url: 'https://img.test/new-1.jpg',
      existing_image_url: 'https://img.test/old-1.jpg',
      detected_at: '2030-01-01T00:00:00.000Z',
    }
    const all = await changes()
    expect(all.map(({ event }) => event)).toEqual(['product.indexed', 'product.indexed', DUPLICATE])
    expect(all[2]).toMatchObject({ origin: 'client', data })
    await app.deliver()
    expect(app.posts.map(({ body }) => JSON.parse(String(body)))).toMatchObject([{ event: DUPLICATE, data }])
  })

  test('a different product is not a duplicate', async () => {
    await watch()
    await put('old', [1])
    await put('new', [1, 2])
    expect(await pairs()).toEqual([])
    await setThreshold(0.5)
    await put('newer', [1, 2, 3])
    expect(await pairs()).toEqual([['newer', 'new']])
  })

  test('a changed picture counts, and so does one that moves to the front; the product’s own pictures do not', async () => {
    await watch()
    await put('old', [1])
    await put('new', [2])
    await put('new', [3])
    await put('new', [2])
    expect(await pairs()).toEqual([])
    await put('new', [1])
    await put('new', [1], { price: 5 })
    expect(await pairs()).toEqual([['new', 'old']])
    const [a, b] = [app.picture('third-4', 4), app.picture('third-1', 1)]
    await app.ask('POST', '/v1/products', { product_id: 'third', image_url: a, additional_image_urls: [b] })
    expect(await pairs()).toHaveLength(1)
    await app.ask('POST', '/v1/products', { product_id: 'third', image_url: b, additional_image_urls: [a] })
    expect(await pairs()).toEqual([
      ['new', 'old'],
      ['third', 'old'],
    ])
  })

  test('variants are none, and hide no other product', async () => {
    await watch()
    await put('red', [1], { variant_group: 'mug' })
    await put('blue', [1], { variant_group: 'mug' })
    expect(await pairs()).toEqual([])
    await put('other', [1, 1], { variant_group: 'cup' })
    await put('green', [1], { variant_group: 'mug' })
    expect(await pairs()).toEqual([
      ['other', 'red'],
      ['green', 'other'],
    ])
  })

  test('products of the demo catalogue neither cause it nor count', async () => {
    await watch()
    await app.ask('POST', '/v1/products/demo')
    await put('own', [7])
    expect(await pairs()).toEqual([])
    await put('copy', [7])
    expect(await pairs()).toEqual([['copy', 'own']])
  })

  test('another store’s product never', async () => {
    await watch()
    const other = await openStore(app, 'enterprise', 'two')
    const body = { product_id: 'theirs', image_url: app.picture('theirs', 1) }
    expect((await app.call('POST', '/v1/products', { token: other.token, body })).status).toBe(201)
    await put('ours', [1])
    expect(await pairs()).toEqual([])
  })

  test('kept pictures have their public address', async () => {
    await watch()
    for (const product_id of ['old', 'new']) {
      const body = form({ product_id, image: pictureBytes(1) })
      expect((await app.call('POST', '/v1/products', { token: app.token, body })).status).toBe(201)
    }
    const [data] = await listDuplicates()
    expect(data?.['existing_image_url']).toStartWith('http://lookalike.test/pictures/')
  })

  test('writes at the same time find each other', async () => {
    await watch()
    const store = app.stores.requireBySlug('one')
    const write = (productId: string, axis: number) => {
      const sources = [{ url: app.picture(productId, axis) }]
      return app.services.products.writer.put(store, { productId, sources, metadata: {} })
    }
    await Promise.all([write('a', 1), write('b', 1), write('c', 1), write('d', 2)])
    expect(await pairs()).toEqual([
      ['b', 'a'],
      ['c', 'a'],
    ])
  })

  test('products of a job', async () => {
    await watch()
    await put('old', [1])
    const items = [1, 2].map((axis) => ({
      product_id: `new-${axis}`,
      image_url: app.picture(`new-${axis}`, axis),
    }))
    await app.jobs.waitUntilOver(app.storeId, await startBulk(app, app.token, items))
    expect(await pairs()).toEqual([['new-1', 'old']])
  })

  test('a write that is undone tells of nothing', async () => {
    await watch()
    await put('old', [1])
    app.db.exec(`CREATE TRIGGER refuse AFTER INSERT ON changes WHEN new.event = '${DUPLICATE}'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`)
    const body = { product_id: 'new', image_url: app.picture('new', 1) }
    expect((await app.call('POST', '/v1/products', { token: app.token, body })).status).toBe(500)
    expect((await changes()).map(({ event }) => event)).toEqual(['product.indexed'])
    app.db.exec('DROP TRIGGER refuse')
    await put('newer', [1])
    expect(await pairs()).toEqual([['newer', 'old']])
  })
})

describe('nothing is scanned', () => {
  const listScans = async () =>
    (await log.during(() => put('new', [1]))).filter((sql) => /store_settings|json_each\(@ids\)/.test(sql))

  test('while no enabled webhook asks for it', async () => {
    await app.hook()
    const { id } = await watch()
    await app.ask('PATCH', `/v1/search/webhooks/${id}`, { enabled: false })
    await put('old', [1])
    expect(await listScans()).toEqual([])
    expect(await pairs()).toEqual([])
  })

  test('with the threshold null', async () => {
    await watch()
    await setThreshold(null)
    await put('old', [1])
    expect(await pairs()).toEqual([])
  })

  test('and the index is not touched then; an index that is too busy fails no write', async () => {
    let [isAsked, asked] = [false, 0]
    const map = { midpoint: 0.7, slope: 10 }
    const service = duplicatesService({
      queries: { findFirst: () => undefined },
      index: {
        findStore() {
          asked++
          throw new Error('too many scans wait')
        },
      },
      mapOf: () => map,
      readThreshold: () => THRESHOLD,
      isAskedFor: () => isAsked,
      clock: app.clock,
      log: pino({ level: 'silent' }),
    })
    expect(await service.scan('store', new Float32Array([1]))).toBeUndefined()
    expect(asked).toBe(0)
    isAsked = true
    expect(await service.scan('store', new Float32Array([1]))).toBeUndefined()
    expect(asked).toBe(1)
  })
})
