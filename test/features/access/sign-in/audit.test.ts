import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import type { TestApp } from '../../../support/app.ts'
import {
  enableTwoFactor,
  freshAddress,
  from,
  getToken,
  PASSWORD,
  type Person,
  type SignInWorld,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'
import { failWrites, readAudit, readRows } from '../../../support/seed.ts'

const NEW = 'seven green bottles'
const WRONG = { password: 'another password' }

interface Row {
  action: string
  store_id: string | null
  actor_kind: string
  user_id: string | null
  details: Record<string, unknown>
  address: string | null
  request_id: string | null
}

let app: TestApp
let anna: Person
let signIn: SignInWorld['signIn']
let token: string

beforeEach(async () => {
  ;({ app, anna, signIn } = await signInWorld([{ store: 'one', role: 'owner' }]))
  token = await getToken(app, anna)
})
afterEach(() => app.close())

const rows = (): Row[] =>
  readAudit(app)
    .filter(({ action }) => !/^(store|two_factor)\./.test(action))
    .map(({ action, store_id, actor_kind, user_id, details, address, request_id }) => ({
      ...{ action, store_id, actor_kind, user_id, details, address, request_id },
    }))

/** What was written down since the login that every test begins with, after the answers too. */
async function acts(): Promise<Row[]> {
  await app.settle()
  return rows().slice(1)
}

const revoke = (of: string) => app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token: of }) })
const sessionOf = (of: string) => String(decodeJwt(of)['sid'])

describe('the audit log about sign-ins', () => {
  test('a login: who, from where, in which request, how, and which session came of it', async () => {
    const answer = await sendSignIn(app, anna.email, {}, from('203.0.113.5'))
    const made = String(answer.body['access_token'])
    expect(await acts()).toEqual([
      {
        action: 'login.succeeded',
        store_id: null,
        actor_kind: 'person',
        user_id: anna.id,
        details: { session_id: sessionOf(made), amr: ['pwd'] },
        address: '203.0.113.5',
        request_id: String(answer.headers.get('x-request-id')),
      },
    ])
  })

  test('what is still waiting when the service stops is written then', async () => {
    await signIn(WRONG)
    expect(rows().filter(({ action }) => action === 'login.failed')).toHaveLength(0)
    app.flushAudit()
    expect(rows().filter(({ action }) => action === 'login.failed')).toHaveLength(1)
  })

  test('wrong client secrets of stores there are; the tenth locks', async () => {
    const { client_id, store_id } = await app.store('two')
    const ask = (id: string) => {
      const fields = { grant_type: 'client_credentials', client_id: id, client_secret: 'wrong' }
      return app.call('POST', '/oauth/token', { body: new URLSearchParams(fields) })
    }
    for (let n = 0; n < 12; n++) await ask(client_id)
    await ask('nobody')
    const refused = (await acts()).filter(({ action }) => action.startsWith('client_secret.'))
    expect(refused.map(({ action, store_id: of }) => [action, of])).toEqual([
      ...Array.from({ length: 10 }, () => ['client_secret.refused', store_id]),
      ['client_secret.locked', store_id],
    ])
  })

  test('failed ones of people there are, with the reason; the fifth locks; what is refused then is not written down', async () => {
    const phone = await enableTwoFactor(app, token)
    app.clock.advance(600_000)
    for (let n = 0; n < 3; n++) await signIn(WRONG)
    await signIn()
    for (let n = 0; n < 2; n++) await signIn({ totp_code: phone.code(-15) })
    for (let n = 0; n < 3; n++) await signIn()
    expect(
      (await acts()).map(({ action, details, user_id }) => [action, details['reason'], user_id]),
    ).toEqual([
      ['login.failed', 'password', anna.id],
      ['login.failed', 'password', anna.id],
      ['login.failed', 'password', anna.id],
      ['login.failed', 'two_factor', anna.id],
      ['login.failed', 'two_factor', anna.id],
      ['login.locked', undefined, anna.id],
    ])
  })

  test('no unknown e-mail address, which may be a password in the wrong field', async () => {
    for (let n = 0; n < 6; n++) await sendSignIn(app, PASSWORD, WRONG, from(freshAddress()))
    expect(await acts()).toEqual([])
  })

  test('an ended token, once: of a person about the person, of a machine about its store', async () => {
    const machine = await app.signIn('two')
    for (const ended of [token, token, machine, machine, 'nonsense']) await revoke(ended)
    expect(await acts()).toMatchObject([
      {
        action: 'token.revoked',
        actor_kind: 'person',
        user_id: anna.id,
        store_id: null,
        details: { session_id: sessionOf(token) },
      },
      {
        action: 'token.revoked',
        actor_kind: 'machine',
        user_id: null,
        store_id: app.stores.requireBySlug('two').id,
      },
    ])
  })

  test('ended sessions and changed passwords, but nothing that failed or changed nothing', async () => {
    const other = await getToken(app, anna)
    await app.call('DELETE', `/v1/me/sessions/${sessionOf(other)}`, { token })
    await app.call('DELETE', '/v1/me/sessions/nothing', { token })
    await app.call('DELETE', '/v1/me/sessions', { token })
    await getToken(app, anna)
    await app.call('DELETE', '/v1/me/sessions', { token })
    const change = (current_password: string) =>
      app.call('POST', '/v1/me/password', { token, body: { current_password, new_password: NEW } })
    await change('another password')
    await change(PASSWORD)
    const seen = (await acts()).filter(({ action }) => action !== 'login.succeeded')
    expect(seen.map(({ action, details }) => [action, details])).toEqual([
      ['session.ended', { session_id: sessionOf(other) }],
      ['session.ended', { ended: 1 }],
      ['password.changed', { sessions_ended: 0 }],
    ])
    for (const act of seen)
      expect(act).toMatchObject({ actor_kind: 'person', user_id: anna.id, store_id: null })
  })

  test('holds no password, token or code', async () => {
    const phone = await enableTwoFactor(app, token)
    app.clock.advance(60_000)
    const code = phone.code()
    const made = await getToken(app, anna, { totp_code: code })
    await signIn({ recovery_code: phone.recoveryCodes[0] })
    await signIn(WRONG)
    await revoke(made)
    const all = JSON.stringify(readRows(app, 'audit_events'))
    for (const secret of [
      PASSWORD,
      WRONG.password,
      code,
      phone.recoveryCodes[0] as string,
      made.split('.')[2] as string,
    ])
      expect(all).not.toContain(secret)
  })
})

describe('what cannot be written down is not done', () => {
  let mend: () => void
  beforeEach(() => {
    mend = failWrites(app, 'INSERT ON audit_events', 'the log is broken')
  })

  const isAlive = async (of: string) => (await app.call('GET', '/v1/me', { token: of })).status === 200

  test('no login', async () => {
    expect((await signIn()).status).toBe(500)
    expect((await app.call('GET', '/v1/me/sessions', { token })).body['count']).toBe(1)
  })

  test('no revocation, no ended session', async () => {
    expect((await revoke(token)).status).toBe(500)
    expect((await app.call('DELETE', `/v1/me/sessions/${sessionOf(token)}`, { token })).status).toBe(500)
    expect(await isAlive(token)).toBe(true)
  })

  test('no new password', async () => {
    const body = { current_password: PASSWORD, new_password: NEW }
    expect((await app.call('POST', '/v1/me/password', { token, body })).status).toBe(500)
    mend()
    expect((await signIn({ password: NEW })).status).toBe(401)
    expect((await signIn()).status).toBe(200)
  })
})
