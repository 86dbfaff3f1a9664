import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AUDIT_ACTIONS, type AuditAction, type AuditEvent } from '../../../../src/core/audit.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, join, type Person, sendSignIn } from '../../../support/people.ts'
import { readAudit, readRows, removeMembership } from '../../../support/seed.ts'

const PATH = '/v1/security/audit'
const HOUR = 3_600_000

interface View {
  id: string
  action: string
  created_at: string
  actor: { kind: string; id: string | null; name: string | null }
  details: Record<string, unknown>
}

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp({}, { TRUSTED_PROXIES: '127.0.0.1' })
  storeId = (await app.store()).store_id
  const claims = { sub: storeId, jti: app.ids.uuid(), user_type: 'client', generation: 1 } as const
  token = await app.signToken(claims, 365 * 86_400)
})
afterEach(() => app.close())

const read = (query = '', as = token) => app.call('GET', PATH + query, { token: as })

async function page(query = '', as = token) {
  const { status, body } = await read(query, as)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body as unknown as { events: View[]; next_cursor: string | null; count: number }
}

const actions = async (query = '', as = token) => (await page(query, as)).events.map(({ action }) => action)

/** Writes an event down as the services do. */
function put(action: AuditAction, more: Partial<AuditEvent> = {}): void {
  const machine = { actorKind: 'machine', storeId, userId: null, keyId: null } as const
  app.record({ action, ...machine, details: {}, clientInfo: null, ...more })
}

/** An act of a person that concerns no store. */
const putOwn = (action: AuditAction, { id }: Pick<Person, 'id'>) =>
  put(action, { actorKind: 'person', storeId: null, userId: id })

const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
]

describe('GET /v1/security/audit', () => {
  test('200: an act through the API, with its meaning, its actor and where it came from', async () => {
    const owner = await addPerson(app, 'ann', [{ store: 'one', role: 'owner' }])
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'my-request' }
    const body = { ip_address: '203.0.113.0/24' }
    const ann = await getToken(app, owner)
    const made = await app.call('POST', '/v1/security/ip-whitelist', { token: ann, headers, body })
    const log = await app.call('GET', `${PATH}?action=ip_whitelist.added`, { token, headers })
    expect([log.status, log.body as object]).toEqual([
      200,
      {
        events: [
          {
            id: expect.stringMatching(/^01900000-/),
            action: 'ip_whitelist.added',
            meaning: AUDIT_ACTIONS['ip_whitelist.added'],
            created_at: '2030-01-01T00:00:00.000Z',
            actor: { kind: 'person', id: owner.id, name: 'ann' },
            ip_address: '203.0.113.9',
            request_id: 'my-request',
            details: { id: made.body['id'], ip_address: '203.0.113.0/24' },
          },
        ],
        next_cursor: null,
        count: 1,
      },
    ])
  })

  test('200: each kind of actor is named, as long as there is somebody to name', async () => {
    const ann = await addPerson(app, 'ann', [{ store: 'one', role: 'owner' }])
    const scopes = { products: 'read' }
    const { body: key } = await app.call('POST', '/v1/security/api-keys', {
      token,
      body: { name: 'Sync', scopes },
    })
    put('store.plan_changed', { actorKind: 'operator' })
    put('client_secret.rotated')
    put('public_key.created', { actorKind: 'key', keyId: String(key['id']) })
    put('public_key.deleted', { actorKind: 'key', keyId: 'gone' })
    put('public_key.updated', { actorKind: 'person', userId: ann.id })
    put('api_key.revoked', { actorKind: 'person', userId: 'gone' })
    put('two_factor.reset', { actorKind: 'operator', storeId: null, userId: ann.id })
    const { events } = await page('?limit=7')
    expect(events.map(({ action, actor }) => [action, actor])).toEqual([
      ['two_factor.reset', { kind: 'operator', id: ann.id, name: 'ann' }],
      ['api_key.revoked', { kind: 'person', id: 'gone', name: null }],
      ['public_key.updated', { kind: 'person', id: ann.id, name: 'ann' }],
      ['public_key.deleted', { kind: 'key', id: 'gone', name: null }],
      ['public_key.created', { kind: 'key', id: String(key['id']), name: 'Sync' }],
      ['client_secret.rotated', { kind: 'machine', id: storeId, name: 'one' }],
      ['store.plan_changed', { kind: 'operator', id: null, name: null }],
    ])
  })

  test('200: an act that only a newer version knows is listed without a meaning', async () => {
    put('store.future' as AuditAction)
    const [event] = (await page('?limit=1')).events
    expect(event).toMatchObject({ action: 'store.future' })
    expect(event).not.toHaveProperty('meaning')
  })
})

describe('whose events are listed', () => {
  test('those of the store, and of its members what concerns no store', async () => {
    const ann = await addPerson(app, 'ann', [{ store: 'one', role: 'viewer' }])
    const stranger = await addPerson(app, 'stranger')
    put('client_secret.rotated')
    putOwn('password.changed', ann)
    putOwn('two_factor.enabled', stranger)
    put('login.failed', { actorKind: 'anyone', storeId: null })
    const listed = await actions()
    expect(listed.slice(0, 2)).toEqual(['password.changed', 'client_secret.rotated'])
    expect(listed).not.toContain('two_factor.enabled')
    expect(listed).not.toContain('login.failed')
  })

  test('never those of another store, not even of one’s own members there', async () => {
    const other = await app.signIn('two')
    const otherId = app.stores.requireBySlug('two').id
    const both = await addPerson(app, 'both', [
      { store: 'one', role: 'owner' },
      { store: 'two', role: 'owner' },
    ])
    put('public_key.created', { storeId: otherId })
    put('public_key.updated', { storeId: otherId, actorKind: 'person', userId: both.id })
    putOwn('password.changed', both)
    expect(await actions('?action=public_key.created')).toEqual([])
    expect(await actions('?action=public_key.updated')).toEqual([])
    expect(await actions('?action=password.changed')).toEqual(['password.changed'])
    expect(await actions('?action=public_key.created', other)).toEqual(['public_key.created'])
    expect(await actions('?action=public_key.updated', other)).toEqual(['public_key.updated'])
    expect(await actions('?action=password.changed', other)).toEqual(['password.changed'])
  })

  test('membership counts as it is now', async () => {
    const ann = await addPerson(app, 'ann')
    putOwn('password.changed', ann)
    expect(await actions('?action=password.changed')).toEqual([])
    join(app, ann.id, { store: 'one', role: 'viewer' })
    expect(await actions('?action=password.changed')).toEqual(['password.changed'])
    removeMembership(app, ann.id)
    expect(await actions('?action=password.changed')).toEqual([])
  })

  test('an event is listed once, though its person is a member and it is the store’s', async () => {
    const ann = await addPerson(app, 'ann', [{ store: 'one', role: 'owner' }])
    put('public_key.created', { actorKind: 'person', userId: ann.id })
    expect(await actions('?action=public_key.created')).toEqual(['public_key.created'])
  })
})

describe('pages', () => {
  /** 25 events, of the store and of two members by turns; their numbers, newest first. */
  async function fill() {
    const people = [
      await addPerson(app, 'ann', [{ store: 'one', role: 'owner' }]),
      await addPerson(app, 'bob', [{ store: 'one', role: 'viewer' }]),
    ]
    for (let n = 0; n < 25; n++) {
      const person = people[n % 3]
      const whose = person ? ({ actorKind: 'person', storeId: null, userId: person.id } as const) : {}
      put('password.changed', { ...whose, details: { n } })
      app.clock.advance(HOUR)
    }
    return Array.from({ length: 25 }, (_, n) => 24 - n)
  }
  const numbers = (events: View[]) => events.map(({ details }) => details['n'])

  test.each([1, 7, 24, 25, 100])('of %d hold every event once, newest first', async (limit) => {
    const all = await fill()
    const found: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = `?action=password.changed&limit=${limit}${cursor && `&cursor=${cursor}`}`
      const { events, next_cursor, count } = await page(query)
      expect(count).toBe(events.length)
      expect(events.length).toBeLessThanOrEqual(limit)
      found.push(...numbers(events))
      cursor = next_cursor
    }
    expect(found).toEqual(all)
  })

  test('hold 50 by default', async () => {
    for (let n = 0; n < 60; n++) put('client_secret.rotated')
    const { count, next_cursor } = await page('?action=client_secret.rotated')
    expect(count).toBe(50)
    expect(await page(`?action=client_secret.rotated&cursor=${next_cursor}`)).toMatchObject({
      count: 10,
      next_cursor: null,
    })
  })

  test('what happens meanwhile moves no page', async () => {
    await fill()
    const first = await page('?action=password.changed&limit=5')
    put('password.changed', { details: { n: 'new' } })
    const second = await page(`?action=password.changed&limit=5&cursor=${first.next_cursor}`)
    expect(numbers(second.events)).toEqual([19, 18, 17, 16, 15])
  })

  test('since and until are a half-open interval of time', async () => {
    await fill()
    const at = (n: number) =>
      encodeURIComponent(new Date(Date.parse('2030-01-01T00:00:00Z') + n * HOUR).toISOString())
    const between = async (query: string) => numbers((await page(`?action=password.changed&${query}`)).events)
    expect(await between(`since=${at(22)}`)).toEqual([24, 23, 22])
    expect(await between(`until=${at(3)}`)).toEqual([2, 1, 0])
    expect(await between(`since=${at(5)}&until=${at(7)}`)).toEqual([6, 5])
    expect(await between('since=2030-01-02')).toEqual([24])
    expect(await between('until=2030-01-01T03:00:00+02:00')).toEqual([0])
    expect(await between(`since=${at(7)}&until=${at(7)}`)).toEqual([])
  })
})

describe('tidying', () => {
  test('forgets what is older than a year and nothing else', async () => {
    put('client_secret.rotated', { details: { n: 'old' } })
    app.clock.advance(24 * HOUR)
    put('client_secret.rotated', { details: { n: 'young' } })
    app.clock.advance(364 * 24 * HOUR)
    put('client_secret.rotated', { details: { n: 'new' } })
    await app.tidy()
    const kept = readAudit(app).map(({ details }) => details['n'])
    expect(kept).toEqual(['young', 'new'])
  })
})

describe('refusals', () => {
  test.each(['x', '', 'AAAA', Buffer.from('no uuid').toString('base64url')])(
    '400 invalid_cursor for the cursor %p',
    async (cursor) => {
      expect(codeOf(await read(`?cursor=${cursor}`))).toEqual([400, 'invalid_cursor'])
    },
  )

  test.each([
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=many', '/limit'],
    ['action=store.sold', '/action'],
    ['action=', '/action'],
    ['since=yesterday', '/since'],
    ['since=2030-01-01T00:00:00', '/since'],
    ['since=2030-02-31T25:00:00Z', '/since'],
    ['until=2030-13-01', '/until'],
  ])('422 for %s', async (query, pointer) => {
    const { status, body } = await read(`?${query}`)
    expect(status).toBe(422)
    expect((body['details'] as { errors: object[] }).errors).toMatchObject([{ in: 'query', pointer }])
  })

  test.each(['developer', 'viewer'] as const)('403 for a %s', async (role) => {
    const person = await addPerson(app, role, [{ store: 'one', role }])
    const { status, body } = await read('', await getToken(app, person))
    expect([status, body]).toMatchObject([
      403,
      { error: 'permission_denied', details: { required: 'security:manage' } },
    ])
  })

  test('200 for an admin, 403 for an API key, 401 for nobody', async () => {
    const admin = await addPerson(app, 'admin', [{ store: 'one', role: 'admin' }])
    expect((await read('', await getToken(app, admin))).status).toBe(200)
    const scopes = { products: 'read' }
    const { body } = await app.call('POST', '/v1/security/api-keys', { token, body: { name: 'k', scopes } })
    expect(codeOf(await read('', String(body['key'])))).toEqual([403, 'permission_denied'])
    expect(codeOf(await app.call('GET', PATH))).toEqual([401, 'unauthorized'])
  })
})

describe('the log as a whole', () => {
  test('holds no secret, whatever was shown, typed or made', async () => {
    const ann = await addPerson(app, 'ann', [{ store: 'one', role: 'owner' }])
    const secrets: unknown[] = []
    const as = await getToken(app, ann)
    secrets.push(as, token)
    await sendSignIn(app, ann.email, { password: 'a password typed wrong' })
    secrets.push('a password typed wrong', 'a long password')
    const post = async (path: string, body: unknown = {}) =>
      (await app.call('POST', path, { token: as, body })).body
    const apiKey = await post('/v1/security/api-keys', { name: 'k', scopes: { products: 'read' } })
    const rotated = await post(`/v1/security/api-keys/${apiKey['id']}/rotate`)
    const publicKey = await post('/v1/security/public-keys', { name: 'w', origins: ['https://shop.test'] })
    const twoFactor = await post('/v1/security/2fa/setup')
    const client = await post('/v1/security/client-secret/rotate')
    const made = [
      apiKey['key'],
      rotated['key'],
      publicKey['key'],
      twoFactor['secret'],
      client['client_secret'],
    ]
    for (const value of made) expect(String(value).length).toBeGreaterThan(20)
    await app.settle()
    const rows = JSON.stringify(readRows(app, 'audit_events'))
    for (const action of ['login.failed', 'login.succeeded', 'api_key.rotated', 'client_secret.rotated']) {
      expect(rows).toContain(action)
    }
    for (const secret of [...secrets, ...made]) expect(rows).not.toContain(String(secret))
  })
})
