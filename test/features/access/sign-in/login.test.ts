import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createPasswordHasher } from '../../../../src/platform/passwords.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  addPerson,
  fingerprint,
  freshAddress,
  from,
  getToken,
  join,
  PASSWORD,
  proxiedApp,
  refusal,
  sendSignIn,
} from '../../../support/people.ts'
import { deleteRows, deleteUser, passwordHash, setPasswordHash } from '../../../support/seed.ts'

let app: TestApp

beforeEach(() => {
  app = proxiedApp()
})
afterEach(() => app.close())

const pointers = (body: Record<string, unknown>) =>
  (body['details'] as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer).sort()

describe('POST /oauth/login: what a person gets (contract 5.1)', () => {
  test('200 with one membership: exactly these fields, and the way to the store', async () => {
    const { store_id } = await app.store('shoes', 'premium')
    const anna = await addPerson(app, 'anna', [{ store: 'shoes', role: 'developer' }])
    const answer = await sendSignIn(app, anna.email)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      user_type: 'user',
      user_id: anna.id,
      user_name: 'anna',
      is_super_admin: false,
      memberships: [
        {
          client_id: store_id,
          slug: 'shoes',
          name: 'shoes',
          role: 'developer',
          plan: 'premium',
          suspended_at: null,
          last_used_at: null,
        },
      ],
      redirect: '/shoes/portal',
      client_name: 'shoes',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toStartWith('application/json')
  })

  test('200 with several: each with its own role and plan, and the way to the choice', async () => {
    const one = await app.store('one', 'free')
    const two = await app.store('two', 'basic')
    const anna = await addPerson(app, 'anna', [
      { store: 'two', role: 'viewer' },
      { store: 'one', role: 'owner' },
    ])
    const { body } = await sendSignIn(app, anna.email)
    const common = { suspended_at: null, last_used_at: null }
    expect(body['memberships']).toEqual([
      { client_id: one.client_id, slug: 'one', name: 'one', role: 'owner', plan: 'free', ...common },
      { client_id: two.client_id, slug: 'two', name: 'two', role: 'viewer', plan: 'basic', ...common },
    ])
    expect(body['redirect']).toBe('/portal/select-store')
    expect(body).not.toHaveProperty('client_name')
  })

  test('200 with none: an empty list, and a token for the person’s own account', async () => {
    const anna = await addPerson(app, 'anna')
    const { status, body } = await sendSignIn(app, anna.email)
    expect([status, body['memberships'], body['redirect']]).toEqual([200, [], '/portal/select-store'])
    expect((await app.call('GET', '/v1/me', { token: String(body['access_token']) })).status).toBe(200)
  })

  test.each([0, 1, 2])('200 for a super-admin with %d memberships: /admin', async (count) => {
    const admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
    for (const store of ['one', 'two'].slice(0, count)) {
      await app.store(store)
      join(app, admin.id, { store, role: 'owner' })
    }
    const { status, body } = await sendSignIn(app, admin.email)
    expect([status, body['is_super_admin'], body['redirect']]).toEqual([200, true, '/admin'])
    expect(body['memberships']).toHaveLength(count)
  })

  test('last_used_at is when the person last acted for that store', async () => {
    await app.store('one')
    await app.store('two')
    const anna = await addPerson(app, 'anna', [
      { store: 'one', role: 'owner' },
      { store: 'two', role: 'owner' },
    ])
    const token = await getToken(app, anna)
    app.clock.advance(90_000)
    await app.call('GET', '/v1/products', { token, headers: { 'x-service-active-tenant': 'two' } })
    const { body } = await sendSignIn(app, anna.email)
    expect(body['memberships']).toMatchObject([
      { slug: 'one', last_used_at: null },
      { slug: 'two', last_used_at: '2030-01-01T00:01:30.000Z' },
    ])
  })

  test('each login is a session of its own: both tokens work side by side', async () => {
    const anna = await addPerson(app, 'anna')
    const tokens = [await getToken(app, anna), await getToken(app, anna)]
    for (const token of tokens) expect((await app.call('GET', '/v1/me', { token })).status).toBe(200)
    expect(decodeJwt(tokens[0] as string).jti).not.toBe(decodeJwt(tokens[1] as string).jti as string)
  })

  test('a person with more stores than fit a header gets a token that works, is refreshed and ends', async () => {
    const anna = await addPerson(app, 'anna')
    for (let n = 0; n < 60; n++) {
      const slug = `a-store-with-as-long-a-name-as-may-be-${String(n).padStart(2, '0')}`
      await app.store(slug)
      join(app, anna.id, { store: slug, role: 'developer' })
    }
    const { body } = await sendSignIn(app, anna.email)
    expect(body['memberships']).toHaveLength(60)
    const token = String(body['access_token'])
    // Proxies take header lines of 8 KiB (nginx: large_client_header_buffers).
    expect(`Authorization: Bearer ${token}`.length).toBeLessThan(8 * 1024)
    expect((await app.call('GET', '/v1/me', { token })).status).toBe(200)
    const refreshed = await app.call('POST', '/oauth/refresh', { token })
    expect(refreshed.status).toBe(200)
    const next = String(refreshed.body['access_token'])
    const ended = await app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token: next }) })
    expect([ended.status, ended.body]).toEqual([200, { status: 'revoked' }])
    expect(refusal(await app.call('GET', '/v1/me', { token: next }))).toEqual([401, 'unauthorized'])
  })
})

describe('the claims (contract 4.5)', () => {
  const claimsOf = async (email: string) => {
    const token = String((await sendSignIn(app, email)).body['access_token'])
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' })
    return decodeJwt(token)
  }

  test('with one membership: these, with plan and rate limit of the store, and no active store or shopper', async () => {
    const { store_id } = await app.store('one', 'basic')
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'admin' }])
    expect(await claimsOf(anna.email)).toEqual({
      sub: anna.id,
      user_type: 'user',
      user_id: anna.id,
      memberships: [{ client_id: store_id, slug: 'one', role: 'admin' }],
      is_super_admin: false,
      plan: 'basic',
      rate_limit: 60,
      exp: app.clock.now() / 1000 + 3600,
      iat: expect.any(Number) as never,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as never,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/) as never,
      amr: ['pwd'],
    })
  })

  test('with several memberships: one entry a store, and no plan', async () => {
    const [one, two] = [await app.store('one'), await app.store('two')]
    const anna = await addPerson(app, 'anna', [
      { store: 'one', role: 'admin' },
      { store: 'two', role: 'viewer' },
    ])
    const claims = await claimsOf(anna.email)
    expect(claims['memberships']).toEqual([
      { client_id: one.store_id, slug: 'one', role: 'admin' },
      { client_id: two.store_id, slug: 'two', role: 'viewer' },
    ])
    expect(Object.keys(claims).sort()).toEqual(
      'amr exp iat is_super_admin jti memberships sid sub user_id user_type'.split(' '),
    )
  })

  test('of a super-admin say so', async () => {
    const admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
    expect(await claimsOf(admin.email)).toMatchObject({ is_super_admin: true, memberships: [] })
  })
})

describe('who it is not (contract 4.3)', () => {
  test('a wrong e-mail and a wrong password get the same answer to the byte, for every kind of person', async () => {
    await app.store('one')
    await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
    await addPerson(app, 'nobodys')
    const wrong = { password: 'another password' }
    const answers = [
      await sendSignIn(app, 'anna@people.test', wrong),
      await sendSignIn(app, 'nobody@people.test', wrong),
      await sendSignIn(app, 'nobody@people.test'),
      await sendSignIn(app, 'nobodys@people.test', wrong),
      await sendSignIn(app, 'one@shop.test', wrong),
      await sendSignIn(app, 'no address at all', wrong),
      await sendSignIn(app, "' OR 1=1 --", wrong),
      await sendSignIn(app, 'anna@people.test', { ...wrong, totp_code: '123456' }),
      await sendSignIn(app, 'nobody@people.test', { ...wrong, recovery_code: 'aaaaa-aaaaa' }),
    ]
    expect(new Set(answers.map(fingerprint)).size).toBe(1)
    expect(refusal(answers[0] as (typeof answers)[0])).toEqual([401, 'unauthorized'])
    expect(answers[0]?.body).toEqual({
      error: 'unauthorized',
      message: 'The credentials are not valid',
    })
  })

  test('no token for a password in another case, cut, longer, with spaces around, or empty of all but spaces', async () => {
    const { email } = await addPerson(app, 'anna')
    const nearly = [PASSWORD.toUpperCase(), PASSWORD.slice(1), `${PASSWORD}x`, ` ${PASSWORD}`, '   ']
    for (const password of nearly) {
      const headers = from(freshAddress())
      const answer = await app.call('POST', '/oauth/login', { body: { email, password }, headers })
      expect(refusal(answer)).toEqual([401, 'unauthorized'])
    }
  })

  test.each(['Anna@People.TEST', '  anna@people.test\t', 'ａｎｎａ@people.test', 'anna@ＰＥＯＰＬＥ.test'])(
    'the e-mail in another form is the same: %p',
    async (email) => {
      await addPerson(app, 'anna')
      expect((await sendSignIn(app, email)).status).toBe(200)
    },
  )

  test.each([
    'аnna@people.test',
    'anna@peоple.test',
    'anna@people.test.',
    'an.na@people.test',
    'anna+x@people.test',
  ])('an e-mail that only looks alike is another: %p', async (email) => {
    await addPerson(app, 'anna')
    expect(refusal(await sendSignIn(app, email))).toEqual([401, 'unauthorized'])
  })

  test('a password with accents is the same however the keyboard writes them (NFKC)', async () => {
    const { id, email } = await addPerson(app, 'anna')
    const stored = await app.passwords.hash('Crème brûlée, ﬁne'.normalize('NFC'))
    setPasswordHash(app, id, stored)
    const answer = await sendSignIn(app, email, { password: 'Crème brûlée, fine'.normalize('NFD') })
    expect(answer.status).toBe(200)
  })

  test('a sign-in in progress fails when the password is reset', async () => {
    const { id, email } = await addPerson(app, 'anna')
    const other = await app.passwords.hash('seven green bottles')
    // The hashes before it keep the login waiting, while a link sets the new password.
    const busy = Array.from({ length: 50 }, () => app.passwords.hash('x'))
    const pending = sendSignIn(app, email)
    await app.call('GET', '/v1/products')
    setPasswordHash(app, id, other)
    deleteRows(app, 'sessions')
    const { body } = await pending
    await Promise.all(busy)
    const token = String(body['access_token'])
    expect(refusal(await app.call('GET', '/v1/me', { token }))).toEqual([401, 'unauthorized'])
    expect((await sendSignIn(app, email, { password: 'seven green bottles' })).status).toBe(200)
  })

  test('a deleted person cannot sign in', async () => {
    const { id, email } = await addPerson(app, 'anna')
    deleteUser(app, id)
    expect(refusal(await sendSignIn(app, email))).toEqual([401, 'unauthorized'])
  })
})

describe('a registration that waits for its link', () => {
  const register = () =>
    app.call('POST', '/register', {
      body: { client_name: 'New shop', email: 'new@people.test', password: 'seven green bottles' },
    })

  test('403 account_not_verified after the right password; after a wrong one the same 401 as for anybody', async () => {
    expect((await register()).status).toBe(202)
    const right = await sendSignIn(app, 'new@people.test', { password: 'seven green bottles' })
    expect(refusal(right)).toEqual([403, 'account_not_verified'])
    expect(right.body).not.toHaveProperty('access_token')
    const wrong = await sendSignIn(app, 'new@people.test', { password: 'six green bottles' })
    const unknown = await sendSignIn(app, 'nobody@people.test', { password: 'six green bottles' })
    expect(fingerprint(wrong)).toBe(fingerprint(unknown))
  })
})

describe('a hash of older parameters', () => {
  const older = createPasswordHasher({ memoryCost: 16, timeCost: 2 })
  const hashOf = (id: string) => passwordHash(app, id)

  async function annaOfOld() {
    const anna = await addPerson(app, 'anna')
    const hash = await older.hash(PASSWORD)
    setPasswordHash(app, anna.id, hash)
    return { ...anna, hash }
  }

  test('is replaced at the login, and the next login works', async () => {
    const { id, email } = await annaOfOld()
    expect((await sendSignIn(app, email)).status).toBe(200)
    const renewed = hashOf(id)
    expect(renewed).toStartWith('$argon2id$v=19$m=8,t=1,p=1$')
    expect((await sendSignIn(app, email)).status).toBe(200)
    expect(hashOf(id)).toBe(renewed as string)
    expect(refusal(await sendSignIn(app, email, { password: 'another password' }))).toEqual([
      401,
      'unauthorized',
    ])
  })

  test('stays as it is after a wrong password', async () => {
    const { id, email, hash } = await annaOfOld()
    await sendSignIn(app, email, { password: 'another password' })
    expect(hashOf(id)).toBe(hash)
  })
})

describe('bodies that are wrong (contract 7.2)', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    app.call('POST', '/oauth/login', { body, headers })
  const json = { 'content-type': 'application/json' }

  test.each<[string, object, string[]]>([
    ['nothing in it', {}, ['/email', '/password']],
    ['no e-mail', { password: 'x' }, ['/email']],
    ['no password', { email: 'x@y.test' }, ['/password']],
    ['empty texts', { email: '', password: '' }, ['/email', '/password']],
    ['null', { email: null, password: null }, ['/email', '/password']],
    ['numbers', { email: 1, password: 2 }, ['/email', '/password']],
    ['lists', { email: ['x@y.test'], password: ['x'] }, ['/email', '/password']],
    ['objects', { email: { ne: 1 }, password: { ne: 1 } }, ['/email', '/password']],
    ['booleans', { email: true, password: true }, ['/email', '/password']],
    ['a password of 10,000 characters', { email: 'x@y.test', password: 'q'.repeat(10_000) }, ['/password']],
    ['an e-mail of 10,000 characters', { email: `${'q'.repeat(9_990)}@y.test`, password: 'x' }, ['/email']],
    ['a code of five digits', { email: 'x@y.test', password: 'x', totp_code: '12345' }, ['/totp_code']],
    ['a code of seven digits', { email: 'x@y.test', password: 'x', totp_code: '1234567' }, ['/totp_code']],
    ['five digits and a space', { email: 'x@y.test', password: 'x', totp_code: '12345 ' }, ['/totp_code']],
    ['a code in full width', { email: 'x@y.test', password: 'x', totp_code: '１２３４５６' }, ['/totp_code']],
    ['a code that is a number', { email: 'x@y.test', password: 'x', totp_code: 123456 }, ['/totp_code']],
    [
      'a long recovery code',
      { email: 'x@y.test', password: 'x', recovery_code: 'a'.repeat(41) },
      ['/recovery_code'],
    ],
  ])(
    '422 validation_error for %s, with the pointers, and nothing of it repeated',
    async (_, body, expected) => {
      const answer = await post(body)
      expect(refusal(answer)).toEqual([422, 'validation_error'])
      expect(pointers(answer.body)).toEqual(expected)
      expect(JSON.stringify(answer.body)).not.toMatch(/qqq|aaa|12345/)
    },
  )

  test.each(['[]', '"text"', 'null', '1', 'true'])('422 for a body that is no object: %s', async (body) => {
    expect(refusal(await post(body, json))).toEqual([422, 'validation_error'])
  })

  test.each(['{', '{"email":}', "{'email':'x'}", ''])('400 invalid_json for %p', async (body) => {
    const answer = await post(body, json)
    expect(refusal(answer)).toEqual([400, 'invalid_json'])
  })

  test('413 payload_too_large above 1 MiB', async () => {
    const answer = await post({ email: 'x@y.test', password: 'x', more: 'x'.repeat(1024 * 1024) })
    expect(refusal(answer)).toEqual([413, 'payload_too_large'])
  })

  test('415 unsupported_media_type for a form, the OAuth way, and for no type', async () => {
    const fields = { email: 'x@y.test', password: PASSWORD }
    const multipart = new FormData()
    multipart.set('email', 'x@y.test')
    for (const answer of [
      await post(new URLSearchParams(fields)),
      await post(multipart),
      await post(JSON.stringify(fields), { 'content-type': 'text/plain' }),
      await post(JSON.stringify(fields), { 'content-type': '' }),
    ]) {
      expect(refusal(answer)).toEqual([415, 'unsupported_media_type'])
    }
  })

  test('405 for GET, so no password gets into an address', async () => {
    expect(refusal(await app.call('GET', `/oauth/login?email=x&password=${PASSWORD}`))).toEqual([
      405,
      'method_not_allowed',
    ])
  })

  test('texts with NUL, half surrogates, and right-to-left marks are just wrong passwords', async () => {
    for (const text of ['\\u0000', '\\ud800', '\\udc00\\ud800', '\\u202e', 'x\\u0000']) {
      const headers = { ...json, ...from(freshAddress()) }
      const answer = await post(`{"email":"a${text}@y.test","password":"${text}"}`, headers)
      expect(refusal(answer)).toEqual([401, 'unauthorized'])
    }
  })

  test('unknown fields are ignored, also those named like parts of every object', async () => {
    const { email } = await addPerson(app, 'anna')
    const body = `{"email":"${email}","password":"${PASSWORD}","__proto__":{"isSuperAdmin":true},"constructor":1,"is_super_admin":true}`
    const answer = await post(body, json)
    expect([answer.status, answer.body['is_super_admin']]).toEqual([200, false])
  })
})
