import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, type Person } from '../../../support/people.ts'
import { deleteRows, insertRow, userId } from '../../../support/seed.ts'

const PATH = '/v1/security/overview'
const DAY_MS = 86_400_000

let app: TestApp
/** The machine grant of the store, for years. */
let token: string

beforeEach(async () => {
  app = testApp()
  token = await machineOf((await app.store()).store_id)
})
afterEach(() => app.close())

const machineOf = (storeId: string): Promise<string> =>
  app.signToken({ sub: storeId, jti: app.ids.uuid(), user_type: 'client', generation: 1 }, 10 * 365 * 86_400)

const read = (as = token) => app.call('GET', PATH, { token: as })
const overview = async (as = token) => (await read(as)).body
const codes = async (as = token) =>
  ((await overview(as))['recommendations'] as { code: string }[]).map(({ code }) => code)

const member = (name: string, role: 'owner' | 'admin' | 'developer' | 'viewer' = 'viewer', store = 'one') =>
  addPerson(app, name, [{ store, role }])

/** Has a person switch two-factor authentication on. */
const protect = ({ id }: Pick<Person, 'id'>): void =>
  insertRow(app, 'two_factor', {
    user_id: id,
    sealed_secret: Buffer.of(1),
    created_at: app.clock.now(),
    enabled_at: app.clock.now(),
  })

const begunOnly = ({ id }: Pick<Person, 'id'>): void =>
  insertRow(app, 'two_factor', { user_id: id, sealed_secret: Buffer.of(1), created_at: app.clock.now() })

const makeKey = (expires_in_days: number | null, as = token) =>
  app.call('POST', '/v1/security/api-keys', {
    token: as,
    body: { name: 'k', scopes: { products: 'read' }, expires_in_days },
  })

describe('GET /v1/security/overview (contract 5.8)', () => {
  test('200 for a new store, by its machine grant', async () => {
    const { status, body } = await read()
    expect([status, body as object]).toEqual([
      200,
      {
        two_factor: { enabled: null, members_total: 1, members_enabled: 0 },
        api_keys: { active: 0, expiring_30d: 0, unused_90d: 0 },
        public_keys: 0,
        ip_whitelist: { enabled: false, entries: 0 },
        webhooks: { active: 0, failing: 0 },
        sessions: 0,
        last_login_at: null,
        recommendations: [
          {
            code: 'members_without_2fa',
            message: 'Ask 1 member to switch on two-factor authentication.',
          },
        ],
      },
    ])
  })

  test('tells nothing of another store', async () => {
    const other = await machineOf((await app.store('two')).store_id)
    await makeKey(null, other)
    await app.call('POST', '/v1/security/public-keys', {
      token: other,
      body: { name: 'w', origins: ['https://shop.test'] },
    })
    const bob = await getToken(app, await member('bob', 'owner', 'two'))
    const entry = { ip_address: '127.0.0.1' }
    expect((await app.call('POST', '/v1/security/ip-whitelist', { token: bob, body: entry })).status).toBe(
      201,
    )
    expect(await overview()).toMatchObject({
      two_factor: { members_total: 1 },
      api_keys: { active: 0 },
      public_keys: 0,
      ip_whitelist: { enabled: false, entries: 0 },
      sessions: 0,
      last_login_at: null,
    })
    expect(await overview(other)).toMatchObject({
      two_factor: { members_total: 2 },
      api_keys: { active: 1 },
      public_keys: 1,
      ip_whitelist: { enabled: true, entries: 1 },
      sessions: 1,
      last_login_at: '2030-01-01T00:00:00.000Z',
    })
  })

  test('counts the live logins of members, each of them, and when the last one was', async () => {
    const ann = await member('ann')
    await getToken(app, ann)
    app.clock.advance(60_000)
    await getToken(app, ann)
    await getToken(app, await addPerson(app, 'stranger'))
    expect(await overview()).toMatchObject({ sessions: 2, last_login_at: '2030-01-01T00:01:00.000Z' })
    app.clock.advance(DAY_MS)
    expect(await overview()).toMatchObject({ sessions: 0, last_login_at: '2030-01-01T00:01:00.000Z' })
  })

  test('counts API keys by how they fare, to the day', async () => {
    for (const days of [1, 30, 31, null]) await makeKey(days)
    expect(await overview()).toMatchObject({ api_keys: { active: 4, expiring_30d: 2, unused_90d: 0 } })
    app.clock.advance(DAY_MS)
    expect(await overview()).toMatchObject({ api_keys: { active: 3, expiring_30d: 2, unused_90d: 0 } })
    app.clock.advance(89 * DAY_MS - 1)
    expect(await overview()).toMatchObject({ api_keys: { active: 1, expiring_30d: 0, unused_90d: 0 } })
    app.clock.advance(1)
    expect(await overview()).toMatchObject({ api_keys: { active: 1, expiring_30d: 0, unused_90d: 1 } })
  })

  test('two_factor.enabled is the caller’s own, once it was confirmed', async () => {
    const ann = await member('ann', 'owner')
    const as = await getToken(app, ann)
    expect(await overview(as)).toMatchObject({ two_factor: { enabled: false, members_enabled: 0 } })
    begunOnly(ann)
    expect(await overview(as)).toMatchObject({ two_factor: { enabled: false, members_enabled: 0 } })
    deleteRows(app, 'two_factor')
    protect(ann)
    expect(await overview(as)).toMatchObject({ two_factor: { enabled: true, members_enabled: 1 } })
  })

  test('200 for owner, admin and developer, 403 for a viewer and an API key, 401 for nobody', async () => {
    for (const role of ['owner', 'admin', 'developer'] as const) {
      expect((await read(await getToken(app, await member(role, role)))).status).toBe(200)
    }
    const viewer = await read(await getToken(app, await member('viewer')))
    const key = await read(String((await makeKey(null)).body['key']))
    for (const { status, body } of [viewer, key]) {
      expect([status, body]).toMatchObject([
        403,
        { error: 'permission_denied', details: { required: 'security:read' } },
      ])
    }
    expect((await app.call('GET', PATH)).status).toBe(401)
  })
})

describe('recommendations', () => {
  test('enable_2fa comes first, to a person without it and to no machine', async () => {
    const ann = await member('ann', 'owner')
    const as = await getToken(app, ann)
    expect((await codes(as))[0]).toBe('enable_2fa')
    expect(await codes()).not.toContain('enable_2fa')
    protect(ann)
    expect(await codes(as)).not.toContain('enable_2fa')
  })

  test('members_without_2fa counts the others, not the caller', async () => {
    const ann = await member('ann', 'owner')
    const as = await getToken(app, ann)
    const bob = await member('bob')
    const find = async (by: string) =>
      ((await overview(by))['recommendations'] as { code: string; message: string }[]).find(
        ({ code }) => code === 'members_without_2fa',
      )?.message
    // The owner whom the setup made is the second other one.
    expect(await find(as)).toBe('Ask 2 other members to switch on two-factor authentication.')
    expect(await find(token)).toBe('Ask 3 members to switch on two-factor authentication.')
    protect(bob)
    protect({
      id: userId(app, 'one@shop.test'),
    })
    expect(await find(as)).toBeUndefined()
    expect(await codes(as)).toEqual(['enable_2fa'])
  })

  test('a super-admin who is no member is no other member', async () => {
    const admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
    const as = await getToken(app, admin)
    const headers = { 'x-service-active-tenant': 'one' }
    const { body } = await app.call('GET', PATH, { token: as, headers })
    expect(body['two_factor']).toEqual({ enabled: false, members_total: 1, members_enabled: 0 })
    expect(body['recommendations']).toMatchObject([
      { code: 'enable_2fa' },
      { code: 'members_without_2fa', message: 'Ask 1 member to switch on two-factor authentication.' },
    ])
  })

  test('api_keys_expiring, api_keys_unused and no_ip_whitelist follow the keys', async () => {
    const aboutKeys = async () => (await codes()).filter((code) => code !== 'members_without_2fa')
    expect(await aboutKeys()).toEqual([])
    await makeKey(100)
    expect(await aboutKeys()).toEqual(['no_ip_whitelist'])
    app.clock.advance(90 * DAY_MS)
    expect(await aboutKeys()).toEqual(['api_keys_expiring', 'api_keys_unused', 'no_ip_whitelist'])
    const body = { ip_address: '127.0.0.1' }
    const olga = await getToken(app, await member('olga', 'owner'))
    expect((await app.call('POST', '/v1/security/ip-whitelist', { token: olga, body })).status).toBe(201)
    expect(await aboutKeys()).toEqual(['api_keys_expiring', 'api_keys_unused'])
    app.clock.advance(10 * DAY_MS)
    expect(await aboutKeys()).toEqual([])
  })

  test('say how many, in one sentence each', async () => {
    await makeKey(1)
    await makeKey(1)
    for (const { message } of (await overview())['recommendations'] as { message: string }[]) {
      expect(message).toMatch(/^[A-Z][^.]+\.$/)
    }
    expect(JSON.stringify(await overview())).toContain('Renew 2 API keys')
  })
})
