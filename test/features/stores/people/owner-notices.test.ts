import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, from, getToken, type Person, sendSignIn } from '../../../support/people.ts'
import { countRows, deleteRows } from '../../../support/seed.ts'
import { breakAuditLog } from '../../access/api-keys/evidence.ts'

const ROTATE = '/v1/security/client-secret/rotate'
const IP_LIST = '/v1/security/ip-whitelist'
const KEYS = '/v1/security/api-keys'
const KEY = { name: '<b>Call 0900 123</b>', scopes: { products: 'read' } }
const HERE = '203.0.113.9'
const HOUR_MS = 3_600_000

let app: TestApp
let secret: string
let machine: string
/** A second owner of the store; the first is whoever set it up. */
let anna: Person
let person: string

beforeEach(async () => {
  app = testApp({}, { TRUSTED_PROXIES: '127.0.0.1/32', TOKEN_LIFETIME_S: '86400' })
  const { client_id, client_secret } = await app.store()
  secret = client_secret
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  machine = String((await app.call('POST', '/oauth/token', { body })).body['access_token'])
  app.clock.advance(1_000)
  anna = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
  for (const role of ['admin', 'developer', 'viewer'] as const)
    await addPerson(app, role, [{ store: 'one', role }])
  person = await getToken(app, anna)
  await app.store('two')
  await addPerson(app, 'stranger', [{ store: 'two', role: 'owner' }])
})
afterEach(() => app.close())

const call = (method: string, path: string, token: string, body?: unknown): Promise<Answer> =>
  app.call(method, path, { token, headers: from(HERE), ...(body !== undefined && { body }) })

/** The mails that were sent since it was last asked. */
async function sent() {
  await app.settle()
  return app.mails.splice(0)
}

const OWNERS = ['one@shop.test', 'anna@people.test']

const made = async (answer: Promise<Answer>) => expect((await answer).status).toBeLessThan(300)

describe('the owners of a store are told by mail', () => {
  test('that the client secret was rotated by a machine grant: what, when, from where, what to do', async () => {
    await made(call('POST', ROTATE, machine, { client_secret: secret }))
    const mails = await sent()
    expect(mails.map(({ to }) => to)).toEqual(OWNERS)
    expect(mails[0]).toEqual({
      to: 'one@shop.test',
      subject: 'The client secret of one was changed',
      text: `On 2030-01-01 at 00:00:01 UTC, the client secret of your store one was changed. The change was made with an access token of the machine grant, from the address 203.0.113.9.

The old secret and the access tokens created with it no longer work. Programs that still use them can no longer reach the store.

If you expected this, do nothing. If not, someone else has a credential of your store: sign in with your password and create another client secret (POST /v1/security/client-secret/rotate). The one that someone else has then stops working.

The service is at http://lookalike.test. Its audit log (GET /v1/security/audit) shows who did what, and when.
`,
    })
  })

  test('and by a person, who is named', async () => {
    await made(call('POST', ROTATE, person))
    const mails = await sent()
    expect(mails.map(({ to }) => to)).toEqual(OWNERS)
    expect(mails[0]?.text).toContain('with the sign-in of anna@people.test, from the address 203.0.113.9')
  })

  test('that an entry was added to or removed from the IP list by force', async () => {
    const { body } = await call('POST', IP_LIST, person, { ip_address: HERE })
    await sent()
    await made(call('POST', IP_LIST, person, { ip_address: '198.51.100.1' }))
    expect(await sent()).toEqual([])
    await made(call('DELETE', `${IP_LIST}/${body['id']}?force=true`, person))
    const mails = await sent()
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual(
      OWNERS.map((to) => [to, 'The IP list of one was changed by force']),
    )
    expect(mails[0]?.text).toContain('lookalike store clear-ip-whitelist one')
    deleteRows(app, 'ip_entries')
    app.ipAllowlist.clear(app.stores.requireBySlug('one').id)
    await made(call('POST', IP_LIST, person, { ip_address: '198.51.100.1', force: true }))
    expect((await sent()).map(({ to }) => to)).toEqual(OWNERS)
  })

  test('but not where force was asked for and not needed', async () => {
    await made(call('POST', IP_LIST, person, { ip_address: HERE }))
    await sent()
    await made(call('POST', IP_LIST, person, { ip_address: '198.51.100.1', force: true }))
    expect(await sent()).toEqual([])
  })

  test.each(['a machine grant', 'a person'])('that %s switched the IP list on or off', async (who) => {
    await sendSignIn(app, anna.email, {}, from(HERE))
    const by = who === 'a person' ? person : machine
    const { body } = await call('POST', IP_LIST, by, { ip_address: HERE, force: true })
    expect((await sent()).map(({ subject }) => subject)).toEqual(
      OWNERS.map(() => 'The IP list of one was switched on or off'),
    )
    const { body: second } = await call('POST', IP_LIST, by, { ip_address: '198.51.100.1' })
    await made(call('DELETE', `${IP_LIST}/${second['id']}`, by))
    expect(await sent()).toEqual([])
    await made(call('DELETE', `${IP_LIST}/${body['id']}`, by))
    expect(await sent()).toHaveLength(2)
  })

  test('that a machine grant created an API key or gave one a new value, without text from the caller', async () => {
    const { body } = await call('POST', KEYS, machine, KEY)
    const mails = await sent()
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual(
      OWNERS.map((to) => [to, 'A program created an API key of one']),
    )
    expect(mails[0]?.text).not.toMatch(/0900|sk_live/)
    await made(call('POST', `${KEYS}/${body['id']}/rotate`, machine))
    expect(await sent()).toHaveLength(2)
    await made(call('DELETE', `${KEYS}/${body['id']}`, machine))
    expect(await sent()).toEqual([])
  })

  test('but not of a key that a person makes, who is in the audit log', async () => {
    await made(call('POST', KEYS, person, KEY))
    expect(await sent()).toEqual([])
  })

  test('and of nothing that was refused', async () => {
    await call('POST', ROTATE, machine)
    await call('POST', ROTATE, machine, { client_secret: 'wrong' })
    await call('POST', IP_LIST, machine, { ip_address: '198.51.100.1', force: true })
    await call('POST', IP_LIST, machine, { ip_address: '198.51.100.1' })
    await call('POST', KEYS, machine, { name: 'k', scopes: { products: 'fly' } })
    expect(await sent()).toEqual([])
  })

  test('and of nothing that was undone, for the mail and the act are one', async () => {
    breakAuditLog(app)
    expect((await call('POST', ROTATE, machine, { client_secret: secret })).status).toBe(500)
    await sent()
    expect(countRows(app, 'outbox')).toBe(0)
    expect(app.mails).toEqual([])
  })
})

describe('nobody fills their mailboxes with it', () => {
  const rotate = () => made(call('POST', ROTATE, person))

  test('three of a kind in an hour, the third of which says so; then again', async () => {
    const texts: (string | undefined)[] = []
    for (let n = 0; n < 10; n++) {
      await rotate()
      app.clock.advance(60_000)
      const mails = await sent()
      if (mails.length > 0) texts.push(mails[0]?.text)
    }
    expect(texts.map((text) => text?.includes('No more mails of this kind'))).toEqual([false, false, true])
    expect(texts[2]).toContain('are sent until 2030-01-01 at 01:00:01 UTC, whatever happens.')
    app.clock.advance(HOUR_MS - 10 * 60_000 - 1)
    await rotate()
    expect(await sent()).toEqual([])
    app.clock.advance(1)
    await rotate()
    expect(await sent()).toHaveLength(2)
  })

  test('each kind and each store have a count of their own', async () => {
    for (let n = 0; n < 4; n++) await made(call('POST', KEYS, machine, KEY))
    expect(await sent()).toHaveLength(6)
    await rotate()
    expect(await sent()).toHaveLength(2)
    const other = await getToken(app, { email: 'stranger@people.test' })
    await made(call('POST', ROTATE, other))
    expect((await sent()).map(({ to }) => to)).toEqual(['stranger@people.test', 'two@shop.test'])
  })

  test('the counts go when their hour is over', async () => {
    await rotate()
    const counted = () => countRows(app, 'throttle_events', { bucket: 'notice.store' })
    expect(counted()).toBe(1)
    app.clock.advance(HOUR_MS)
    await app.tidy()
    expect(counted()).toBe(0)
  })
})

test('a mail server that fails delays nothing: the mail waits and is tried again', async () => {
  let isUp = false
  const mails: string[] = []
  await app.close()
  app = testApp({
    mailer: {
      isConfigured: true,
      send: async ({ to }) => {
        if (!isUp) throw new Error('connection refused')
        mails.push(to)
      },
    },
  })
  const token = await app.signIn()
  expect((await app.call('POST', KEYS, { token, body: KEY })).status).toBe(201)
  expect(await sent()).toEqual([])
  expect(app.outbox.list().map(({ recipient, attempts }) => [recipient, attempts])).toEqual([
    ['one@shop.test', 1],
  ])
  isUp = true
  app.clock.advance(HOUR_MS)
  await app.outbox.retryDue()
  expect(mails).toEqual(['one@shop.test'])
})
