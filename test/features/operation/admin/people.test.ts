import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  freshAddress,
  from,
  getToken,
  PASSWORD,
  type Person,
  proxiedApp,
  refusal,
  sendSignIn,
} from '../../../support/people.ts'

let app: TestApp
let admin: Person
let root: string
let anna: Person

beforeEach(async () => {
  app = proxiedApp()
  await app.store('one')
  admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
  root = await getToken(app, admin)
  anna = await addPerson(app, 'anna', [{ store: 'one', role: 'developer' }])
})
afterEach(() => app.close())

const call = (method: string, path: string, token = root) => app.call(method, `/v1/admin${path}`, { token })
const NOBODY = '01900000-0000-7000-8000-ffffffffffff'
const ACTS = ['verify', 'reset', 'unlock', 'end-sessions', 'reset-2fa']

/** The events of the node about an action. */
async function readLog(action: string) {
  const { body } = await call('GET', `/audit?action=${action}&user_id=${anna.id}`)
  return body['events'] as { actor: object; details: object }[]
}

const byRoot = () => ({ by_super_admin: true, by_user_id: admin.id })

describe('the list of people', () => {
  test('shows stores, second factor and sign-ins of each', async () => {
    await getToken(app, anna)
    const { status, body } = await call('GET', `/users/${anna.id}`)
    expect([status, body]).toEqual([
      200,
      {
        ...{ id: anna.id, email: 'anna@people.test', full_name: 'anna', is_super_admin: false },
        ...{ is_proven: false, is_locked: false, two_factor_enabled: false, sign_ins: 1 },
        ...{ last_login_at: '2030-01-01T00:00:00.000Z', created_at: '2030-01-01T00:00:00.000Z' },
        stores: [{ id: app.stores.requireBySlug('one').id, slug: 'one', role: 'developer' }],
      },
    ])
    const list = await call('GET', '/users?q=ANNA')
    expect(list.body).toEqual({ users: [body], count: 1, next_cursor: null })
  })

  test('is read page by page, newest first', async () => {
    const pages: unknown[] = []
    for (let cursor = ''; ; ) {
      const { body } = await call('GET', `/users?limit=2${cursor}`)
      pages.push((body['users'] as { email: string }[]).map(({ email }) => email))
      if (body['next_cursor'] === null) break
      cursor = `&cursor=${body['next_cursor']}`
    }
    expect(pages).toEqual([['anna@people.test', 'root@people.test'], ['one@shop.test']])
  })

  test.each([
    ['/users?limit=0', 422, 'validation_error'],
    ['/users?q=', 422, 'validation_error'],
    ['/users?cursor=x', 400, 'invalid_cursor'],
    ['/registrations?limit=101', 422, 'validation_error'],
    ['/registrations?cursor=x', 400, 'invalid_cursor'],
  ])('refuses %s', async (path, status, code) => {
    expect(refusal(await call('GET', path))).toEqual([status, code])
  })
})

describe('vouching for a person', () => {
  const register = (email = 'new@people.test') =>
    app.call('POST', '/register', {
      body: { client_name: 'New shop', email, password: PASSWORD },
      headers: from(freshAddress()),
    })
  async function findRegistrations() {
    const { body } = await call('GET', '/registrations')
    return body['registrations'] as { id: string; email: string; store_name: string }[]
  }

  test('activates a registration', async () => {
    await register()
    const [waiting] = await findRegistrations()
    expect(waiting).toEqual({
      ...{ id: expect.any(String), email: 'new@people.test', store_name: 'New shop' },
      ...{ created_at: '2030-01-01T00:00:00.000Z', expires_at: '2030-01-02T00:00:00.000Z' },
    } as never)
    expect(await call('POST', `/users/${waiting?.id}/verify`)).toMatchObject({
      status: 200,
      body: { status: 'verified', email: 'new@people.test', slug: 'new-shop' },
    })
    expect(await findRegistrations()).toEqual([])
    expect((await sendSignIn(app, 'new@people.test', {}, from(freshAddress()))).status).toBe(200)
    const { body } = await app.call(
      'GET',
      `/v1/admin/audit?store_id=${app.stores.requireBySlug('new-shop').id}`,
      { token: root },
    )
    expect(
      (body['events'] as { action: string; details: object }[]).map(({ action, details }) => [
        action,
        details,
      ]),
    ).toEqual([
      ['store.created', expect.objectContaining(byRoot())],
      ['account.verified', expect.objectContaining(byRoot())],
    ])
  })

  test('proves an account once', async () => {
    expect((await call('POST', `/users/${anna.id}/verify`)).body).toEqual({
      ...{ status: 'verified', email: 'anna@people.test', slug: null },
    })
    expect((await call('GET', `/users/${anna.id}`)).body).toMatchObject({ is_proven: true })
    expect((await call('POST', `/users/${anna.id}/verify`)).body).toMatchObject({
      status: 'already_verified',
    })
    expect((await readLog('account.proven')).map(({ details }) => details)).toEqual([byRoot()])
  })

  test('is a conflict for a registration whose address has an account by now', async () => {
    await register()
    const [waiting] = await findRegistrations()
    await addPerson(app, 'new')
    expect(refusal(await call('POST', `/users/${waiting?.id}/verify`))).toEqual([409, 'conflict'])
  })
})

describe('a link for a new password', () => {
  test('is mailed, and not shown', async () => {
    expect(await call('POST', `/users/${anna.id}/reset`)).toMatchObject({
      status: 200,
      body: {
        ...{ status: 'reset_requested', email_sent: true, reset_url: null },
        expires_at: '2030-01-01T01:00:00.000Z',
      },
    })
    expect(app.mails.at(-1)).toMatchObject({ to: 'anna@people.test', subject: 'Choose a new password' })
    expect((await readLog('password.reset_requested')).map(({ details }) => details)).toEqual([byRoot()])
  })

  test('is shown where no mail leaves, and works', async () => {
    const offline = proxiedApp({
      db: app.db,
      clock: app.clock,
      ids: app.ids,
      mailer: { isConfigured: false, send: async () => {} },
    })
    const { body } = await offline.call('POST', `/v1/admin/users/${anna.id}/reset`, { token: root })
    expect(body['email_sent']).toBe(false)
    const [address, token] = String(body['reset_url']).split('#token=')
    expect(address).toBe('http://lookalike.test/oauth/password/reset')
    const reset = await offline.call('POST', '/oauth/password/reset', {
      body: { token, password: 'seven green bottles' },
      headers: from(freshAddress()),
    })
    expect(reset.status).toBe(200)
  })
})

describe('locks, sign-ins and second factors', () => {
  test('a locked person is unlocked', async () => {
    for (let n = 0; n < 5; n++)
      await sendSignIn(app, anna.email, { password: 'wrong one' }, from(freshAddress()))
    expect((await call('GET', `/users/${anna.id}`)).body).toMatchObject({ is_locked: true })
    expect((await call('POST', `/users/${anna.id}/unlock`)).body).toEqual({ status: 'unlocked' })
    expect((await call('GET', `/users/${anna.id}`)).body).toMatchObject({ is_locked: false })
    expect((await readLog('account.unlocked')).map(({ details }) => details)).toEqual([byRoot()])
  })

  test('all sign-ins of a person end, at once', async () => {
    const tokens = [await getToken(app, anna), await getToken(app, anna)]
    expect((await call('POST', `/users/${anna.id}/end-sessions`)).body).toEqual({ status: 'ended', ended: 2 })
    for (const token of tokens) expect((await app.call('GET', '/v1/me', { token })).status).toBe(401)
    expect((await call('POST', `/users/${anna.id}/end-sessions`)).body).toEqual({ status: 'ended', ended: 0 })
    expect((await readLog('session.ended')).map(({ details }) => details)).toEqual([
      { ended: 2, ...byRoot() },
    ])
  })

  test('a lost second factor goes, with all sign-ins', async () => {
    const token = await getToken(app, anna)
    await enableTwoFactor(app, token)
    expect((await call('POST', `/users/${anna.id}/reset-2fa`)).body).toEqual({ status: 'reset' })
    expect((await app.call('GET', '/v1/me', { token })).status).toBe(401)
    expect((await sendSignIn(app, anna.email, {}, from(freshAddress()))).status).toBe(200)
    expect((await call('POST', `/users/${anna.id}/reset-2fa`)).body).toEqual({ status: 'not_enabled' })
    expect((await readLog('two_factor.reset')).map(({ details }) => details)).toEqual([
      { sessions_ended: 1, ...byRoot() },
    ])
  })
})

describe('what is not there, and who may not', () => {
  test.each(ACTS)('%s of somebody unknown is 404', async (act) => {
    const answer = await call('POST', `/users/${NOBODY}/${act}`)
    expect([...refusal(answer), (answer.body['details'] as { resource: string }).resource]).toEqual([
      ...[404, 'not_found', 'user'],
    ])
  })

  test('an unknown person is 404', async () => {
    expect(refusal(await call('GET', `/users/${NOBODY}`))).toEqual([404, 'not_found'])
  })

  test.each(ACTS)('%s is not for an owner', async (act) => {
    const owner = await getToken(app, await addPerson(app, 'owner', [{ store: 'one', role: 'owner' }]))
    expect(refusal(await call('POST', `/users/${anna.id}/${act}`, owner))).toEqual([403, 'permission_denied'])
  })
})
