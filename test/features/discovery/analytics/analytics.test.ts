import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { SearchRow } from '../../../../src/features/discovery/search/queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { foreverKey } from '../../../support/keys.ts'
import { refusal } from '../../../support/people.ts'
import { countRows } from '../../../support/seed.ts'

const DAY = 86_400_000

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  token = await foreverKey(app, await app.signIn('one'))
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

function add(search: Partial<SearchRow> = {}): string {
  const id = app.ids.uuid()
  app.history.add({
    ...{ id, storeId, type: 'text', query: 'mug', parameters: {}, results: ['a', 'b'], topScore: 0.9 },
    ...{ durationMs: 20, isTracked: true, sessionId: null, searchSource: null, createdAt: app.clock.now() },
    ...search,
  })
  return id
}
const get = async (path: string, as = token) =>
  (await app.call('GET', `/v1/search/${path}`, { token: as })).body
const send = async (event: object) =>
  (await app.call('POST', '/v1/search/feedback', { token, body: { result_product_id: 'a', ...event } })).body

describe('analytics (contract 3.12)', () => {
  test('of an empty store: nulls for rates, zeros for counts, every day in the timeseries', async () => {
    expect(await get('analytics?days=2')).toEqual({
      period: { days: 2, from: '2029-12-31', to: '2030-01-01', timezone: 'UTC' },
      tracking: {
        status: 'no_searches',
        message: '0 searches, 0 clicks in 2 days: no search was counted yet',
      },
      searches: {
        total: 0,
        by_type: {},
        sessions: 0,
        zero_results: 0,
        zero_result_rate: null,
        low_confidence: 0,
      },
      engagement: {
        searches_with_click: 0,
        ctr: null,
        avg_click_position: null,
        click_positions: [],
        add_to_cart_rate: null,
        conversion_rate: null,
      },
      by_source: [
        {
          ...{ source: 'api', key_id: null, key_name: null, origin: null, searches: 0, zero_results: 0 },
          ...{ searches_with_click: 0, ctr: null, add_to_cart_rate: null, conversion_rate: null },
          ...{ clicks: 0, add_to_cart: 0, purchases: 0, last_search_at: null, last_event_at: null },
          tracking: {
            status: 'no_searches',
            message: '0 searches, 0 clicks in 2 days: the backend was not used',
          },
        },
      ],
      revenue: [],
      latency_ms: { p50: null, p95: null },
      top_queries: [],
      zero_result_queries: [],
      top_products: [],
      timeseries: ['2029-12-31', '2030-01-01'].map((date) => ({
        ...{ date, searches: 0, ctr: null, conversion_rate: null, zero_result_rate: null },
        ...{ clicks: 0, orders: 0, revenue: [] },
      })),
    })
  })

  test('0 where there were searches and no events; everything counts at once', async () => {
    await app.call('POST', '/v1/search/text', { token, body: { query: ' Mug ', session_id: 's' } })
    const report = await get('analytics')
    expect(report).toMatchObject({
      searches: { total: 1, by_type: { text: 1 }, sessions: 1, zero_results: 1, zero_result_rate: 1 },
      engagement: {
        searches_with_click: 0,
        ctr: 0,
        avg_click_position: null,
        add_to_cart_rate: 0,
        conversion_rate: 0,
      },
      top_queries: [{ query: 'mug', searches: 1, ctr: 0, avg_results: 0 }],
      zero_result_queries: [{ query: 'mug', searches: 1 }],
    })
  })

  test('the period begins at midnight UTC', async () => {
    add({ createdAt: app.clock.now() - DAY * 6 })
    add({ createdAt: app.clock.now() - DAY * 6 - 1 })
    expect(await get('analytics')).toMatchObject({ searches: { total: 1 } })
    expect(await get('analytics?days=8')).toMatchObject({ searches: { total: 2 } })
  })

  test('the health of tracking in words', async () => {
    const tracking = async () => (await get('analytics'))['tracking'] as object
    const id = add()
    add()
    expect(await tracking()).toEqual({
      status: 'no_clicks',
      message: '2 searches, 0 clicks in 7 days: the shop reports no clicks; send them as feedback',
    })
    await send({ action: 'click' })
    expect(await tracking()).toMatchObject({ status: 'unattributed' })
    await send({ action: 'click', search_id: id })
    expect(await tracking()).toMatchObject({ status: 'no_purchases' })
    await send({ action: 'purchase', order_value: 1, currency: 'EUR' })
    expect(await tracking()).toEqual({ status: 'ok', message: '2 searches, 2 clicks in 7 days, 1 purchase' })
  })

  test('a click on a replaced keystroke counts for the search that replaced it', async () => {
    const first = add({ query: 'm', sessionId: 's' })
    app.clock.advance(3_000)
    add({ query: 'mug', sessionId: 's' })
    await send({ action: 'click', search_id: first })
    expect(await get('analytics')).toMatchObject({
      searches: { total: 1 },
      engagement: { searches_with_click: 1, ctr: 1 },
      top_queries: [{ query: 'mug', searches: 1, ctr: 1 }],
    })
  })

  test('a click on a replaced keystroke ends the burst: the next search stands for itself', async () => {
    const first = add({ query: 'm', sessionId: 's' })
    add({ query: 'mug', sessionId: 's' })
    await send({ action: 'click', search_id: first })
    add({ query: 'mugs', sessionId: 's' })
    expect(await get('analytics')).toMatchObject({
      searches: { total: 2 },
      engagement: { searches_with_click: 1, ctr: 0.5 },
    })
  })

  test('a long keystroke burst is followed to its end once, even if it continues', async () => {
    const keystrokes = Array.from({ length: 300 }, (_, n) => {
      app.clock.advance(2_000)
      return add({ query: `m${n}`, sessionId: 's' })
    })
    app.history.flush()
    const into = () =>
      app.db
        .prepare(
          'SELECT into_query, count(*) FROM burst_searches GROUP BY into_query ORDER BY count(*) DESC LIMIT 1',
        )
        .raw()
        .get()
    expect(into()).toEqual([expect.any(String), 1])
    await send({ action: 'add_to_cart', search_id: keystrokes[0] })
    app.history.flush()
    expect(into()).toEqual(['m299', 299])
    await send({ action: 'click', search_id: keystrokes[7] })
    expect(await get('analytics')).toMatchObject({
      searches: { total: 1 },
      engagement: { searches_with_click: 1, ctr: 1, add_to_cart_rate: 1 },
      top_queries: [{ query: 'm299', searches: 1, ctr: 1 }],
    })
  })

  test('an event of a shop whose clock is ahead counts today, also at midnight', async () => {
    app.clock.advance(DAY - 120_000)
    const occurred_at = new Date(app.clock.now() + 240_000).toISOString()
    await send({ action: 'purchase', order_value: 7, currency: 'USD', occurred_at })
    expect(await get('analytics?days=1')).toMatchObject({ revenue: [{ currency: 'USD', total: 7 }] })
  })

  test('5,000 distinct queries a day are counted, further ones only in the totals', async () => {
    for (let n = 0; n < 5_002; n++) add({ query: `q${n}`, results: [] })
    add({ query: 'q5001' })
    add({ query: 'q0' })
    add({ query: 'q0' })
    expect(await get('analytics')).toMatchObject({ searches: { total: 5_005 } })
    const count = app.db.prepare('SELECT count(*) FROM tallies WHERE kind = 1').pluck()
    expect(count.get()).toBe(5_000)
    const [first] = (await get('analytics'))['top_queries'] as object[]
    expect(first).toEqual({ query: 'q0', searches: 3, ctr: 0, avg_results: 1.33 })
    app.clock.advance(DAY)
    add({ query: 'q5001' })
    expect((await get('analytics?days=1'))['top_queries']).toMatchObject([{ query: 'q5001', searches: 1 }])
  })

  test('invented products are counted up to a thousand a day', async () => {
    const events = Array.from({ length: 1_000 }, (_, n) => ({ result_product_id: `x${n}`, action: 'click' }))
    const post = (body: object) => app.call('POST', '/v1/search/feedback', { token, body })
    await post({ events })
    await post({
      events: [
        { result_product_id: 'one more', action: 'click' },
        { result_product_id: 'x0', action: 'click' },
      ],
    })
    const { products } = (await get('feedback/popular?limit=100')) as {
      products: { product_id: string; clicks: number }[]
    }
    expect(products[0]).toMatchObject({ product_id: 'x0', clicks: 2 })
    expect(countRows(app, 'tally_items')).toBe(1_000)
  })

  test('beyond the exact limit, sessions are estimated within 2 %, even when their days are packed', async () => {
    for (let n = 0; n < 11_000; n++) add({ sessionId: `s${n}`, type: 'upload', query: null, results: [] })
    const sessions = async () => ((await get('analytics'))['searches'] as { sessions: number }).sessions
    expect(Math.abs((await sessions()) - 11_000)).toBeLessThanOrEqual(220)
    app.clock.advance(2 * DAY)
    await app.tidy()
    expect(countRows(app, 'tallies')).toBe(0)
    for (let n = 0; n < 100; n++) add({ sessionId: `t${n}`, type: 'upload', query: null, results: [] })
    expect(Math.abs((await sessions()) - 11_100)).toBeLessThanOrEqual(222)
  }, 30_000)

  test.each([
    'analytics?days=0',
    'analytics?days=366',
    'feedback/popular?limit=101',
    'suggestions?limit=51',
    'analytics?format=pdf',
    'analytics/unmet?limit=0',
  ])('%s is refused', async (path) => {
    expect(refusal(await app.call('GET', `/v1/search/${path}`, { token }))).toEqual([422, 'validation_error'])
  })
})

describe('retention', () => {
  test('counts are kept for 400 days; then the numbers of their words are reused', async () => {
    add({ query: 'old' })
    await send({ action: 'purchase', order_value: 1, currency: 'EUR' })
    app.clock.advance(365 * DAY)
    add({ query: 'new' })
    app.history.flush()
    await app.tidy()
    const tables = [
      'search_days',
      'event_days',
      'revenue_days',
      'product_revenue',
      'tally_packs',
      'engaged_searches',
    ]
    const rows = () => tables.map((table) => countRows(app, table))
    expect(rows()).toEqual([2, 1, 1, 1, 3, 0])
    app.clock.advance(36 * DAY)
    await app.tidy()
    expect(rows()).toEqual([1, 0, 0, 0, 3, 0])
    add({ query: 'newer' })
    app.history.flush()
    expect(
      app.db.prepare('SELECT number, name FROM tally_items WHERE kind = 1 ORDER BY number').raw().all(),
    ).toEqual([
      [0, 'newer'],
      [1, 'new'],
    ])
    expect((await get('analytics?days=365'))['top_queries']).toMatchObject([
      { query: 'newer' },
      { query: 'new' },
    ])
  })

  test('a word that returns after 400 days keeps its counts', async () => {
    add({ query: 'mug' })
    app.history.flush()
    app.clock.advance(3 * DAY)
    await app.tidy()
    app.clock.advance(398 * DAY)
    add({ query: 'mug' })
    app.history.flush()
    await app.tidy()
    add({ query: 'lamp' })
    expect((await get('analytics?days=365'))['top_queries']).toMatchObject([
      { query: 'mug', searches: 1 },
      { query: 'lamp', searches: 1 },
    ])
  })

  test('everything about a store is deleted with the store', async () => {
    const id = add({ sessionId: 's' })
    add({ sessionId: 's' })
    await send({ action: 'purchase', order_value: 1, currency: 'EUR', search_id: id })
    app.db.prepare('DELETE FROM stores WHERE id = ?').run(storeId)
    for (const table of [
      'search_days',
      'tallies',
      'tally_items',
      'engaged_searches',
      'burst_searches',
      'feedback_events',
    ])
      expect(countRows(app, table)).toBe(0)
  })
})

describe('tables for spreadsheets', () => {
  const csv = async (path: string) => {
    const { status, headers, body } = await app.call('GET', `/v1/search/${path}`, { token })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="\w+\.csv"$/)
    expect(headers.get('x-request-id')).toBeTruthy()
    return body['text']
  }

  test('of analytics, popular products and suggestions', async () => {
    const id = add({ query: '=cmd()', results: ['a'] })
    await send({ action: 'click', search_id: id })
    await send({ action: 'purchase', order_value: 2.5, currency: 'EUR' })
    await send({ action: 'purchase', order_value: 300, currency: 'JPY' })
    expect(await csv('analytics?days=2&format=csv')).toBe(
      'date,searches,ctr,conversion_rate,zero_result_rate,clicks,orders,revenue\r\n2029-12-31,0,,,,0,0,\r\n2030-01-01,1,1,0,0,1,2,JPY 300; EUR 2.5\r\n',
    )
    expect(await csv('feedback/popular?format=csv')).toBe(
      'product_id,score,clicks,add_to_cart,purchases,revenue\r\na,11,1,0,2,JPY 300; EUR 2.5\r\n',
    )
    expect(await csv('suggestions?format=csv')).toBe(
      "query,count,results_count,source\r\n'=cmd(),1,1,history\r\n",
    )
  })
})

describe('popular products', () => {
  test('score 1, 3 and 5, half of it after 7 days, with metadata while the store has the product', async () => {
    const body = { product_id: 'a', image_url: app.picture('a', 1), metadata: { name: 'Mug' } }
    await app.call('POST', '/v1/products', { token, body })
    await send({ action: 'click' })
    await send({ action: 'add_to_cart', result_product_id: 'b' })
    app.clock.advance(7 * DAY)
    await send({ action: 'purchase', order_value: 9.9, currency: 'EUR' })
    expect(await get('feedback/popular')).toEqual({
      days: 30,
      products: [
        {
          ...{ product_id: 'a', score: 5.5, clicks: 1, add_to_cart: 0, purchases: 1 },
          revenue: [{ currency: 'EUR', amount: 9.9 }],
          metadata: { name: 'Mug' },
          thumbnail_url: expect.stringMatching(/^\/thumbnails\//),
        },
        {
          ...{ product_id: 'b', score: 1.5, clicks: 0, add_to_cart: 1, purchases: 0, revenue: [] },
          ...{ metadata: null, thumbnail_url: null },
        },
      ],
    })
    expect((await get('feedback/popular?days=7&limit=1'))['products']).toMatchObject([{ score: 5 }])
  })
})

describe('suggestions', () => {
  test('lists queries with the prefix, most searched first, then categories, brands and names', async () => {
    const metadata = { name: 'Red Shoes', category: 'Reading', brand: 'Redwood' }
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'a', image_url: app.picture('a', 1), metadata },
    })
    add({ query: 'red boots' })
    for (let n = 0; n < 2; n++) add({ query: 'Red  mug', results: ['a'] })
    add({ query: 'redwood' })
    add({ query: 'red nothing', results: [] })
    add({ query: 'blue' })
    add({ query: 'red secret', isTracked: false })
    expect(await get('suggestions?q=RE')).toEqual({
      suggestions: [
        { query: 'red mug', count: 2, results_count: 1, source: 'history' },
        { query: 'red boots', count: 1, results_count: 2, source: 'history' },
        { query: 'redwood', count: 1, results_count: 2, source: 'history' },
        { query: 'reading', count: 0, results_count: 1, source: 'catalog' },
        { query: 'red shoes', count: 0, results_count: 1, source: 'catalog' },
      ],
    })
    const first = async (path: string) =>
      ((await get(path))['suggestions'] as { query: string }[]).map(({ query }) => query)
    expect(await first('suggestions?limit=1')).toEqual(['red mug'])
    expect(await first('suggestions?q=blue')).toEqual(['blue'])
    expect(await first('suggestions?q=%25')).toEqual([])
  })
})

describe('unmet demand (contract 3.13)', () => {
  const axis = (n: number) => Float32Array.from({ length: 8 }, (_, k) => (k === n ? 1 : 0))

  test('clusters unmet pictures every night, and says what they show', async () => {
    expect(await get('analytics/unmet')).toEqual({ computed_at: null, searches: 0, clusters: [] })
    const metadata = { category: 'Things of 2' }
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'a', image_url: app.picture('a', 1), metadata },
    })
    const low = { type: 'upload' as const, query: null, topScore: 0.25 }
    const add8 = (n: number, search: Partial<SearchRow> = {}) => {
      const id = app.ids.uuid()
      app.history.add({
        ...{ id, storeId, parameters: {}, results: ['a'], durationMs: 1, isTracked: true, sessionId: null },
        ...{ ...low, searchSource: null, createdAt: app.clock.now(), vector: axis(n), ...search },
      })
      return id
    }
    const ids = [add8(2), add8(2, { topScore: null, results: [] })]
    add8(4)
    add8(5, { topScore: 0.5 })
    add8(5, { isTracked: false })
    add8(5, { parameters: { offset: 20 }, topScore: null, results: [] })
    app.history.flush()
    await app.tidy()
    const map = await get('analytics/unmet')
    expect(map).toMatchObject({ computed_at: '2030-01-01T00:00:00.000Z', searches: 3 })
    expect(map['clusters']).toMatchObject([
      {
        searches: 2,
        mean_best_score: 0.125,
        best_score: 0.125,
        last_searched_at: '2030-01-01T00:00:00.000Z',
      },
      { searches: 1, mean_best_score: 0.25, best_score: 0.25 },
    ])
    const [first] = map['clusters'] as { shows: object[]; example_search_ids: string[] }[]
    expect(first?.shows[0]).toMatchObject({ name: 'things of 2', source: 'category', cosine: 1 })
    expect(first?.example_search_ids.toSorted()).toEqual(ids.toSorted())
    app.clock.advance(90 * DAY + 1)
    await app.tidy()
    expect(await get('analytics/unmet')).toMatchObject({ searches: 0, clusters: [] })
  })

  test('a search by picture brings its vector; a search by text has none', async () => {
    await app.call('POST', '/v1/search/url', { token, body: { vector: [0, 1, 0, 0, 0, 0, 0, 0] } })
    await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    app.history.flush()
    const vectors = app.db.prepare<[], Buffer>('SELECT vector FROM unmet_searches').pluck().all()
    expect(vectors.map((vector) => [...new Int8Array(vector)])).toEqual([[0, 127, 0, 0, 0, 0, 0, 0]])
  })
})

test('no store sees anything of another', async () => {
  const other = await app.signIn('two')
  const id = add({ sessionId: 's' })
  await send({ action: 'purchase', order_value: 1, currency: 'EUR', search_id: id })
  expect(await get('analytics', other)).toMatchObject({
    searches: { total: 0 },
    revenue: [],
    top_products: [],
  })
  expect(await get('feedback/popular', other)).toMatchObject({ products: [] })
  expect(await get('suggestions', other)).toEqual({ suggestions: [] })
})
