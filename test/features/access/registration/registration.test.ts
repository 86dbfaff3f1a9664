import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemIds } from '../../../../src/core/ids.ts'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import {
  BODY,
  behindProxy,
  HOUR_MS,
  pointers,
  refusal,
  register,
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

describe('POST /register (contract 5.3)', () => {
  test('202: mails a link, and nothing of the account exists', async () => {
    const answer = await register(app)
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
    expect(app.mails[0]?.text).toMatch(/^http:\/\/lookalike\.test\/verify#token=[\w-]+$/m)
    expect(app.mails[0]?.text).toMatch(/^http:\/\/lookalike\.test\/verify\/cancel#token=[\w-]+$/m)
    // What stands behind the # is sent to nobody by whatever opens the link.
    expect(app.mails[0]?.text).not.toContain('?')
    for (const table of ['users', 'stores', 'memberships']) expect(rows(app, table)).toEqual([])
  })

  test('a known address gets the same answer and a mail of its own, and nothing of its account changes', async () => {
    await verify(app, await registered(app))
    const before = rows(app, 'users')
    const [known, unknown] = [
      await register(app, { client_name: 'Other', password: 'another long one' }),
      await register(app, { email: 'bert@shop.test' }),
    ]
    expect(known.status).toBe(unknown.status)
    expect(JSON.stringify(known.body)).toBe(JSON.stringify(unknown.body))
    const headers = ({ headers: given }: Answer) => [...given].filter(([name]) => name !== 'x-request-id')
    expect(headers(known)).toEqual(headers(unknown))
    const mail = app.mails.at(-2)
    expect(mail).toMatchObject({ to: 'anna@shop.test', subject: 'You already have an account' })
    expect(mail?.text).not.toContain('token=')
    expect(rows(app, 'users')).toEqual(before)
    expect((await sendSignIn(app)).status).toBe(200)
    // As for an address without an account: who registers it learns nothing by signing in.
    expect(refusal(await sendSignIn(app, 'another long one'))).toEqual([403, 'account_not_verified'])
    expect(refusal(await sendSignIn(app, 'a wrong long one'))).toEqual([401, 'unauthorized'])
  })

  test('the mail says when the account was requested, which tells several mails apart', async () => {
    app.clock.advance(61_000)
    await verify(app, await registered(app))
    await register(app)
    for (const { text } of app.mails) {
      expect(text).toContain('requested an account with this e-mail address on 2030-01-01 at 00:01:01 UTC')
    }
  })

  test('the mail contains nothing that a stranger typed', async () => {
    await register(app, { client_name: 'Win a prize at evil.test' })
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
    const { status, body } = await register(other)
    expect([status, body['email_sent']]).toEqual([202, false])
    expect(String(body['message'])).toContain('could not be sent')
    isDown = false
    other.clock.advance(60_000)
    expect(await other.outbox.retryDue()).toBe(1)
    const token = /token=([\w-]+)/.exec(sent[0] ?? '')?.[1] ?? ''
    expect((await verify(other, token)).status).toBe(200)
    await other.close()
  })

  test('without a mail server the mail can be read in the outbox', async () => {
    const other = testApp({ mailer: { isConfigured: false, send: async () => undefined } })
    expect((await register(other)).body['email_sent']).toBe(false)
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
    const answer = await register(app, fault)
    expect(answer.status).toBe(422)
    expect(pointers(answer)).toEqual(expected)
    expect(JSON.stringify(answer.body)).not.toMatch(/password123|qwertyuiop/)
    expect([app.mails, rows(app, 'registrations')]).toEqual([[], []])
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
      const { status } = await register(app, { email: n % 2 ? `p${n}@shop.test` : 'éva@shop.test' })
      expect(status).toBe(n % 2 ? 202 : 422)
    }
    const answer = await register(app, { email: 'p11@shop.test' })
    expect(refusal(answer)).toEqual([429, 'rate_limit_exceeded'])
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(answer.body['details']).toMatchObject({ retry_after: 60 })
    app.clock.advance(60_000)
    expect((await register(app, { email: 'p11@shop.test' })).status).toBe(202)
  })

  test('what is wrong with an address is said in words', async () => {
    const messages = async (email: string) => (await register(app, { email })).body['message']
    expect(await messages('nope')).toBe('email has the wrong format: E-mail address, like anna@shop.example.')
    expect(await messages('éva@shop.test')).toContain('no letters outside a-z before the @')
  })

  test('429: five an hour of one mail address from one client, whether it has an account or not', async () => {
    const known = behindProxy()
    await verify(known, await registered(known))
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

test('the audit log knows what became of a registration, and nothing of who only asked', async () => {
  const token = await registered(app)
  expect(rows(app, 'audit_events')).toEqual([])
  await verify(app, token)
  const events = rows(app, 'audit_events')
  expect(events.map(({ action, actor_kind }) => [action, actor_kind])).toEqual([
    ['account.verified', 'anyone'],
    ['store.created', 'anyone'],
  ])
  expect(JSON.parse(String(events[0]?.['details']))).toEqual({ email: 'anna@shop.test', proven: false })
  expect(events[1]).toMatchObject({
    store_id: rows(app, 'stores')[0]?.['id'],
    user_id: rows(app, 'users')[0]?.['id'],
  })
  await register(app)
  expect(rows(app, 'audit_events')).toHaveLength(2)
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
  const { token: invite } = await kept.accounts.invite('anna@shop.test')
  await register(kept, { invite, password: 'canary password' })
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
  expect((await verify(kept, token)).status).toBe(200)
  inspect()
  await kept.close()
  rmSync(folder, { recursive: true })
})
