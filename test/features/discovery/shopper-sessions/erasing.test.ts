import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hashName } from '../../../../src/core/distinct.ts'
import { readBlock } from '../../../../src/features/discovery/analytics/columns/column-block.ts'
import type { AnsweredSearch } from '../../../../src/features/discovery/search/history.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { foreverKey } from '../../../support/keys.ts'
import { addPerson, getToken, refusal } from '../../../support/people.ts'

const DAY = 86_400_000
const SESSION = 'shopper/1 ä'

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  token = await foreverKey(app, await app.signIn('one'))
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

function add(search: Partial<AnsweredSearch> = {}): string {
  const id = app.ids.uuid()
  app.history.add({
    ...{ id, storeId, type: 'text', query: 'mug', parameters: {}, results: ['a', 'b'], topScore: 0.9 },
    ...{
      durationMs: 20,
      isTracked: true,
      sessionId: SESSION,
      searchSource: null,
      createdAt: app.clock.now(),
    },
    ...search,
  })
  return id
}
const send = async (event: object) =>
  (
    await app.call('POST', '/v1/search/feedback', {
      token,
      body: { result_product_id: 'a', action: 'click', ...event },
    })
  ).body
const erase = async (session = SESSION, as = token) =>
  app.call('DELETE', `/v1/search/sessions/${encodeURIComponent(session)}`, { token: as })
const report = async (days = 7) =>
  (await app.call('GET', `/v1/search/analytics?days=${days}`, { token })).body as Record<string, unknown>
const rows = (sql: string) => app.db.prepare<[], Record<string, unknown>>(sql).all()
const count = (table: string) => app.db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()

/** Everything in the database that is text, or a blob as text. */
function dump(): string {
  const tables = app.db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .pluck()
    .all()
  return tables
    .flatMap((table) => app.db.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][])
    .flat()
    .map((value) => (value instanceof Buffer ? value.toString('latin1') : String(value)))
    .join('\n')
}

/** The hashes of sessions that the counts of a day hold, in rows and blocks. */
function hashes(): number[] {
  const open = rows('SELECT item FROM tallies WHERE kind = 3').map(({ item }) => Number(item))
  const packed = rows('SELECT pack FROM tally_packs WHERE kind = 3').flatMap(({ pack }) => [
    ...readBlock(pack as Buffer).items,
  ])
  return [...open, ...packed]
}

describe('DELETE /v1/search/sessions/{session_id} (contract 3.14)', () => {
  test('200: searches and feedback are deleted, even those not yet written; sums and other sessions stay', async () => {
    const [first, other] = [add(), add({ sessionId: 'other' })]
    app.history.flush()
    add({ query: 'cup' })
    await send({ search_id: first })
    await send({ search_id: other, session_id: 'other' })
    await send({ session_id: SESSION, action: 'add_to_cart' })
    add({ query: 'late', createdAt: app.clock.now() + 5_000 })
    const answer = await erase()
    expect([answer.status, answer.body as unknown]).toEqual([
      200,
      { status: 'erased', searches: 3, feedback: 2, orders: 0, days: 1 },
    ])
    expect(rows('SELECT session_id FROM searches')).toEqual([{ session_id: 'other' }])
    expect(rows('SELECT session_id FROM feedback_events')).toEqual([{ session_id: 'other' }])
    expect(await report()).toMatchObject({
      searches: { sessions: 2, total: 3 },
      engagement: { searches_with_click: 2 },
      top_queries: [{ query: 'mug' }, { query: 'cup' }, { query: 'late' }],
      top_products: [{ product_id: 'a', clicks: 2 }, { product_id: 'b' }],
    })
    expect(dump()).not.toContain('shopper/1')
  })

  test('zeros for a second time and for an unknown session', async () => {
    add()
    await erase()
    for (const session of [SESSION, 'nobody', "'; DROP TABLE searches --", '%', '100%'])
      expect((await erase(session)).body).toEqual({
        status: 'erased',
        searches: 0,
        feedback: 0,
        orders: 0,
        days: 0,
      })
  })

  test('an order stays without session and search, so that it never counts twice', async () => {
    const search = add()
    const order = { action: 'purchase', order_value: 10, currency: 'EUR', order_id: 'o-1' }
    await send({ ...order, search_id: search, session_id: SESSION })
    await send({ ...order, order_id: 'o-2', search_id: search })
    expect((await erase()).body).toMatchObject({ searches: 1, feedback: 0, orders: 2 })
    expect(rows('SELECT order_id, session_id, search_id, repeat_key FROM feedback_events')).toEqual([
      { order_id: 'o-1', session_id: null, search_id: null, repeat_key: null },
      { order_id: 'o-2', session_id: null, search_id: null, repeat_key: null },
    ])
    await send(order)
    expect((await report())['revenue']).toMatchObject([{ total: 20, orders: 2 }])
  })

  test('analytics forget single searches: engaged ones, keystrokes, unmet pictures, examples of the map', async () => {
    const vector = new Float32Array(8).fill(0.5)
    const unmet = { type: 'upload', query: null, topScore: 0.1, vector } as const
    const id = add(unmet)
    const kept = add({ ...unmet, sessionId: 'other' })
    add({ query: 'm', createdAt: app.clock.now() })
    add({ query: 'mu', createdAt: app.clock.now() + 500 })
    await send({ search_id: id })
    app.history.flush()
    await app.tidy()
    const examples = async () =>
      (
        (await app.call('GET', '/v1/search/analytics/unmet', { token })).body['clusters'] as {
          example_search_ids: string[]
        }[]
      )
        .flatMap(({ example_search_ids }) => example_search_ids)
        .sort()
    expect(await examples()).toEqual([id, kept].sort())
    expect([count('engaged_searches'), count('burst_searches'), count('unmet_searches')]).toEqual([1, 1, 2])
    await erase()
    expect([count('engaged_searches'), count('burst_searches'), count('unmet_searches')]).toEqual([0, 0, 1])
    expect(await examples()).toEqual([kept])
    expect(dump()).not.toContain(id)
  })

  test('one random number replaces the hash in every day, in rows and blocks; the number of distinct sessions stays', async () => {
    const hash = hashName(storeId, SESSION)
    for (let day = 0; day < 4; day++) {
      add()
      for (const sessionId of ['b', 'c']) add({ sessionId })
      app.history.flush()
      app.clock.advance(DAY)
    }
    await app.tidy()
    expect(rows('SELECT day FROM tally_packs WHERE kind = 3').length).toBeGreaterThan(1)
    expect(rows('SELECT day FROM tallies WHERE kind = 3').length).toBeGreaterThan(0)
    expect(hashes().filter((one) => one === hash)).toHaveLength(4)
    const before = await report(10)
    expect((await erase()).body).toMatchObject({ searches: 4, days: 4 })
    expect(hashes()).not.toContain(hash)
    const numbers = Map.groupBy(hashes(), (one) => one)
    expect([...numbers.values()].map((same) => same.length).sort()).toEqual([4, 4, 4])
    // Blocks stay in order.
    for (const { pack } of rows('SELECT pack FROM tally_packs WHERE kind = 3')) {
      const { items, measures } = readBlock(pack as Buffer)
      expect([...items]).toEqual([...items].sort((a, b) => a - b))
      expect([...(measures[0] ?? [])]).toEqual([1, 1, 1])
    }
    expect(await report(10)).toEqual(before)
  })

  test('the last keystroke in memory is forgotten: the next one stands for itself', async () => {
    add({ query: 'm' })
    await erase()
    add({ query: 'mu', createdAt: app.clock.now() + 500 })
    expect((await report())['searches']).toMatchObject({ total: 2 })
    expect(count('burst_searches')).toBe(0)
  })

  test('a session with very many searches and events is erased in small steps', async () => {
    for (let n = 0; n < 450; n++) {
      const id = add({ query: `q${n}`, createdAt: app.clock.now() + n * 10_000 })
      if (n % 2) await send({ search_id: id, session_id: n % 3 ? SESSION : undefined })
    }
    expect((await erase()).body).toMatchObject({ searches: 450, feedback: 225 })
    expect([count('searches'), count('feedback_events')]).toEqual([0, 0])
  })

  test('another store’s session of the same name stays', async () => {
    const other = await app.signIn('two')
    add()
    expect((await erase(SESSION, other)).body).toMatchObject({ searches: 0, days: 0 })
    expect(count('searches')).toBe(1)
    expect(hashes()).toEqual([hashName(storeId, SESSION)])
  })

  test('the log records it without naming the session', async () => {
    add()
    await erase()
    const [event] = rows("SELECT * FROM audit_events WHERE action = 'shopper_session.erased'")
    expect(event).toMatchObject({ store_id: storeId, actor_kind: 'key' })
    expect(JSON.parse(String(event?.['details']))).toEqual({ searches: 1, feedback: 0, orders: 0, days: 1 })
  })

  test('422 for a name that no session has; 403 without search:write', async () => {
    expect(refusal(await erase('x'.repeat(65)))).toEqual([422, 'validation_error'])
    const viewer = await getToken(app, await addPerson(app, 'viewer', [{ store: 'one', role: 'viewer' }]))
    expect(refusal(await erase(SESSION, viewer))).toEqual([403, 'permission_denied'])
  })

  test('both look-ups of a session use an index', () => {
    const plan = (sql: string) =>
      app.db
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join()
    const of = "store_id = 'a' AND session_id = 'b' AND rowid <= 1 LIMIT 1"
    expect(plan(`SELECT id FROM searches WHERE ${of}`)).toContain('searches_session')
    expect(plan(`SELECT id FROM feedback_events WHERE ${of}`)).toContain('feedback_events_session')
  })
})
