import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { DAY_MS } from '../../../../src/core/clock.ts'
import { schemaVersion } from '../../../../src/platform/db/open.ts'
import type { TestApp } from '../../../support/app.ts'
import { announcement, arrive, createTarget, invite, KEY, STORE } from './world.ts'

let target: TestApp
let free = 1e12

const world = () => ({
  ...{
    find: async () => undefined,
    findFolder: () => undefined,
    isDirSet: false,
    isChosen: false,
    dir: '/models/fake',
  },
  machine: { readFreeDiskBytes: async () => free, readFreeMemoryBytes: () => 1e12 },
})
const id = (n: number) => `01a21cf4-a459-73d7-961a-${String(n).padStart(12, '0')}`
let stores = 100
/** A store that no other test has. */
const fresh = () => ({ id: id(++stores), slug: `shop-${stores}` })
const begin = async (change: (body: ReturnType<typeof announcement>) => object) => {
  const { secret } = await invite(target)
  return target.call('POST', '/v1/node/moves', { body: change(announcement(secret, fresh())) })
}
const countRows = () => target.db.prepare('SELECT count(*) FROM arriving_moves').pluck().get()

beforeAll(() => {
  target = createTarget({ moveWorld: world() })
})
afterAll(async () => {
  await target.settle()
  await target.close()
})

describe('what cannot come gets one sentence, and leaves nothing', () => {
  const cases: [string, string, RegExp, (body: ReturnType<typeof announcement>) => object][] = [
    [
      'from a newer version',
      'older',
      /upgrade this node first/,
      (body) => ({ ...body, schema: schemaVersion + 1 }),
    ],
    [
      'from an older version',
      'newer',
      /upgrade the other node/,
      (body) => ({ ...body, schema: schemaVersion - 1 }),
    ],
    [
      'on a plan that is unknown here',
      'plan',
      /has no plan "gold"/,
      (body) => ({ ...body, store: { ...body.store, plan: 'gold' } }),
    ],
    [
      'that needs more room than there is',
      'room',
      /are free on this node/,
      (body) => ({ ...body, store: { ...body.store, bytes: 1e12 } }),
    ],
    [
      'whose slug cannot be one here',
      'slug',
      /slug/,
      (body) => ({ ...body, store: { ...body.store, slug: 'admin' } }),
    ],
    [
      'whose model has another length here',
      'model',
      /another length/,
      (body) => ({
        ...body,
        store: { ...body.store, models: [{ id: 'fake', hash: 'f'.repeat(64), dimension: 9 }] },
      }),
    ],
  ]
  test.each(cases)('a store %s', async (_, reason, sentence, change) => {
    const before = countRows()
    const { status, body } = await begin(change)
    expect([status, body['error'], body['details']]).toEqual([409, 'conflict', { reason }])
    expect(String(body['message'])).toMatch(sentence)
    expect(countRows()).toBe(before)
    expect(target.db.prepare('SELECT * FROM store_arrivals').all()).toEqual([])
  })

  test('a store whose slug is taken', async () => {
    const { slug } = await target.store('taken')
    const { body } = await begin((sent) => ({ ...sent, store: { ...sent.store, slug } }))
    expect(body).toMatchObject({ error: 'conflict', details: { reason: 'slug' } })
  })

  test('a store that is here', async () => {
    await target.store('here')
    const there = target.stores.requireBySlug('here').id
    const { body } = await begin((sent) => ({ ...sent, store: { ...sent.store, id: there, slug: 'other' } }))
    expect(body).toMatchObject({ error: 'conflict', details: { reason: 'store' } })
  })

  test('a code is still good after a refusal', async () => {
    const { secret } = await invite(target)
    const store = fresh()
    free = 0
    expect((await target.call('POST', '/v1/node/moves', { body: announcement(secret, store) })).status).toBe(
      409,
    )
    free = 1e12
    const { status, body } = await target.call('POST', '/v1/node/moves', {
      body: announcement(secret, store),
    })
    expect(status).toBe(201)
    const given = await target.call('DELETE', `/v1/node/moves/${body['move_id']}`, {
      token: String(body['token']),
    })
    expect(given.body).toEqual({ state: 'abandoned' })
  })

  test('a fifth store at a time', async () => {
    const moves = []
    for (let n = 0; n < 4; n++) moves.push(await arrive(target, fresh()))
    expect((await begin((body) => body)).body).toMatchObject({
      error: 'conflict',
      details: { reason: 'busy' },
    })
    for (const move of moves) expect((await move.call('DELETE')).body).toEqual({ state: 'abandoned' })
  })
})

describe('who may speak about a move', () => {
  test('nobody over plain http', async () => {
    const move = await arrive(target, fresh())
    const headers = { 'x-test-plain': '1' }
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/rows?batch=1'],
      ['POST', '/index'],
      ['POST', '/digest'],
      ['POST', '/search'],
      ['POST', '/open'],
      ['DELETE', ''],
      ['POST', '/pictures/missing'],
      ['PUT', `/pictures/${'a'.repeat(64)}`],
    ] as const) {
      const { status, body } = await move.call(method, rest, { headers })
      expect([rest, status, body['error']]).toEqual([rest, 403, 'tls_required'])
    }
    const announced = await target.call('POST', '/v1/node/moves', { body: announcement('0'), headers })
    expect(announced.body['error']).toBe('tls_required')
    await move.call('DELETE')
  })

  test('nobody with the token of another move, the key of the operator, or none', async () => {
    const [one, two] = [await arrive(target, fresh()), await arrive(target, fresh())]
    for (const token of [two.token, KEY, 'x'.repeat(43)]) {
      const { status, body } = await one.call('POST', '/open', { token })
      expect([status, body['error']]).toEqual([401, 'unauthorized'])
    }
    expect((await target.call('GET', one.path)).status).toBe(401)
    const absent = await target.call('GET', `/v1/node/moves/${id(1)}`, { token: one.token })
    const wrong = await target.call('GET', one.path, { token: two.token })
    expect(absent.body).toEqual(wrong.body)
    await one.call('DELETE')
    await two.call('DELETE')
  })

  test('a body is not read before the token is', async () => {
    const move = await arrive(target, fresh())
    const { status } = await move.call('POST', '/rows?batch=1', { token: 'y'.repeat(43), body: '{' })
    expect(status).toBe(401)
    await move.call('DELETE')
  })
})

describe('rows', () => {
  const zone = (n: number, time_zone: string) => ({ t: 'store_time_zones', put: { after: n, time_zone } })
  const zones = (store: string) =>
    target.db.prepare('SELECT time_zone FROM store_time_zones WHERE store_id = ?').pluck().all(store)

  test('a batch that comes again, or too late, changes nothing', async () => {
    const store = fresh()
    const move = await arrive(target, store)
    expect((await move.sendRows(3, [zone(1, 'Europe/Berlin')])).body).toEqual({ last_batch: 3 })
    expect((await move.sendRows(3, [zone(1, 'Europe/Paris')])).body).toEqual({ last_batch: 3 })
    expect((await move.sendRows(2, [zone(1, 'Europe/Rome')])).body).toEqual({ last_batch: 3 })
    expect(zones(store.id)).toEqual(['Europe/Berlin'])
    expect((await move.sendRows(7, [zone(1, 'Europe/Madrid')])).body).toEqual({ last_batch: 7 })
    expect(zones(store.id)).toEqual(['Europe/Madrid'])
    expect((await move.call('GET')).body).toEqual({
      state: 'arriving',
      last_batch: 7,
      products: 0,
      pictures: 0,
    })
    await move.call('DELETE')
  })

  test.each([
    ['no JSON', 'x\n'],
    ['a table that stays', '{"t":"users","put":{}}\n'],
    ['a row without its columns', '{"t":"user_groups","put":{"id":"x"}}\n'],
    [
      'a super-admin',
      '{"t":"memberships","put":{"user_id":"a@b.test","account":"{\\"is_super_admin\\":1}"}}\n',
    ],
  ])('%s is refused, and the batch is not counted', async (_, body) => {
    const move = await arrive(target, fresh())
    const headers = { 'content-type': 'application/x-ndjson' }
    const answer = await move.call('POST', '/rows?batch=1', { headers, body })
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request'])
    expect((await move.call('GET')).body['last_batch']).toBe(0)
    await move.call('DELETE')
  })

  test('another type and a batch without a number are refused', async () => {
    const move = await arrive(target, fresh())
    expect((await move.call('POST', '/rows?batch=1', { body: { a: 1 } })).status).toBe(415)
    expect(
      (
        await move.call('POST', '/rows?batch=x', {
          headers: { 'content-type': 'application/x-ndjson' },
          body: '',
        })
      ).status,
    ).toBe(422)
    await move.call('DELETE')
  })
})

describe('pictures', () => {
  const bytes = new TextEncoder().encode('a picture')
  const hash = createHash('sha256').update(bytes).digest('hex')
  const put = (
    move: Awaited<ReturnType<typeof arrive>>,
    name: string,
    body: string,
    type = 'application/octet-stream',
  ) => move.call('PUT', `/pictures/${name}`, { headers: { 'content-type': type }, body })

  test('those that are missing are asked for, and a file is what its hash says', async () => {
    const move = await arrive(target, fresh())
    const missing = () => move.call('POST', '/pictures/missing', { body: { hashes: [hash] } })
    expect((await missing()).body).toEqual({ missing: [hash] })
    expect((await put(move, hash, 'another one')).body['error']).toBe('invalid_request')
    expect((await put(move, hash, 'a picture', 'text/plain')).status).toBe(415)
    expect((await put(move, 'no-hash', 'a picture')).status).toBe(422)
    expect((await put(move, hash, 'x'.repeat(11 * 1024 * 1024))).status).toBe(413)
    expect((await missing()).body).toEqual({ missing: [hash] })
    expect((await put(move, hash, 'a picture')).body).toEqual({ status: 'stored' })
    expect((await missing()).body).toEqual({ missing: [] })
    expect((await move.call('GET')).body['pictures']).toBe(1)
    const tooMany = await move.call('POST', '/pictures/missing', { body: { hashes: Array(501).fill(hash) } })
    expect(tooMany.status).toBe(422)
    await move.call('DELETE')
  })
})

describe('the end', () => {
  test('open is answered the same again, and then nothing else is', async () => {
    const store = fresh()
    const move = await arrive(target, store)
    expect((await target.call('GET', `/v1/slugs/${store.slug}`, { token: KEY })).status).toBe(401)
    expect(target.storeRows.findStore(store.id)).toBeUndefined()
    const opened = { state: 'open', url: 'http://lookalike.test' }
    expect((await move.call('POST', '/open')).body).toEqual(opened)
    expect((await move.call('POST', '/open')).body).toEqual(opened)
    expect(target.storeRows.findStore(store.id)).toMatchObject({ slug: store.slug })
    expect((await move.call('DELETE')).status).toBe(409)
    expect((await move.sendRows(9, [])).status).toBe(409)
    expect((await move.call('POST', '/search', { body: { query: 'a', limit: 1 } })).status).toBe(409)
    expect((await move.call('GET')).body['state']).toBe('open')
    const acts = target.db.prepare(
      "SELECT count(*) FROM audit_events WHERE action = 'store.arrived' AND store_id = ?",
    )
    expect(acts.pluck().get(store.id)).toBe(1)
  })

  test('a move that was given up never opens, and nothing of it is left', async () => {
    const store = fresh()
    const move = await arrive(target, store)
    const sent = await move.sendRows(1, [
      { t: 'store_time_zones', put: { after: 1, time_zone: 'Europe/Berlin' } },
    ])
    expect(sent.body).toEqual({ last_batch: 1 })
    expect((await move.call('DELETE')).body).toEqual({ state: 'abandoned' })
    expect((await move.call('DELETE')).body).toEqual({ state: 'abandoned' })
    expect((await move.call('POST', '/open')).body).toMatchObject({ error: 'conflict' })
    await target.settle()
    await target.tidy()
    expect(target.db.prepare('SELECT * FROM stores WHERE id = ?').all(store.id)).toEqual([])
    expect(target.db.prepare('SELECT * FROM store_time_zones WHERE store_id = ?').all(store.id)).toEqual([])
    const again = await arrive(target, store)
    expect((await again.call('POST', '/open')).status).toBe(200)
  })

  test('a source that is silent for a day has given up', async () => {
    const store = fresh()
    const move = await arrive(target, store)
    target.clock.advance(DAY_MS - 120_000)
    await move.call('GET')
    target.clock.advance(DAY_MS - 120_000)
    await target.tidy()
    expect((await move.call('GET')).body['state']).toBe('arriving')
    target.clock.advance(DAY_MS + 1)
    await target.tidy()
    expect((await move.call('GET')).body['state']).toBe('abandoned')
    expect(target.db.prepare('SELECT * FROM stores WHERE id = ?').all(store.id)).toEqual([])
  })

  test('the same store may begin anew: the earlier beginning is over', async () => {
    const store = fresh()
    const { secret } = await invite(target)
    const first = await target.call('POST', '/v1/node/moves', { body: announcement(secret, store) })
    const second = await target.call('POST', '/v1/node/moves', { body: announcement(secret, store) })
    expect([first.status, second.status]).toEqual([201, 201])
    const ask = ({ body }: typeof first) =>
      target.call('GET', `/v1/node/moves/${body['move_id']}`, { token: String(body['token']) })
    expect((await ask(first)).body['state']).toBe('abandoned')
    expect((await ask(second)).body['state']).toBe('arriving')
    const other = await target.call('POST', '/v1/node/moves', { body: announcement(secret, { id: STORE }) })
    expect(other.body).toMatchObject({ error: 'unauthorized' })
  })
})
