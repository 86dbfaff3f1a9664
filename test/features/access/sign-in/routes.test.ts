import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { PlanName } from '../../../../src/core/plans.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { updateRows } from '../../../support/seed.ts'

let app: TestApp
let client: { client_id: string; client_secret: string; store_id: string }

beforeEach(async () => {
  app = testApp()
  client = await app.store('one', 'basic')
})
afterEach(() => app.close())

const ask = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  app.call('POST', '/oauth/token', { body: new URLSearchParams(fields), headers })

const good = () => ({
  grant_type: 'client_credentials',
  client_id: client.client_id,
  client_secret: client.client_secret,
})

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })

const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
]

describe('POST /oauth/token: the machine grant (contract 4.4)', () => {
  test('200: a Bearer token for 3600 seconds that no cache may keep', async () => {
    const answer = await ask(good())
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(
      (await app.call('GET', '/v1/products', { token: String(answer.body['access_token']) })).status,
    ).toBe(200)
  })

  test('the claims of contract 4.5: the store as subject, user_type client, plan, rate limit, expiry and an id of its own', async () => {
    const [first, second] = [await ask(good()), await ask(good())]
    const token = String(first.body['access_token'])
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(decodeJwt(token)).toEqual({
      sub: client.store_id,
      user_type: 'client',
      plan: 'basic',
      rate_limit: 60,
      generation: 1,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as never,
      exp: app.clock.now() / 1000 + 3600,
      iat: expect.any(Number) as never,
    })
    expect(decodeJwt(String(second.body['access_token'])).jti).not.toBe(decodeJwt(token).jti)
  })

  test.each<[PlanName, number | null]>([
    ['free', 10],
    ['premium', 200],
    ['enterprise', null],
  ])('plan %s has rate_limit %p', async (plan, limit) => {
    app.setPlan('one', plan)
    expect(decodeJwt(String((await ask(good())).body['access_token']))).toMatchObject({
      plan,
      rate_limit: limit,
    })
  })

  test('expires_in and the token follow TOKEN_LIFETIME_S', async () => {
    const short = testApp({}, { TOKEN_LIFETIME_S: '60' })
    const { client_id, client_secret } = await short.store()
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const answer = await short.call('POST', '/oauth/token', { body })
    expect(answer.body['expires_in']).toBe(60)
    const token = String(answer.body['access_token'])
    short.clock.advance(59_000)
    expect((await short.call('GET', '/v1/products', { token })).status).toBe(200)
    short.clock.advance(1_000)
    expect((await short.call('GET', '/v1/products', { token })).body['error']).toBe('token_expired')
    await short.close()
  })

  test('further parameters are ignored', async () => {
    expect((await ask({ ...good(), scope: 'all', resource: 'x' })).status).toBe(200)
  })
})

describe('credentials by HTTP Basic (RFC 6749 §2.3.1)', () => {
  const grant = { grant_type: 'client_credentials' }

  test('200', async () => {
    expect((await ask(grant, basic(client.client_id, client.client_secret))).status).toBe(200)
  })

  test('200 with the same client_id in the form as well', async () => {
    expect(
      (await ask({ ...grant, client_id: client.client_id }, basic(client.client_id, client.client_secret)))
        .status,
    ).toBe(200)
  })

  test('200 when both parts are percent-encoded, and a secret may hold a colon', async () => {
    const secret = 'a:b+c d%é'
    updateRows(
      app,
      'stores',
      { client_secret_hash: new Bun.CryptoHasher('sha256').update(secret).digest() },
      { id: client.store_id },
    )
    const encoded = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)
    const id = client.client_id.replaceAll('-', '%2D')
    expect((await ask(grant, basic(id, encoded(secret)))).status).toBe(200)
    // The colon may also stand for itself: the first one ends the id.
    expect((await ask(grant, basic(id, encoded(secret).replace('%3A', ':')))).status).toBe(200)
  })

  test.each(['Basic', 'Basic ', 'Basic %%%', 'Basic YWJj', 'Basic Og==', 'basic Og=='])(
    '401 unauthorized for %p, also beside nothing else',
    async (authorization) => {
      expect(refusal(await ask(grant, { authorization }))).toEqual([401, 'unauthorized'])
    },
  )

  test('400 credential_ambiguous for a secret in both places, right or wrong', async () => {
    for (const fields of [good(), { ...grant, client_secret: 'x' }, { ...grant, client_id: 'another' }]) {
      expect(refusal(await ask(fields, basic(client.client_id, client.client_secret)))).toEqual([
        400,
        'credential_ambiguous',
      ])
    }
  })

  test('200 with empty fields in the form, which count as absent', async () => {
    const fields = { ...grant, client_id: '', client_secret: '' }
    expect((await ask(fields, basic(client.client_id, client.client_secret))).status).toBe(200)
  })

  test('a Bearer in the header is no client credential and changes nothing', async () => {
    expect((await ask(good(), { authorization: 'Bearer old' })).status).toBe(200)
  })
})

describe('400: what is wrong with the call (RFC 6749 §5.2)', () => {
  test.each(['grant_type', 'client_id', 'client_secret'] as const)(
    'invalid_request names the missing %s, absent or empty',
    async (name) => {
      const { [name]: _, ...rest } = good()
      for (const fields of [rest, { ...good(), [name]: '' }] as Record<string, string>[]) {
        const answer = await ask(fields)
        expect(refusal(answer)).toEqual([400, 'invalid_request'])
        expect(answer.body['details']).toEqual({ parameter: name, oauth_error: 'invalid_request' })
        expect(answer.body['message']).toContain(name)
      }
    },
  )

  test.each(['password', 'refresh_token', 'CLIENT_CREDENTIALS'])(
    'unsupported_grant_type for %s',
    async (grant_type) => {
      const answer = await ask({ ...good(), grant_type })
      expect(refusal(answer)).toEqual([400, 'unsupported_grant_type'])
      expect(answer.body['details']).toEqual({ oauth_error: 'unsupported_grant_type' })
    },
  )

  test('invalid_request for a parameter that comes twice', async () => {
    const body = `${new URLSearchParams(good())}&client_id=other`
    const answer = await app.call('POST', '/oauth/token', {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(refusal(answer)).toEqual([400, 'invalid_request'])
  })

  test.each(['__proto__', 'constructor', 'toString'])(
    'a parameter named %s is one like any other',
    async (name) => {
      expect((await ask({ ...good(), [name]: 'x' })).status).toBe(200)
    },
  )
})

describe('401 unauthorized (contract 4.4)', () => {
  test('wrong secret and unknown client are the same to the byte, but for the request id', async () => {
    const wrong = await ask({ ...good(), client_secret: 'wrong' })
    const unknown = await ask({ ...good(), client_id: '01900000-0000-7000-8000-ffffffffffff' })
    const foreign = await ask({ ...good(), client_id: (await app.store('two')).client_id })
    const strange = await ask({ ...good(), client_id: "' OR 1=1 --" })
    const all = [wrong, unknown, foreign, strange].map(({ status, headers, body }) => {
      const shown = Object.fromEntries(headers)
      return JSON.stringify({ status, body, headers: { ...shown, 'x-request-id': '' } })
    })
    expect(new Set(all).size).toBe(1)
    expect(wrong.status).toBe(401)
    expect(wrong.body).toEqual({
      error: 'unauthorized',
      message: 'The credentials are missing or not valid',
      details: { oauth_error: 'invalid_client' },
      error_description: 'The credentials are missing or not valid',
    })
    expect(wrong.headers.get('www-authenticate')).toBe('Basic realm="lookalike", charset="UTF-8"')
  })

  test('no token comes of a secret in another case, cut, longer, or with spaces', async () => {
    const { client_secret } = client
    for (const secret of [
      client_secret.toUpperCase(),
      client_secret.slice(1),
      `${client_secret}x`,
      ` ${client_secret}`,
    ]) {
      expect(refusal(await ask({ ...good(), client_secret: secret }))).toEqual([401, 'unauthorized'])
    }
  })
})

describe('bodies that are no form', () => {
  test('415 unsupported_media_type for JSON, the most common mistake: the message says to send a form, and how', async () => {
    const answer = await app.call('POST', '/oauth/token', { body: good() })
    expect(refusal(answer)).toEqual([415, 'unsupported_media_type'])
    expect(answer.body['message']).toBe(
      'Send a form, not JSON (Content-Type: application/x-www-form-urlencoded): ' +
        'grant_type=client_credentials&client_id=…&client_secret=…',
    )
    expect(answer.body['details']).toMatchObject({ expected: 'application/x-www-form-urlencoded' })
    expect(JSON.stringify(answer.body)).not.toContain(client.client_secret)
  })

  test.each(['text/plain', 'multipart/form-data; boundary=x', ''])('415 for %p', async (type) => {
    const answer = await app.call('POST', '/oauth/token', {
      body: 'grant_type=client_credentials',
      headers: { 'content-type': type },
    })
    expect(refusal(answer)).toEqual([415, 'unsupported_media_type'])
  })

  test('a charset beside the form is fine', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
    expect(
      (await app.call('POST', '/oauth/token', { body: String(new URLSearchParams(good())), headers })).status,
    ).toBe(200)
  })

  test('413 payload_too_large above 8 KiB', async () => {
    expect(refusal(await ask({ ...good(), scope: 'x'.repeat(8 * 1024) }))).toEqual([413, 'payload_too_large'])
  })

  test('422 validation_error for a secret of 201 characters, which is not repeated', async () => {
    const answer = await ask({ ...good(), client_secret: 'q'.repeat(201) })
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(JSON.stringify(answer.body)).not.toContain('qqq')
  })

  test('every refusal is no-store (RFC 6749 §5.1)', async () => {
    const refused = [
      await ask({}),
      await ask({ ...good(), client_secret: 'x' }),
      await app.call('POST', '/oauth/token', { body: good() }),
      await app.call('GET', '/oauth/token'),
    ]
    for (const { status, headers } of refused)
      expect([status, headers.get('cache-control')]).toEqual([status, 'no-store'])
    expect(refused.map(({ status }) => status)).toEqual([400, 401, 415, 405])
  })
})
