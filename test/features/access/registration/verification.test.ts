import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import {
  BODY,
  behindProxy,
  HOUR_MS,
  HTML,
  PASSWORD,
  pointers,
  refusal,
  registered,
  registerFrom,
  rows,
  sendSignIn,
  verify,
} from './registering.ts'

let app: TestApp

beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

describe('GET /verify (contract 5.3)', () => {
  test('200 verified: makes user, store and ownership; the password signs in', async () => {
    const token = await registered(app)
    expect(refusal(await sendSignIn(app))).toEqual([403, 'account_not_verified'])
    const answer = await verify(app, token)
    expect([answer.status, answer.body as object]).toEqual([
      200,
      { status: 'verified', slug: 'anna-s-shop', redirect: '/anna-s-shop/portal' },
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('vary')).toBe('accept, sec-fetch-mode, user-agent')
    expect(rows(app, 'users')).toEqual([
      expect.objectContaining({ email: 'anna@shop.test', is_super_admin: 0, verified_at: app.clock.now() }),
    ])
    expect(rows(app, 'stores')).toEqual([expect.objectContaining({ name: 'Anna’s shop', plan: 'free' })])
    expect(rows(app, 'memberships')).toEqual([expect.objectContaining({ role: 'owner' })])
    const { status, body } = await sendSignIn(app)
    expect([status, body['redirect'], body['is_super_admin']]).toEqual([200, '/anna-s-shop/portal', false])
  })

  test('the store is on DEFAULT_PLAN, the first one too', async () => {
    const premium = testApp({}, { DEFAULT_PLAN: 'premium' })
    await verify(premium, await registered(premium))
    expect(rows(premium, 'stores')).toEqual([expect.objectContaining({ plan: 'premium' })])
    await premium.close()
  })

  test('HEAD only looks: it tells whether the link works, and activates nothing', async () => {
    const token = await registered(app)
    expect((await app.call('HEAD', `/verify?token=${token}`)).status).toBe(200)
    expect((await app.call('HEAD', '/verify?token=nope')).status).toBe(401)
    expect(rows(app, 'users')).toEqual([])
    expect((await verify(app, token)).body['status']).toBe('verified')
    expect((await app.call('HEAD', `/verify?token=${token}`)).status).toBe(200)
  })

  test('200 already_verified: a link that was used says so for 30 days, and changes nothing', async () => {
    const token = await registered(app)
    await verify(app, token)
    const users = rows(app, 'users')
    app.clock.advance(30 * 24 * HOUR_MS - 1)
    await app.tidy()
    const again = await verify(app, token)
    expect([again.status, again.body['status'], again.body['slug']]).toEqual([
      200,
      'already_verified',
      'anna-s-shop',
    ])
    expect(rows(app, 'users')).toEqual(users)
    app.clock.advance(1)
    await app.tidy()
    expect(refusal(await verify(app, token))).toEqual([401, 'unauthorized'])
  })

  test('of many at once exactly one verifies', async () => {
    const token = await registered(app)
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(app, token)))
    expect(answers.map(({ body }) => body['status']).sort()).toEqual([
      ...Array<string>(7).fill('already_verified'),
      'verified',
    ])
    for (const table of ['users', 'stores', 'memberships']) expect(rows(app, table)).toHaveLength(1)
  })

  test('a link lives for 24 hours', async () => {
    const [early, late] = [await registered(app), await registered(app, { email: 'bert@shop.test' })]
    app.clock.advance(24 * HOUR_MS - 1)
    expect((await verify(app, early)).status).toBe(200)
    app.clock.advance(1)
    expect(refusal(await verify(app, late))).toEqual([401, 'unauthorized'])
    expect(refusal(await sendSignIn(app, PASSWORD, 'bert@shop.test'))).toEqual([401, 'unauthorized'])
    await app.tidy()
    expect(rows(app, 'registrations').map(({ email }) => email)).toEqual(['anna@shop.test'])
  })

  test('401 unauthorized, one answer for every link that does not work', async () => {
    const expired = await registered(app)
    app.clock.advance(24 * HOUR_MS)
    const answers = [
      await verify(app, expired),
      await verify(app, 'x'),
      await verify(app, 'x'.repeat(200)),
      await verify(app, 'ü\u0000'),
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
    const own = await registered(app)
    const foreign = await registered(app, { password: 'the stranger’s password', client_name: 'Stranger' })
    expect((await verify(app, own)).body['slug']).toBe('anna-s-shop')
    expect((await sendSignIn(app)).status).toBe(200)
    expect(refusal(await sendSignIn(app, 'the stranger’s password'))).toEqual([401, 'unauthorized'])
    // The address has an account now, so every other link is dead.
    expect(refusal(await verify(app, foreign))).toEqual([401, 'unauthorized'])
    expect(rows(app, 'users')).toHaveLength(1)
  })

  test('however many strangers register an address, its owner’s link works for its 24 hours', async () => {
    const on = behindProxy()
    const own = await registered(on)
    for (let hour = 0; hour < 23; hour++) {
      for (let n = 0; n < 10; n++) {
        const body = { client_name: `Stranger ${hour}`, password: 'the stranger’s password' }
        expect((await registerFrom(`203.0.113.${n}`, body, on)).status).toBe(202)
      }
      on.clock.advance(HOUR_MS)
    }
    on.clock.advance(HOUR_MS - 1)
    await on.tidy()
    expect((await verify(on, own)).body['slug']).toBe('anna-s-shop')
    expect(rows(on, 'registrations')).toHaveLength(1)
    await on.close()
  })

  test('an account made meanwhile by the operator ends the link', async () => {
    const token = await registered(app)
    await app.setup.run({
      email: 'anna@shop.test',
      password: 'the operator’s choice',
      storeName: 'Other',
    })
    expect(refusal(await verify(app, token))).toEqual([401, 'unauthorized'])
    expect(rows(app, 'stores')).toHaveLength(1)
  })

  test('two stores of one name get two slugs', async () => {
    const tokens = [await registered(app), await registered(app, { email: 'bert@shop.test' })]
    const slugs = []
    for (const token of tokens) slugs.push((await verify(app, token)).body['slug'])
    expect(slugs).toEqual(['anna-s-shop', 'anna-s-shop-2'])
  })

  test('it shows no secret', async () => {
    const { body } = await verify(app, await registered(app))
    expect(Object.keys(body).sort()).toEqual(['redirect', 'slug', 'status'])
  })

  test('the account is marked as not proven, for nobody has shown its password with the link', async () => {
    await verify(app, await registered(app))
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ proven_at: null })])
    // Whoever registered has the password, so a sign-in says nothing about the mailbox.
    expect((await sendSignIn(app)).status).toBe(200)
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ proven_at: null })])
  })

  test('a mail says that the account is open; its link sets a new password, ends every sign-in and proves the account', async () => {
    await verify(app, await registered(app))
    await app.settle()
    expect(app.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['anna@shop.test', 'Confirm your e-mail address'],
      ['anna@shop.test', 'Your account is open'],
    ])
    expect(app.mails[1]?.text).not.toContain('shop’s')
    const link = /^http:\/\/lookalike\.test\/oauth\/password\/reset#token=([\w-]+)$/m.exec(
      app.mails[1]?.text ?? '',
    )
    app.clock.advance(24 * HOUR_MS - 1)
    const token = String((await sendSignIn(app)).body['access_token'])
    const body = { token: link?.[1], password: 'the owner’s own password' }
    expect((await app.call('POST', '/oauth/password/reset', { body })).status).toBe(200)
    expect(refusal(await app.call('GET', '/v1/me', { token }))).toEqual([401, 'unauthorized'])
    expect(refusal(await sendSignIn(app))).toEqual([401, 'unauthorized'])
    expect((await sendSignIn(app, 'the owner’s own password')).status).toBe(200)
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ proven_at: app.clock.now() })])
  })

  test('the mail comes once, and its link dies after 24 hours', async () => {
    const token = await registered(app)
    for (let n = 0; n < 3; n++) await verify(app, token)
    await app.settle()
    expect(app.mails).toHaveLength(2)
    const link = /reset#token=([\w-]+)$/m.exec(app.mails[1]?.text ?? '')?.[1]
    app.clock.advance(24 * HOUR_MS)
    const body = { token: link, password: 'the owner’s own password' }
    expect(refusal(await app.call('POST', '/oauth/password/reset', { body }))).toEqual([401, 'unauthorized'])
  })

  test('changing the password after a sign-in proves nothing', async () => {
    await verify(app, await registered(app))
    const token = String((await sendSignIn(app)).body['access_token'])
    const body = { current_password: PASSWORD, new_password: 'the stranger’s next one' }
    expect((await app.call('POST', '/v1/me/password', { token, body })).status).toBe(200)
    expect(rows(app, 'users')).toEqual([expect.objectContaining({ proven_at: null })])
  })

  test('accounts of setup and of the operator are proven, and so is a password that the operator set', async () => {
    await app.store('carla')
    await registered(app)
    app.accounts.verify(BODY.email)
    await verify(app, await registered(app, { email: 'bert@shop.test' }))
    await app.accounts.resetPassword('bert@shop.test', 'the operator’s choice')
    const now = app.clock.now()
    expect(rows(app, 'users').map(({ email, proven_at }) => [email, proven_at])).toEqual([
      ['carla@shop.test', now],
      ['anna@shop.test', now],
      ['bert@shop.test', now],
    ])
    // The operator's command has no time to send it, so the service does.
    expect(app.outbox.list().map(({ recipient, subject }) => [recipient, subject])).toContainEqual([
      'anna@shop.test',
      'Your account is open',
    ])
  })
})

describe('GET /verify in a browser', () => {
  const BROWSERS: Record<string, Record<string, string>> = {
    'prefers HTML': HTML,
    navigates: { 'sec-fetch-mode': 'navigate', accept: '*/*' },
    'says so': { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', accept: 'application/json' },
  }

  test.each(Object.keys(BROWSERS))('whoever %s gets a page, and nothing is activated', async (kind) => {
    const token = await registered(app)
    const headers = BROWSERS[kind] ?? {}
    const pages = [await verify(app, token, headers)]
    for (const query of ['', '?token=', `?token=${'x'.repeat(500)}`, '?token=nope', '?token=a&token=b']) {
      pages.push(await app.call('GET', `/verify${query}`, { headers }))
    }
    for (const page of pages) {
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('vary')).toContain('accept, sec-fetch-mode, user-agent')
      // One page for all: it does not tell which links there are.
      expect(page.body['text']).toBe(String(pages[0]?.body['text']))
    }
    expect(String(pages[0]?.body['text'])).not.toContain(token)
    for (const table of ['users', 'stores', 'memberships']) expect(rows(app, table)).toEqual([])
    expect((await app.call('HEAD', `/verify?token=${token}`, { headers })).status).toBe(200)
    expect(rows(app, 'users')).toEqual([])
  })

  test.each([
    { accept: 'application/json' },
    { accept: '*/*' },
    { accept: 'text/html;q=0.5, application/json' },
    { accept: 'text/html;q=0' },
    { 'sec-fetch-mode': 'cors' },
    { 'user-agent': 'curl/8.5.0' },
    { 'user-agent': 'not Mozilla/5.0' },
  ])('%j is a program and gets JSON', async (headers) => {
    expect(refusal(await verify(app, 'x', headers as Record<string, string>))).toEqual([401, 'unauthorized'])
    expect((await app.call('GET', '/verify', { headers: headers as Record<string, string> })).status).toBe(
      422,
    )
    const { status, body } = await verify(app, await registered(app), headers as Record<string, string>)
    expect([status, body['status']]).toEqual([200, 'verified'])
  })
})
