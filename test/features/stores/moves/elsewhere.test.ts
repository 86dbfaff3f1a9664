import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { getToken, refusal } from '../../../support/people.ts'

const URL = 'https://two.example'

let app: TestApp
let machine: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  machine = await app.signIn('one')
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

const setState = (state: 'moving' | 'paused' | 'switching' | 'moved' | null) =>
  app.base.atomically(() => app.stores.setMoveState(storeId, state, URL))

const demandElsewhere = (answer: { status: number; body: unknown; headers: Headers }) => {
  expect(refusal(answer as never)).toEqual([421, 'store_not_here'])
  expect(answer.body).toMatchObject({ details: { url: URL } })
  expect(answer.headers.get('x-lookalike-node')).toBe(URL)
}

describe('a store that has moved to another node', () => {
  test('answers its machine token with the address', async () => {
    setState('moved')
    demandElsewhere(await app.call('GET', '/v1/products', { token: machine }))
    demandElsewhere(await app.call('POST', '/v1/products', { token: machine, body: {} }))
  })

  test('answers a machine token of the other node with the address, and no other that it has not signed', async () => {
    const forge = (claims: object) =>
      ['x', JSON.stringify(claims), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')
    const ask = (token: string) => app.call('GET', '/v1/products', { token })
    const theirs = forge({ sub: storeId, user_type: 'client' })
    expect((await ask(theirs)).status).toBe(401)
    setState('moved')
    demandElsewhere(await ask(theirs))
    for (const claims of [
      { sub: storeId, user_type: 'user' },
      { sub: [storeId], user_type: 'client' },
      null,
      7,
    ])
      expect((await ask(forge(claims as object))).status).toBe(401)
    for (const token of ['x', 'a.b.c', `..${theirs}`, 'a.!!!.c', `a.${'W'.repeat(4_000)}.c`])
      expect((await ask(token)).status).toBe(401)
  })

  test('answers its API key with the address, whose hash alone is kept', async () => {
    const body = { name: 'sync', scopes: { products: ['read'] } }
    const made = await app.call('POST', '/v1/security/api-keys', { token: machine, body })
    const key = (made.body as { key: string }).key
    setState('moved')
    demandElsewhere(await app.call('GET', '/v1/products', { headers: { 'x-api-key': key } }))
    expect(app.db.prepare('SELECT count(*) AS n FROM api_keys').get()).toEqual({ n: 0 })
  })

  test('is named in the answer to the sign-in of its people, who get the address where a route needs a store', async () => {
    const token = await getToken(app, { email: 'one@shop.test' })
    setState('moved')
    const me = await app.call('GET', '/v1/me', { token })
    expect(me.body).toMatchObject({
      memberships: [],
      moved_stores: [{ slug: 'one', url: URL, role: 'owner' }],
    })
    demandElsewhere(await app.call('GET', '/v1/products', { token }))
    demandElsewhere(
      await app.call('GET', '/v1/products', { token, headers: { 'x-service-active-tenant': 'one' } }),
    )
  })

  test('answers its client id at the token endpoint and its widget key with the address', async () => {
    const origin = 'https://shop.example'
    const made = await app.call('POST', '/v1/security/public-keys', {
      token: machine,
      body: { name: 'shop', origins: [origin] },
    })
    const { key } = made.body as { key: string }
    setState('moved')
    demandElsewhere(
      await app.call('POST', '/oauth/token', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `grant_type=client_credentials&client_id=${storeId}&client_secret=wrong`,
      }),
    )
    const widget = await app.call('POST', '/v1/widget/search/text', {
      headers: { 'x-service-key': key, origin },
      body: { query: 'mug' },
    })
    demandElsewhere(widget)
    expect(widget.headers.get('access-control-allow-origin')).toBe(origin)
    expect(widget.headers.get('access-control-expose-headers')).toContain('X-Lookalike-Node')
  })

  test('keeps its slug from a new store, and says where it is', () => {
    setState('moved')
    expect(() =>
      app.base.atomically(() =>
        app.stores.create({ name: 'One', slug: 'one', plan: 'free' }, () => {
          throw new Error('not reached')
        }),
      ),
    ).toThrow(URL)
    expect(app.stores.chooseSlug('one')).not.toBe('one')
  })

  test('loses its rows a day later and says on where it is, until it comes back', async () => {
    setState('moved')
    const erase = app.chores.find(({ name }) => name === 'deleting stores')
    await erase?.run()
    const rows = () =>
      app.db.prepare('SELECT count(*) AS n FROM audit_events WHERE store_id = ?').get(storeId)
    expect(rows()).not.toEqual({ n: 0 })
    app.clock.advance(86_400_001)
    await erase?.run()
    expect(rows()).toEqual({ n: 0 })
    expect(app.db.prepare('SELECT slug, move_state FROM stores WHERE id = ?').get(storeId)).toEqual({
      slug: 'one',
      move_state: 'moved',
    })
    expect(app.base.atomically(() => app.stores.comeBack(storeId))).toBe(true)
    expect(app.stores.requireBySlug('one').id).toBe(storeId)
    expect(app.db.prepare('SELECT count(*) AS n FROM moved_names').get()).toEqual({ n: 0 })
  })

  test('moves to and fro a hundred times', () => {
    for (let n = 0; n < 100; n++) {
      for (const state of ['moving', 'paused', 'moving', 'paused', 'switching', 'moved'] as const)
        setState(state)
      expect(() => setState('moving')).toThrow()
      expect(app.base.atomically(() => app.stores.comeBack(storeId))).toBe(true)
    }
    expect(app.stores.requireBySlug('one').suspendedAt).toBeNull()
  })

  test('never influences another store', async () => {
    const other = await app.signIn('two')
    setState('moved')
    expect((await app.call('GET', '/v1/products', { token: other })).status).toBe(200)
  })
})

describe('a store whose writes are paused', () => {
  test('is changed by no command either', () => {
    setState('paused')
    expect(() => app.stores.suspend(storeId, 'why', null)).toThrow('accepts no writes')
    setState(null)
    expect(app.stores.suspend(storeId, 'why', null).suspendedReason).toBe('why')
  })

  test('counts its requests in memory, and writes them when the pause ends or the move asks for them', async () => {
    const rows = () =>
      app.db.prepare('SELECT total(api_calls) AS calls FROM usage_months WHERE store_id = ?').get(storeId)
    app.drainStore(storeId)
    const before = rows()
    await app.gate.pause(storeId)
    await app.call('GET', '/v1/products', { token: machine })
    await app.settle()
    expect(rows()).toEqual(before)
    app.drainStore(storeId)
    expect(rows()).not.toEqual(before)
    app.gate.resume(storeId)
  })

  test('answers reads, and lets a write go on once the pause has ended', async () => {
    await app.gate.pause(storeId)
    expect((await app.call('GET', '/v1/products', { token: machine })).status).toBe(200)
    const write = app.call('DELETE', '/v1/products/none', { token: machine })
    app.gate.resume(storeId)
    expect((await write).status).toBe(404)
    expect(app.gate.countInside(storeId)).toBe(0)
  })

  test('tells a write that waited where the store is now', async () => {
    await app.gate.pause(storeId)
    const write = app.call('DELETE', '/v1/products/none', { token: machine })
    for (let n = 0; n < 50; n++) await new Promise(setImmediate)
    setState('moved')
    app.gate.resume(storeId)
    demandElsewhere(await write)
    expect(app.gate.countInside(storeId)).toBe(0)
  })
})
