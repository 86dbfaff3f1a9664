import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { foreverKey } from '../../../support/keys.ts'
import { refusal } from '../../../support/people.ts'
import { countRows, deleteRows, failWrites } from '../../../support/seed.ts'

const DAY = 86_400_000
const UNKNOWN = '01900000-0000-7000-8000-ffffffffffff'
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/)

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await foreverKey(app, await app.signIn('one'))
  for (const [product_id, ...axes] of [
    ['a', 1],
    ['b', 1, 2],
    ['c', 2],
  ] as [string, ...number[]][]) {
    const body = { product_id, image_url: app.picture(product_id, ...axes) }
    await app.call('POST', '/v1/products', { token, body })
  }
})
afterEach(() => app.close())

const search = async (body: object = {}, as = token) =>
  (await app.call('POST', '/v1/search/text', { token: as, body: { query: '1', category_boost: 0, ...body } }))
    .body
const send = (body: unknown, { key, as = token }: { key?: string; as?: string } = {}) =>
  app.call('POST', '/v1/search/feedback', {
    token: as,
    body,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
const click = { result_product_id: 'a', action: 'click' }
const purchase = { result_product_id: 'a', action: 'purchase', order_value: 10, currency: 'EUR' }
const events = () => {
  app.history.flush()
  return app.db.prepare<[], Record<string, unknown>>('SELECT * FROM feedback_events ORDER BY id').all()
}
const problems = ({ body }: Answer) =>
  (body['details'] as { errors: { pointer: string; code: string }[] }).errors.map(({ pointer, code }) => [
    pointer,
    code,
  ])

describe('an event (contract 3.11)', () => {
  test('is attributed to its search, at the position in the ranking, also before the search is on the disk', async () => {
    const { search_id, results } = await search()
    const ids = (results as { product_id: string }[]).map(({ product_id }) => product_id)
    expect(countRows(app, 'searches')).toBe(0)
    const answer = await send({ ...click, search_id, result_product_id: ids[1] })
    expect([answer.status, answer.body as object]).toEqual([
      201,
      { status: 'recorded', feedback_id: ID, attributed: true, position: 2 },
    ])
    app.history.flush()
    expect((await send({ ...click, search_id, result_product_id: ids[0] })).body['position']).toBe(1)
  })

  test.each(['null', '7', '"click"', '[]'])('422 validation_error: %s is no object', async (body) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await app.call('POST', '/v1/search/feedback', { token, body, headers })
    expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
    expect(problems(answer)).toEqual([['', 'type']])
  })

  test('has its position in the whole ranking, not on its page of results', async () => {
    const { search_id, results } = await search({ offset: 1, limit: 1 })
    const [{ product_id } = { product_id: '' }] = results as { product_id: string }[]
    expect((await send({ ...click, search_id, result_product_id: product_id })).body['position']).toBe(2)
    app.history.flush()
    expect((await send({ ...click, search_id, result_product_id: product_id })).body['position']).toBe(2)
  })

  test('has no position if the search did not show its product', async () => {
    const { search_id } = await search({ limit: 1 })
    expect((await send({ ...click, search_id, result_product_id: 'c' })).body).toMatchObject({
      attributed: true,
      position: null,
      warnings: ['the search did not show this product'],
    })
  })

  test('is recorded unattributed without a search, with an unknown one and with one of another store', async () => {
    const other = await app.signIn('two')
    const { search_id } = await search({}, other)
    expect((await send(purchase)).body as object).toEqual({
      status: 'recorded',
      feedback_id: ID,
      attributed: false,
      position: null,
    })
    for (const id of [UNKNOWN, search_id]) {
      const answer = await send({ ...purchase, search_id: id })
      expect([answer.status, answer.body as object]).toEqual([
        201,
        {
          status: 'recorded',
          feedback_id: ID,
          attributed: false,
          position: null,
          warnings: ['the store has no such search; the event counts without it'],
        },
      ])
    }
  })

  test('is recorded with a warning if its product was deleted since', async () => {
    const { search_id } = await search()
    await app.call('DELETE', '/v1/products/a', { token })
    const answer = await send({ ...click, search_id })
    expect([answer.status, answer.body['position'], answer.body['warnings']]).toEqual([
      201,
      1,
      ['the store has no such product'],
    ])
  })

  test.each([
    [
      'nothing',
      {},
      [
        ['/result_product_id', 'required'],
        ['/action', 'required'],
      ],
    ],
    ['an unknown action', { ...click, action: 'view' }, [['/action', 'enum']]],
    ['a value with a click', { ...click, order_value: 1 }, [['/order_value', 'not_allowed']]],
    [
      'a currency with a cart',
      { ...click, action: 'add_to_cart', currency: 'EUR' },
      [['/currency', 'not_allowed']],
    ],
    [
      'a purchase without value and currency',
      { ...click, action: 'purchase' },
      [
        ['/order_value', 'required'],
        ['/currency', 'required'],
      ],
    ],
    ['a currency that is none', { ...purchase, currency: 'XXX' }, [['/currency', 'currency']]],
    ['a purchase with an empty currency', { ...purchase, currency: ' ' }, [['/currency', 'required']]],
    ['a purchase without a value', { ...purchase, order_value: null }, [['/order_value', 'required']]],
    ['a product without an id', { ...click, result_product_id: '' }, [['/result_product_id', 'min_length']]],
    ['a negative value', { ...purchase, order_value: -1 }, [['/order_value', 'min']]],
    ['a value as text', { ...purchase, order_value: '10' }, [['/order_value', 'type']]],
    ['a negative quantity', { ...click, quantity: -1 }, [['/quantity', 'min']]],
    ['no quantity', { ...click, quantity: 0 }, [['/quantity', 'min']]],
    ['half a quantity', { ...click, quantity: 0.5 }, [['/quantity', 'type']]],
    ['a malformed search', { ...click, search_id: 'x' }, [['/search_id', 'pattern']]],
    ['a long session', { ...click, session_id: 'x'.repeat(65) }, [['/session_id', 'max_length']]],
    [
      'a time without an offset',
      { ...click, occurred_at: '2030-01-01T00:00:00' },
      [['/occurred_at', 'pattern']],
    ],
    [
      'a day that does not exist',
      { ...click, occurred_at: '2030-13-01T00:00:00Z' },
      [['/occurred_at', 'format']],
    ],
    [
      'a day that no month has',
      { ...click, occurred_at: '2029-12-32T00:00:00Z' },
      [['/occurred_at', 'format']],
    ],
    [
      'a day that this month lacks',
      { ...click, occurred_at: '2029-11-31T00:00:00Z' },
      [['/occurred_at', 'format']],
    ],
    [
      'an event of the future',
      { ...click, occurred_at: '2030-01-01T00:05:00.001Z' },
      [['/occurred_at', 'max']],
    ],
    ['an old event', { ...click, occurred_at: '2029-12-01T23:59:59.999Z' }, [['/occurred_at', 'min']]],
    ['an empty list', { events: [] }, [['/events', 'min_items']]],
    ['a list that is none', { events: {} }, [['/events', 'type']]],
    ['1,001 events', { events: Array.from({ length: 1_001 }, () => click) }, [['/events', 'max_items']]],
  ])('%s is refused', async (_what, body, expected) => {
    const answer = await send(body)
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(problems(answer)).toEqual(expected)
    expect(events()).toEqual([])
  })

  test.each([null, ''])('takes %p of an optional field for nothing', async (nothing) => {
    const optional = { search_id: nothing, session_id: nothing, order_id: nothing, occurred_at: nothing }
    const more = { quantity: nothing, order_value: nothing, currency: nothing }
    expect((await send({ ...click, ...optional, ...more })).status).toBe(201)
    expect((await send({ ...purchase, ...optional })).status).toBe(201)
    expect((await send({ events: [{ ...purchase, ...optional }] })).body['count']).toBe(1)
    const kept = events().map(({ order_id, session_id, search_id, quantity }) => [
      ...[order_id, session_id, search_id, quantity],
    ])
    expect(kept).toEqual([
      [null, null, null, 1],
      [null, null, null, 1],
      [null, null, null, 1],
    ])
  })

  test('may write its currency in upper or lower case, with spaces around it', async () => {
    for (const currency of ['eur', ' Eur ', 'EUR\n'])
      expect((await send({ ...purchase, currency })).status).toBe(201)
    expect(events().map(({ currency }) => currency)).toEqual(['EUR', 'EUR', 'EUR'])
  })

  test('may be 30 days old and 5 minutes ahead', async () => {
    for (const occurred_at of ['2030-01-01T00:05:00Z', '2029-12-02T00:00:00Z', '2029-12-02T01:00:00+01:00'])
      expect((await send({ ...click, occurred_at })).status).toBe(201)
  })
})

describe('repeated events', () => {
  test('a click on the same result within 10 s counts once, in any order', async () => {
    const { search_id } = await search()
    await send({ ...click, search_id })
    app.clock.advance(9_999)
    await send({ ...click, search_id })
    await send({ ...click, search_id, result_product_id: 'b' })
    await send({ ...click, search_id, action: 'add_to_cart' })
    await send({ ...click, search_id, action: 'add_to_cart' })
    expect(events().map(({ product_id, action }) => [product_id, action])).toEqual([
      ['a', 'click'],
      ['b', 'click'],
      ['a', 'add_to_cart'],
      ['a', 'add_to_cart'],
    ])
    app.clock.advance(1)
    await send({ ...click, search_id })
    expect(events()).toHaveLength(5)
  })

  test('a product of an order counts once, even if the requests differ otherwise', async () => {
    const first = await send({ ...purchase, order_id: '7' })
    const again = await send({ ...purchase, order_id: '7', order_value: 99 }, { key: 'other' })
    expect(again.body['feedback_id']).toBe(first.body['feedback_id'])
    await send({ ...purchase, order_id: '7', result_product_id: 'b' })
    await send({ ...purchase, order_id: '8' })
    await send(purchase)
    await send(purchase)
    expect(
      events().map(({ product_id, order_id, order_value }) => [product_id, order_id, order_value]),
    ).toEqual([
      ['a', '7', 10],
      ['b', '7', 10],
      ['a', '8', 10],
      ['a', null, 10],
      ['a', null, 10],
    ])
  })

  test('a request that repeats an Idempotency-Key gets its first answer again', async () => {
    const first = await send(purchase, { key: 'k' })
    const again = await send(purchase, { key: 'k' })
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.body,
      'true',
    ])
    expect(refusal(await send({ ...purchase, order_value: 11 }, { key: 'k' }))).toEqual([
      422,
      'idempotency_key_reused',
    ])
    expect(events()).toHaveLength(1)
    // Another store has its own keys.
    const other = await app.signIn('two')
    expect((await send(purchase, { key: 'k', as: other })).headers.get('idempotent-replayed')).toBeNull()
  })

  test('a crash between the event and the answer loses and doubles nothing', async () => {
    const first = await send({ events: [purchase, click] }, { key: 'k' })
    deleteRows(app, 'idempotency_keys')
    const again = await send({ events: [purchase, click] }, { key: 'k' })
    const ids = ({ body }: Answer) =>
      (body['results'] as { feedback_id: string }[]).map(({ feedback_id }) => feedback_id)
    expect(ids(again)).toEqual(ids(first))
    expect(events()).toHaveLength(2)
    // A key may be used again after a day.
    app.clock.advance(DAY + 1)
    await send({ events: [purchase, click] }, { key: 'k' })
    expect(events()).toHaveLength(4)
  })
})

describe('a list of events', () => {
  test('gets an answer for each event', async () => {
    const { search_id } = await search()
    const { status, body } = await send({
      events: [{ ...click, search_id }, { ...click, quantity: -1 }, 7, { ...purchase, search_id: UNKNOWN }],
    })
    const failed = (index: number, message: string) => ({
      index,
      status: 'failed',
      error: 'validation_error',
      message,
      details: { errors: expect.any(Array) },
    })
    expect([status, body as object]).toEqual([
      201,
      {
        status: 'recorded',
        count: 2,
        results: [
          { index: 0, status: 'recorded', feedback_id: ID, attributed: true, position: 1 },
          failed(1, 'quantity must be at least 1'),
          failed(2, 'the body must be an object'),
          {
            index: 3,
            status: 'recorded',
            feedback_id: ID,
            attributed: false,
            position: null,
            warnings: ['the store has no such search; the event counts without it'],
          },
        ],
      },
    ])
  })

  test('takes 1,000', async () => {
    const { body } = await send({ events: Array.from({ length: 1_000 }, () => click) })
    expect([body['count'], events().length]).toEqual([1_000, 1_000])
  })
})

describe('the events of lists', () => {
  const list = { events: Array.from({ length: 1_000 }, () => click) }

  test('have a budget by plan of their own: 1,000 an hour for each request a minute', async () => {
    app.setPlan('one', 'free')
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await send(list)).status)
    expect(statuses).toEqual([...Array(10).fill(201), 429])
    const refused = await send({ events: [click, click] })
    expect([refusal(refused), refused.body['details']]).toEqual([
      [429, 'rate_limit_exceeded'],
      { limit: 10_000, retry_after: 3600 },
    ])
    expect(refused.headers.get('retry-after')).toBe('3600')
    // Single events, refused lists and other stores are not counted.
    expect((await send(click)).status).toBe(201)
    expect((await send(list, { as: await app.signIn('two') })).status).toBe(201)
    app.clock.advance(3_600_000)
    expect((await send(list)).status).toBe(201)
  })

  test('cost nothing if the answer is only repeated', async () => {
    app.setPlan('one', 'free')
    for (let n = 0; n < 20; n++) expect((await send(list, { key: 'k' })).status).toBe(201)
    expect(events()).toHaveLength(1_000)
  })
})

describe('the look-ups for an event', () => {
  const planOf = (where: string) =>
    app.db
      .prepare<string[], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT id FROM feedback_events WHERE store_id = ? AND ${where}`,
      )
      .all(...Array<string>(where.split('?').length).fill('1'))
      .map(({ detail }) => detail)

  test.each([
    ['order_id = ? AND action = ? AND product_id = ?', 'order_id=? AND product_id=? AND action=?'],
    [
      "search_id = ? AND product_id = ? AND action = 'click' AND occurred_at > ? AND occurred_at < ?",
      'search_id=? AND product_id=? AND action=? AND occurred_at>? AND occurred_at<?',
    ],
    [
      "order_id = ? AND action = 'purchase' AND standing = 0 AND origin IN ('api', 'widget') AND currency = ?",
      'order_id=? AND origin=? AND currency=?',
    ],
    [
      "order_id = ? AND action = 'purchase' AND standing = 0 AND origin = 'widget' ORDER BY rowid",
      'order_id=? AND origin=?',
    ],
    ['repeat_key = ? AND +created_at > ?', 'repeat_key=?'],
  ])('%s goes along an index to the event itself, however many its order or search has', (where, path) => {
    expect(planOf(where)[0]).toContain(`(store_id=? AND ${path})`)
  })
})

describe('written to the disk before the answer', () => {
  const written = () => countRows(app, 'feedback_events')

  test('purchases, and events with an order or a key; clicks follow with the searches', async () => {
    await send(click)
    await send({ ...click, action: 'add_to_cart' })
    expect(written()).toBe(0)
    await send(purchase)
    expect(written()).toBe(3)
    await send({ ...click, order_id: '1' })
    await send(click, { key: 'k' })
    expect(written()).toBe(5)
    await send(click)
    expect(written()).toBe(5)
    for (const callback of app.scheduled) callback()
    expect(written()).toBe(6)
  })

  test('a purchase that the disk refuses is not acknowledged', async () => {
    const mend = failWrites(app, 'INSERT ON feedback_events')
    expect((await send(purchase)).status).toBeGreaterThanOrEqual(500)
    mend()
    expect(events()).toEqual([])
    expect((await app.call('GET', '/v1/search/analytics', { token })).body['revenue']).toEqual([])
  })
})

test('feedback spends a budget of its own, ten times that of the plan', async () => {
  const free = await app.signIn('free', 'free')
  for (let n = 0; n < 100; n++) expect((await send(click, { as: free })).status).toBe(201)
  const answer = await send(click, { as: free })
  expect([...refusal(answer), answer.headers.get('ratelimit-policy')]).toEqual([
    429,
    'rate_limit_exceeded',
    '"feedback";q=100;w=60',
  ])
  expect((await app.call('GET', '/v1/products', { token: free })).status).toBe(200)
})

test('events are deleted after SEARCH_HISTORY_DAYS, and their counts stay', async () => {
  await send(purchase)
  app.clock.advance(90 * DAY)
  await app.tidy()
  expect(events()).toHaveLength(1)
  app.clock.advance(1)
  await app.tidy()
  expect(events()).toEqual([])
  const { body } = await app.call('GET', '/v1/search/analytics?days=365', { token })
  expect(body['revenue']).toEqual([
    { currency: 'EUR', total: 10, attributed: 0, unattributed: 10, orders: 1, per_search: null },
  ])
})

describe('the events that a store on a plan with a limit keeps', () => {
  const count = () =>
    app.db
      .prepare<[], { origin: string; events: number }>(
        'SELECT origin, events FROM feedback_counts ORDER BY origin',
      )
      .all()
      .map(({ origin, events: kept }) => [origin, kept])
  /** Adds events as if a reporter had sent them long ago. */
  const fill = (origin: string, number: number) =>
    app.db.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${number})
      INSERT INTO feedback_events (id, store_id, product_id, action, is_attributed, quantity, origin, occurred_at, created_at)
      SELECT '${origin} ' || i, stores.id, 'a', 'click', 0, 1, '${origin}', 0, ${app.clock.now() - DAY} + i
      FROM n, stores WHERE slug = 'one';
      INSERT INTO feedback_counts (store_id, origin, events) SELECT id, '${origin}', ${number} FROM stores WHERE slug = 'one'`)

  test('are the last 30,000 of the backend and the last 30,000 of pages', async () => {
    app.setPlan('one', 'free')
    fill('api', 29_999)
    fill('widget', 29_999)
    await send({ ...purchase, order_id: '7' })
    expect(count()).toEqual([
      ['api', 30_000],
      ['widget', 29_999],
    ])
    await send({ events: [purchase, purchase] })
    expect(count()[0]).toEqual(['api', 30_000])
    const first = app.db
      .prepare("SELECT min(created_at) FROM feedback_events WHERE origin = 'api'")
      .pluck()
      .get()
    expect(first).toBe(app.clock.now() - DAY + 3)
    // Of orders the last ones are known.
    await send({ ...purchase, order_id: '7' })
    expect(count()[0]).toEqual(['api', 30_000])
    expect(countRows(app, 'feedback_events', { order_id: '7' })).toBe(1)
    app.setPlan('one', 'enterprise')
    await send(purchase)
    expect(count()[0]).toEqual(['api', 30_001])
    app.clock.advance(91 * DAY)
    await app.tidy()
    expect(count().map(([, kept]) => kept)).toEqual([0, 0])
  })
})
