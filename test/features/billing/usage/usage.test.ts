import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, PASSWORD } from '../../../support/people.ts'
import {
  countRows,
  countWrites,
  deleteStore,
  failWrites,
  readColumn,
  readRows,
  updateRows,
} from '../../../support/seed.ts'

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one', 'free')
})
afterEach(() => app.close())

const MINUTE = 60_000

const read = async (path: string) => (await app.call('GET', `/v1/billing/${path}`, { token })).body
const usage = () => read('usage')
const put = (id: string, axis = 1) => {
  app.clock.advance(MINUTE / 10)
  const body = { product_id: id, image_url: app.picture(id, axis) }
  return app.call('POST', '/v1/products', { token, body })
}
const storeId = () => app.stores.requireBySlug('one').id

describe('GET /v1/billing/current-plan', () => {
  test('shows the limits and the price of the plan', async () => {
    expect(await read('current-plan')).toEqual({
      plan_name: 'free',
      max_products: 50,
      rate_per_minute: 10,
      storage_max_bytes: 500_000_000,
      price_per_month: 0,
      currency: 'USD',
      renews_at: null,
      ends_at: null,
      provider: 'manual',
    })
  })

  test('has null for what is unlimited', async () => {
    app.setPlan('one', 'enterprise')
    expect(await read('current-plan')).toMatchObject({
      plan_name: 'enterprise',
      max_products: null,
      rate_per_minute: null,
      storage_max_bytes: null,
      price_per_month: 299.99,
    })
  })
})

describe('runs_out_at (contract 6.6)', () => {
  const DAY = 86_400_000
  const have = (product_count: number) => updateRows(app, 'stores', { product_count }, { id: storeId() })
  const at = async (): Promise<unknown> => {
    const body = { email: 'one@shop.test', password: PASSWORD }
    token = String((await app.call('POST', '/oauth/login', { body })).body['access_token'])
    return (await usage())['runs_out_at']
  }
  /** Lets a day end, on which the store had some products. */
  const endDay = async (products: number, days = 1) => {
    have(products)
    await app.tidy()
    app.clock.advance(days * DAY)
  }

  test('is unknown on the first day, and for a store that does not grow', async () => {
    await endDay(10)
    have(20)
    expect(await at()).toBeNull()
    app.clock.advance(DAY)
    have(10)
    expect(await at()).toBeNull()
  })

  test('goes on at the pace of the days that are known, 30 at most', async () => {
    await endDay(10, 11)
    have(20)
    // One product a day, 30 to go.
    expect(await at()).toBe('2030-02-11T00:00:00.000Z')
    await endDay(20, 30)
    have(50)
    expect(await at()).toBe('2030-02-11T00:00:00.000Z')
    have(21)
    // The first day is forgotten: one product in 29 days, and 29 to go are more than a year.
    await app.tidy()
    expect(await at()).toBeNull()
    expect(countRows(app, 'product_days')).toBe(2)
  })

  test('is null without a limit', async () => {
    app.setPlan('one', 'enterprise')
    await endDay(10, 2)
    have(1_000)
    expect(await at()).toBeNull()
  })
})

describe('GET /v1/billing/usage', () => {
  test('counts the requests that spend the plan’s budget, and no others', async () => {
    await put('a')
    await app.call('GET', '/v1/products', { token })
    await app.call('POST', '/v1/search/batch', {
      token,
      body: { queries: [1, 2, 3].map(() => ({ type: 'text', query: 'boots' })) },
    })
    await app.call('GET', '/v1/security/overview', { token })
    await app.call('POST', '/v1/search/feedback', {
      token,
      body: { result_product_id: 'a', action: 'click' },
    })
    expect(await usage()).toMatchObject({ api_calls: 5, products_count: 1, max_products: 50 })
    while ((await app.call('GET', '/v1/products', { token })).status === 200);
    // The refused one does not count.
    expect((await usage())['api_calls']).toBe(10)
  })

  test('counts for a store without a limit, too, and each store for itself', async () => {
    const other = await app.signIn('two', 'enterprise')
    await app.call('GET', '/v1/products', { token: other })
    await app.call('GET', '/v1/products', { token: other })
    expect((await app.call('GET', '/v1/billing/usage', { token: other })).body['api_calls']).toBe(2)
    expect((await usage())['api_calls']).toBe(0)
  })

  test('writes one row for many requests, and nothing before', async () => {
    await app.call('GET', '/v1/products', { token })
    await app.settle()
    const rows = () => readRows(app, 'usage_months', { store_id: storeId() }, ['month', 'api_calls'])
    expect(rows()).toEqual([{ month: '2030-01', api_calls: 1 }])
    const before = countWrites(app)
    for (let n = 0; n < 8; n++) await app.call('GET', '/v1/products', { token })
    expect(countWrites(app)).toBe(before)
    expect((await usage())['api_calls']).toBe(9)
    await app.settle()
    expect(rows()).toEqual([{ month: '2030-01', api_calls: 9 }])
    expect((await usage())['api_calls']).toBe(9)
  })

  test('begins anew with the month of UTC, and counts each request in its own', async () => {
    app.clock.advance(Date.parse('2030-01-31T23:59:59Z') - app.clock.now())
    token = await app.signIn('late', 'free')
    await app.call('GET', '/v1/products', { token })
    expect(await usage()).toMatchObject({
      api_calls: 1,
      period_start: '2030-01-01T00:00:00.000Z',
      period_end: '2030-02-01T00:00:00.000Z',
    })
    app.clock.advance(1_000)
    expect(await usage()).toMatchObject({ api_calls: 0, period_start: '2030-02-01T00:00:00.000Z' })
    await app.call('GET', '/v1/products', { token })
    await app.call('GET', '/v1/products', { token })
    await app.settle()
    expect(await usage()).toMatchObject({ api_calls: 2 })
    const rows = readRows(app, 'usage_months', {}, ['month', 'api_calls'])
    expect(rows).toEqual([
      { month: '2030-01', api_calls: 1 },
      { month: '2030-02', api_calls: 2 },
    ])
  })

  test('keeps what could not be written, and writes it with the next', async () => {
    await app.call('GET', '/v1/products', { token })
    const mend = failWrites(app, 'INSERT ON usage_months', 'no room')
    await app.settle()
    mend()
    expect((await usage())['api_calls']).toBe(1)
    await app.call('GET', '/v1/products', { token })
    await app.settle()
    expect((await usage())['api_calls']).toBe(2)
    const row = readColumn(app, 'usage_months', 'api_calls')[0]
    expect(row).toBe(2)
  })

  test('a store that is gone does not keep the counts of others from being written', async () => {
    const other = await app.signIn('two', 'enterprise')
    await app.call('GET', '/v1/products', { token: other })
    await app.call('GET', '/v1/products', { token })
    deleteStore(app, 'two')
    await app.settle()
    expect(readColumn(app, 'usage_months', 'api_calls')).toEqual([1])
  })

  test('forgetting a store drops what is not written', async () => {
    await app.call('GET', '/v1/products', { token })
    app.forgetStore(storeId())
    expect((await usage())['api_calls']).toBe(0)
  })

  test('counts the items of jobs once, in the month of their request', async () => {
    app.setPlan('one', 'enterprise')
    const products = ['a', 'b', 'c'].map((product_id) => ({ product_id, image_url: 'https://img.test/none' }))
    const { body } = await app.call('POST', '/v1/products/bulk', { token, body: { products } })
    await app.jobs.waitUntilOver(storeId(), String(body['job_id']))
    expect(await usage()).toMatchObject({ bulk_items: 3 })
    await app.call('POST', `/v1/jobs/${body['job_id']}/retry`, { token })
    expect(await usage()).toMatchObject({ bulk_items: 3 })
  })

  test('shows the bytes of stored pictures and thumbnails', async () => {
    const image = pictureBytes(3)
    await app.call('POST', '/v1/products', { token, body: form({ product_id: 'a', image }) })
    const thumbnail = app.db.prepare('SELECT length(webp) FROM thumbnails').pluck().get() as number
    const storage_bytes = image.length + thumbnail
    expect(await usage()).toMatchObject({ storage_bytes, storage_max_bytes: 500_000_000 })
  })

  test('a store that has spent its budget can still ask', async () => {
    while ((await app.call('GET', '/v1/products', { token })).status === 200);
    expect((await app.call('GET', '/v1/billing/usage', { token })).status).toBe(200)
  })
})

describe('warnings at 80 and 95 %', () => {
  const mails = () => app.mails.map(({ to, subject }) => `${to}: ${subject}`)
  const posts = () =>
    app.posts
      .map(({ body }) => JSON.parse(body).data as Record<string, unknown>)
      .map(({ percent, used }) => [percent, used])

  async function listen(): Promise<void> {
    const body = { url: 'https://hooks.test/', events: ['plan.limit_near'] }
    await app.call('POST', '/v1/search/webhooks', { token, body })
  }

  const fill = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) {
      expect((await put(`p${n}`, n % 8)).status).toBe(201)
      await app.settle()
    }
  }

  test('come once each a month: by webhook, by mail, and in usage', async () => {
    await listen()
    await fill(1, 39)
    expect([posts(), (await usage())['warnings']]).toEqual([[], []])
    await fill(40, 47)
    expect(posts()).toEqual([[80, 40]])
    expect((await usage())['warnings']).toEqual([
      {
        resource: 'products',
        percent: 80,
        used: 47,
        limit: 50,
        message: 'The store has 47 of the 50 products of its plan',
      },
    ])
    await fill(48, 50)
    expect(posts()).toEqual([
      [80, 40],
      [95, 48],
    ])
    expect(mails()).toEqual([
      'one@shop.test: one uses 80 % of its plan: products',
      'one@shop.test: one uses 95 % of its plan: products',
    ])
    expect(JSON.parse(app.posts[1]?.body ?? '')).toMatchObject({
      event: 'plan.limit_near',
      data: {
        ...{ plan_name: 'free', resource: 'products', percent: 95, used: 48, limit: 50 },
        ...{ max_products: 50, products_count: 48 },
      },
    })
    expect((await put('one too many')).body).toMatchObject({
      error: 'product_limit_exceeded',
      details: {
        ...{ plan_name: 'free', max_products: 50, products_count: 50 },
        upgrade_url: 'http://lookalike.test/billing/plans',
      },
    })
  })

  test('come again in the next month, with the highest mark alone', async () => {
    await fill(1, 48)
    app.mails.length = 0
    await app.call('DELETE', '/v1/products/p48', { token })
    await fill(49, 49)
    expect(mails()).toEqual([])
    app.clock.advance(32 * 24 * 60 * MINUTE)
    token = await getToken(app, await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }]))
    await fill(50, 50)
    expect(mails()).toEqual([
      'one@shop.test: one uses 95 % of its plan: products',
      'anna@people.test: one uses 95 % of its plan: products',
    ])
  })

  test('are undone with the write that caused them', async () => {
    await fill(1, 39)
    const mend = failWrites(app, 'INSERT ON outbox', 'no')
    expect((await put('p40')).status).toBeGreaterThanOrEqual(500)
    mend()
    expect(await usage()).toMatchObject({ products_count: 39, warnings: [] })
    await fill(40, 40)
    expect(mails()).toEqual(['one@shop.test: one uses 80 % of its plan: products'])
  })

  test('warn of storage as well', async () => {
    updateRows(app, 'stores', { kept_bytes: 475000000 }, { slug: 'one' })
    await app.call('POST', '/v1/products', { token, body: form({ product_id: 'a', image: pictureBytes(3) }) })
    await app.settle()
    expect(mails()).toEqual(['one@shop.test: one uses 95 % of its plan: storage'])
    expect((await usage())['warnings']).toMatchObject([
      {
        resource: 'storage',
        percent: 95,
        message: 'The pictures of the store take 475 MB of the 500 MB of its plan',
      },
    ])
  })

  test('never come on a plan without a limit', async () => {
    app.setPlan('one', 'enterprise')
    await fill(1, 60)
    expect([mails(), (await usage())['warnings']]).toEqual([[], []])
  })

  test('old notes of what was told are deleted', async () => {
    await fill(1, 40)
    const rows = () => countRows(app, 'plan_warnings')
    await app.tidy()
    expect(rows()).toBe(1)
    app.clock.advance(32 * 24 * 60 * MINUTE)
    await app.tidy()
    expect(rows()).toBe(0)
  })
})
