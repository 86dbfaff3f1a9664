import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { PASSWORD, refusal } from '../../../support/people.ts'
import { countRows, insertRow, readColumn } from '../../../support/seed.ts'

const DAY = 86_400_000

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one')
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

const ask = (query: string, as = token) => app.call('GET', `/v1/search/analytics?${query}`, { token: as })
const read = async (query: string, as = token) => (await ask(query, as)).body
const signInAgain = async () =>
  String(
    (await app.call('POST', '/oauth/login', { body: { email: 'one@shop.test', password: PASSWORD } })).body[
      'access_token'
    ],
  )
const move = (time_zone: string) => app.call('PATCH', '/v1/store/settings', { token, body: { time_zone } })

function add(createdAt: number, store = storeId): void {
  app.history.add({
    ...{ id: app.ids.uuid(), storeId: store, type: 'url', query: null, parameters: {}, results: ['a'] },
    ...{ topScore: 0.9, durationMs: 1, isTracked: true, sessionId: null, searchSource: null, createdAt },
  })
}

describe('the period of analytics (contract 3.12)', () => {
  test('is given by dates, or by a number of days', async () => {
    add(app.clock.now() - 3 * DAY)
    expect(await read('from=2029-12-29&to=2029-12-29')).toMatchObject({
      period: { days: 1, from: '2029-12-29', to: '2029-12-29', timezone: 'UTC' },
      searches: { total: 1 },
    })
    expect(await read('from=2029-12-30')).toMatchObject({
      ...{ period: { days: 3, to: '2030-01-01' }, searches: { total: 0 } },
    })
    expect(await read('')).toMatchObject({ period: { days: 7 }, searches: { total: 1 } })
  })

  test('is compared with the one before, of the same length', async () => {
    add(app.clock.now() - 7 * DAY)
    expect(await read('days=7')).not.toHaveProperty('previous')
    expect(await read('days=7&compare=previous')).toMatchObject({
      ...{ searches: { total: 0 }, timeseries: { length: 7 } },
      previous: { period: { from: '2029-12-19', to: '2029-12-25', days: 7 }, searches: { total: 1 } },
    })
  })

  test('has lists as long as wanted; without them the counters of queries and products are not read', async () => {
    for (const [n, query] of ['red', 'red', 'blue'].entries())
      app.history.add({
        ...{ id: app.ids.uuid(), storeId, type: 'text', query, parameters: {}, results: ['a', 'b'] },
        ...{ topScore: 0.9, durationMs: 1, isTracked: true, sessionId: null, searchSource: null },
        createdAt: app.clock.now() - n * 10_000,
      })
    const lists = async (query: string) => {
      const { top_queries, top_products } = await read(query)
      return [top_queries, top_products]
    }
    expect(await lists('')).toMatchObject([[{ query: 'red', searches: 2 }, { query: 'blue' }], { length: 2 }])
    expect(await lists('lists=1')).toMatchObject([[{ query: 'red', searches: 2 }], { length: 1 }])
    expect(await lists('lists=0')).toEqual([[], []])
    const { top_queries, top_products, zero_result_queries, ...rest } = await read('compare=previous')
    expect(await read('lists=0&compare=previous')).toMatchObject(rest)
    app.db.exec('DELETE FROM tally_items')
    app.db.exec('ALTER TABLE tally_items RENAME TO gone')
    try {
      expect((await ask('lists=0')).status).toBe(200)
      expect((await ask('format=csv')).status).toBe(200)
    } finally {
      app.db.exec('ALTER TABLE gone RENAME TO tally_items')
    }
  })

  test('is refused where it cannot be', async () => {
    for (const query of [
      ...['to=2030-01-01', 'from=2029-02-30', 'from=2030-01-02', 'from=2029-12-31&to=2029-12-30'],
      ...[
        'from=2029-12-31&days=2',
        'from=2028-01-01',
        'from=yesterday',
        'compare=next',
        'days=366',
        'lists=21',
      ],
    ])
      expect([query, ...refusal(await ask(query))]).toEqual([query, 422, 'validation_error'])
  })
})

describe('analytics of one key or origin (contract 3.12)', () => {
  test('say what is not counted by page', async () => {
    add(app.clock.now())
    const report = await read('origin=https://nowhere.example&compare=previous')
    expect(report).toMatchObject({
      searches: { total: 0, sessions: null, low_confidence: null, by_type: {} },
      ...{ by_source: [], revenue: [], top_queries: [], latency_ms: { p50: null } },
      ...{ tracking: { status: 'no_searches' }, not_counted: expect.arrayContaining(['revenue']) },
      previous: { searches: { total: 0, sessions: null } },
    })
    expect(await read('')).not.toHaveProperty('not_counted')
  })

  test('show nothing of the pages of another store', async () => {
    await app.signIn('two')
    const other = app.stores.requireBySlug('two').id
    const origin = 'https://shop.example'
    insertRow(app, 'widget_pages', { id: 9, store_id: other, key_id: 'k', origin, last_search_at: 1 })
    insertRow(app, 'widget_page_days', {
      ...{ store_id: other, day: Math.floor(app.clock.now() / DAY), page: 9, searches: 5 },
    })
    expect(await read('key_id=k')).toMatchObject({ searches: { total: 0 }, by_source: [] })
  })
})

describe('the days of a store (contract 3.12)', () => {
  test('begin at midnight in its time zone, from the change of the setting on', async () => {
    const counts = async () =>
      ((await read('from=2030-01-01'))['timeseries'] as { date: string; searches: number }[]).map(
        ({ date, searches }) => [date, searches],
      )
    app.clock.advance(23 * 3_600_000 + 50 * 60_000)
    token = await signInAgain()
    add(app.clock.now())
    await move('Europe/Vienna')
    add(app.clock.now())
    app.clock.advance(1)
    add(app.clock.now())
    // 23:50 UTC is 00:50 of the next day there; the two before keep the day of UTC.
    expect(await counts()).toEqual([
      ['2030-01-01', 2],
      ['2030-01-02', 1],
    ])
  })

  test('a zone that is written as it was changes nothing; 100 changes are enough', async () => {
    await move('UTC')
    expect(countRows(app, 'store_time_zones')).toBe(0)
    for (let n = 0; n < 100; n++) {
      app.clock.advance(1)
      expect((await move(n % 2 ? 'UTC' : 'Europe/Vienna')).status).toBe(200)
    }
    app.clock.advance(1)
    expect(refusal(await move('Europe/Vienna'))).toEqual([422, 'validation_error'])
    expect(readColumn(app, 'store_time_zones', 'time_zone')).toHaveLength(100)
  })
})
