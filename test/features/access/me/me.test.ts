import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { MACHINE_RIGHTS, PERMISSIONS, STORE_POWERS } from '../../../../src/core/actor.ts'
import type { TestApp } from '../../../support/app.ts'
import { addPerson, enableTwoFactor, getToken, proxiedApp, refusal } from '../../../support/people.ts'

let app: TestApp
let machine: string
let storeId: string

beforeEach(async () => {
  app = proxiedApp()
  machine = await app.signIn('one', 'premium')
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

const me = (token: string, slug?: string) =>
  app.call('GET', '/v1/me', { token, ...(slug && { headers: { 'x-service-active-tenant': slug } }) })

const active = (role: string | null) => ({
  client_id: storeId,
  slug: 'one',
  name: 'one',
  plan: 'premium',
  suspended_at: null,
  role,
})

const EXPIRES = '2030-01-01T01:00:00.000Z'

describe('GET /v1/me (contract 5.5): who calls, for which store, with which rights', () => {
  test('a machine grant: everything in its store but what needs a person', async () => {
    const { status, body } = await me(machine)
    expect([status, body as unknown]).toEqual([
      200,
      {
        user_type: 'client',
        user: null,
        memberships: [],
        active_store: active(null),
        permissions: [...PERMISSIONS],
        powers: [...MACHINE_RIGHTS.powers],
        expires_at: EXPIRES,
      },
    ])
  })

  test('an API key: its scopes, no powers, no expiry of a token', async () => {
    const made = await app.call('POST', '/v1/security/api-keys', {
      token: machine,
      body: { name: 'sync', scopes: { search: ['execute'], products: ['read'] } },
    })
    const expected = {
      user_type: 'api_key',
      user: null,
      memberships: [],
      active_store: active(null),
      permissions: ['products:read', 'search:execute'],
      powers: [],
      expires_at: null,
    }
    const key = String(made.body['key'])
    expect((await me(key)).body as unknown).toEqual(expected)
    expect((await app.call('GET', '/v1/me', { headers: { 'x-api-key': key } })).body as unknown).toEqual(
      expected,
    )
  })

  test('a member: the person, their stores, and their rights in the active one', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'developer' }])
    const token = await getToken(app, anna)
    app.clock.advance(90_000)
    await me(token)
    expect((await me(token)).body as unknown).toEqual({
      user_type: 'user',
      user: {
        id: anna.id,
        email: 'anna@people.test',
        name: 'anna',
        is_super_admin: false,
        two_factor_enabled: false,
      },
      memberships: [
        {
          client_id: storeId,
          slug: 'one',
          name: 'one',
          role: 'developer',
          plan: 'premium',
          suspended_at: null,
          last_used_at: '2030-01-01T00:01:30.000Z',
        },
      ],
      active_store: active('developer'),
      permissions: PERMISSIONS.filter((permission) => permission !== 'products:delete'),
      powers: ['security:read', 'keys:manage', 'billing:read'],
      expires_at: EXPIRES,
    })
  })

  test('a member of several stores who names none: all their stores, and no rights', async () => {
    await app.store('two')
    const anna = await addPerson(app, 'anna', [
      { store: 'two', role: 'owner' },
      { store: 'one', role: 'owner' },
    ])
    const { body } = await me(await getToken(app, anna))
    expect(body).toMatchObject({ active_store: null, permissions: [], powers: [] })
    expect((body['memberships'] as { slug: string }[]).map(({ slug }) => slug)).toEqual(['one', 'two'])
  })

  test('a member of nothing', async () => {
    const { status, body } = await me(await getToken(app, await addPerson(app, 'anna')))
    expect(status).toBe(200)
    expect(body).toMatchObject({ memberships: [], active_store: null, permissions: [], powers: [] })
  })

  test('a super-admin in a foreign store: no role, all rights', async () => {
    const root = await addPerson(app, 'root', [], { isSuperAdmin: true })
    const token = await getToken(app, root)
    const { body } = await me(token, 'one')
    expect(body).toMatchObject({
      user: { is_super_admin: true },
      memberships: [],
      active_store: active(null),
      permissions: [...PERMISSIONS],
      powers: [...STORE_POWERS],
    })
    expect((await me(token)).body).toMatchObject({ active_store: null, permissions: [], powers: [] })
  })

  test('says whether two-factor authentication is on', async () => {
    const anna = await addPerson(app, 'anna')
    const token = await getToken(app, anna)
    await app.call('POST', '/v1/security/2fa/setup', { token })
    expect((await me(token)).body['user']).toMatchObject({ two_factor_enabled: false })
    await enableTwoFactor(app, token)
    expect((await me(token)).body['user']).toMatchObject({ two_factor_enabled: true })
  })

  test('holds no secret of anybody', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
    const token = await getToken(app, anna)
    await enableTwoFactor(app, token)
    expect(JSON.stringify((await me(token)).body)).not.toMatch(/argon2|secret|hash|password|jti/i)
  })

  test('401 unauthorized for nobody, 401 token_expired for a token that has, 403 not_a_member for a foreign store', async () => {
    const anna = await addPerson(app, 'anna')
    const token = await getToken(app, anna)
    expect(refusal(await app.call('GET', '/v1/me'))).toEqual([401, 'unauthorized'])
    expect(refusal(await me(token, 'one'))).toEqual([403, 'not_a_member'])
    expect(refusal(await me(machine, 'two'))).toEqual([403, 'not_a_member'])
    app.clock.advance(3_600_000)
    expect(refusal(await me(token))).toEqual([401, 'token_expired'])
  })

  test('a person without a store has 60 requests a minute of their own', async () => {
    const token = await getToken(app, await addPerson(app, 'anna'))
    const other = await getToken(app, await addPerson(app, 'bert'))
    for (let n = 0; n < 60; n++) expect((await me(token)).status).toBe(200)
    const answer = await me(token)
    expect(refusal(answer)).toEqual([429, 'rate_limit_exceeded'])
    expect(answer.headers.get('retry-after')).toBe('60')
    expect((await me(other)).status).toBe(200)
    app.clock.advance(60_000)
    expect((await me(token)).status).toBe(200)
  })

  test('with a store it is no other: reads have a budget of their own, and the plan’s requests are for searches', async () => {
    app.setPlan('one', 'free')
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'viewer' }])
    const token = await getToken(app, anna)
    for (let n = 0; n < 60; n++) expect((await me(token)).status).toBe(200)
    expect(refusal(await me(token))).toEqual([429, 'rate_limit_exceeded'])
    const products = await app.call('GET', '/v1/products', { token })
    expect([products.status, products.headers.get('x-ratelimit-remaining')]).toEqual([200, '239'])
    const body = { query: 'mug' }
    const search = await app.call('POST', '/v1/search/text', { token, body })
    expect([search.status, search.headers.get('x-ratelimit-remaining')]).toEqual([200, '9'])
  })
})
