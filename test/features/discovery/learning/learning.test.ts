import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { refusal } from '../../../support/people.ts'
import { insertRow } from '../../../support/seed.ts'

interface Hit {
  product_id: string
  similarity_score: number
  explain: { legs: { clicks: number } }
}

const PRODUCTS = Array.from({ length: 10 }, (_, n) => `p${n + 1}`)
const MINUTE = 60_000

let app: TestApp
let token: string
let planted = 0

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one')
  // All alike, so that they stand in the order in which they came.
  for (const id of PRODUCTS) await add(id)
})
afterEach(() => app.close())

const add = (product_id: string, as = token) =>
  app.call('POST', '/v1/products', {
    token: as,
    body: { product_id, image_url: app.picture(product_id, 1), metadata: {} },
  })
const storeId = (slug = 'one') => app.stores.requireBySlug(slug).id
const search = async (as = token, fields: object = {}): Promise<Hit[]> =>
  (
    await app.call('POST', '/v1/search/text', {
      token: as,
      body: { query: '1', explain: true, analytics: false, ...fields },
    })
  ).body['results'] as Hit[]
const setLearn = (learn: boolean | null) =>
  app.call('PATCH', '/v1/store/settings', { token, body: { search_defaults: { learn } } })
const readLearning = async () => (await app.call('GET', '/v1/search/learning', { token })).body

interface Planted {
  clicked?: string | undefined
  sessionId?: string
  isWidget?: boolean
  slug?: string
}

/** Writes a search of some minutes ago that showed all products, and a click in it. */
function plant(minutesAgo: number, { clicked, sessionId, isWidget, slug }: Planted = {}): void {
  const id = `search-${++planted}`
  const createdAt = app.clock.now() - minutesAgo * MINUTE
  const store_id = storeId(slug)
  const session_id = sessionId ?? null
  insertRow(app, 'searches', {
    ...{ id, store_id, type: 'text', query: '1', parameters: '{}', results: JSON.stringify(PRODUCTS) },
    ...{ top_score: 0.9, duration_ms: 1, is_tracked: 1, session_id, created_at: createdAt },
    ...(isWidget && { widget_key_id: 'a key', page_origin: 'https://shop.example' }),
  })
  if (clicked === undefined) return
  insertRow(app, 'feedback_events', {
    ...{ id: `event-${planted}`, store_id, search_id: id, product_id: clicked, action: 'click', quantity: 1 },
    ...{ position: PRODUCTS.indexOf(clicked) + 1, is_attributed: 1, origin: isWidget ? 'widget' : 'api' },
    ...{ session_id, occurred_at: createdAt, created_at: createdAt, standing: 0, is_product_counted: 1 },
  })
}

const toScore = (hit: Hit | undefined) => [hit?.product_id, hit?.similarity_score]

/** As analytics count clicks. */
function countClicks(clicks: number): void {
  const day = Math.floor(app.clock.now() / 86_400_000)
  app.db
    .prepare(
      'INSERT OR REPLACE INTO click_positions (store_id, day, bucket, clicks, sum) VALUES (?, ?, 8, ?, 0)',
    )
    .run(storeId(), BigInt(day), BigInt(clicks))
}

/** Switches learning on without asking whether the store may. */
function forceLearning(): void {
  app.db
    .prepare('INSERT OR REPLACE INTO store_settings (store_id, settings, updated_at) VALUES (?, ?, 1)')
    .run(storeId(), '{"search_defaults":{"learn":true}}')
  app.forgetStore(storeId())
}

const learnTonight = () => app.chores.find(({ name }) => name === 'learning from clicks')?.run()

async function replay(settings: object): Promise<{ clicks: { gain: number | null; rise: number } }> {
  const { body } = await app.call('POST', '/v1/search/replay', { token, body: { settings, last: 20 } })
  for (let n = 0; n < 200; n++) {
    const found = (await app.call('GET', `/v1/search/replay/${body['job_id']}`, { token })).body
    if (found['status'] !== 'processing') return found['result'] as never
    await app.settle()
    app.clock.advance(16_000)
    await app.chores.find(({ name }) => name === 'replaying searches')?.run()
  }
  throw new Error('the replay never ends')
}

test('a store learns once it has the clicks and a replay that shows a gain', async () => {
  const before = await search()
  expect(await setLearn(true)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('500 are missing'), details: { clicks: 0, replay_gain: null } },
  })
  for (let n = 0; n < 100; n++) plant(n, { clicked: 'p8' })
  countClicks(499)
  expect((await setLearn(true)).body).toMatchObject({ message: expect.stringContaining('1 is missing') })
  countClicks(500)
  expect((await setLearn(true)).body).toMatchObject({ message: expect.stringContaining('replay') })
  expect(await readLearning()).toMatchObject({ learn: false, clicks: 500, needed: 500, can_learn: false })
  const { clicks } = await replay({ learn: true })
  expect(clicks).toMatchObject({ rise: 20, gain: 1 - 1 / 8 })
  // Nothing counts before the store wants it.
  expect(await search()).toEqual(before)
  expect(await setLearn(true)).toMatchObject({ status: 200, body: { search_defaults: { learn: true } } })
  await app.settle()
  const [first, ...others] = await search()
  expect(first).toMatchObject({ product_id: 'p8', explain: { legs: { clicks: 0.03 } } })
  expect(others.map(({ explain }) => explain.legs.clicks)).toEqual(Array(9).fill(0))
  const filters = [{ field: 'product_id', operator: 'in', value: ['p8', 'p3'] }]
  expect((await search(token, { filters })).map(toScore)).toEqual([first, others[2]].map(toScore))
  expect(
    (await search(token, { category_boost: 0, threshold: first?.similarity_score })).map(toScore),
  ).toEqual([toScore(first)])
  expect(first?.similarity_score).toBeGreaterThan(others[0]?.similarity_score ?? 1)
  expect(await readLearning()).toMatchObject({
    learn: true,
    can_learn: true,
    products: 1,
    replay_gain: 0.875,
  })
  // A client that reads all settings may send them back, also when the clicks are gone.
  countClicks(3)
  expect((await setLearn(true)).status).toBe(200)
  // Off again, every score is as it was, to the last bit.
  await setLearn(false)
  expect(await search()).toEqual(before)
})

test('a replay learns only from what came before it', async () => {
  // The store's shoppers change their minds: nothing of the last 20 searches may be known.
  for (let n = 0; n < 20; n++) plant(n, { clicked: 'p8' })
  expect((await replay({ learn: true })).clicks).toMatchObject({ rise: 0, gain: 0 })
  countClicks(500)
  expect((await setLearn(true)).body).toMatchObject({ message: expect.stringContaining('no gain') })
})

test('products gain by their place, not by how often they are shown', async () => {
  forceLearning()
  for (let n = 0; n < 300; n++) plant(n, { clicked: n % 3 === 2 ? 'p2' : 'p1' })
  await learnTonight()
  expect((await search()).map(({ explain }) => explain.legs.clicks)).toEqual(Array(10).fill(0))
})

test('robots lift nothing: one session counts once a day, and no more than 50 of its searches', async () => {
  forceLearning()
  for (let n = 0; n < 400; n++) plant(n % 600, { clicked: 'p9', sessionId: 'robot', isWidget: true })
  for (let n = 0; n < 400; n++) plant(n % 600, { clicked: 'p10', isWidget: true })
  await learnTonight()
  const gains = (await search()).map(({ explain }) => explain.legs.clicks)
  expect(Math.max(...gains)).toBeLessThan(0.006)
  // As many shoppers as clicks do.
  for (let n = 0; n < 60; n++) plant(n, { clicked: 'p9', sessionId: `shopper ${n}`, isWidget: true })
  app.db.prepare('UPDATE learned_clicks SET made_at = 0').run()
  await learnTonight()
  expect((await search())[0]).toMatchObject({ product_id: 'p9' })
})

test('what one store learns says nothing of another, and a product that is gone or never clicked has nothing', async () => {
  const other = await app.signIn('two')
  await add('p8', other)
  await add('p1', other)
  forceLearning()
  for (let n = 0; n < 100; n++) plant(n, { clicked: 'p8' })
  await learnTonight()
  expect((await search(other)).map(({ explain }) => explain.legs.clicks)).toEqual([0, 0])
  await app.call('DELETE', '/v1/products/p8', { token })
  expect((await search()).map(({ explain }) => explain.legs.clicks)).toEqual(Array(9).fill(0))
  await add('new')
  expect((await search()).at(-1)).toMatchObject({ product_id: 'new', explain: { legs: { clicks: 0 } } })
  expect((await app.call('GET', '/v1/search/learning', { token: other })).body).toMatchObject({
    learn: false,
  })
})

test('a program that is killed while it learns keeps what it knew, and learns once a day', async () => {
  await app.close()
  const db = memoryDatabase()
  const close = db.close.bind(db)
  app = testApp({ db })
  token = await app.signIn('one')
  for (const id of PRODUCTS) await add(id)
  forceLearning()
  for (let n = 0; n < 100; n++) plant(n, { clicked: 'p8' })
  await learnTonight()
  const madeAt = () => db.prepare('SELECT made_at FROM learned_clicks').pluck().get()
  const first = madeAt()
  app.clock.advance(60_000)
  await learnTonight()
  expect(madeAt()).toBe(first as number)
  app.clock.advance(86_400_000)
  void learnTonight()
  app = testApp({ db })
  app.loadIndex()
  expect((await search())[0]).toMatchObject({ product_id: 'p8' })
  db.close = close
})

test('learn is a setting of the store and no parameter, and its kind is checked', async () => {
  expect(
    refusal(
      await app.call('PATCH', '/v1/store/settings', {
        token,
        body: { search_defaults: { learn: 'yes' } },
      }),
    ),
  ).toEqual([422, 'validation_error'])
  const { body } = await app.call('POST', '/v1/search/text', { token, body: { query: '1', learn: true } })
  expect(JSON.stringify(body['warnings'])).toContain('learn')
})
