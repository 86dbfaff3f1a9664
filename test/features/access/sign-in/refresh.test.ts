import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import { recordBar } from '../../../robustness/bars.ts'
import { readRepetitions } from '../../../robustness/random.ts'
import type { Answer, TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  fingerprint,
  freshAddress,
  from,
  getToken,
  join,
  type Person,
  proxiedApp,
  refusal,
  sendSignIn,
} from '../../../support/people.ts'
import {
  deleteRows,
  deleteStore,
  deleteUser,
  makeSuperAdmin,
  removeMembership,
  setRole,
} from '../../../support/seed.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** Races of 20 for one token, of each kind. */
const RACES = readRepetitions('REFRESH_RACES', 4)

let app: TestApp
let anna: Person
/** One token of each kind. */
let tokens: { person: string; machine: string }

beforeEach(async () => {
  app = proxiedApp()
  const machine = await app.signIn('one', 'basic')
  anna = await addPerson(app, 'anna', [{ store: 'one', role: 'admin' }])
  tokens = { person: await getToken(app, anna), machine }
})
afterEach(() => app.close())

const kinds = ['person', 'machine'] as const

const refresh = (token: string) =>
  app.call('POST', '/oauth/refresh', { token, headers: from(freshAddress()) })

const use = (token: string) => app.call('GET', '/v1/products', { token })

const next = async (token: string) => String((await refresh(token)).body['access_token'])

describe.each(kinds)('POST /oauth/refresh with the token of a %s (contract 4.6)', (kind) => {
  test('200: a new token for 3600 seconds, which no cache may keep', async () => {
    app.clock.advance(30 * MINUTE)
    const answer = await refresh(tokens[kind])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const token = String(answer.body['access_token'])
    app.clock.advance(3_599 * SECOND)
    expect((await use(token)).status).toBe(200)
    app.clock.advance(SECOND)
    expect(refusal(await use(token))).toEqual([401, 'token_expired'])
  })

  test('the old token has ended: for calls, and for another refresh, which is never token_expired', async () => {
    const token = await next(tokens[kind])
    expect(refusal(await use(tokens[kind]))).toEqual([401, 'unauthorized'])
    expect(refusal(await refresh(tokens[kind]))).toEqual([401, 'unauthorized'])
    expect((await use(token)).status).toBe(200)
    app.clock.advance(3_601 * SECOND)
    expect(refusal(await refresh(tokens[kind]))).toEqual([401, 'unauthorized'])
  })

  test.each([
    ['in its last second', 3_599 * SECOND],
    ['at the moment it expires', 3_600 * SECOND],
    ['expired for 4 min 59 s', 3_600 * SECOND + 299 * SECOND],
    ['expired for 4 min 59.999 s', 3_600 * SECOND + 299_999],
  ])('200 for a token %s', async (when, age) => {
    app.clock.advance(age)
    const token = await next(tokens[kind])
    expect((await use(token)).status).toBe(200)
    recordBar({ bar: 18, part: 'boundary', on: 'process', n: 1, measured: `${when}: 200`, isMet: true })
  })

  test.each([
    ['exactly 5 min', 3_600 * SECOND + 5 * MINUTE],
    ['5 min 1 s', 3_600 * SECOND + 5 * MINUTE + SECOND],
    ['a year', 365 * 24 * 60 * MINUTE],
  ])('401 unauthorized for a token expired for %s; a new grant is needed', async (length, age) => {
    app.clock.advance(age)
    expect(refusal(await refresh(tokens[kind]))).toEqual([401, 'unauthorized'])
    recordBar({
      bar: 18,
      part: 'boundary',
      on: 'process',
      n: 1,
      measured: `expired for ${length}: 401`,
      isMet: true,
    })
  })

  test('401 for such a token after the tidying as well', async () => {
    const old = tokens[kind]
    await next(old)
    app.clock.advance(3_600 * SECOND + 5 * MINUTE + SECOND)
    await app.tidy()
    expect(refusal(await refresh(old))).toEqual([401, 'unauthorized'])
  })

  test('of 20 at once exactly one gets a token, and it is one that works', async () => {
    let token = tokens[kind]
    for (let round = 0; round < RACES; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(token)))
      const winners = answers.filter(({ status }) => status === 200)
      expect(winners).toHaveLength(1)
      const losers = answers.filter(({ status }) => status !== 200)
      expect(losers.map(refusal)).toEqual(Array(19).fill([401, 'unauthorized']))
      token = String(winners[0]?.body['access_token'])
      expect((await use(token)).status).toBe(200)
    }
    const measured = `of 20 at once with the token of a ${kind} exactly one wins`
    recordBar({ bar: 18, part: 'races', on: 'process', n: RACES, measured, isMet: true })
  }, 600_000)

  test('a chain of refreshes never ends and never frees an older link', async () => {
    const chain = [tokens[kind]]
    for (let n = 0; n < 5; n++) {
      app.clock.advance(3_600 * SECOND + 4 * MINUTE)
      await app.tidy()
      chain.push(await next(chain.at(-1) as string))
    }
    const statuses = await Promise.all(chain.map(async (token) => (await use(token)).status))
    expect(statuses).toEqual([401, 401, 401, 401, 401, 200])
  })

  test('the body is not read, and a store in the header changes nothing', async () => {
    const headers = { 'content-type': 'application/json', 'x-service-active-tenant': 'another' }
    const answer = await app.call('POST', '/oauth/refresh', { token: tokens[kind], body: '{', headers })
    expect(answer.status).toBe(200)
  })
})

describe('the new token of a person', () => {
  test('belongs to the same sign-in and has an id and an expiry of its own', async () => {
    app.clock.advance(10 * MINUTE)
    const [before, after] = [decodeJwt(tokens.person), decodeJwt(await next(tokens.person))]
    expect(after).toMatchObject({ sub: anna.id, user_type: 'user', sid: before['sid'], amr: ['pwd'] })
    expect(after.jti).not.toBe(before.jti as string)
    expect(after.exp).toBe((before.exp as number) + 600)
  })

  test('has the memberships, roles and plan of now, not those of the login', async () => {
    const two = await app.store('two')
    setRole(app, anna.id, 'viewer')
    const once = await next(tokens.person)
    expect(decodeJwt(once)).toMatchObject({ memberships: [{ slug: 'one', role: 'viewer' }], plan: 'basic' })
    join(app, anna.id, { store: 'two', role: 'owner' })
    const twice = await next(once)
    expect(decodeJwt(twice)).toMatchObject({
      memberships: [
        { slug: 'one', role: 'viewer' },
        { client_id: two.client_id, slug: 'two', role: 'owner' },
      ],
    })
    expect(decodeJwt(twice)).not.toHaveProperty('plan')
    removeMembership(app, anna.id)
    makeSuperAdmin(app, anna.id)
    expect(decodeJwt(await next(twice))).toMatchObject({ memberships: [], is_super_admin: true })
  })

  test('keeps the second factor that was shown, and asks for none', async () => {
    const phone = await enableTwoFactor(app, tokens.person)
    // That sign-in has shown a code when it switched the second factor on.
    expect(decodeJwt(await next(tokens.person))['amr']).toEqual(['pwd', 'otp'])
    app.clock.advance(MINUTE)
    const proved = await getToken(app, anna, { totp_code: phone.code() })
    expect(decodeJwt(await next(proved))['amr']).toEqual(['pwd', 'otp'])
  })

  test('leaves the other sign-ins of the person alone', async () => {
    const other = await getToken(app, anna)
    await next(tokens.person)
    expect((await use(other)).status).toBe(200)
  })

  test('401 once the person, or the sign-in, is gone', async () => {
    const other = await getToken(app, anna)
    deleteRows(app, 'sessions', { id: String(decodeJwt(tokens.person)['sid']) })
    expect(refusal(await refresh(tokens.person))).toEqual([401, 'unauthorized'])
    deleteUser(app, anna.id)
    expect(refusal(await refresh(other))).toEqual([401, 'unauthorized'])
  })
})

describe('the new token of a machine', () => {
  test('has the plan of now', async () => {
    app.setPlan('one', 'premium')
    expect(decodeJwt(await next(tokens.machine))).toMatchObject({ plan: 'premium', rate_limit: 200 })
  })

  test('401 once the store is gone', async () => {
    deleteStore(app, 'one')
    expect(refusal(await refresh(tokens.machine))).toEqual([401, 'unauthorized'])
  })
})

describe('a new client secret (contract 4.9)', () => {
  /** @param client_secret the present one, which a machine grant shows. */
  const rotate = (token: string, client_secret?: string) =>
    app.call('POST', '/v1/security/client-secret/rotate', { token, body: { client_secret } })

  async function grant(client_id: string, client_secret: string) {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    return app.call('POST', '/oauth/token', { body })
  }

  test('ends every older machine token, for calls and refreshes, but the one that asked for it', async () => {
    const { client_id, client_secret } = await app.store('two')
    const old = String((await grant(client_id, client_secret)).body['access_token'])
    const asking = String((await grant(client_id, client_secret)).body['access_token'])
    const rotated = await rotate(asking, client_secret)
    expect(rotated.status).toBe(200)
    expect(refusal(await use(old))).toEqual([401, 'unauthorized'])
    expect(refusal(await refresh(old))).toEqual([401, 'unauthorized'])
    expect((await use(asking)).status).toBe(200)
    expect(refusal(await grant(client_id, client_secret))).toEqual([401, 'unauthorized'])
    const fresh = await grant(client_id, String(rotated.body['client_secret']))
    expect(fresh.status).toBe(200)
    expect((await use(String(fresh.body['access_token']))).status).toBe(200)
    const kept = await next(asking)
    expect((await use(kept)).status).toBe(200)
    expect(refusal(await use(asking))).toEqual([401, 'unauthorized'])
  })

  test('asked for by a person it ends all machine tokens of that store, no person’s and no other store’s', async () => {
    const two = await app.signIn('two')
    expect((await rotate(tokens.person)).status).toBe(200)
    expect(refusal(await use(tokens.machine))).toEqual([401, 'unauthorized'])
    expect((await use(tokens.person)).status).toBe(200)
    expect((await use(two)).status).toBe(200)
  })

  test('the second one ends the token that the first had kept', async () => {
    const { body } = await rotate(tokens.person)
    const secret = String(body['client_secret'])
    const { client_id } = body as { client_id: string }
    const machine = String((await grant(client_id, secret)).body['access_token'])
    expect((await rotate(machine, secret)).status).toBe(200)
    expect((await use(machine)).status).toBe(200)
    await rotate(tokens.person)
    expect(refusal(await use(machine))).toEqual([401, 'unauthorized'])
  })
})

describe('credentials that cannot be refreshed', () => {
  const ask = (headers: Record<string, string>, query = '') =>
    app.call('POST', `/oauth/refresh${query}`, { headers })

  test('401 unauthorized with no JWT, with an API key: the same words; without a credential, those that ask for one', async () => {
    const made = await app.call('POST', '/v1/security/api-keys', {
      token: tokens.person,
      body: { name: 'sync', scopes: { products: ['read'] } },
    })
    const key = String(made.body['key'])
    const missing = [
      await ask({}),
      await ask({ authorization: 'Basic YTpi' }),
      await ask({ authorization: 'Bearer' }),
    ]
    expect(new Set(missing.map(fingerprint)).size).toBe(1)
    expect(refusal(missing[0] as Answer)).toEqual([401, 'unauthorized'])
    expect(missing[0]?.body['message']).toStartWith('No credential was sent')
    const answers = [
      await ask({ authorization: 'Bearer nothing' }),
      await ask({ authorization: `Bearer ${tokens.person}x` }),
      await ask({ authorization: `Bearer ${key}` }),
      await ask({ 'x-api-key': key }),
      await ask({ 'x-api-key': tokens.person }),
    ]
    expect(new Set(answers.map(fingerprint)).size).toBe(1)
    expect(answers.map(refusal)[0]).toEqual([401, 'unauthorized'])
    expect((await app.call('GET', '/v1/products', { headers: { 'x-api-key': key } })).status).toBe(200)
  })

  test('400 credential_ambiguous for two, and for one in the address; the token goes on', async () => {
    const bearer = { authorization: `Bearer ${tokens.person}` }
    const answers = [
      await ask({ ...bearer, 'x-api-key': 'sk_live_x' }),
      await ask({ authorization: `Bearer ${tokens.person}, Bearer ${tokens.machine}` }),
      await ask(bearer, `?access_token=${tokens.person}`),
    ]
    expect(answers.map(refusal)).toEqual(Array(3).fill([400, 'credential_ambiguous']))
    expect((await use(tokens.person)).status).toBe(200)
  })

  test('405 for GET', async () => {
    expect(refusal(await app.call('GET', '/oauth/refresh', { token: tokens.person }))).toEqual([
      405,
      'method_not_allowed',
    ])
  })

  test('a login answers no refresh token, and the token endpoint knows no such grant (contract 4.6)', async () => {
    expect((await sendSignIn(app, anna.email)).body).not.toHaveProperty('refresh_token')
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: tokens.person })
    expect(refusal(await app.call('POST', '/oauth/token', { body }))).toEqual([400, 'unsupported_grant_type'])
  })
})
