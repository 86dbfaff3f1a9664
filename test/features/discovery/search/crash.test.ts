import { afterEach, expect, test } from 'bun:test'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { onlyStoreId } from '../../../support/seed.ts'

/** All that searches and events leave behind. */
const TABLES = [
  ...['searches', 'feedback_counts', 'search_days', 'click_positions', 'event_days', 'revenue_days'],
  ...['product_revenue', 'tally_items', 'tallies', 'engaged_searches', 'burst_searches', 'widget_pages'],
  ...['widget_page_days', 'unmet_searches', 'feedback_events'],
]

const apps: TestApp[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

/** An app whose deferred work runs when a test says so, by its delay. */
function appOf(db?: TestApp['db']) {
  const deferred: { work: () => unknown; delayMs: number }[] = []
  const app = testApp({
    ...(db && { db }),
    defer: (work, delayMs) => void deferred.push({ work, delayMs }),
  })
  apps.push(app)
  /** Lets half a second pass. */
  const keep = () => {
    for (const { work } of deferred.filter(({ delayMs }) => delayMs === 500)) work()
  }
  return { app, keep }
}

/** Kills a program, and starts another one on its disk. */
function restart({ db }: TestApp): TestApp {
  const { app } = appOf(openDatabase(db.serialize()))
  app.loadIndex()
  return app
}

const read = ({ db }: TestApp) =>
  Object.fromEntries(
    TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3`).all()]),
  )
const countWaiting = ({ db }: TestApp) => db.prepare('SELECT count(*) FROM late_writes').pluck().get()

/** Two stores search, type, click and buy. */
async function shop(app: TestApp): Promise<void> {
  for (const name of ['one', 'two']) {
    const token = await app.signIn(name)
    const call = async (path: string, body: object) =>
      (await app.call('POST', path, { token, body })).body as Record<string, unknown>
    for (const [product_id, ...axes] of [
      ['a', 1],
      ['b', 1, 2],
    ] as [string, ...number[]][])
      await call('/v1/products', { product_id, image_url: app.picture(product_id, ...axes) })
    const typed: string[] = []
    for (const query of ['1', '1 2', '1 2 3']) {
      app.clock.advance(500)
      const found = await call('/v1/search/text', { query, session_id: 'shopper', category_boost: 0 })
      typed.push(String(found['search_id']))
    }
    const click = { action: 'click', session_id: 'shopper' }
    await call('/v1/search/feedback', { ...click, search_id: typed[0], result_product_id: 'a' })
    await call('/v1/search/feedback', { ...click, search_id: typed[2], result_product_id: 'b' })
    await call('/v1/search/feedback', { ...click, result_product_id: 'unknown' })
    await call('/v1/search/text', { query: '2', analytics: false })
    await call('/v1/search/url', { vector: [0, 0, 0, 0, 0, 0, 0, 1] })
    await app.call('POST', '/v1/search', { token, body: form({ image: pictureBytes(2), session_id: 's2' }) })
    await call('/v1/search/batch', { searches: [{ query: '1' }, { query: '2' }] })
  }
}

test('a crash half a second after searches and events loses none of their rows and counts', async () => {
  const { app, keep } = appOf()
  await shop(app)
  keep()
  expect(countWaiting(app)).toBeGreaterThan(10)
  expect(read(app)['searches']).toEqual([])
  const next = restart(app)
  app.history.flush()
  expect(read(next)).toEqual(read(app))
  expect(read(app)['burst_searches']).not.toEqual([])
  expect(read(app)['unmet_searches']).not.toEqual([])
  expect(read(app)['engaged_searches']).not.toEqual([])
  expect(countWaiting(next)).toBe(0)
})

test('a keystroke whose search was written before the crash gives its place up after it', async () => {
  const { app, keep } = appOf()
  const token = await app.signIn()
  const type = (query: string) =>
    app.call('POST', '/v1/search/text', { token, body: { query, session_id: 'shopper' } })
  await type('1')
  app.history.flush()
  await type('1 2')
  keep()
  const next = restart(app)
  app.history.flush()
  expect(read(next)).toEqual(read(app))
  expect(next.db.prepare('SELECT sum(searches) FROM search_days').pluck().get()).toBe(1)
})

test('a purchase is there after a crash at once, and so is what it follows', async () => {
  const { app } = appOf()
  const token = await app.signIn()
  const found = await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
  await app.call('POST', '/v1/search/feedback', {
    token,
    body: {
      ...{ search_id: found.body['search_id'], result_product_id: 'a', action: 'purchase' },
      ...{ order_id: 'o', order_value: 3, currency: 'EUR' },
    },
  })
  const next = restart(app)
  expect(read(next)).toEqual(read(app))
  expect(read(next)['revenue_days']).toMatchObject([{ total: 3, attributed: 3, orders: 1 }])
})

test('what waits of a store is gone with it', async () => {
  const { app, keep } = appOf()
  await shop(app)
  keep()
  const { id } = app.stores.requireBySlug('two')
  app.forgetStore(id)
  app.db.prepare('DELETE FROM stores WHERE id = ?').run(id)
  const next = restart(app)
  app.history.flush()
  expect(read(next)).toEqual(read(app))
  expect(new Set((read(app)['searches'] as { store_id: string }[]).map((row) => row.store_id)).has(id)).toBe(
    false,
  )
  expect(countWaiting(next)).toBe(0)
})

test('the request counts of the plan share the commit of the records', async () => {
  const { app, keep } = appOf()
  const token = await app.signIn()
  await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
  let commits = 0
  const before = app.db.pragma('data_version', { simple: true })
  app.db.function('note_commit', () => ++commits)
  app.db.exec(`CREATE TEMP TRIGGER a AFTER INSERT ON usage_months BEGIN SELECT note_commit(); END;
    CREATE TEMP TRIGGER b AFTER INSERT ON late_writes BEGIN SELECT note_commit(); END`)
  keep()
  expect([commits, before]).toEqual([2, app.db.pragma('data_version', { simple: true })])
})

test('a disk that is full for long takes no places in the counts of the day', async () => {
  const { app } = appOf()
  const token = await app.signIn()
  const search = (query: string) => app.call('POST', '/v1/search/text', { token, body: { query } })
  for (let n = 0; n < 20; n++) await search(`query ${n}`)
  let isFull = true
  app.history.enqueue({
    storeId: onlyStoreId(app),
    kind: 'event',
    toRecord: () => ({}),
    write() {
      if (isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    },
  })
  // A day has places for 5,000 queries.
  for (let tries = 0; tries < 260; tries++) app.history.flush()
  isFull = false
  await search('one more')
  app.history.flush()
  const queries = app.db
    .prepare("SELECT count(*) FROM tally_items WHERE name LIKE 'query %' OR name = 'one more'")
    .pluck()
  expect(queries.get()).toBe(21)
})
