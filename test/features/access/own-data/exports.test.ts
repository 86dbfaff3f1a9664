import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  freshAddress,
  from,
  getToken,
  join,
  PASSWORD,
  type Person,
  proxiedApp,
  refusal,
} from '../../../support/people.ts'
import { insertRow } from '../../../support/seed.ts'

const STORE = '/v1/store/people-data'
const OWN = '/v1/me/export'

let app: TestApp
let stop: AbortController
let owner: Person
let token: string
let storeId: string

beforeEach(async () => {
  stop = new AbortController()
  app = proxiedApp({ stop: stop.signal })
  await app.store('one')
  storeId = app.stores.requireBySlug('one').id
  owner = await addPerson(app, 'owner', [{ store: 'one', role: 'owner' }])
  token = await getToken(app, owner)
})
afterEach(() => app.close())

const open = (path: string, as = token) =>
  app.http.handle(new Request(`http://lookalike.test${path}`, { headers: { authorization: `Bearer ${as}` } }))

type Line = { type: string } & Record<string, unknown>
async function lines(path: string, as = token): Promise<Line[]> {
  const response = await open(path, as)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/x-ndjson; charset=utf-8',
  ])
  expect(response.headers.get('cache-control')).toBe('no-store')
  return (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
const ofType = (all: readonly Line[], type: string) => all.filter((line) => line.type === type)

function addSearch(session: string | null, query: string, store = storeId): string {
  const id = app.ids.uuid()
  app.history.add({
    ...{ id, storeId: store, type: 'text', query, parameters: { limit: 5 }, results: ['a'], topScore: 0.9 },
    ...{
      durationMs: 20,
      isTracked: true,
      sessionId: session,
      searchSource: null,
      createdAt: app.clock.now(),
    },
  })
  return id
}

describe('GET /v1/store/people-data (contract 5.15)', () => {
  test('holds members, keys, list entries, events, and shoppers with searches and feedback; nothing secret', async () => {
    const bert = await addPerson(app, 'bert', [{ store: 'one', role: 'viewer', groups: [['products:read']] }])
    await getToken(app, bert)
    const key = { name: 'sync', scopes: { products: ['read'] } }
    const made = (await app.call('POST', '/v1/security/api-keys', { token, body: key })).body
    await app.call('POST', '/v1/security/ip-whitelist', {
      token,
      body: { ip_address: '0.0.0.0/0', description: 'anywhere' },
    })
    const search = addSearch('s1', 'mug')
    addSearch(null, 'nobody')
    const feedback = { result_product_id: 'a', action: 'click' }
    // The session of the first one is that of its search.
    for (const more of [{ search_id: search }, { session_id: 's2' }])
      await app.call('POST', '/v1/search/feedback', { token, body: { ...feedback, ...more } })
    const all = await lines(STORE)
    expect(all[0]).toEqual({
      type: 'export',
      store: { id: storeId, slug: 'one', name: 'one' },
      exported_at: '2030-01-01T00:00:00.000Z',
    })
    expect(all.at(-1)).toEqual({ type: 'end', lines: all.length - 2 })
    const members = ofType(all, 'member')
    expect(members.map(({ email }) => email).sort()).toEqual(
      [bert.email, owner.email, 'one@shop.test'].sort(),
    )
    expect(members.find(({ id }) => id === bert.id)).toMatchObject({
      ...{ name: 'bert', role: 'viewer', joined_at: '2030-01-01T00:00:00.000Z', two_factor_enabled: false },
      groups: [expect.stringMatching(/^group /)],
      sign_ins: [{ ip_address: expect.any(String), last_used_at: '2030-01-01T00:00:00.000Z' }],
    })
    expect(ofType(all, 'api_key')).toMatchObject([
      { name: 'sync', scopes: ['products:read'], created_by: owner.id, last_used_at: null },
    ])
    expect(ofType(all, 'ip_entry')).toMatchObject([{ ip_address: '0.0.0.0/0', description: 'anywhere' }])
    expect(ofType(all, 'audit_event').map(({ action }) => action)).toEqual(
      expect.arrayContaining(['store.created', 'api_key.created', 'people_data.exported']),
    )
    expect(ofType(all, 'search')).toMatchObject([
      { session_id: 's1', search_type: 'text', query: 'mug', results: ['a'], parameters: { limit: 5 } },
    ])
    expect(ofType(all, 'feedback').map(({ session_id, search_id }) => [session_id, search_id])).toEqual([
      ['s1', search],
      ['s2', null],
    ])
    const text = JSON.stringify(all)
    for (const secret of [String(made['key']), '$argon2', 'key_hash', 'password'])
      expect(text).not.toContain(secret)
  })

  test('pages: many sessions and searches all come, once each, and nothing of another store', async () => {
    await app.store('two')
    const two = app.stores.requireBySlug('two').id
    const wanted: string[] = []
    for (let n = 0; n < 260; n++) wanted.push(addSearch(`session ${n % 4}`, `query ${n}`))
    for (let n = 0; n < 60; n++) {
      addSearch(`session ${n}`, 'other', two)
      await app.call('POST', '/v1/search/feedback', {
        token,
        body: { result_product_id: `p${n}`, action: 'click', session_id: `f${n % 3}` },
      })
    }
    const all = await lines(STORE)
    expect(
      ofType(all, 'search')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(wanted.sort())
    expect(new Set(ofType(all, 'feedback').map(({ product_id }) => product_id)).size).toBe(60)
    expect(all.at(-1)).toEqual({ type: 'end', lines: all.length - 2 })
  })

  test('503 overloaded beyond two at a time, and a stop cuts those that run', async () => {
    for (let n = 0; n < 2_000; n++) addSearch('s', `query ${n} ${'x'.repeat(200)}`)
    const running = [await open(STORE), await open(STORE)]
    expect(running.map(({ status }) => status)).toEqual([200, 200])
    expect(refusal(await app.call('GET', STORE, { token }))).toEqual([503, 'overloaded'])
    // Another owner's export is another matter.
    expect((await open(OWN)).status).toBe(200)
    stop.abort()
    for (const response of running) expect(response.text()).rejects.toThrow()
  })

  test('only the owner may; the store forgets its streams', async () => {
    const admin = await getToken(app, await addPerson(app, 'admin', [{ store: 'one', role: 'admin' }]))
    expect(refusal(await app.call('GET', STORE, { token: admin }))).toEqual([403, 'permission_denied'])
    for (let n = 0; n < 1_000; n++) addSearch('s', `query ${n} ${'x'.repeat(200)}`)
    const running = await open(STORE)
    app.forgetStore(storeId)
    expect(running.text()).rejects.toThrow()
  })
})

describe('GET /v1/me/export (contract 5.15)', () => {
  test('holds account, memberships, sign-ins, addresses, keys, events and what waits; nothing of others', async () => {
    await app.store('two')
    const anna = await addPerson(app, 'anna', [
      { store: 'one', role: 'developer', groups: [['products:read']] },
    ])
    const own = await getToken(app, anna)
    await addPerson(app, 'bert', [{ store: 'one', role: 'viewer' }])
    await enableTwoFactor(app, own)
    join(app, anna.id, { store: 'two', role: 'viewer' })
    const headers = { 'x-service-active-tenant': 'one' }
    const key = { name: 'sync', scopes: { products: ['read'] } }
    await app.call('POST', '/v1/security/api-keys', { token: own, headers, body: key })
    app.outbox.write({ to: anna.email, subject: 'Waits', text: 'secret' })
    await app.call('POST', '/register', {
      body: { client_name: 'Again', email: anna.email, password: PASSWORD },
      headers: from(freshAddress()),
    })
    await app.store('three')
    const { id: three } = app.stores.requireBySlug('three')
    for (const email of [anna.email, 'bert@people.test'])
      insertRow(app, 'awaited_people', { store_id: three, email, kind: 'group', of_id: 'g' })
    const all = await lines(OWN, own)
    expect(all[0]).toMatchObject({ type: 'export', user_id: anna.id })
    expect(ofType(all, 'awaited_person')).toMatchObject([{ store_id: three, kind: 'group' }])
    expect(all.at(-1)).toEqual({ type: 'end', lines: all.length - 2 })
    expect(ofType(all, 'account')).toEqual([
      {
        ...{ type: 'account', id: anna.id, email: anna.email, name: 'anna', is_super_admin: false },
        ...{ created_at: '2030-01-01T00:00:00.000Z', password_changed_at: null, proven_at: null },
        last_sign_in_at: '2030-01-01T00:00:00.000Z',
        two_factor_enabled_at: '2030-01-01T00:00:00.000Z',
      },
    ])
    expect(
      ofType(all, 'membership')
        .map(({ slug, role }) => [slug, role])
        .sort(),
    ).toEqual([
      ['one', 'developer'],
      ['two', 'viewer'],
    ])
    expect(ofType(all, 'sign_in')).toMatchObject([{ amr: ['pwd', 'otp'] }])
    expect(ofType(all, 'known_address')).toHaveLength(1)
    expect(ofType(all, 'api_key')).toMatchObject([{ name: 'sync', store_id: storeId }])
    expect(ofType(all, 'registration')).toMatchObject([{ store_name: 'Again' }])
    expect(ofType(all, 'waiting_mail')).toMatchObject([{ subject: 'Waits' }])
    const events = ofType(all, 'audit_event')
    expect(events.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['login.succeeded', 'api_key.created', 'account.exported']),
    )
    expect(new Set(events.map(({ user_id }) => user_id))).toEqual(new Set([anna.id]))
    const text = JSON.stringify(all)
    for (const other of ['bert', owner.email, '$argon2', 'secret']) expect(text).not.toContain(other)
  })

  test('503 overloaded beyond two at a time of one person', async () => {
    for (let n = 0; n < 800; n++)
      app.record({
        ...{ action: 'login.failed', actorKind: 'anyone', storeId: null, userId: owner.id, keyId: null },
        ...{ details: { reason: 'password', filler: 'x'.repeat(300) }, clientInfo: null },
      })
    const running = [await open(OWN), await open(OWN)]
    expect(refusal(await app.call('GET', OWN, { token }))).toEqual([503, 'overloaded'])
    for (const response of running) await response.body?.cancel()
    expect((await open(OWN)).status).toBe(200)
  })
})
