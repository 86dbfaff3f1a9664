import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { codeOf, pointersOf } from './answers.ts'
import { auditOf } from './evidence.ts'
import { DAY_MS, type Keys, keysOf, PATH, READ, signInMember, WORKS } from './keys.ts'

let app: TestApp
let keys: Keys
/** The machine grant of the store, for a hundred years. */
let token: string

beforeEach(async () => {
  app = testApp()
  keys = await keysOf(app)
  token = keys.token
})
afterEach(() => app.close())

const NEVER_MADE = '01900000-0000-7000-8000-ffffffffffff'

describe('GET /v1/security/api-keys', () => {
  test('200: the store’s own keys, oldest first, without their values', async () => {
    const [first, second] = [await keys.made(), await keys.made()]
    await keys.create(READ, await app.signIn('two'))
    const { status, body } = await app.call('GET', PATH, { token })
    const { key: _first, ...firstView } = first
    const { key: _second, ...secondView } = second
    expect([status, body as object]).toEqual([200, { api_keys: [firstView, secondView], count: 2 }])
  })

  test('200 with none', async () => {
    expect((await app.call('GET', PATH, { token })).body).toEqual({ api_keys: [], count: 0 })
  })

  test('200 for one: the same without its value', async () => {
    const { key: _, ...view } = await keys.made()
    const { status, body } = await app.call('GET', `${PATH}/${view.id}`, { token })
    expect([status, body as object]).toEqual([200, view])
  })
})

describe('PATCH /v1/security/api-keys/{id}', () => {
  test('200: what is named changes, the rest stays, and the key keeps its value', async () => {
    const { key, ...before } = await keys.made({ ...READ, expires_in_days: 10 })
    app.clock.advance(DAY_MS)
    expect((await keys.patch(before.id, { name: 'renamed' })).body).toEqual({ ...before, name: 'renamed' })
    const scopes = { search: ['execute'] }
    const { status, body } = await keys.patch(before.id, { scopes: { search: 'execute' } })
    const after = { ...before, name: 'renamed', scopes, effective_scopes: scopes }
    expect([status, body as object]).toEqual([200, after])
    expect(await keys.read(before.id)).toEqual(body)
    expect(await keys.useKey(key)).toEqual([403, 'permission_denied'])
  })

  test('a new lifetime counts from now; null means for ever; an expired key comes back to life', async () => {
    const { id, key } = await keys.made({ ...READ, expires_in_days: 1 })
    app.clock.advance(2 * DAY_MS)
    expect(await keys.useKey(key)).toEqual([401, 'api_key_expired'])
    expect((await keys.patch(id, { expires_in_days: 3 })).body['expires_at']).toBe(keys.isoIn(3 * DAY_MS))
    expect(await keys.useKey(key)).toEqual(WORKS)
    expect((await keys.patch(id, { expires_in_days: null })).body['expires_at']).toBeNull()
  })

  test('an empty patch changes nothing and is no act', async () => {
    const { key: _, ...view } = await keys.made()
    expect((await keys.patch(view.id, {})).body).toEqual(view)
    expect(auditOf(app, 'api_key.updated')).toEqual([])
  })

  test.each<[unknown, string]>([
    [{ name: '' }, '/name'],
    [{ name: null }, '/name'],
    [{ scopes: {} }, '/scopes'],
    [{ scopes: null }, '/scopes'],
    [{ scopes: { pets: 'read' } }, '/scopes/pets'],
    [{ expires_in_days: 0 }, '/expires_in_days'],
    [{ expires_in_days: 3651 }, '/expires_in_days'],
  ])('422 for %j, and nothing changes', async (body, pointer) => {
    const { key: _, ...view } = await keys.made()
    expect(pointersOf(await keys.patch(view.id, body))).toEqual([422, pointer])
    expect(await keys.read(view.id)).toEqual(view)
  })

  test('403: nobody can give a key a permission that they lack', async () => {
    const { id } = await keys.made()
    const { token: developer } = await signInMember(app, { store: 'one', role: 'developer' })
    expect((await keys.patch(id, { scopes: { products: 'write' } }, developer)).status).toBe(200)
    const refused = await keys.patch(id, { scopes: { products: 'delete' } }, developer)
    expect([codeOf(refused), refused.body['details']]).toEqual([
      [403, 'permission_denied'],
      { required: 'products:delete' },
    ])
  })
})

describe('a key that can do more than a developer', () => {
  test.each<[string, string, unknown]>([
    ['PATCH', '', { name: 'mine' }],
    ['PATCH', '', { scopes: { products: 'read' } }],
    ['POST', '/rotate', {}],
  ])('%s %s %j: 403 names what he lacks, and the key is as before', async (method, rest, body) => {
    const { id, key } = await keys.made({ name: 'n', scopes: { products: ['read', 'delete'] } })
    const before = await keys.read(id)
    const { token: developer } = await signInMember(app, { store: 'one', role: 'developer' })
    const refused = await app.call(method, `${PATH}/${id}${rest}`, { token: developer, body })
    expect([codeOf(refused), refused.body['details']]).toEqual([
      [403, 'permission_denied'],
      { required: 'products:delete' },
    ])
    expect(await keys.read(id)).toEqual(before)
    expect(await keys.useKey(key)).toEqual(WORKS)
  })

  test('can be revoked by the same developer: a leaked key must not wait for somebody with more rights', async () => {
    const { id, key } = await keys.made({ name: 'n', scopes: { products: 'delete' } })
    const { token: developer } = await signInMember(app, { store: 'one', role: 'developer' })
    expect((await app.call('DELETE', `${PATH}/${id}`, { token: developer })).status).toBe(200)
    expect(await keys.useKey(key)).toEqual([401, 'unauthorized'])
  })

  test('can be read by the same developer: only its value is secret', async () => {
    const { id } = await keys.made({ name: 'n', scopes: { products: 'delete' } })
    const { token: developer } = await signInMember(app, { store: 'one', role: 'developer' })
    expect((await app.call('GET', `${PATH}/${id}`, { token: developer })).status).toBe(200)
  })
})

describe('DELETE /v1/security/api-keys/{id}', () => {
  test('200 revoked: every value of the key ends at once, and it is gone', async () => {
    const { id, key } = await keys.made()
    const fresh = (await keys.rotate(id, { grace_seconds: 3600 })).body['key']
    const { status, body } = await app.call('DELETE', `${PATH}/${id}`, { token })
    expect([status, body as object]).toEqual([200, { status: 'revoked', id }])
    expect([await keys.useKey(key), await keys.useKey(fresh)]).toEqual([
      [401, 'unauthorized'],
      [401, 'unauthorized'],
    ])
    expect(codeOf(await app.call('DELETE', `${PATH}/${id}`, { token }))).toEqual([404, 'not_found'])
  })
})

describe('another store’s key, one that never was, and no id at all read the same: 404', () => {
  test.each<[string, string, unknown]>([
    ['GET', '', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['DELETE', '', undefined],
    ['POST', '/rotate', {}],
  ])('%s %s', async (method, rest, body) => {
    const foreign = await keys.create(READ, await app.signIn('two'))
    const answers: Answer[] = []
    for (const id of [String(foreign.body['id']), NEVER_MADE, 'no-id', "'%20OR%201=1"]) {
      answers.push(await app.call(method, `${PATH}/${id}${rest}`, { token, body }))
    }
    for (const answer of answers) {
      expect([codeOf(answer), answer.body['details']]).toEqual([[404, 'not_found'], { resource: 'api_key' }])
      expect(answer.body).toEqual(answers[0]?.body as never)
    }
    expect(await keys.useKey(foreign.body['key'])).toEqual(WORKS)
  })
})
