import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemIds } from '../../../../src/core/ids.ts'
import { OperatorError } from '../../../../src/core/operator-error.ts'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { readRows } from '../../../support/seed.ts'

let app: TestApp

beforeEach(async () => {
  app = testApp()
  await app.store('anna')
})
afterEach(() => app.close())

const EMAIL = 'anna@shop.test'
const OLD = 'a long password'
const NEW = 'a brand new password'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

const forgot = (email: string, on = app) => on.call('POST', '/oauth/password/forgot', { body: { email } })

const mailedToken = (on = app): string =>
  /\/oauth\/password\/reset#token=([\w-]+)\n/.exec(on.mails.at(-1)?.text ?? '')?.[1] ?? 'no link was mailed'

/** A token out of a mail. */
async function asked(email = EMAIL): Promise<string> {
  expect((await forgot(email)).status).toBe(202)
  await app.settle()
  return mailedToken()
}

const reset = (token: string, password = NEW) =>
  app.call('POST', '/oauth/password/reset', { body: { token, password } })

const check = (token: string, headers: Record<string, string> = {}) =>
  app.call('GET', `/oauth/password/reset?token=${encodeURIComponent(token)}`, { headers })

const sendSignIn = (password: string) =>
  app.call('POST', '/oauth/login', { body: { email: EMAIL, password } })

const refusal = ({ status, body }: Answer) => [status, body['error']]
const pointers = ({ body }: Answer) =>
  (body['details'] as { errors: { pointer: string; code: string }[] }).errors.map(({ pointer, code }) => [
    pointer,
    code,
  ])
const events = (action: string) => readRows(app, 'audit_events', { action }) as Record<string, unknown>[]

describe('POST /oauth/password/forgot (contract 5.4)', () => {
  test('202 for every address, with one answer; only a known one gets a mail, and after the answer', async () => {
    const [known, unknown] = [await forgot(' ANNA@shop.test'), await forgot('bert@shop.test')]
    expect([known.status, known.body as object]).toEqual([
      202,
      {
        status: 'reset_requested',
        message:
          'If that address has an account, a mail with a link is on its way. The link works for an hour.',
        email_sent: true,
      },
    ])
    expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([202, JSON.stringify(known.body)])
    const headers = ({ headers: given }: Answer) => [...given].filter(([name]) => name !== 'x-request-id')
    expect(headers(known)).toEqual(headers(unknown))
    // Up to here nothing was looked up, so the time tells nothing either.
    expect([app.mails, events('password.reset_requested'), app.scheduled.length]).toEqual([[], [], 2])
    await app.settle()
    expect(app.mails.map(({ to, subject }) => [to, subject])).toEqual([[EMAIL, 'Choose a new password']])
    expect(events('password.reset_requested')).toEqual([expect.objectContaining({ actor_kind: 'anyone' })])
  })

  test('email_sent says whether mails are set up at all', async () => {
    const mute = testApp({ mailer: { isConfigured: false, send: async () => undefined } })
    const { body } = await forgot(EMAIL, mute)
    expect([body['email_sent'], body['message']]).toEqual([
      false,
      expect.stringContaining('ask its operator'),
    ])
    await mute.settle()
    await mute.close()
  })

  test('at most three mails an hour to one address; more are left out silently', async () => {
    const answers: Answer[] = []
    for (let n = 0; n < 5; n++) answers.push(await forgot(EMAIL))
    await app.settle()
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(app.mails).toHaveLength(3)
    app.clock.advance(HOUR_MS - 1)
    await forgot(EMAIL)
    await app.settle()
    expect(app.mails).toHaveLength(3)
    app.clock.advance(1)
    await forgot(EMAIL)
    await app.settle()
    expect(app.mails).toHaveLength(4)
  })

  test('429 rate_limit_exceeded: ten requests a minute from one address on the network, shared with /register', async () => {
    for (let n = 0; n < 9; n++) expect((await forgot(`p${n}@shop.test`)).status).toBe(202)
    const body = { client_name: 'Shop', email: 'p@shop.test', password: NEW }
    expect((await app.call('POST', '/register', { body })).status).toBe(202)
    const answer = await forgot(EMAIL)
    expect(refusal(answer)).toEqual([429, 'rate_limit_exceeded'])
    expect([answer.headers.get('retry-after'), answer.body['details']]).toEqual([
      '60',
      expect.objectContaining({ retry_after: 60 }),
    ])
    app.clock.advance(MINUTE_MS)
    expect((await forgot(EMAIL)).status).toBe(202)
  })

  test.each([
    [{}, [['/email', 'required']]],
    [{ email: 7 }, [['/email', 'type']]],
    [{ email: 'anna' }, [['/email', 'pattern']]],
    [{ email: 'a@b.test\nx' }, [['/email', 'pattern']]],
    [{ email: 'x'.repeat(321) }, [['/email', 'max_length']]],
  ])('422: %j', async (body, expected) => {
    const answer = await app.call('POST', '/oauth/password/forgot', { body })
    expect([answer.status, pointers(answer)]).toEqual([422, expected])
    expect(app.scheduled).toEqual([])
  })

  test('400 and 415', async () => {
    const send = (body: string, type: string) =>
      app.call('POST', '/oauth/password/forgot', { body, headers: { 'content-type': type } })
    expect(refusal(await send('{', 'application/json'))).toEqual([400, 'invalid_json'])
    expect(refusal(await send('email=a', 'text/plain'))).toEqual([415, 'unsupported_media_type'])
  })
})

describe('POST /oauth/password/reset (contract 5.4)', () => {
  test('200: the new password signs in, the old one does not, and every session has ended', async () => {
    const tokens = [await sendSignIn(OLD), await sendSignIn(OLD)].map(({ body }) =>
      String(body['access_token']),
    )
    const answer = await reset(await asked())
    expect([answer.status, answer.body as object]).toEqual([200, { status: 'password_reset' }])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    for (const token of tokens) {
      expect(refusal(await app.call('GET', '/v1/products', { token }))).toEqual([401, 'unauthorized'])
    }
    expect((await sendSignIn(NEW)).status).toBe(200)
    expect(refusal(await sendSignIn(OLD))).toEqual([401, 'unauthorized'])
    const [event] = events('password.reset')
    expect(event).toMatchObject({ actor_kind: 'anyone', details: '{"sessions_ended":2}' })
  })

  test('it forgets failed sign-ins, so a person who was locked out comes in', async () => {
    const token = await asked()
    for (let n = 0; n < 5; n++) await sendSignIn('not the password')
    expect(refusal(await sendSignIn(OLD))).toEqual([429, 'too_many_requests'])
    await reset(token)
    expect((await sendSignIn(NEW)).status).toBe(200)
  })

  test('a link works once, and ends the other links of the person', async () => {
    const [first, second] = [await asked(), await asked()]
    expect((await reset(second)).status).toBe(200)
    for (const token of [first, second]) expect(refusal(await reset(token))).toEqual([401, 'unauthorized'])
  })

  test('of many at once exactly one wins', async () => {
    const token = await asked()
    const passwords = Array.from({ length: 8 }, (_, n) => `${NEW} ${n}`)
    const answers = await Promise.all(passwords.map((password) => reset(token, password)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(401)])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await sendSignIn(passwords[winner] as string)).status).toBe(200)
  })

  test('a link works for an hour', async () => {
    const [early, late] = [await asked(), await asked()]
    app.clock.advance(HOUR_MS - 1)
    expect((await check(early)).status).toBe(200)
    app.clock.advance(1)
    for (const token of [early, late]) expect(refusal(await reset(token))).toEqual([401, 'unauthorized'])
    await app.tidy()
    expect(readRows(app, 'password_resets')).toEqual([])
  })

  test('401 unauthorized, one answer for every link that does not work', async () => {
    const used = await asked()
    await reset(used)
    const expired = await asked()
    app.clock.advance(HOUR_MS)
    const answers = [await reset(used), await reset(expired), await reset('x'), await reset('x', 'short')]
    expect(answers.map(refusal)).toEqual(answers.map(() => [401, 'unauthorized']))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  test('422: a bad password does not use the link up', async () => {
    const token = await asked()
    for (const [password, code] of [
      ['short', 'min_length'],
      ['password123', 'common'],
      ['anna@SHOP.test', 'personal'],
      ['zzzzzzzzzzzz', 'repeated'],
    ] as const) {
      const answer = await reset(token, password)
      expect([answer.status, pointers(answer)]).toEqual([422, [['/password', code]]])
      expect(JSON.stringify(answer.body)).not.toContain(password)
    }
    expect((await reset(token)).status).toBe(200)
  })

  test.each([
    [
      {},
      [
        ['/token', 'required'],
        ['/password', 'required'],
      ],
    ],
    [
      { token: '', password: '' },
      [
        ['/token', 'min_length'],
        ['/password', 'min_length'],
      ],
    ],
    [
      { token: 'x'.repeat(201), password: 'x'.repeat(1025) },
      [
        ['/token', 'max_length'],
        ['/password', 'max_length'],
      ],
    ],
    [
      { token: ['x'], password: 1 },
      [
        ['/token', 'type'],
        ['/password', 'type'],
      ],
    ],
  ])('422: %j', async (body, expected) => {
    const answer = await app.call('POST', '/oauth/password/reset', { body })
    expect([answer.status, pointers(answer)]).toEqual([422, expected])
  })

  test('400, 413 and 415', async () => {
    const send = (body: string, type: string) =>
      app.call('POST', '/oauth/password/reset', { body, headers: { 'content-type': type } })
    const form = 'application/x-www-form-urlencoded'
    expect(refusal(await send('{', 'application/json'))).toEqual([400, 'invalid_json'])
    expect(refusal(await send('token=a&token=b&password=x', form))).toEqual([400, 'invalid_request'])
    expect(refusal(await send('x'.repeat(1_048_577), form))).toEqual([413, 'payload_too_large'])
    expect(refusal(await send('token=a', 'text/plain'))).toEqual([415, 'unsupported_media_type'])
  })
})

describe('the page of a link', () => {
  function expectPage({ headers, body }: Answer, words: string): string {
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toStartWith("default-src 'none';")
    expect(policy).toContain("form-action 'none'")
    expect(policy).not.toMatch(/unsafe|https?:/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('vary')).toBe('accept')
    const html = String(body['text'])
    expect(html).toMatch(new RegExp(`<h1( tabindex="-1")?>${words}</h1>`))
    return html
  }

  test('is the same for every link, also for those of older mails and for those that do not work', async () => {
    const token = await asked()
    const pages = [await check(token, HTML), await check('x', HTML)]
    for (const query of ['', '?token=', `?token=${'x'.repeat(500)}`]) {
      pages.push(await app.call('GET', `/oauth/password/reset${query}`, { headers: HTML }))
    }
    for (const page of pages) {
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('vary')).toBe('accept-encoding, accept')
      const html = String(page.body['text'])
      expect(html).toContain('id="portal"')
      expect(html).toBe(String(pages[0]?.body['text']))
      expect(html).not.toMatch(new RegExp(`${token}|${EMAIL}`))
    }
    expect((await reset(token)).status).toBe(200)
  })

  /** What the form of an older version sends that was still open in a browser. */
  const submit = (token: string, password: string) =>
    app.call('POST', '/oauth/password/reset', {
      body: new URLSearchParams({ token, password }),
      headers: HTML,
    })

  test('a form of an older version still sets the password, and gets pages', async () => {
    const token = await asked()
    const [bad, refused, done] = [
      await submit('"><script>', NEW),
      await submit(token, 'password123'),
      await submit(token, NEW),
    ]
    expect([bad.status, refused.status, done.status]).toEqual([401, 422, 200])
    expectPage(bad, 'This link does not work')
    const html = expectPage(refused, 'This did not work')
    expect(html).toContain('Password is one of the most used passwords')
    expect(html).not.toContain('password123')
    expectPage(done, 'Your new password is set')
    for (const { body } of [bad, refused, done]) expect(body['text']).not.toContain('<script')
    expect((await sendSignIn(NEW)).status).toBe(200)
  })

  test('for programs: 200 with JSON, 401 and 422', async () => {
    const { status, body } = await check(await asked())
    expect([status, body as object]).toEqual([200, { status: 'valid', email: EMAIL }])
    expect(refusal(await check('x'))).toEqual([401, 'unauthorized'])
    expect((await app.call('GET', '/oauth/password/reset')).status).toBe(422)
  })
})

describe('the operator', () => {
  test('sets a password that follows the rule; sessions and failures are gone', async () => {
    const token = String((await sendSignIn(OLD)).body['access_token'])
    for (let n = 0; n < 5; n++) await sendSignIn('not the password')
    expect(await app.accounts.resetPassword(' Anna@shop.test', NEW)).toBeUndefined()
    expect(refusal(await app.call('GET', '/v1/products', { token }))).toEqual([401, 'unauthorized'])
    expect((await sendSignIn(NEW)).status).toBe(200)
    expect(events('password.reset')).toEqual([expect.objectContaining({ actor_kind: 'operator' })])
  })

  test('gets a random password when none is named, and only then', async () => {
    const made = String(await app.accounts.resetPassword(EMAIL))
    expect(made.length).toBeGreaterThanOrEqual(20)
    expect((await sendSignIn(made)).status).toBe(200)
  })

  test('ends the links that were mailed', async () => {
    const token = await asked()
    await app.accounts.resetPassword(EMAIL, NEW)
    expect(refusal(await reset(token))).toEqual([401, 'unauthorized'])
  })

  test('unlocks a person who failed too often', async () => {
    for (let n = 0; n < 5; n++) await sendSignIn('not the password')
    expect(refusal(await sendSignIn(OLD))).toEqual([429, 'too_many_requests'])
    app.accounts.unlock('ANNA@shop.test')
    expect((await sendSignIn(OLD)).status).toBe(200)
  })

  test.each([
    ['nobody@shop.test', NEW, 'nobody@shop.test has no account'],
    ['anna', NEW, 'must be a mail address'],
    [EMAIL, 'password123', 'is one of the most used passwords'],
    [EMAIL, EMAIL, 'must not be the e-mail address'],
  ])('%p with %p is refused', async (email, password, words) => {
    const error = await app.accounts.resetPassword(email, password).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(OperatorError)
    expect((error as Error).message).toContain(words)
    expect((await sendSignIn(OLD)).status).toBe(200)
  })
})

test('neither token nor password stands in the database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-canary-'))
  const kept = testApp({
    db: openDatabase(folder),
    ids: systemIds,
    mailer: { isConfigured: false, send: async () => undefined },
  })
  await kept.store('anna')
  await forgot(EMAIL, kept)
  await kept.settle()
  const token = /#token=([\w-]{43})\n/.exec(kept.outbox.list()[0]?.text ?? '')?.[1] as string
  expect(token).toHaveLength(43)
  const inspect = () => {
    const bytes = ['lookalike.db', 'lookalike.db-wal']
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('')
    expect(bytes).toContain(EMAIL)
    for (const secret of [token, 'canary password', OLD]) expect(bytes).not.toContain(secret)
  }
  inspect()
  const body = { token, password: 'canary password' }
  expect((await kept.call('POST', '/oauth/password/reset', { body })).status).toBe(200)
  inspect()
  await kept.close()
  rmSync(folder, { recursive: true })
})
