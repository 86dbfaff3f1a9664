import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { systemIds } from '../../../../src/core/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import { shownCode } from '../../../support/authenticator.ts'
import {
  type Authenticator,
  addPerson,
  enableTwoFactor,
  getToken,
  type Person,
  proxiedApp,
  refusal,
} from '../../../support/people.ts'
import { auditOf, breakAuditLog } from '../api-keys/evidence.ts'

type Refusal = [number, unknown]

const ENDED: Refusal = [401, 'unauthorized']
const ALIVE: Refusal = [200, undefined]

let app: TestApp
let anna: Person
/** Three logins of one person with the password alone. */
let token: string
let second: string
let third: string

beforeEach(async () => {
  app = proxiedApp({ ids: systemIds })
  anna = await addPerson(app, 'anna')
  token = await getToken(app, anna)
  second = await getToken(app, anna)
  third = await getToken(app, anna)
})
afterEach(() => app.close())

const post = (path: string, as: string, body?: object) =>
  app.call('POST', path, { token: as, ...(body && { body }) })
const stateOf = async (as: string) => refusal(await app.call('GET', '/v1/me/sessions', { token: as }))
const enable = (as: string, totp_code: string) => post('/v1/security/2fa/enable', as, { totp_code })
const disable = (as: string) => post('/v1/security/2fa/disable', as)
const renew = (as: string) => post('/v1/security/2fa/recovery-codes', as)
const refreshed = async (as: string) => String((await post('/oauth/refresh', as)).body['access_token'])

/** For each login of the person whether it showed a second factor. */
async function factorsOf(as: string): Promise<boolean[]> {
  const { body } = await app.call('GET', '/v1/me/sessions', { token: as })
  return (body['sessions'] as { two_factor: boolean }[]).map(({ two_factor }) => two_factor)
}

/** A login with the code that is shown a while later: every code is used up once. */
async function withCode(phone: Authenticator): Promise<string> {
  app.clock.advance(60_000)
  return getToken(app, anna, { totp_code: phone.code() })
}

describe('switching two-factor authentication on', () => {
  test('ends the person’s other logins, which showed a password only, and says how many', async () => {
    const bobs = await getToken(app, await addPerson(app, 'bob'))
    await enableTwoFactor(app, token)
    expect([await stateOf(second), await stateOf(third)]).toEqual([ENDED, ENDED])
    expect(refusal(await post('/oauth/refresh', second))).toEqual(ENDED)
    expect([await stateOf(token), await stateOf(bobs)]).toEqual([ALIVE, ALIVE])
    expect(auditOf(app, 'two_factor')).toMatchObject([
      { action: 'two_factor.enabled', user_id: anna.id, details: { sessions_ended: 2 } },
    ])
  })

  test('tells the person how many logins it ended: none when there is no other', async () => {
    const answers: unknown[] = []
    for (const as of [token, await getToken(app, await addPerson(app, 'bob'))]) {
      const secret = String((await post('/v1/security/2fa/setup', as)).body['secret'])
      const { body } = await enable(as, shownCode(secret, app.clock.now()))
      answers.push([body['enabled'], body['sessions_ended']])
    }
    expect(answers).toEqual([
      [true, 2],
      [true, 0],
    ])
  })

  test('ends none when it is refused', async () => {
    expect(refusal(await enable(token, '000000'))).toEqual([409, 'conflict'])
    const secret = String((await post('/v1/security/2fa/setup', token)).body['secret'])
    expect(refusal(await enable(token, shownCode(secret, app.clock.now(), 20)))).toEqual([401, 'invalid_2fa'])
    expect([await stateOf(second), await stateOf(third)]).toEqual([ALIVE, ALIVE])
  })

  test('and ending them are one act: when it cannot be written down they go on, and it stays off', async () => {
    const secret = String((await post('/v1/security/2fa/setup', token)).body['secret'])
    breakAuditLog(app)
    expect((await enable(token, shownCode(secret, app.clock.now()))).status).toBe(500)
    expect([await stateOf(second), await stateOf(third)]).toEqual([ALIVE, ALIVE])
    const { body } = await app.call('GET', '/v1/security/2fa/status', { token })
    expect(body).toMatchObject({ enabled: false, recovery_codes_left: 0 })
  })

  test('anew ends a login that showed a code of an earlier authenticator', async () => {
    const old = await withCode(await enableTwoFactor(app, token))
    expect((await disable(old)).status).toBe(200)
    await enableTwoFactor(app, await getToken(app, anna))
    expect(refusal(await disable(old))).toEqual(ENDED)
    expect(auditOf(app, 'two_factor').at(-1)?.details).toEqual({ sessions_ended: 2 })
  })
})

describe('the login that switches it on', () => {
  test('has shown a code: it may switch it off again, and stays so when it is refreshed', async () => {
    await enableTwoFactor(app, token)
    expect(await factorsOf(token)).toEqual([true])
    const latest = await refreshed(token)
    expect((await renew(latest)).status).toBe(200)
    expect((await disable(latest)).status).toBe(200)
  })

  test('has shown none while the code was wrong, and none of an authenticator that another login brings', async () => {
    const secret = String((await post('/v1/security/2fa/setup', token)).body['secret'])
    expect((await enable(token, shownCode(secret, app.clock.now(), 20))).status).toBe(401)
    expect(await factorsOf(token)).toEqual([false, false, false])
    await enableTwoFactor(app, second)
    expect(await stateOf(token)).toEqual(ENDED)
  })

  test('is the only one: a login that was made before it without a code has ended', async () => {
    const proved = await withCode(await enableTwoFactor(app, token))
    await disable(proved)
    await enableTwoFactor(app, token)
    expect(await stateOf(proved)).toEqual(ENDED)
    expect(await factorsOf(token)).toEqual([true])
  })
})

describe('a login that showed a code', () => {
  test('stays one when it is refreshed', async () => {
    let proved = await withCode(await enableTwoFactor(app, token))
    for (let n = 0; n < 3; n++) proved = await refreshed(proved)
    expect((await renew(proved)).status).toBe(200)
    expect((await disable(proved)).status).toBe(200)
  })
})
