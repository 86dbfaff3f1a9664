import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import { BASE_URL, type TestApp } from '../../../support/app.ts'
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
import {
  type Browser,
  cookieOf,
  OWN_PAGE,
  openPortal,
  PORTAL,
  refreshPortal,
  sendPortalSignIn,
  signOut,
} from '../../../support/portal.ts'
import { deleteUser, readColumn, removeMembership } from '../../../support/seed.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let app: TestApp
let anna: Person

beforeEach(async () => {
  app = proxiedApp()
  await app.store('one', 'basic')
  anna = await addPerson(app, 'anna', [{ store: 'one', role: 'admin' }])
})
afterEach(() => app.close())

const me = async (token: string) => (await app.call('GET', '/v1/me', { token })).status
const refresh = (cookie: string, headers?: Record<string, string>) => refreshPortal(app, cookie, headers)
const nextToken = async (cookie: string) => String((await refresh(cookie)).body['access_token'])
const ended: [number, string] = [401, 'unauthorized']

async function expectEnded({ token, cookie }: Browser): Promise<void> {
  expect(await me(token)).toBe(401)
  expect(refusal(await refresh(cookie))).toEqual(ended)
}

describe('POST /portal/session (contract 5.17)', () => {
  test('gives the answer of /oauth/login, and one cookie that no script sees', async () => {
    const answer = await sendPortalSignIn(app, anna.email)
    const login = await sendSignIn(app, anna.email)
    expect(Object.keys(answer.body)).toEqual(Object.keys(login.body))
    expect([answer.status, answer.body['expires_in'], answer.body['redirect']]).toEqual([
      200,
      3600,
      '/one/portal',
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const cookies = answer.headers.getSetCookie()
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatch(
      /^lookalike_session=[\w-]{43}; Path=\/portal\/session; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    )
    expect(await me(String(answer.body['access_token']))).toBe(200)
  })

  test('keeps the cookie hashed, and makes a new one with every sign-in', async () => {
    const first = await openPortal(app, anna)
    const second = await openPortal(app, anna)
    expect(first.cookie).not.toBe(second.cookie)
    const kept = readColumn(app, 'sessions', 'cookie_hash').map((hash) => Buffer.from(hash as Uint8Array))
    const [, value = ''] = first.cookie.split('=')
    expect(kept).toContainEqual(Buffer.from(new Bun.CryptoHasher('sha256').update(value).digest()))
    expect(kept.every((hash) => hash.length === 32)).toBe(true)
  })

  test.each([
    [{ password: 'wrong' }, 401, 'unauthorized'],
    [{ totp_code: '123456', recovery_code: 'abcde-fghij' }, 400, 'credential_ambiguous'],
    [{ password: undefined }, 422, 'validation_error'],
  ])('refuses %j as /oauth/login does, without a cookie', async (more, status, code) => {
    const answer = await sendPortalSignIn(app, anna.email, more)
    expect(refusal(answer)).toEqual([status, code])
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  test('asks for the second factor, and shows it in every token', async () => {
    const { code } = await enableTwoFactor(app, await getToken(app, anna))
    app.clock.advance(MINUTE)
    expect(refusal(await sendPortalSignIn(app, anna.email))).toEqual([401, 'requires_2fa'])
    const { cookie } = await openPortal(app, anna, { totp_code: code() })
    expect(decodeJwt(await nextToken(cookie))['amr']).toEqual(['pwd', 'otp'])
  })

  test('counts failures together with /oauth/login', async () => {
    for (let n = 0; n < 5; n++) {
      const send = n % 2 === 0 ? sendPortalSignIn : sendSignIn
      await send(app, anna.email, { password: 'wrong' }, from(freshAddress()))
    }
    expect(refusal(await sendPortalSignIn(app, anna.email))).toEqual([429, 'too_many_requests'])
  })

  test('counts the sign-ins of an address together with /oauth/login', async () => {
    const headers = from(freshAddress())
    for (let n = 0; n < 10; n++) {
      const send = n % 2 === 0 ? sendPortalSignIn : sendSignIn
      await send(app, `nobody-${n}@people.test`, {}, headers)
    }
    expect(refusal(await sendPortalSignIn(app, anna.email, {}, headers))).toEqual([
      429,
      'rate_limit_exceeded',
    ])
  })

  test('ends the sign-in of a cookie that comes along, also of another person, but not for a wrong password', async () => {
    const before = await openPortal(app, anna)
    const ben = await addPerson(app, 'ben')
    const headers = { cookie: before.cookie }
    await sendPortalSignIn(app, ben.email, { password: 'wrong' }, headers)
    expect(await me(before.token)).toBe(200)
    const after = await openPortal(app, ben, {}, headers)
    await expectEnded(before)
    expect(await me(after.token)).toBe(200)
    expect(readColumn(app, 'audit_events', 'action')).toContain('session.ended')
  })

  test('gives a cookie for https where the page was read by https', async () => {
    const headers = { origin: 'https://shop.example', host: 'shop.example' }
    const answer = await sendPortalSignIn(app, anna.email, {}, headers)
    expect(answer.headers.get('set-cookie')).toMatch(/^__Secure-lookalike_session=.*; Secure$/)
    const cookie = cookieOf(answer)
    expect((await refresh(cookie, headers)).status).toBe(200)
    // Anyone who speaks http can set a cookie without the prefix.
    const planted = cookie.replace('__Secure-', '')
    expect(refusal(await refresh(planted, headers))).toEqual(ended)
  })
})

describe('POST /portal/session/refresh', () => {
  let browser: Browser
  beforeEach(async () => {
    browser = await openPortal(app, anna)
  })

  test('gives one more token, and ends neither the cookie nor the earlier tokens', async () => {
    const answer = await refresh(browser.cookie)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 })
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const token = String(answer.body['access_token'])
    expect(decodeJwt(token)['jti']).not.toBe(decodeJwt(browser.token)['jti'])
    expect(await Promise.all([browser.token, token, await nextToken(browser.cookie)].map(me))).toEqual([
      200, 200, 200,
    ])
  })

  test('answers twenty tabs at once, each with a token of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(browser.cookie)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ body }) => body['access_token'])).size).toBe(20)
  })

  test('lets a sign-in go on that is used within twelve hours, for thirty days', async () => {
    for (let hours = 0; hours + 11 < 30 * 24; hours += 11) {
      app.clock.advance(11 * HOUR)
      expect((await refresh(browser.cookie)).status).toBe(200)
    }
    // 715 of 720 hours have passed.
    app.clock.advance(4.5 * HOUR)
    const last = await refresh(browser.cookie)
    expect([last.status, last.body['expires_in']]).toEqual([200, 1800])
    const token = String(last.body['access_token'])
    app.clock.advance(HOUR / 2 - 1)
    expect(await me(token)).toBe(200)
    app.clock.advance(1)
    await expectEnded({ token, cookie: browser.cookie })
  })

  test('refuses a sign-in that was idle for twelve hours, and a chore deletes it', async () => {
    app.clock.advance(12 * HOUR)
    expect(refusal(await refresh(browser.cookie))).toEqual(ended)
    app.clock.advance(1)
    await app.tidy()
    expect(readColumn(app, 'sessions', 'id')).toEqual([])
  })

  test('no token outlives its sign-in, however long tokens live', async () => {
    const long = proxiedApp({}, { TOKEN_LIFETIME_S: '86400' })
    const ben = await addPerson(long, 'ben')
    const { token, cookie } = await openPortal(long, ben)
    expect((await refreshPortal(long, cookie)).body['expires_in']).toBe(12 * 3600)
    long.clock.advance(12 * HOUR)
    expect((await long.call('GET', '/v1/me', { token })).status).toBe(401)
    await long.close()
  })

  test('120 a minute and sign-in, from one address', async () => {
    const headers = from('198.51.100.7')
    for (let n = 0; n < 120; n++) expect((await refresh(browser.cookie, headers)).status).toBe(200)
    const refused = await refresh(browser.cookie, headers)
    expect(refusal(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // A colleague behind the same address has a budget of her own.
    const ben = await openPortal(app, await addPerson(app, 'ben'))
    expect((await refresh(ben.cookie, headers)).status).toBe(200)
    app.clock.advance(MINUTE)
    expect((await refresh(browser.cookie, headers)).status).toBe(200)
  })

  test.each([
    ['no cookie', ''],
    ['a cookie of nobody', `lookalike_session=${'a'.repeat(43)}`],
    ['a cookie of another form', 'lookalike_session=%00'],
    ['an empty one', 'lookalike_session='],
  ])('401 for %s', async (_what, cookie) => {
    expect(refusal(await refresh(cookie))).toEqual(ended)
  })

  test('finds its cookie among others', async () => {
    const cookie = `a=b; x_lookalike_session=${'a'.repeat(43)};lookalike_session=${'b'.repeat(43)}; ${browser.cookie}`
    expect((await refresh(cookie)).status).toBe(200)
  })

  test('signs nobody in where cookies of two people come along', async () => {
    const thief = await openPortal(app, await addPerson(app, 'thief'))
    expect(refusal(await refresh(`${thief.cookie}; ${browser.cookie}`))).toEqual(ended)
    expect((await refresh(`${browser.cookie}; ${browser.cookie}`)).status).toBe(200)
  })
})

describe('a token of a sign-in in the portal', () => {
  test('/oauth/refresh refuses it, and it goes on', async () => {
    const { token } = await openPortal(app, anna)
    const answer = await app.call('POST', '/oauth/refresh', { token, headers: from(freshAddress()) })
    expect(refusal(answer)).toEqual(ended)
    expect(answer.body['message']).toContain('/portal/session/refresh')
    expect(await me(token)).toBe(200)
  })

  test('/oauth/revoke of one ends the sign-in with all its tokens', async () => {
    const browser = await openPortal(app, anna)
    const other = await nextToken(browser.cookie)
    await app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token: other }) })
    expect(await me(other)).toBe(401)
    await expectEnded(browser)
  })

  test('another person cannot use its id', async () => {
    const { token } = await openPortal(app, anna)
    const ben = await addPerson(app, 'ben')
    const { sid, amr } = decodeJwt(token) as { sid: string; amr: string[] }
    const forged = await app.signToken({ sub: ben.id, jti: 'j', user_type: 'user', sid, amr }, 3600)
    expect(await me(forged)).toBe(401)
  })
})

describe('DELETE /portal/session', () => {
  test('ends the sign-in with the tokens of every tab, and takes the cookie away', async () => {
    const browser = await openPortal(app, anna)
    const other = await openPortal(app, anna)
    const tab = await nextToken(browser.cookie)
    const answer = await signOut(app, browser.cookie)
    expect([answer.status, answer.body]).toEqual([200, { status: 'ended' }])
    expect(answer.headers.get('set-cookie')).toBe(
      'lookalike_session=; Path=/portal/session; Max-Age=0; HttpOnly; SameSite=Strict',
    )
    expect(await me(tab)).toBe(401)
    await expectEnded(browser)
    expect(await me(other.token)).toBe(200)
    expect(refusal(await signOut(app, browser.cookie))).toEqual(ended)
  })
})

describe('a sign-in in the portal ends like every other', () => {
  let browser: Browser
  let token: string
  beforeEach(async () => {
    browser = await openPortal(app, anna)
    token = await getToken(app, anna)
  })

  test('it is in the list, and can be ended from there', async () => {
    const { body } = await app.call('GET', '/v1/me/sessions', { token })
    const sessions = body['sessions'] as { id: string; kind: string; expires_at: string }[]
    expect(sessions.map(({ kind }) => kind).sort()).toEqual(['portal', 'token'])
    const own = sessions.find(({ kind }) => kind === 'portal')
    expect(Date.parse(own?.expires_at ?? '')).toBe(app.clock.now() + 12 * HOUR)
    await app.call('DELETE', `/v1/me/sessions/${own?.id}`, { token })
    await expectEnded(browser)
  })

  const newPassword = 'seven green bottles'
  const changePassword = (credential: string) =>
    app.call('POST', '/v1/me/password', {
      token: credential,
      body: { current_password: PASSWORD, new_password: newPassword },
    })

  test.each<[string, () => Promise<unknown>]>([
    ['another password', () => changePassword(token)],
    ['the end of all other sign-ins', () => app.call('DELETE', '/v1/me/sessions', { token })],
    [
      'a new password by mail',
      async () => {
        await app.call('POST', '/oauth/password/forgot', { body: { email: anna.email } })
        await app.settle()
        const link = /#token=([\w-]+)/.exec(app.mails.at(-1)?.text ?? '')?.[1]
        await app.call('POST', '/oauth/password/reset', { body: { token: link, password: newPassword } })
      },
    ],
    [
      'the operator',
      async () => {
        const root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
        await app.call('POST', `/v1/admin/users/${anna.id}/end-sessions`, { token: root })
      },
    ],
    ['the end of the account', async () => deleteUser(app, anna.id)],
  ])('by %s', async (_what, end) => {
    await end()
    await expectEnded(browser)
  })

  test('it stays when its own person changes the password in it', async () => {
    expect((await changePassword(browser.token)).status).toBe(200)
    expect(await me(browser.token)).toBe(200)
    expect((await refresh(browser.cookie)).status).toBe(200)
    expect(await me(token)).toBe(401)
  })

  test('a lost membership counts with the next request of every token', async () => {
    removeMembership(app, anna.id, 'one')
    const answer = await app.call('GET', '/v1/products', { token: browser.token })
    expect(refusal(answer)).toEqual([403, 'not_a_member'])
    const memberships = decodeJwt(await nextToken(browser.cookie))['memberships']
    expect(memberships).toEqual([])
  })

  test('a suspended store is closed to it, and its account is not', async () => {
    const { id } = app.stores.requireBySlug('one')
    app.db.prepare('UPDATE stores SET suspended_at = ? WHERE id = ?').run(app.clock.now(), id)
    expect((await refresh(browser.cookie)).status).toBe(200)
    const answer = await app.call('GET', '/v1/products', { token: browser.token })
    expect(refusal(answer)).toEqual([403, 'store_suspended'])
  })

  test('the least recently used of more than fifty sign-ins ends', async () => {
    for (let n = 0; n < 50; n++) {
      app.clock.advance(MINUTE)
      await openPortal(app, anna)
    }
    await expectEnded(browser)
  })
})

describe('a page that is not of this service', () => {
  let browser: Browser
  beforeEach(async () => {
    browser = await openPortal(app, anna)
  })

  const WRONG: [string, Record<string, string>][] = [
    ['another site', { origin: 'https://evil.example' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['another port of this host', { origin: 'http://lookalike.test:81' }],
    ['this host by a scheme that it does not have', { origin: 'https://lookalike.test' }],
    ['a name that begins like ours', { origin: 'http://lookalike.test.evil.example' }],
    ['no origin', { origin: '' }],
  ]
  const refused: [number, string] = [403, 'origin_not_allowed']

  test.each(WRONG)('cannot sign anybody in: %s', async (_what, headers) => {
    const answer = await sendPortalSignIn(app, anna.email, {}, headers)
    expect(refusal(answer)).toEqual(refused)
    expect(answer.body['message']).toContain('BASE_URL')
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test.each(WRONG)('can neither refresh nor sign out: %s', async (_what, headers) => {
    expect(refusal(await refresh(browser.cookie, headers))).toEqual(refused)
    expect(refusal(await signOut(app, browser.cookie, headers))).toEqual(refused)
    expect(await me(browser.token)).toBe(200)
  })

  test('nor can a form of our own origin, which sends no header of ours', async () => {
    for (const value of ['', 'XMLHttpRequest']) {
      const headers = { 'x-requested-with': value }
      expect(refusal(await refresh(browser.cookie, headers))).toEqual(refused)
      expect(refusal(await signOut(app, browser.cookie, headers))).toEqual(refused)
    }
  })

  test('spends nothing of its visitor’s sign-ins', async () => {
    const headers = from(freshAddress())
    for (let n = 0; n < 20; n++) {
      await sendPortalSignIn(app, anna.email, {}, { ...headers, origin: 'https://evil.example' })
    }
    expect((await sendPortalSignIn(app, anna.email, {}, headers)).status).toBe(200)
  })

  test('cannot send a form instead of JSON', async () => {
    const body = new URLSearchParams({ email: anna.email, password: PASSWORD })
    expect(refusal(await app.call('POST', PORTAL, { body, headers: OWN_PAGE }))).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  test('is told by no preflight that it may', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const answer = await app.call('OPTIONS', `${PORTAL}/refresh`, { headers })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('access-control-allow-headers')).toBeNull()
  })
})

describe('behind a proxy', () => {
  const PUBLIC = 'https://find.shop.example'

  test('that keeps Host, the page of that host passes without a setting', async () => {
    for (const origin of ['http://10.0.0.7:9000', 'https://10.0.0.7:9000']) {
      const answer = await sendPortalSignIn(app, anna.email, {}, { origin, host: '10.0.0.7:9000' })
      expect(answer.status).toBe(200)
    }
    const headers = { origin: 'https://shop.example', host: 'shop.example:443' }
    expect((await sendPortalSignIn(app, anna.email, {}, headers)).status).toBe(200)
  })

  test('that changes Host, the refusal names BASE_URL', async () => {
    const answer = await sendPortalSignIn(app, anna.email, {}, { origin: PUBLIC, host: 'backend:8080' })
    expect(refusal(answer)).toEqual([403, 'origin_not_allowed'])
    expect(answer.body['message']).toContain(`(${BASE_URL})`)
    expect(answer.body['message']).toContain('set BASE_URL to that address')
  })
})
