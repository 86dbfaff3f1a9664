import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemIds } from '../../../src/core/ids.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'

let app: TestApp

beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

const PASSWORD = 'a long password'
const HOUR_MS = 3_600_000
const BODY = { client_name: 'Anna’s shop', email: 'anna@shop.test', password: PASSWORD }

const register = (body: object = {}, on = app) => on.call('POST', '/register', { body: { ...BODY, ...body } })
const verify = (token: string, headers: Record<string, string> = {}, on = app) =>
  on.call('GET', `/verify?token=${encodeURIComponent(token)}`, { headers })

/** The token of the last mail's link. */
const mailedToken = (on = app): string =>
  /\/verify\?token=([\w-]+)\n/.exec(on.mails.at(-1)?.text ?? '')?.[1] ?? 'no link was mailed'

async function registered(body: object = {}, on = app): Promise<string> {
  const answer = await register(body, on)
  expect(answer.status).toBe(202)
  return mailedToken(on)
}

const login = (password = PASSWORD, email = BODY.email) =>
  app.call('POST', '/oauth/login', { body: { email, password } })

const rows = (table: string, on = app) =>
  on.db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]

const refusal = ({ status, body }: Answer) => [status, body['error']]
const pointers = ({ body }: Answer) =>
  ((body['details'] as { errors: { pointer: string; code: string }[] }).errors ?? []).map(
    ({ pointer, code }) => [pointer, code],
  )
const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** An app that sees several clients. */
const behindProxy = () => testApp({}, { TRUSTED_PROXIES: '127.0.0.1' })

const registerFrom = (address: string, body: object, on: TestApp) =>
  on.call('POST', '/register', { body: { ...BODY, ...body }, headers: { 'x-forwarded-for': address } })

describe('POST /register (spec §2.12, D10)', () => {
  test('202: mails a link, and nothing of the account exists', async () => {
    const answer = await register()
    expect([answer.status, answer.body as object]).toEqual([
      202,
      {
        status: 'verification_required',
        message: 'We sent a mail to that address. Open the link in it within 24 hours.',
        email_sent: true,
      },
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(app.mails).toHaveLength(1)
    expect(app.mails[0]).toMatchObject({ to: 'anna@shop.test', subject: 'Confirm your e-mail address' })
    expect(app.mails[0]?.text).toContain('http://lookalike.test/verify?token=')
    for (const table of ['users', 'stores', 'memberships']) expect(rows(table)).toEqual([])
  })

  test('a known address gets the same answer and a mail of its own, and nothing of its account changes', async () => {
    await verify(await registered())
    const before = rows('users')
    const [known, unknown] = [
      await register({ client_name: 'Other', password: 'another long one' }),
      await register({ email: 'bert@shop.test' }),
    ]
    expect(known.status).toBe(unknown.status)
    expect(JSON.stringify(known.body)).toBe(JSON.stringify(unknown.body))
    const headers = ({ headers: given }: Answer) => [...given].filter(([name]) => name !== 'x-request-id')
    expect(headers(known)).toEqual(headers(unknown))
    const mail = app.mails.at(-2)
    expect(mail).toMatchObject({ to: 'anna@shop.test', subject: 'You have an account already' })
    expect(mail?.text).not.toContain('token=')
    expect(rows('users')).toEqual(before)
    expect((await login()).status).toBe(200)
    // As for an address without an account: who registers it learns nothing by signing in.
    expect(refusal(await login('another long one'))).toEqual([403, 'account_not_verified'])
    expect(refusal(await login('a wrong long one'))).toEqual([401, 'unauthorized'])
  })

  test('the mail says when it was asked for, so that of several the right one is found', async () => {
    app.clock.advance(61_000)
    await verify(await registered())
    await register()
    for (const { text } of app.mails) {
      expect(text).toContain('asked on 2030-01-01 at 00:01:01 UTC for an account')
    }
  })

  test('nothing that a stranger typed stands in the mail', async () => {
    await register({ client_name: 'Win a prize at evil.test' })
    expect(JSON.stringify(app.mails)).not.toContain('evil.test')
  })

  test('email_sent is false when the mail server fails; the mail waits and comes later', async () => {
    let isDown = true
    const sent: string[] = []
    const other = testApp({
      mailer: {
        isConfigured: true,
        async send({ text }) {
          if (isDown) throw Object.assign(new Error('No connection'), { reason: 'connect' })
          sent.push(text)
        },
      },
    })
    const { status, body } = await register({}, other)
    expect([status, body['email_sent']]).toEqual([202, false])
    expect(String(body['message'])).toContain('could not be sent')
    isDown = false
    other.clock.advance(60_000)
    expect(await other.outbox.retryDue()).toBe(1)
    const token = /token=([\w-]+)/.exec(sent[0] ?? '')?.[1] ?? ''
    expect((await verify(token, {}, other)).status).toBe(200)
    await other.close()
  })

  test('without a mail server the mail can be read in the outbox', async () => {
    const other = testApp({ mailer: { isConfigured: false, send: async () => undefined } })
    expect((await register({}, other)).body['email_sent']).toBe(false)
    expect(other.outbox.list()).toEqual([
      expect.objectContaining({ recipient: 'anna@shop.test', last_error: null }),
    ])
    await other.close()
  })

  test.each([
    [{ client_name: '' }, [['/client_name', 'min_length']]],
    [{ client_name: '   ' }, [['/client_name', 'pattern']]],
    [{ client_name: 'x'.repeat(101) }, [['/client_name', 'max_length']]],
    [{ client_name: 'a\nb' }, [['/client_name', 'pattern']]],
    // It is shown to the operator: nothing that moves a terminal's cursor or turns the direction of writing.
    [{ client_name: 'a\u009b2Jb' }, [['/client_name', 'pattern']]],
    [{ client_name: 'a\u202eb' }, [['/client_name', 'pattern']]],
    [{ email: 'anna' }, [['/email', 'pattern']]],
    [{ email: 'éva@shop.test' }, [['/email', 'pattern']]],
    [{ email: 'a@shop.test\r\nBcc: b@shop.test' }, [['/email', 'pattern']]],
    [{ password: 'short' }, [['/password', 'min_length']]],
    [{ password: 'x'.repeat(1025) }, [['/password', 'max_length']]],
    [{ password: 'password123' }, [['/password', 'common']]],
    [{ password: 'Anna@Shop.Test' }, [['/password', 'personal']]],
    [{ password: 'ANNA’S   SHOP' }, [['/password', 'personal']]],
    [
      { email: 'éva@shop.test', password: 'qwertyuiop' },
      [
        ['/email', 'pattern'],
        ['/password', 'common'],
      ],
    ],
    [
      { client_name: '', email: 'nope', password: 'short' },
      [
        ['/client_name', 'min_length'],
        ['/email', 'pattern'],
        ['/password', 'min_length'],
      ],
    ],
    [
      { email: undefined, client_name: undefined },
      [
        ['/client_name', 'required'],
        ['/email', 'required'],
      ],
    ],
    [
      { email: 7, invite: 7 },
      [
        ['/email', 'type'],
        ['/invite', 'type'],
      ],
    ],
  ])('422: %j', async (fault, expected) => {
    const answer = await register(fault)
    expect(answer.status).toBe(422)
    expect(pointers(answer)).toEqual(expected)
    expect(JSON.stringify(answer.body)).not.toMatch(/password123|qwertyuiop/)
    expect([app.mails, rows('registrations')]).toEqual([[], []])
  })

  test.each([
    ['broken JSON', '{', 'application/json', 400, 'invalid_json'],
    ['a form', 'email=a', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    [
      'more than 1 MiB',
      JSON.stringify({ ...BODY, more: 'x'.repeat(1_048_577) }),
      'application/json',
      413,
      'payload_too_large',
    ],
  ])('%s: refused', async (_, body, type, status, error) => {
    const answer = await app.call('POST', '/register', { body, headers: { 'content-type': type } })
    expect(refusal(answer)).toEqual([status, error])
  })

  test('429 rate_limit_exceeded: ten requests a minute from one address on the network, good or bad', async () => {
    for (let n = 0; n < 10; n++) {
      const { status } = await register({ email: n % 2 ? `p${n}@shop.test` : 'éva@shop.test' })
      expect(status).toBe(n % 2 ? 202 : 422)
    }
    const answer = await register({ email: 'p11@shop.test' })
    expect(refusal(answer)).toEqual([429, 'rate_limit_exceeded'])
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(answer.body['details']).toMatchObject({ retry_after: 60 })
    app.clock.advance(60_000)
    expect((await register({ email: 'p11@shop.test' })).status).toBe(202)
  })

  test('what is wrong with an address is said in words', async () => {
    const messages = async (email: string) => (await register({ email })).body['message']
    expect(await messages('nope')).toBe('email has the wrong form: Mail address, like anna@shop.example.')
    expect(await messages('éva@shop.test')).toContain('no letters but a-z before the @')
  })

  test('429: five an hour of one mail address from one client, whether it has an account or not', async () => {
    const known = behindProxy()
    await verify(await registered({}, known), {}, known)
    known.clock.advance(HOUR_MS)
    for (const on of [behindProxy(), known]) {
      for (let n = 0; n < 5; n++) expect((await registerFrom('203.0.113.1', {}, on)).status).toBe(202)
      expect(refusal(await registerFrom('203.0.113.1', {}, on))).toEqual([429, 'rate_limit_exceeded'])
      // A stranger who wears his own share out leaves its owner's alone.
      expect((await registerFrom('203.0.113.2', {}, on)).status).toBe(202)
      on.clock.advance(HOUR_MS)
      expect((await registerFrom('203.0.113.1', {}, on)).status).toBe(202)
      await on.close()
    }
  })

  test('429: twenty an hour of one mail address from everywhere', async () => {
    const on = behindProxy()
    for (let n = 0; n < 20; n++) {
      expect((await registerFrom(`203.0.113.${n % 4}`, {}, on)).status).toBe(202)
      on.clock.advance(1)
    }
    expect(refusal(await registerFrom('203.0.113.9', {}, on))).toEqual([429, 'rate_limit_exceeded'])
    expect((await registerFrom('203.0.113.9', { email: 'bert@shop.test' }, on)).status).toBe(202)
    on.clock.advance(HOUR_MS - 20)
    expect((await registerFrom('203.0.113.9', {}, on)).status).toBe(202)
    await on.close()
  })
})

describe('GET /verify (spec §3, D10)', () => {
  test('200 verified: makes user, store and ownership; the password signs in', async () => {
    const token = await registered()
    expect(refusal(await login())).toEqual([403, 'account_not_verified'])
    const answer = await verify(token)
    expect([answer.status, answer.body as object]).toEqual([
      200,
      { status: 'verified', slug: 'anna-s-shop', redirect: '/anna-s-shop/portal' },
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('vary')).toBe('accept')
    expect(rows('users')).toEqual([
      expect.objectContaining({ email: 'anna@shop.test', is_super_admin: 0, verified_at: app.clock.now() }),
    ])
    expect(rows('stores')).toEqual([expect.objectContaining({ name: 'Anna’s shop', plan: 'free' })])
    expect(rows('memberships')).toEqual([expect.objectContaining({ role: 'owner' })])
    const { status, body } = await login()
    expect([status, body['redirect'], body['is_super_admin']]).toEqual([200, '/anna-s-shop/portal', false])
  })

  test('the store is on DEFAULT_PLAN, the first one too', async () => {
    const premium = testApp({}, { DEFAULT_PLAN: 'premium' })
    await verify(await registered({}, premium), {}, premium)
    expect(rows('stores', premium)).toEqual([expect.objectContaining({ plan: 'premium' })])
    await premium.close()
  })

  test('HEAD only looks: it tells whether the link works, and activates nothing', async () => {
    const token = await registered()
    expect((await app.call('HEAD', `/verify?token=${token}`)).status).toBe(200)
    expect((await app.call('HEAD', '/verify?token=nope')).status).toBe(401)
    expect(rows('users')).toEqual([])
    expect((await verify(token)).body['status']).toBe('verified')
    expect((await app.call('HEAD', `/verify?token=${token}`)).status).toBe(200)
  })

  test('200 already_verified: a link that was used says so for 30 days, and changes nothing', async () => {
    const token = await registered()
    await verify(token)
    const users = rows('users')
    app.clock.advance(30 * 24 * HOUR_MS - 1)
    await app.tidy()
    const again = await verify(token)
    expect([again.status, again.body['status'], again.body['slug']]).toEqual([
      200,
      'already_verified',
      'anna-s-shop',
    ])
    expect(rows('users')).toEqual(users)
    app.clock.advance(1)
    await app.tidy()
    expect(refusal(await verify(token))).toEqual([401, 'unauthorized'])
  })

  test('of many at once exactly one verifies', async () => {
    const token = await registered()
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(token)))
    expect(answers.map(({ body }) => body['status']).sort()).toEqual([
      ...Array<string>(7).fill('already_verified'),
      'verified',
    ])
    for (const table of ['users', 'stores', 'memberships']) expect(rows(table)).toHaveLength(1)
  })

  test('a link lives for 24 hours', async () => {
    const [early, late] = [await registered(), await registered({ email: 'bert@shop.test' })]
    app.clock.advance(24 * HOUR_MS - 1)
    expect((await verify(early)).status).toBe(200)
    app.clock.advance(1)
    expect(refusal(await verify(late))).toEqual([401, 'unauthorized'])
    expect(refusal(await login(PASSWORD, 'bert@shop.test'))).toEqual([401, 'unauthorized'])
    await app.tidy()
    expect(rows('registrations').map(({ email }) => email)).toEqual(['anna@shop.test'])
  })

  test('401 unauthorized, one answer for every link that does not work', async () => {
    const expired = await registered()
    app.clock.advance(24 * HOUR_MS)
    const answers = [
      await verify(expired),
      await verify('x'),
      await verify('x'.repeat(200)),
      await verify('ü\u0000'),
    ]
    expect(answers.map(refusal)).toEqual(answers.map(() => [401, 'unauthorized']))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  test.each(['/verify', '/verify?token=', `/verify?token=${'x'.repeat(201)}`])('422: %s', async (path) => {
    const answer = await app.call('GET', path)
    expect(answer.status).toBe(422)
    expect(pointers(answer).map(([pointer]) => pointer)).toEqual(['/token'])
  })

  test('a stranger’s registration of an address does not touch its owner’s: the link decides whose password counts', async () => {
    const own = await registered()
    const foreign = await registered({ password: 'the stranger’s password', client_name: 'Stranger' })
    expect((await verify(own)).body['slug']).toBe('anna-s-shop')
    expect((await login()).status).toBe(200)
    expect(refusal(await login('the stranger’s password'))).toEqual([401, 'unauthorized'])
    // The address has an account now, so every other link is dead.
    expect(refusal(await verify(foreign))).toEqual([401, 'unauthorized'])
    expect(rows('users')).toHaveLength(1)
  })

  test('however many strangers register an address, its owner’s link works for its 24 hours', async () => {
    const on = behindProxy()
    const own = await registered({}, on)
    for (let hour = 0; hour < 23; hour++) {
      for (let n = 0; n < 10; n++) {
        const body = { client_name: `Stranger ${hour}`, password: 'the stranger’s password' }
        expect((await registerFrom(`203.0.113.${n}`, body, on)).status).toBe(202)
      }
      on.clock.advance(HOUR_MS)
    }
    on.clock.advance(HOUR_MS - 1)
    await on.tidy()
    expect((await verify(own, {}, on)).body['slug']).toBe('anna-s-shop')
    expect(rows('registrations', on)).toHaveLength(1)
    await on.close()
  })

  test('an account made meanwhile by the operator ends the link', async () => {
    const token = await registered()
    await app.accounts.setup({
      email: 'anna@shop.test',
      password: 'the operator’s choice',
      storeName: 'Other',
    })
    expect(refusal(await verify(token))).toEqual([401, 'unauthorized'])
    expect(rows('stores')).toHaveLength(1)
  })

  test('two stores of one name get two slugs', async () => {
    const tokens = [await registered(), await registered({ email: 'bert@shop.test' })]
    const slugs = []
    for (const token of tokens) slugs.push((await verify(token)).body['slug'])
    expect(slugs).toEqual(['anna-s-shop', 'anna-s-shop-2'])
  })

  test('it shows no secret', async () => {
    const { body } = await verify(await registered())
    expect(Object.keys(body).sort()).toEqual(['redirect', 'slug', 'status'])
  })
})

describe('GET /verify in a browser', () => {
  const page = (token: string) => verify(token, HTML)

  function expectPage({ headers, body }: Answer, words: string) {
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toStartWith("default-src 'none';")
    expect(headers.get('content-security-policy')).not.toMatch(/script-src|unsafe|https?:/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('vary')).toBe('accept')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const html = String(body['text'])
    expect(html).toStartWith('<!doctype html>')
    expect(html).toContain(`<h1>${words}</h1>`)
    expect(html).not.toContain('<script')
  }

  test('success, already verified and a bad link are pages', async () => {
    const token = await registered()
    const [done, again, bad] = [await page(token), await page(token), await page('x')]
    expect([done.status, again.status, bad.status]).toEqual([200, 200, 401])
    expectPage(done, 'Your account is ready')
    expectPage(again, 'Your address is confirmed already')
    expectPage(bad, 'This link does not work')
  })

  test('who would rather have JSON gets JSON', async () => {
    for (const accept of ['application/json', '*/*', 'text/html;q=0.5, application/json', 'text/html;q=0']) {
      expect(refusal(await verify('x', { accept }))).toEqual([401, 'unauthorized'])
    }
  })
})

test('the audit log knows what became of a registration, and nothing of who only asked', async () => {
  const token = await registered()
  expect(rows('audit_events')).toEqual([])
  await verify(token)
  const events = rows('audit_events')
  expect(events.map(({ action, actor_kind }) => [action, actor_kind])).toEqual([
    ['account.verified', 'anyone'],
    ['store.created', 'anyone'],
  ])
  expect(JSON.parse(String(events[0]?.['details']))).toEqual({ email: 'anna@shop.test' })
  expect(events[1]).toMatchObject({ store_id: rows('stores')[0]?.['id'], user_id: rows('users')[0]?.['id'] })
  await register()
  expect(rows('audit_events')).toHaveLength(2)
})

test('neither token nor password stands in the database, before and after', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-canary-'))
  const kept = testApp(
    {
      db: openDatabase(folder),
      ids: systemIds,
      mailer: { isConfigured: false, send: async () => undefined },
    },
    { REGISTRATION: 'invite' },
  )
  const { token: invite } = await kept.operator.invite('anna@shop.test')
  await register({ invite, password: 'canary password' }, kept)
  const token = /token=([\w-]{43})\n/.exec(kept.outbox.list().at(-1)?.text ?? '')?.[1] as string
  expect(token).toHaveLength(43)
  const everything = () =>
    ['lookalike.db', 'lookalike.db-wal'].map((name) => readFileSync(join(folder, name), 'latin1')).join('')
  const inspect = () => {
    const bytes = everything()
    expect(bytes).toContain('anna@shop.test')
    for (const secret of [invite, token, 'canary password']) expect(bytes).not.toContain(secret)
  }
  inspect()
  expect((await verify(token, {}, kept)).status).toBe(200)
  inspect()
  await kept.close()
  rmSync(folder, { recursive: true })
})
