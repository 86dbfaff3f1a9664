import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { readRows } from '../../../support/seed.ts'

let app: TestApp

beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

const HOUR_MS = 3_600_000
const BODY = { client_name: 'Anna’s shop', email: 'anna@shop.test', password: 'a long password' }

const register = (body: object, on = app) => on.call('POST', '/register', { body: { ...BODY, ...body } })
const refusal = ({ status, body }: Answer) => [status, body['error']]

describe('the setting REGISTRATION', () => {
  test('closed: 403 permission_denied for everyone', async () => {
    const closed = testApp({}, { REGISTRATION: 'closed' })
    const { token } = await closed.accounts.invite('anna@shop.test')
    closed.mails.length = 0
    for (const body of [{}, { invite: token }]) {
      const answer = await register(body, closed)
      expect(refusal(answer)).toEqual([403, 'permission_denied'])
      expect(answer.body['details']).toMatchObject({ registration: 'closed' })
    }
    expect(closed.mails).toEqual([])
    await closed.close()
  })

  test('invite: an invitation works for its own address, once', async () => {
    const closed = testApp({}, { REGISTRATION: 'invite' })
    const { token } = await closed.accounts.invite('Anna@shop.test')
    expect(closed.mails[0]).toMatchObject({ to: 'anna@shop.test' })
    expect(closed.mails[0]?.text).toContain(token)
    for (const body of [
      {},
      { invite: '' },
      { invite: `${token}x` },
      { invite: token, email: 'bert@shop.test' },
    ]) {
      const answer = await register(body, closed)
      expect(refusal(answer)).toEqual([403, 'permission_denied'])
      expect(answer.body['details']).toMatchObject({ registration: 'invite' })
    }
    // A refused password leaves the invitation as it is.
    expect((await register({ invite: token, password: 'password123' }, closed)).status).toBe(422)
    const answers = await Promise.all([1, 2, 3].map(() => register({ invite: token }, closed)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 403, 403])
    const link = /\/verify#token=([\w-]+)/.exec(closed.mails.at(-1)?.text ?? '')?.[1] ?? ''
    const confirmation = { token: link, password: BODY.password }
    expect((await closed.call('POST', '/verify', { body: confirmation })).status).toBe(200)
    await closed.close()
  })

  test('invite: an invitation lasts 7 days', async () => {
    const closed = testApp({}, { REGISTRATION: 'invite' })
    const tokens = [
      await closed.accounts.invite('anna@shop.test'),
      await closed.accounts.invite('bert@shop.test'),
    ]
    closed.clock.advance(7 * 24 * HOUR_MS - 1)
    expect((await register({ invite: tokens[0]?.token }, closed)).status).toBe(202)
    closed.clock.advance(1)
    expect((await register({ invite: tokens[1]?.token, email: 'bert@shop.test' }, closed)).status).toBe(403)
    await closed.close()
  })

  test('open: an invitation is not needed and stays as it is', async () => {
    const { token } = await app.accounts.invite('anna@shop.test')
    expect((await register({ invite: token })).status).toBe(202)
    expect(readRows(app, 'registration_invites')).toEqual([expect.objectContaining({ used_at: null })])
  })
})
