import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { RESERVED_SLUGS } from '../../../../src/core/slugs.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, type Person, refusal } from '../../../support/people.ts'
import { countRows, prove, readColumn, updateRows } from '../../../support/seed.ts'

let app: TestApp
let anna: Person
let token: string

async function start(settings: Record<string, string> = {}, ports: Parameters<typeof testApp>[0] = {}) {
  app?.close()
  app = testApp(ports, settings)
  await app.store('first')
  anna = await addPerson(app, 'anna')
  prove(app, anna.id)
  token = await getToken(app, anna)
}
beforeEach(() => start())
afterEach(() => app.close())

const open = (body: unknown, by = token, headers = {}) =>
  app.call('POST', '/v1/stores', { token: by, body, headers })
const countStores = () => countRows(app, 'stores')

describe('POST /v1/stores (contract 5.16)', () => {
  test('opens a store whose owner the person is', async () => {
    const { status, body } = await open({ name: ' Anna’s 2nd shop ' })
    expect([status, body]).toEqual([
      201,
      { id: expect.any(String), slug: 'anna-s-2nd-shop', name: 'Anna’s 2nd shop', plan: 'free' },
    ])
    const me = await app.call('GET', '/v1/me', { token })
    expect(me.body['memberships']).toMatchObject([{ slug: 'anna-s-2nd-shop', role: 'owner', plan: 'free' }])
    const log = await app.call('GET', '/v1/security/audit?action=store.created', {
      token,
      headers: { 'x-service-active-tenant': 'anna-s-2nd-shop' },
    })
    expect(log.body['events']).toMatchObject([{ details: { slug: 'anna-s-2nd-shop', plan: 'free' } }])
  })

  test('takes the slug that is asked for, unless it cannot be one or belongs to another store', async () => {
    expect((await open({ name: 'x', slug: 'my-shop' })).body).toMatchObject({ slug: 'my-shop' })
    const taken = await open({ name: 'x', slug: 'first' })
    expect([...refusal(taken), taken.body['details']]).toEqual([
      ...[409, 'conflict'],
      expect.objectContaining({ slug: 'first' }),
    ])
    for (const slug of ['-a', 'A', 'a', 'a_b', 'portal', 'robots.txt']) {
      expect(refusal(await open({ name: 'x', slug }))).toEqual([422, 'validation_error'])
    }
    expect(countStores()).toBe(2)
  })

  test('makes no reserved slug of a name', async () => {
    expect((await open({ name: 'Billing' })).body).toMatchObject({ slug: 'store-billing' })
  })

  test('stops at the number of stores that a person may own', async () => {
    await start({ STORES_PER_PERSON: '2' })
    expect([(await open({ name: 'a1' })).status, (await open({ name: 'a2' })).status]).toEqual([201, 201])
    const answer = await open({ name: 'a3' })
    expect([...refusal(answer), answer.body['details']]).toEqual([
      ...[409, 'conflict'],
      expect.objectContaining({ limit: 2 }),
    ])
    expect(countStores()).toBe(3)
  })

  test('stops there also when many are asked for at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => open({ name: `shop ${n}` })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
  })

  test('is the operator’s where registration is closed, or with 0 stores', async () => {
    for (const settings of [{ REGISTRATION: 'closed' }, { STORES_PER_PERSON: '0' }]) {
      await start(settings)
      expect(refusal(await open({ name: 'x' }))).toEqual([403, 'permission_denied'])
      const root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
      for (const name of ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'])
        expect((await open({ name }, root)).status).toBe(201)
    }
  })

  test('needs an account that is known to belong to its mailbox', async () => {
    const ben = await getToken(app, await addPerson(app, 'ben'))
    expect(refusal(await open({ name: 'x' }, ben))).toEqual([403, 'account_not_verified'])
  })

  test('is repeated once, by the person’s own key', async () => {
    const headers = { 'idempotency-key': 'k' }
    const first = await open({ name: 'x1' }, token, headers)
    const again = await open({ name: 'x1' }, token, headers)
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.body,
      'true',
    ])
    expect(refusal(await open({ name: 'x2' }, token, headers))).toEqual([422, 'idempotency_key_reused'])
    const ben = await addPerson(app, 'ben')
    prove(app, ben.id)
    expect((await open({ name: 'x1' }, await getToken(app, ben), headers)).body).toMatchObject({
      slug: 'x1-2',
    })
    expect(countStores()).toBe(3)
  })

  test.each([
    [{}],
    [{ name: '' }],
    [{ name: '  ' }],
    [{ name: 'a\nb' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: 7 }],
  ])('refuses %j', async (body) => {
    expect(refusal(await open(body))).toEqual([422, 'validation_error'])
  })
})

describe('POST /v1/admin/stores (contract 8.10)', () => {
  let root: string
  const openFor = (body: object, headers = {}) =>
    app.call('POST', '/v1/admin/stores', { token: root, body, headers })
  const signInAsRoot = async () => {
    root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
  }
  beforeEach(signInAsRoot)

  test('opens a store and invites its owner, who joins by the link', async () => {
    const { status, body } = await openFor({ name: 'Ben’s', owner_email: 'Ben@people.test', plan: 'basic' })
    expect(status).toBe(201)
    expect(body).toEqual({
      ...{ id: expect.any(String), slug: 'ben-s', name: 'Ben’s', plan: 'basic' },
      invite: {
        ...{
          invite_id: expect.any(String),
          email: 'ben@people.test',
          role: 'owner',
          is_existing_user: false,
        },
        ...{ expires_at: expect.any(String), email_sent: true },
      },
    })
    const link = app.mails.at(-1)?.text.match(/#token=(\S+)/)?.[1]
    const accepted = await app.call('POST', '/v1/team/invites/accept', {
      body: { token: link, full_name: 'Ben', password: 'seven green bottles' },
    })
    expect([accepted.status, accepted.body]).toEqual([
      200,
      expect.objectContaining({ role: 'owner', slug: 'ben-s', store_name: 'Ben’s' }),
    ])
    const owned = await app.call('GET', `/v1/admin/stores/${body['id']}`, { token: root })
    expect(owned.body).toMatchObject({ owners: ['ben@people.test'], plan: 'basic' })
  })

  test('shows the link where no mail leaves, and seals it in a repeated answer', async () => {
    await start({}, { mailer: { isConfigured: false, send: async () => {} } })
    await signInAsRoot()
    const headers = { 'idempotency-key': 'k' }
    const first = await openFor({ name: 'x', owner_email: 'ben@people.test' }, headers)
    expect(first.body['invite']).toMatchObject({
      email_sent: false,
      accept_url: expect.stringContaining('#token='),
    })
    expect((await openFor({ name: 'x', owner_email: 'ben@people.test' }, headers)).body).toEqual(first.body)
    const kept = readColumn(app, 'person_idempotency_keys', 'body')[0]
    expect(kept).toStartWith('sealed:')
  })

  test('invites an address that has an account in the same way', async () => {
    const { body } = await openFor({ name: 'x', owner_email: anna.email })
    expect(body['invite']).toMatchObject({ is_existing_user: true, email: anna.email })
  })

  test('opens fifty stores for one agency', async () => {
    for (let n = 0; n < 50; n++) {
      if (n % 20 === 0) app.clock.advance(60_000)
      expect((await openFor({ name: `shop ${n}`, owner_email: anna.email })).status).toBe(201)
    }
  })

  test.each([
    [{ owner_email: 'root@people.test' }, 409, 'conflict'],
    [{ owner_email: 'nobody' }, 422, 'validation_error'],
    [{ owner_email: 'ben@people.test', slug: 'first' }, 409, 'conflict'],
    [{ owner_email: 'ben@people.test', slug: 'docs' }, 422, 'validation_error'],
    [{ owner_email: 'ben@people.test', plan: 'gold' }, 422, 'validation_error'],
    [{}, 422, 'validation_error'],
  ])('leaves nothing half done for %j', async (more, status, code) => {
    expect(refusal(await openFor({ name: 'x', ...more }))).toEqual([status, code])
    expect(countStores()).toBe(1)
    expect(app.mails).toEqual([])
  })
})

test('no store can hide a path of the service', () => {
  const segments = new Set(app.http.routes.map(({ path }) => path.split('/')[1] ?? ''))
  const open = [...segments].filter(
    (segment) => segment !== '' && !segment.startsWith(':') && segment !== '*',
  )
  expect(open.filter((segment) => !RESERVED_SLUGS.has(segment))).toEqual([])
})

test('a store that has a reserved slug already keeps it', async () => {
  updateRows(app, 'stores', { slug: 'portal' }, { slug: 'first' })
  const owner = await getToken(app, { email: 'first@shop.test' })
  const headers = { 'x-service-active-tenant': 'portal' }
  expect((await app.call('GET', '/v1/store', { token: owner, headers })).body).toMatchObject({
    slug: 'portal',
  })
})
