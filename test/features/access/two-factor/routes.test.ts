import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { systemIds } from '../../../../src/core/ids.ts'
import { drawQrCode } from '../../../../src/core/qr.ts'
import { otpauthUrl } from '../../../../src/core/totp.ts'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { recordBar } from '../../../robustness/bars.ts'
import type { Answer, TestApp } from '../../../support/app.ts'
import { shownCode } from '../../../support/authenticator.ts'
import { freshAddress, from, proxiedApp, refusal } from '../../../support/people.ts'
import {
  addMembership,
  countRows,
  readColumn,
  removeMembership,
  updateRows,
  userId,
} from '../../../support/seed.ts'
import { auditOf, breakAuditLog } from '../api-keys/evidence.ts'

const PASSWORD = 'a long password'
const STEP_MS = 30_000
const MINUTE_MS = 60_000

let app: TestApp
beforeEach(async () => {
  app = proxiedApp({ ids: systemIds })
  await app.store('one')
})
afterEach(() => app.close())

/** A login with a code that the authenticator has not shown before. */
async function sendSignIn(name: string, factor: object = {}): Promise<Answer> {
  app.clock.advance(61_000)
  return loginNow(name, factor)
}

const loginNow = (name: string, factor: object = {}, on = app) =>
  on.call('POST', '/oauth/login', {
    body: { email: `${name}@shop.test`, password: PASSWORD, ...factor },
    headers: from(freshAddress()),
  })

/** The status of a login and its error, if it was refused. */
const tryLogin = async (name: string, factor: object = {}, on = app) =>
  refusal(await loginNow(name, factor, on))

type Refusal = ReturnType<typeof refusal>

const SIGNED_IN: Refusal = [200, undefined]
const WRONG: Refusal = [401, 'invalid_2fa']

/** Tries codes one after another, each so long after the last that no failure locks the account. */
async function tryEach(name: string, recoveryCodes: readonly string[]) {
  const answers: unknown[] = []
  for (const recovery_code of recoveryCodes) {
    app.clock.advance(31 * MINUTE_MS)
    answers.push(await tryLogin(name, { recovery_code }))
  }
  return answers
}

const actions = () => auditOf(app, 'two_factor').map(({ action }) => action)

async function getToken(name: string, factor: object = {}): Promise<string> {
  const { status, body } = await sendSignIn(name, factor)
  if (status !== 200) throw new Error(`The login was refused: ${JSON.stringify(body)}`)
  return String(body['access_token'])
}

const setup = (token: string) => app.call('POST', '/v1/security/2fa/setup', { token })
const enable = (token: string, totp_code: unknown) =>
  app.call('POST', '/v1/security/2fa/enable', { token, body: { totp_code } })
const disable = (token: string) => app.call('POST', '/v1/security/2fa/disable', { token })
const status = (token: string) => app.call('GET', '/v1/security/2fa/status', { token })
const renew = (token: string) => app.call('POST', '/v1/security/2fa/recovery-codes', { token })

/** What a person's authenticator shows now, some steps off. */
const shown = (secret: string, steps = 0) => shownCode(secret, app.clock.now(), steps)

/** A person who has it enabled, with the token of the login before that. */
async function enabled(name: string) {
  const token = await getToken(name)
  const secret = String((await setup(token)).body['secret'])
  const { body } = await enable(token, shown(secret))
  app.clock.advance(2 * STEP_MS)
  return { token, secret, codes: body['recovery_codes'] as string[] }
}

/** The number of stored secrets and recovery codes. */
const rowCounts = () => ['two_factor', 'recovery_codes'].map((table) => countRows(app, table))

/** A token of a login with a code. */
const withCode = (name: string, secret: string) => {
  app.clock.advance(61_000)
  return loginNow(name, { totp_code: shown(secret) }).then(({ body }) => String(body['access_token']))
}

describe('POST /v1/security/2fa/setup (contract 5.2)', () => {
  test('200: secret, QR code, address, issuer and account; nothing may keep them', async () => {
    const { status, body, headers } = await setup(await getToken('one'))
    expect([status, Object.keys(body).sort()]).toEqual([
      200,
      ['account', 'issuer', 'otpauth_url', 'qr_code_url', 'secret'],
    ])
    expect(body).toMatchObject({ issuer: 'Lookalike', account: 'one@shop.test' })
    expect(body['secret']).toMatch(/^[A-Z2-7]{32}$/)
    const secret = String(body['secret'])
    const url = otpauthUrl({ secret, issuer: 'Lookalike', account: 'one@shop.test' })
    expect([body['otpauth_url'], body['qr_code_url']]).toEqual([url, drawQrCode(url)])
    expect(body['qr_code_url']).toStartWith('data:image/svg+xml;base64,')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('enables nothing yet: a login needs no code, and nothing is recorded', async () => {
    await setup(await getToken('one'))
    expect(await tryLogin('one')).toEqual(SIGNED_IN)
    expect(actions()).toEqual([])
  })

  test('a second call replaces the first', async () => {
    const token = await getToken('one')
    const first = String((await setup(token)).body['secret'])
    const second = String((await setup(token)).body['secret'])
    expect((await enable(token, shown(first))).body['error']).toBe('invalid_2fa')
    expect((await enable(token, shown(second))).status).toBe(200)
  })

  test('a second call restarts the quarter of an hour', async () => {
    const token = await getToken('one')
    await setup(token)
    app.clock.advance(14 * MINUTE_MS)
    const secret = String((await setup(token)).body['secret'])
    app.clock.advance(14 * MINUTE_MS)
    expect((await enable(token, shown(secret))).status).toBe(200)
  })

  test('409 conflict: where it is enabled, and the authenticator stays', async () => {
    const { token, secret } = await enabled('one')
    const { status, body } = await setup(token)
    expect([status, body['error']]).toEqual([409, 'conflict'])
    expect(await tryLogin('one', { totp_code: shown(secret) })).toEqual(SIGNED_IN)
  })

  test.each([
    [15 * MINUTE_MS - 1, 200],
    [15 * MINUTE_MS, 409],
  ])('waits for 15 minutes, exclusive: a code after %d ms is answered %d', async (waited, expected) => {
    const token = await getToken('one')
    const secret = String((await setup(token)).body['secret'])
    app.clock.advance(waited)
    expect((await enable(token, shown(secret))).status).toBe(expected)
    expect((await status(token)).body['enabled']).toBe(expected === 200)
  })
})

describe('POST /v1/security/2fa/enable (contract 5.2)', () => {
  test('200: ten recovery codes; every login then needs a code', async () => {
    const token = await getToken('one')
    const secret = String((await setup(token)).body['secret'])
    const { status, body, headers } = await enable(token, shown(secret))
    expect([status, body['enabled'], Object.keys(body).sort()]).toEqual([
      200,
      true,
      ['enabled', 'recovery_codes', 'sessions_ended'],
    ])
    const codes = body['recovery_codes'] as string[]
    for (const code of codes) expect(code).toMatch(/^[2-9a-z]{5}-[2-9a-z]{5}$/)
    expect([codes.length, new Set(codes).size]).toEqual([10, 10])
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await sendSignIn('one')).body).toMatchObject({
      error: 'requires_2fa',
      details: { requires_2fa: true },
    })
  })

  test('is recorded for the person, whichever store the request names', async () => {
    await enabled('one')
    expect(auditOf(app, 'two_factor')).toMatchObject([
      {
        action: 'two_factor.enabled',
        actor_kind: 'person',
        store_id: null,
        user_id: app.people.findPersonByEmail('one@shop.test')?.id,
        details: { sessions_ended: 0 },
      },
    ])
  })

  test('uses its code up: the first login needs the next one', async () => {
    const token = await getToken('one')
    const secret = String((await setup(token)).body['secret'])
    await enable(token, shown(secret))
    expect(await tryLogin('one', { totp_code: shown(secret) })).toEqual(WRONG)
    expect(await tryLogin('one', { totp_code: shown(secret, -1) })).toEqual(WRONG)
    expect(await tryLogin('one', { totp_code: shown(secret, 1) })).toEqual(SIGNED_IN)
  })

  test.each([-2, 2])('401 invalid_2fa: a code %d steps off, and the setup goes on', async (steps) => {
    const token = await getToken('one')
    const secret = String((await setup(token)).body['secret'])
    expect(refusal(await enable(token, shown(secret, steps)))).toEqual(WRONG)
    expect((await enable(token, shown(secret))).status).toBe(200)
  })

  test('is undone if it cannot be recorded', async () => {
    const token = await getToken('one')
    const secret = String((await setup(token)).body['secret'])
    const mend = breakAuditLog(app)
    expect((await enable(token, shown(secret))).status).toBe(500)
    mend()
    expect((await status(token)).body).toEqual({ enabled: false, enabled_at: null, recovery_codes_left: 0 })
    expect((await enable(token, shown(secret))).status).toBe(200)
  })

  test('401 invalid_2fa: a wrong code, in the words of the login', async () => {
    const { secret } = await enabled('one')
    const atLogin = await sendSignIn('one', { totp_code: shown(secret, 5) })
    await app.store('two')
    const token = await getToken('two')
    const own = String((await setup(token)).body['secret'])
    const { status, body, headers } = await enable(token, shown(own, 5))
    expect([status, body]).toEqual([atLogin.status, atLogin.body])
    expect([status, body['error']]).toEqual([401, 'invalid_2fa'])
    expect(headers.get('www-authenticate')).toBe('Bearer realm="lookalike"')
  })

  test('409 conflict: without a setup, after 15 minutes, and a second time', async () => {
    const token = await getToken('one')
    expect(await enable(token, '000000')).toMatchObject({ status: 409, body: { error: 'conflict' } })
    const late = String((await setup(token)).body['secret'])
    app.clock.advance(15 * 60_000)
    expect(await enable(token, shown(late))).toMatchObject({ status: 409, body: { error: 'conflict' } })
    const secret = String((await setup(token)).body['secret'])
    expect((await enable(token, shown(secret))).status).toBe(200)
    expect(await enable(token, shown(secret, 1))).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })

  test('of twenty at once exactly one enables', async () => {
    const token = await getToken('one')
    const secret = String((await setup(token)).body['secret'])
    const answers = await Promise.all(Array.from({ length: 20 }, () => enable(token, shown(secret))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  })

  test.each([
    ['12345', 'pattern'],
    ['1234567', 'pattern'],
    ['12345a', 'pattern'],
    ['１２３４５６', 'pattern'],
    ['12345 ', 'pattern'],
    ['', 'pattern'],
    [123456, 'type'],
    [undefined, 'required'],
  ])('422 validation_error: %j is no code, and is not told back', async (code, problem) => {
    const { status, body } = await enable(await getToken('one'), code)
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(body['details']).toMatchObject({ errors: [{ in: 'body', pointer: '/totp_code', code: problem }] })
    if (code) expect(JSON.stringify(body)).not.toContain(String(code).trim())
  })

  test('400, 413 and 415: a body that is no JSON, too much of it, or another type', async () => {
    const token = await getToken('one')
    const send = (body: string, type = 'application/json') =>
      app.call('POST', '/v1/security/2fa/enable', { token, body, headers: { 'content-type': type } })
    expect(await send('{')).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
    expect(await send(`"${'x'.repeat(1 << 20)}"`)).toMatchObject({ status: 413 })
    expect(await send('totp_code=123456', 'text/plain')).toMatchObject({ status: 415 })
  })
})

describe('POST /v1/security/2fa/disable (contract 5.2)', () => {
  test('200: after a login with a code; the next login needs none', async () => {
    const { secret } = await enabled('one')
    const { status, body } = await disable(await withCode('one', secret))
    expect([status, body]).toEqual([200, { enabled: false }])
    expect((await sendSignIn('one')).status).toBe(200)
  })

  test('deletes secret and recovery codes, and is recorded', async () => {
    const { token } = await enabled('one')
    await disable(token)
    expect(rowCounts()).toEqual([0, 0])
    expect(actions()).toEqual(['two_factor.enabled', 'two_factor.disabled'])
  })

  test('ends a setup that is in progress, and records nothing', async () => {
    const token = await getToken('one')
    const secret = String((await setup(token)).body['secret'])
    expect((await disable(token)).body).toEqual({ enabled: false })
    const { status, body } = await enable(token, shown(secret))
    expect([status, body['error'], body['message']]).toEqual([
      409,
      'conflict',
      expect.stringContaining('No setup'),
    ])
    expect(actions()).toEqual([])
  })

  test('leaves the other people alone, and a new setup has a new secret', async () => {
    await app.store('two')
    const one = await enabled('one')
    const two = await enabled('two')
    await disable(one.token)
    expect((await status(two.token)).body).toMatchObject({ enabled: true, recovery_codes_left: 10 })
    expect(await tryLogin('two', { totp_code: shown(two.secret) })).toEqual(SIGNED_IN)
    expect((await setup(one.token)).body['secret']).not.toBe(one.secret)
  })

  test('200: after a login with a recovery code as well', async () => {
    const { codes } = await enabled('one')
    expect((await disable(await getToken('one', { recovery_code: codes[0] }))).status).toBe(200)
  })

  test('200: in the login that switched it on, for it has shown a code', async () => {
    const { token } = await enabled('one')
    const { body } = await app.call('GET', '/v1/me/sessions', { token })
    expect(body['sessions']).toMatchObject([{ is_current: true, two_factor: true }])
    expect((await disable(token)).body).toEqual({ enabled: false })
    expect((await sendSignIn('one')).status).toBe(200)
  })

  test('200: where it is not enabled, without harm', async () => {
    const token = await getToken('one')
    expect([(await disable(token)).body, (await disable(token)).body]).toEqual([
      { enabled: false },
      { enabled: false },
    ])
  })
})

describe('GET /v1/security/2fa/status (contract 5.2)', () => {
  test('200: before, while it is set up, and after', async () => {
    const off = { enabled: false, enabled_at: null, recovery_codes_left: 0 }
    const token = await getToken('one')
    expect((await status(token)).body).toEqual(off)
    const secret = String((await setup(token)).body['secret'])
    expect((await status(token)).body).toEqual(off)
    const at = new Date(app.clock.now()).toISOString()
    const { body } = await enable(token, shown(secret))
    expect((await status(token)).body).toEqual({ enabled: true, enabled_at: at, recovery_codes_left: 10 })
    const [code] = body['recovery_codes'] as string[]
    const answer = await sendSignIn('one', { recovery_code: code })
    expect([answer.status, answer.body['recovery_codes_left']]).toEqual([200, 9])
    expect((await status(token)).body).toMatchObject({ recovery_codes_left: 9 })
  })
})

describe('POST /v1/security/2fa/recovery-codes (contract 5.2)', () => {
  test('200: ten new ones; the old ones end', async () => {
    const { secret, codes } = await enabled('one')
    const { status, body, headers } = await renew(await withCode('one', secret))
    expect([status, Object.keys(body)]).toEqual([200, ['recovery_codes']])
    expect(headers.get('cache-control')).toBe('no-store')
    const renewed = body['recovery_codes'] as string[]
    expect([renewed.length, renewed.filter((code) => codes.includes(code))]).toEqual([10, []])
    expect((await sendSignIn('one', { recovery_code: codes[0] })).body['error']).toBe('invalid_2fa')
    expect((await sendSignIn('one', { recovery_code: renewed[0]?.toUpperCase() })).status).toBe(200)
  })

  test('ends all old ones, used or not, and is recorded', async () => {
    const { token, codes } = await enabled('one')
    expect(await tryLogin('one', { recovery_code: codes[0] })).toEqual(SIGNED_IN)
    const renewed = (await renew(token)).body['recovery_codes'] as string[]
    expect((await status(token)).body['recovery_codes_left']).toBe(10)
    expect(actions().at(-1)).toBe('two_factor.recovery_codes_renewed')
    expect(await tryEach('one', codes)).toEqual(Array(10).fill(WRONG))
    expect(await tryEach('one', renewed.slice(0, 1))).toEqual([SIGNED_IN])
  })

  test('409 conflict where it is not enabled, 200 in the login that switched it on', async () => {
    expect(await renew(await getToken('one'))).toMatchObject({ status: 409, body: { error: 'conflict' } })
    const { token } = await enabled('one')
    expect((await renew(token)).status).toBe(200)
  })

  test('403 permission_denied for a login without a code, which an operator’s repair may have left', async () => {
    const { token, codes } = await enabled('one')
    updateRows(app, 'sessions', { amr: '["pwd"]' })
    for (const answer of [await renew(token), await disable(token)]) {
      expect(answer).toMatchObject({
        status: 403,
        body: { error: 'permission_denied', details: { required: 'two_factor' } },
      })
      expect(answer.body['message']).toContain('Missing required permission: sign in again with a code')
    }
    expect((await status(token)).body).toMatchObject({ enabled: true, recovery_codes_left: 10 })
    expect(await tryLogin('one', { recovery_code: codes[0] })).toEqual(SIGNED_IN)
  })
})

describe('a login with a code (contract 5.2)', () => {
  test.each([
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ])('%d steps off is answered %d', async (steps, expected) => {
    const { secret } = await enabled('one')
    app.clock.advance(61_000)
    expect((await loginNow('one', { totp_code: shown(secret, steps) })).status).toBe(expected)
    const measured = `${steps} steps off: ${expected === 200 ? 'accepted' : 'refused'}`
    recordBar({ bar: 19, part: 'drift', on: 'process', n: 1, measured, isMet: true })
  })

  test('is accepted once (RFC 6238 §5.2), and nothing older after it', async () => {
    const { secret } = await enabled('one')
    expect(await tryLogin('one', { totp_code: shown(secret) })).toEqual(SIGNED_IN)
    expect(await tryLogin('one', { totp_code: shown(secret) })).toEqual(WRONG)
    expect(await tryLogin('one', { totp_code: shown(secret, -1) })).toEqual(WRONG)
    app.clock.advance(STEP_MS)
    expect(await tryLogin('one', { totp_code: shown(secret, -1) })).toEqual(WRONG)
    expect(await tryLogin('one', { totp_code: shown(secret) })).toEqual(SIGNED_IN)
  })

  test('another person’s code is wrong', async () => {
    await app.store('two')
    const one = await enabled('one')
    const two = await enabled('two')
    expect(await tryLogin('one', { totp_code: shown(two.secret) })).toEqual(WRONG)
    expect(await tryLogin('two', { totp_code: shown(one.secret) })).toEqual(WRONG)
  })

  test.each<[string, Refusal]>([
    ['', [401, 'requires_2fa']],
    ['12345', [422, 'validation_error']],
    ['1234567', [422, 'validation_error']],
    ['abcdef', [422, 'validation_error']],
  ])('what is no code lets nobody in: %j', async (totp_code, refused) => {
    await enabled('one')
    expect(await tryLogin('one', { totp_code })).toEqual(refused)
  })

  test('a code does not help without an account, and is ignored without two-factor authentication', async () => {
    await app.store('two')
    await enabled('one')
    expect(await tryLogin('nobody', { totp_code: '000000' })).toEqual([401, 'unauthorized'])
    expect(await tryLogin('two', { totp_code: '000000' })).toEqual(SIGNED_IN)
    expect(await tryLogin('one')).toEqual([401, 'requires_2fa'])
  })

  test('a secret that was copied from another person does not work', async () => {
    await app.store('two')
    const { secret } = await enabled('one')
    await enabled('two')
    const [sealed_secret = null] = readColumn<Buffer>(app, 'two_factor', 'sealed_secret', {
      user_id: userId(app, 'one@shop.test'),
    })
    updateRows(app, 'two_factor', { last_step: null, sealed_secret })
    expect(await tryLogin('two', { totp_code: shown(secret) })).toEqual(WRONG)
    expect(await tryLogin('one', { totp_code: shown(secret) })).toEqual(SIGNED_IN)
  })

  test('of twenty at once with one code exactly one is let in (RFC 6238 §5.2)', async () => {
    const { secret } = await enabled('one')
    app.clock.advance(61_000)
    const totp_code = shown(secret)
    const answers = await Promise.all(Array.from({ length: 20 }, () => loginNow('one', { totp_code })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await sendSignIn('two', { totp_code })).status).toBe(401)
  })

  test('a code is needed by exactly the people who enabled it', async () => {
    await app.store('two')
    const one = await enabled('one')
    expect((await sendSignIn('two')).status).toBe(200)
    const two = await enabled('two')
    expect((await sendSignIn('two', { totp_code: shown(one.secret, 2) })).body['error']).toBe('invalid_2fa')
    await disable(await withCode('one', one.secret))
    expect((await sendSignIn('two')).body['error']).toBe('requires_2fa')
    app.clock.advance(61_000)
    expect((await loginNow('two', { totp_code: shown(two.secret) })).status).toBe(200)
  })

  test('a wrong password says nothing about it, with or without the right code', async () => {
    const { secret } = await enabled('one')
    const wrong = await sendSignIn('one', { password: 'another password' })
    app.clock.advance(61_000)
    const withRightCode = await loginNow('one', { password: 'another password', totp_code: shown(secret) })
    const unknown = await sendSignIn('nobody', { password: 'another password' })
    expect(wrong.body).toMatchObject({ error: 'unauthorized' })
    expect([withRightCode.body, unknown.body]).toEqual([wrong.body, wrong.body])
    // And the code was not used up.
    expect((await loginNow('one', { totp_code: shown(secret) })).status).toBe(200)
  })
})

describe('a login with a recovery code (contract 5.2)', () => {
  test('passes once, says how many are left, and is recorded with its address', async () => {
    const { codes } = await enabled('one')
    const left = async (recovery_code: string | undefined) =>
      (await loginNow('one', { recovery_code })).body['recovery_codes_left']
    expect(await left(codes[3])).toBe(9)
    const [used] = auditOf(app, 'two_factor.recovery')
    expect(used).toMatchObject({
      action: 'two_factor.recovery_code_used',
      actor_kind: 'person',
      store_id: null,
      details: { recovery_codes_left: 9 },
    })
    const address = readColumn(app, 'audit_events', 'address', { action: 'two_factor.recovery_code_used' })[0]
    expect(address).toStartWith('198.')
    expect(await tryLogin('one', { recovery_code: codes[3] })).toEqual(WRONG)
    expect(await left(codes[4])).toBe(8)
    expect(auditOf(app, 'two_factor.recovery')).toHaveLength(2)
  })

  test('all ten pass once each', async () => {
    const { codes } = await enabled('one')
    const left: unknown[] = []
    for (const recovery_code of codes) {
      left.push((await loginNow('one', { recovery_code })).body['recovery_codes_left'])
    }
    expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    expect(await tryEach('one', codes)).toEqual(Array(10).fill(WRONG))
  })

  test('of twenty at once with one code exactly one is let in', async () => {
    const [recovery_code] = (await enabled('one')).codes
    const answers = await Promise.all(Array.from({ length: 20 }, () => loginNow('one', { recovery_code })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test.each([
    ['in capitals', (code: string) => code.toUpperCase()],
    ['without its dash', (code: string) => code.replace('-', '')],
    ['with a space in its place', (code: string) => code.replace('-', ' ')],
  ])('passes %s, and is then used up', async (_how, type) => {
    const code = String((await enabled('one')).codes[0])
    expect(await tryLogin('one', { recovery_code: type(code) })).toEqual(SIGNED_IN)
    expect(await tryLogin('one', { recovery_code: code })).toEqual(WRONG)
  })

  test('another person’s does not pass, nor does one that does not exist', async () => {
    await app.store('two')
    const { codes } = await enabled('one')
    await enabled('two')
    expect(await tryLogin('two', { recovery_code: codes[0] })).toEqual(WRONG)
    expect(await tryLogin('one', { recovery_code: 'aaaaa-aaaaa' })).toEqual(WRONG)
    expect(await tryLogin('one', { recovery_code: '' })).toEqual([401, 'requires_2fa'])
    expect(await tryLogin('one', { recovery_code: codes[0] })).toEqual(SIGNED_IN)
  })

  test('400 credential_ambiguous with a code of the authenticator as well; neither is used up', async () => {
    const { token, secret, codes } = await enabled('one')
    const both = { totp_code: shown(secret), recovery_code: codes[0] }
    expect(await tryLogin('one', both)).toEqual([400, 'credential_ambiguous'])
    expect((await status(token)).body['recovery_codes_left']).toBe(10)
    expect(await tryLogin('one', { totp_code: both.totp_code })).toEqual(SIGNED_IN)
  })

  test('is not used up if it cannot be recorded', async () => {
    const { codes } = await enabled('one')
    const mend = breakAuditLog(app)
    expect((await loginNow('one', { recovery_code: codes[0] })).status).toBe(500)
    mend()
    expect(await tryLogin('one', { recovery_code: codes[0] })).toEqual(SIGNED_IN)
  })
})

describe('the operator’s reset', () => {
  test('removes it from exactly that person, and is recorded', async () => {
    await app.store('two')
    await enabled('one')
    const two = await enabled('two')
    expect(app.twoFactor.reset('one@shop.test')).toBe(true)
    expect(rowCounts()).toEqual([1, 10])
    expect(await tryLogin('one')).toEqual(SIGNED_IN)
    expect(await tryLogin('two')).toEqual([401, 'requires_2fa'])
    expect(await tryLogin('two', { totp_code: shown(two.secret) })).toEqual(SIGNED_IN)
    expect(auditOf(app, 'two_factor.reset')).toMatchObject([
      { actor_kind: 'operator', store_id: null, details: { sessions_ended: 1 } },
    ])
  })

  test('tells nothing to remove and an unknown person apart', () => {
    expect(app.twoFactor.reset('one@shop.test')).toBe(false)
    expect(app.twoFactor.reset('nobody@shop.test')).toBeUndefined()
    expect(actions()).toEqual([])
  })
})

test('the members of a store who have it are counted, without setups in progress', async () => {
  const join = (name: string, slug: string) => addMembership(app, `${name}@shop.test`, slug, 'viewer')
  await app.store('two')
  await app.store('three')
  await enabled('one')
  await setup(await getToken('two'))
  await enabled('three')
  join('two', 'one')
  join('one', 'two')
  const count = (slug: string) => app.twoFactor.countMembers(app.stores.requireBySlug(slug).id)
  expect([count('one'), count('two'), count('three')]).toEqual([
    { total: 2, enabled: 1 },
    { total: 2, enabled: 1 },
    { total: 1, enabled: 1 },
  ])
  expect(app.twoFactor.countMembers('no store')).toEqual({ total: 0, enabled: 0 })
})

describe('after the data secret was replaced', () => {
  let logged: Record<string, unknown>[]
  let restored: TestApp
  beforeEach(() => {
    logged = []
    const log = pino({ level: 'error' }, { write: (line) => void logged.push(JSON.parse(line)) })
    const { db, clock } = app
    restored = proxiedApp({
      ids: systemIds,
      dataSecret: 'a third secret that is only used in tests',
      db,
      clock,
      log,
    })
  })
  afterEach(() => restored.close())

  test('a code is wrong, and the reason is logged without the secret', async () => {
    const { secret } = await enabled('one')
    expect(await tryLogin('one', { totp_code: shown(secret) }, restored)).toEqual(WRONG)
    expect(logged).toMatchObject([
      {
        user_id: expect.any(String),
        msg: 'a TOTP secret cannot be decrypted: was the data secret replaced?',
      },
    ])
    expect(JSON.stringify(logged)).not.toContain(secret)
  })

  test('a setup that was in progress has to start again, and the reason is logged', async () => {
    const token = await getToken('one')
    await setup(token)
    const body = { totp_code: '000000' }
    const answer = await restored.call('POST', '/v1/security/2fa/enable', { token, body })
    expect(refusal(answer)).toEqual([409, 'conflict'])
    expect(logged).toMatchObject([{ user_id: expect.any(String) }])
  })
})

describe('who may call', () => {
  const CALLS = [
    ['POST', '/setup'],
    ['POST', '/enable'],
    ['POST', '/disable'],
    ['GET', '/status'],
    ['POST', '/recovery-codes'],
  ] as const

  test.each(CALLS)('%s %s: 401 nobody, 403 a machine grant', async (method, path) => {
    const body = path === '/enable' ? { totp_code: '000000' } : undefined
    const answer = await app.call(method, `/v1/security/2fa${path}`, { body })
    expect([answer.status, answer.body['error']]).toEqual([401, 'unauthorized'])
    const token = await app.signIn('two')
    const key = await app.call('POST', '/v1/security/api-keys', {
      token,
      body: { name: 'sync', scopes: { products: ['read'] }, expires_in_days: 1 },
    })
    for (const credential of [token, String(key.body['key'])]) {
      const refused = await app.call(method, `/v1/security/2fa${path}`, { body, token: credential })
      expect([refused.status, refused.body['error'], refused.body['details']]).toEqual([
        403,
        'permission_denied',
        { required: 'person' },
      ])
    }
  })

  /** Makes a person, who is a viewer of some stores. */
  async function viewer(name: string, ...stores: string[]): Promise<string> {
    await app.store(name)
    expect(removeMembership(app, `${name}@shop.test`)).toBe(1)
    for (const slug of stores) {
      addMembership(app, `${name}@shop.test`, slug, 'viewer')
    }
    return getToken(name)
  }

  const setupFor = (token: string, slug: string) =>
    app.call('POST', '/v1/security/2fa/setup', { token, headers: { 'x-service-active-tenant': slug } })

  test('a viewer, and a person without any store, set up their own', async () => {
    await app.store('two')
    expect((await setup(await viewer('three', 'two'))).status).toBe(200)
    expect((await setup(await viewer('four'))).status).toBe(200)
  })

  test('a member of several stores names one (contract 4.7); a super-admin need not', async () => {
    await app.store('two')
    const token = await viewer('three', 'one', 'two')
    expect(await setup(token)).toMatchObject({ status: 401, body: { error: 'active_tenant_required' } })
    expect((await setupFor(token, 'two')).status).toBe(200)
    expect(await setupFor(token, 'three')).toMatchObject({ status: 403, body: { error: 'not_a_member' } })
    expect((await setup(await getToken('one'))).status).toBe(200)
  })
})

describe('secrets', () => {
  test('are in the database in no form that can be read, after all that can happen with them', async () => {
    const { secret, codes } = await enabled('one')
    await sendSignIn('one', { recovery_code: codes[0] })
    await sendSignIn('one', { recovery_code: 'aaaaa-aaaaa' })
    const token = await withCode('one', secret)
    const renewed = (await renew(token)).body['recovery_codes'] as string[]
    await app.store('two')
    const pending = String((await setup(await getToken('two'))).body['secret'])
    const bytes = app.db.serialize()
    expect(bytes.includes('one@shop.test')).toBe(true)
    for (const canary of [secret, pending, ...codes, ...renewed]) {
      for (const text of [canary, canary.toLowerCase(), canary.replace('-', '')]) {
        expect(bytes.includes(text)).toBe(false)
      }
    }
  })
})

describe('on the disk', () => {
  let folder: string
  beforeEach(async () => {
    await app.close()
    folder = mkdtempSync(join(tmpdir(), 'lookalike-two-factor-'))
    app = proxiedApp({ ids: systemIds, db: openDatabase(folder) })
    await app.store('one')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('neither the secret nor a recovery code can be read, in any form', async () => {
    const { secret, codes } = await enabled('one')
    const read = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))
    expect(read.includes('one@shop.test')).toBe(true)
    for (const canary of [secret, ...codes, ...codes.map((code) => code.replace('-', ''))]) {
      for (const text of [canary, canary.toLowerCase(), Buffer.from(canary).toString('base64')]) {
        expect(read.includes(text)).toBe(false)
      }
    }
  })

  test('two connections accept one code and one recovery code once', async () => {
    const other = proxiedApp({ ids: systemIds, db: openDatabase(folder), clock: app.clock })
    const { secret, codes } = await enabled('one')
    const totp_code = shown(secret)
    const recovery_code = codes[0]
    expect(await tryLogin('one', { totp_code }, other)).toEqual(SIGNED_IN)
    expect(await tryLogin('one', { totp_code })).toEqual(WRONG)
    expect(await tryLogin('one', { recovery_code })).toEqual(SIGNED_IN)
    expect(await tryLogin('one', { recovery_code }, other)).toEqual(WRONG)
    await other.close()
  })
})
