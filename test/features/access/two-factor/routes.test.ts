import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { systemIds } from '../../../../src/core/ids.ts'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { shownCode } from '../../../support/authenticator.ts'

const PASSWORD = 'a long password'
const STEP_MS = 30_000

let app: TestApp
beforeEach(async () => {
  app = testApp({ ids: systemIds })
  await app.store('one')
})
afterEach(() => app.close())

/** A login that is far enough from the last one to be counted alone. */
async function sendSignIn(name: string, factor: object = {}): Promise<Answer> {
  app.clock.advance(61_000)
  return loginNow(name, factor)
}

const loginNow = (name: string, factor: object = {}) =>
  app.call('POST', '/oauth/login', { body: { email: `${name}@shop.test`, password: PASSWORD, ...factor } })

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
    expect(body['otpauth_url']).toContain(`secret=${body['secret']}`)
    expect(body['qr_code_url']).toStartWith('data:image/svg+xml;base64,')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('a second call replaces the first', async () => {
    const token = await getToken('one')
    const first = String((await setup(token)).body['secret'])
    const second = String((await setup(token)).body['secret'])
    expect((await enable(token, shown(first))).body['error']).toBe('invalid_2fa')
    expect((await enable(token, shown(second))).status).toBe(200)
  })

  test('409 conflict: where it is enabled', async () => {
    const { token } = await enabled('one')
    const { status, body } = await setup(token)
    expect([status, body['error']]).toEqual([409, 'conflict'])
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
    for (const code of body['recovery_codes'] as string[]) expect(code).toMatch(/^[2-9a-z]{5}-[2-9a-z]{5}$/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await sendSignIn('one')).body).toMatchObject({
      error: 'requires_2fa',
      details: { requires_2fa: true },
    })
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

  test('409 conflict where it is not enabled, 200 in the login that switched it on', async () => {
    expect(await renew(await getToken('one'))).toMatchObject({ status: 409, body: { error: 'conflict' } })
    const { token } = await enabled('one')
    expect((await renew(token)).status).toBe(200)
  })

  test('403 permission_denied for a login without a code, which an operator’s repair may have left', async () => {
    const { token } = await enabled('one')
    app.db.exec(`UPDATE sessions SET amr = '["pwd"]'`)
    for (const answer of [await renew(token), await disable(token)]) {
      expect(answer).toMatchObject({
        status: 403,
        body: { error: 'permission_denied', details: { required: 'two_factor' } },
      })
      expect(answer.body['message']).toContain('Missing required permission: sign in again with a code')
    }
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
  })

  test('of ten at once with one code exactly one is let in (RFC 6238 §5.2)', async () => {
    const { secret } = await enabled('one')
    app.clock.advance(61_000)
    const totp_code = shown(secret)
    const answers = await Promise.all(Array.from({ length: 10 }, () => loginNow('one', { totp_code })))
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
    const { changes } = app.db
      .prepare('DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = ?)')
      .run(`${name}@shop.test`)
    expect(changes).toBe(1)
    for (const slug of stores) {
      app.db
        .prepare(`
          INSERT INTO memberships (user_id, store_id, role, created_at)
          SELECT users.id, stores.id, 'viewer', 0 FROM users, stores WHERE email = ? AND slug = ?`)
        .run(`${name}@shop.test`, slug)
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
