import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemIds } from '../../../../src/core/ids.ts'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { fingerprint } from '../../../support/people.ts'
import {
  BODY,
  behindProxy,
  confirm,
  HOUR_MS,
  HTML,
  mailedToken,
  PASSWORD,
  pointers,
  refusal,
  register,
  registered,
  rows,
  sendSignIn,
  verify,
} from './registering.ts'

let app: TestApp

beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

const WRONG = 'not the password'
const MINUTE_MS = 60_000

const cancel = (on: TestApp, token: unknown) => on.call('POST', '/verify/cancel', { body: { token } })

describe('POST /verify (contract 5.3)', () => {
  test('200 verified: link and password together make the account, and it is proven', async () => {
    const token = await registered(app)
    const answer = await confirm(app, token)
    expect([answer.status, answer.body as object]).toEqual([
      200,
      { status: 'verified', slug: 'anna-s-shop', redirect: '/anna-s-shop/portal' },
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(rows(app, 'users')).toEqual([
      expect.objectContaining({ email: 'anna@shop.test', is_super_admin: 0, proven_at: app.clock.now() }),
    ])
    expect(rows(app, 'stores')).toEqual([expect.objectContaining({ name: 'Anna’s shop', plan: 'free' })])
    expect(rows(app, 'memberships')).toEqual([expect.objectContaining({ role: 'owner' })])
    expect((await sendSignIn(app)).status).toBe(200)
    const [event] = rows(app, 'audit_events')
    expect([event?.['action'], event?.['details']]).toEqual([
      'account.verified',
      '{"email":"anna@shop.test","proven":true}',
    ])
  })

  test('a mail says that the account is open', async () => {
    await confirm(app, await registered(app))
    expect(app.mails).toHaveLength(1)
    await app.settle()
    expect(app.mails[1]).toMatchObject({ to: 'anna@shop.test', subject: 'Your account is open' })
  })

  test('the password may arrive in another Unicode form', async () => {
    const token = await registered(app, { password: 'Ångström units' })
    expect((await confirm(app, token, 'A\u030angstro\u0308m units')).status).toBe(200)
  })

  test('200 already_verified: of many at once exactly one verifies', async () => {
    const token = await registered(app)
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(app, token)))
    expect(answers.map(({ body }) => body['status']).sort()).toEqual([
      ...Array<string>(7).fill('already_verified'),
      'verified',
    ])
    for (const table of ['users', 'stores', 'memberships']) expect(rows(app, table)).toHaveLength(1)
  })

  test('beside a program that opens the link at the same moment there is one account, and it is proven', async () => {
    const token = await registered(app)
    const answers = await Promise.all([confirm(app, token), verify(app, token), confirm(app, token)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.filter(({ body }) => body['status'] === 'verified')).toHaveLength(1)
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ proven_at: app.clock.now() })])
  })

  test('what a program activated is proven by the link with the account’s present password', async () => {
    const token = await registered(app)
    await verify(app, token)
    app.clock.advance(MINUTE_MS)
    expect(refusal(await confirm(app, token, WRONG))).toEqual([401, 'unauthorized'])
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ proven_at: null })])
    const { status, body } = await confirm(app, token)
    expect([status, body['status'], body['slug']]).toEqual([200, 'already_verified', 'anna-s-shop'])
    const provenAt = app.clock.now()
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ proven_at: provenAt })])
    app.clock.advance(1)
    await confirm(app, token)
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ proven_at: provenAt })])
    expect(rows(app, 'audit_events').filter(({ action }) => action === 'account.proven')).toEqual([
      expect.objectContaining({
        user_id: rows(app, 'users')[0]?.['id'],
        store_id: null,
        actor_kind: 'anyone',
      }),
    ])
  })

  test('401: a password that was changed since no longer proves anything', async () => {
    const token = await registered(app)
    await verify(app, token)
    const access = String((await sendSignIn(app)).body['access_token'])
    const body = { current_password: PASSWORD, new_password: 'the next long password' }
    await app.call('POST', '/v1/me/password', { token: access, body })
    expect(refusal(await confirm(app, token))).toEqual([401, 'unauthorized'])
    expect((await confirm(app, token, 'the next long password')).status).toBe(200)
  })

  test('401: one answer for a wrong password and for every link that does not work', async () => {
    const on = behindProxy()
    const expired = await registered(on)
    on.clock.advance(24 * HOUR_MS)
    const [open, cancelled, foreign] = [
      await registered(on, { email: 'bert@shop.test' }),
      await registered(on, { email: 'carla@shop.test' }),
      await registered(on, { email: 'dora@shop.test', password: 'the stranger’s password' }),
    ]
    await cancel(on, cancelled)
    await confirm(on, await registered(on, { email: 'dora@shop.test' }))
    const answers = [
      await confirm(on, open, WRONG),
      await confirm(on, expired),
      await confirm(on, cancelled),
      // The address has an account now, so every other link is dead.
      await confirm(on, foreign, 'the stranger’s password'),
      await confirm(on, 'x'),
      await confirm(on, 'ü\u0000'),
    ]
    expect(answers.map(refusal)).toEqual(answers.map(() => [401, 'unauthorized']))
    expect(new Set(answers.map(fingerprint)).size).toBe(1)
    expect(String(answers[0]?.body['message'])).toContain('register again')
    await on.close()
  })

  test('a known address gets no link, so nothing can be tried against its account', async () => {
    await confirm(app, await registered(app))
    await app.settle()
    await register(app, { password: 'another long one' })
    expect(app.mails.at(-1)?.subject).toBe('You already have an account')
    expect(app.mails.at(-1)?.text).not.toContain('token=')
  })

  test('five wrong passwords end the link, for programs too; a new registration helps', async () => {
    const on = behindProxy()
    const token = await registered(on)
    for (let n = 0; n < 4; n++) expect((await confirm(on, token, `${WRONG} ${n}`)).status).toBe(401)
    // Others' links have a count of their own.
    const other = await registered(on, { email: 'bert@shop.test' })
    expect((await confirm(on, token, WRONG)).status).toBe(401)
    on.clock.advance(HOUR_MS)
    for (const answer of [await confirm(on, token), await verify(on, token)]) {
      expect(refusal(answer)).toEqual([401, 'unauthorized'])
    }
    expect((await on.call('HEAD', `/verify?token=${token}`)).status).toBe(401)
    expect(rows(on, 'users')).toEqual([])
    expect((await confirm(on, other)).status).toBe(200)
    expect((await confirm(on, await registered(on))).status).toBe(200)
    await on.close()
  })

  test('the operator may still activate what five wrong passwords have ended', async () => {
    const token = await registered(app)
    for (let n = 0; n < 5; n++) await confirm(app, token, WRONG)
    expect(app.accounts.verify(BODY.email)).toMatchObject({ status: 'verified' })
    expect((await sendSignIn(app)).status).toBe(200)
  })

  test('of many wrong passwords at once no more than five are checked', async () => {
    const on = behindProxy()
    const token = await registered(on)
    const guesses = Array.from({ length: 30 }, (_, n) => (n === 5 ? PASSWORD : `${WRONG} ${n}`))
    const answers = await Promise.all(
      guesses.map((guess, n) => confirm(on, token, guess, { 'x-forwarded-for': `203.0.${n}.1` })),
    )
    // The sixth was the right one.
    expect(answers.map(({ status }) => status)).toEqual(guesses.map(() => 401))
    expect(rows(on, 'registrations')).toEqual([expect.objectContaining({ wrong_passwords: 5 })])
    await on.close()
  })

  test('wrong passwords still count after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-wrong-'))
    const start = () => testApp({ db: openDatabase(folder), ids: systemIds })
    const first = start()
    const token = await registered(first)
    for (let n = 0; n < 3; n++) await confirm(first, token, WRONG)
    await first.close()
    const second = start()
    for (let n = 0; n < 2; n++) await confirm(second, token, WRONG)
    expect(refusal(await confirm(second, token))).toEqual([401, 'unauthorized'])
    await second.close()
    rmSync(folder, { recursive: true })
  })

  test('429 rate_limit_exceeded: ten a minute of one address on the network, shared with the sign-ins', async () => {
    const token = await registered(app)
    for (let n = 0; n < 4; n++) await confirm(app, 'x', WRONG)
    for (let n = 0; n < 5; n++) await sendSignIn(app, WRONG, 'nobody@shop.test')
    expect((await cancel(app, 'x')).status).toBe(200)
    for (const answer of [await confirm(app, token), await cancel(app, token), await sendSignIn(app)]) {
      expect(refusal(answer)).toEqual([429, 'rate_limit_exceeded'])
      expect(answer.headers.get('retry-after')).toBe('60')
    }
    app.clock.advance(MINUTE_MS)
    expect((await confirm(app, token)).status).toBe(200)
  })

  test('503 overloaded: a password that could not be looked at is not counted', async () => {
    const on = behindProxy()
    const token = await registered(on)
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, n) =>
        confirm(on, `${n}`, WRONG, { 'x-forwarded-for': `203.0.${n}.1` }),
      ).concat(confirm(on, token, WRONG, { 'x-forwarded-for': '198.51.100.1' })),
    )
    expect(answers.map(({ status }) => status)).toContain(503)
    expect(refusal(answers.at(-1) as (typeof answers)[0])).toEqual([503, 'overloaded'])
    expect(rows(on, 'registrations')).toEqual([expect.objectContaining({ wrong_passwords: 0 })])
    await on.close()
  })

  test.each([
    [{}, ['/token', '/password']],
    [{ token: 'x' }, ['/password']],
    [{ token: '', password: '' }, ['/token', '/password']],
    [{ token: 'x'.repeat(201), password: 'x'.repeat(1025) }, ['/token', '/password']],
    [{ token: ['x'], password: { $ne: '' } }, ['/token', '/password']],
  ])('422: %j', async (body, expected) => {
    const answer = await app.call('POST', '/verify', { body })
    expect([answer.status, pointers(answer).map(([pointer]) => pointer)]).toEqual([422, expected])
  })

  test('400 and 415; a form of another site is not read', async () => {
    const token = await registered(app)
    const send = (body: string, type: string) =>
      app.call('POST', '/verify', { body, headers: { 'content-type': type, ...HTML } })
    expect(refusal(await send('{', 'application/json'))).toEqual([400, 'invalid_json'])
    const form = `token=${token}&password=${encodeURIComponent(PASSWORD)}`
    expect(refusal(await send(form, 'application/x-www-form-urlencoded'))).toEqual([
      415,
      'unsupported_media_type',
    ])
    const json = JSON.stringify({ token, password: PASSWORD })
    expect(refusal(await send(json, 'text/plain'))).toEqual([415, 'unsupported_media_type'])
    expect(rows(app, 'users')).toEqual([])
  })

  test('a token in the query of a POST counts for nothing', async () => {
    const token = await registered(app)
    const answer = await app.call('POST', `/verify?token=${token}`, { body: { password: PASSWORD } })
    expect(answer.status).toBe(422)
    expect(rows(app, 'users')).toEqual([])
  })
})

describe('POST /verify/cancel (contract 5.3)', () => {
  test('200 cancelled: deletes every open registration of the address, whoever asked for it', async () => {
    const own = await registered(app)
    const foreign = await registered(app, { client_name: 'Stranger', password: 'the stranger’s password' })
    const bystander = await registered(app, { email: 'bert@shop.test' })
    const answer = await cancel(app, own)
    expect([answer.status, answer.body as object]).toEqual([200, { status: 'cancelled' }])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(rows(app, 'registrations').map(({ email }) => email)).toEqual(['bert@shop.test'])
    for (const token of [own, foreign]) {
      expect(refusal(await verify(app, token))).toEqual([401, 'unauthorized'])
    }
    expect(refusal(await sendSignIn(app))).toEqual([401, 'unauthorized'])
    expect((await confirm(app, bystander)).status).toBe(200)
  })

  test('the answer is the same for a link that does not exist, was used, or was cancelled', async () => {
    const token = await registered(app)
    const used = await registered(app, { email: 'bert@shop.test' })
    await confirm(app, used)
    const answers = [await cancel(app, token), await cancel(app, token)]
    for (const one of ['x', 'ü\u0000', used]) answers.push(await cancel(app, one))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(fingerprint)).size).toBe(1)
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ email: 'bert@shop.test' })])
  })

  test('an ended link can still refuse, and the address may register again', async () => {
    const token = await registered(app)
    for (let n = 0; n < 5; n++) await confirm(app, token, WRONG)
    await cancel(app, token)
    expect(rows(app, 'registrations')).toEqual([])
    app.clock.advance(MINUTE_MS)
    await register(app)
    expect((await confirm(app, mailedToken(app))).status).toBe(200)
  })

  test('a GET, a HEAD and a POST without a token delete nothing', async () => {
    const token = await registered(app)
    for (const headers of [HTML, { accept: 'application/json' }]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await app.call(method, `/verify/cancel?token=${token}`, { headers })
        expect(answer.status).toBe(200)
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    }
    for (const body of [{}, { token: '' }, { token: 'x'.repeat(201) }, { token: [token] }]) {
      expect((await app.call('POST', `/verify/cancel?token=${token}`, { body })).status).toBe(422)
    }
    const form = { body: `token=${token}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect(refusal(await app.call('POST', '/verify/cancel', form))).toEqual([415, 'unsupported_media_type'])
    expect(refusal(await app.call('POST', '/verify/cancel', { ...form, body: '{' }))).toEqual([
      415,
      'unsupported_media_type',
    ])
    const broken = { body: '{', headers: { 'content-type': 'application/json' } }
    expect(refusal(await app.call('POST', '/verify/cancel', broken))).toEqual([400, 'invalid_json'])
    expect((await confirm(app, token)).status).toBe(200)
  })
})
