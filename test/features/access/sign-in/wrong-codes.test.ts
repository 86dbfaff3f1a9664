import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Ports } from '../../../../src/ports.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  type Authenticator,
  enableTwoFactor,
  from,
  getToken,
  PASSWORD,
  type Person,
  refusal,
  type SignInWorld,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'

const MINUTE = 60_000
const QUARTER = 15 * MINUTE

let app: TestApp
let anna: Person
let signIn: SignInWorld['signIn']
let phone: Authenticator

beforeEach(async () => {
  await begin()
})
afterEach(() => app.close())

async function begin(ports?: Partial<Ports>): Promise<void> {
  ;({ app, anna, signIn } = await signInWorld([], ports))
  phone = await enableTwoFactor(app, await getToken(app, anna))
  app.clock.advance(10 * MINUTE)
}

/** Codes of ten minutes ago, of which no more than five are looked at in a quarter of an hour. */
async function guess(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    if (n > 0 && n % 5 === 0) app.clock.advance(QUARTER)
    expect(refusal(await signIn({ totp_code: phone.code(-20) }))).toEqual([401, 'invalid_2fa'])
  }
}

/** The mails, once all that was put off has been done. */
async function mailsNow() {
  await app.settle()
  return app.mails
}

describe('ten wrong codes since the last success', () => {
  test('are told by mail, once, in words and without a link that opens anything', async () => {
    await guess(9)
    expect(await mailsNow()).toEqual([])
    app.clock.advance(QUARTER)
    await guess(1)
    const [mail, ...others] = await mailsNow()
    expect(others).toEqual([])
    expect(mail?.to).toBe(anna.email)
    expect(mail?.subject).toBe('Someone knows your password')
    expect(mail?.text).toContain('10 wrong codes')
    expect(mail?.text).toContain('change your password now')
    expect(mail?.text).not.toMatch(/token|[?&#][a-z_]+=/)
    app.clock.advance(2 * QUARTER)
    await guess(3)
    expect(await mailsNow()).toHaveLength(1)
  })

  test('are counted over any time, recovery codes with the others', async () => {
    for (let n = 0; n < 10; n++) {
      await signIn(n % 2 ? { totp_code: phone.code(-20) } : { recovery_code: 'aaaaa-aaaaa' })
      app.clock.advance(86_400_000)
    }
    expect(await mailsNow()).toHaveLength(1)
  })

  test('begin anew with a success: by a code, or by a recovery code', async () => {
    await guess(9)
    app.clock.advance(QUARTER)
    expect((await signIn({ totp_code: phone.code() })).status).toBe(200)
    await guess(9)
    app.clock.advance(QUARTER)
    expect((await signIn({ recovery_code: phone.recoveryCodes[0] })).status).toBe(200)
    await guess(9)
    expect(await mailsNow()).toEqual([])
    app.clock.advance(QUARTER)
    await guess(1)
    expect(await mailsNow()).toHaveLength(1)
  })

  test('wrong passwords are none, with a code or without, nor is a login without a code', async () => {
    for (let n = 0; n < 30; n++) {
      await signIn({ password: 'another password', totp_code: phone.code(-20) })
      await signIn()
      app.clock.advance(QUARTER)
    }
    expect(await mailsNow()).toEqual([])
  })

  test('codes that are not looked at are none', async () => {
    await guess(5)
    for (let n = 0; n < 20; n++) await signIn({ totp_code: phone.code(-20) })
    expect(await mailsNow()).toEqual([])
  })

  test('a second series after a success sends another mail', async () => {
    for (const expected of [1, 2]) {
      await guess(10)
      app.clock.advance(2 * QUARTER)
      expect((await signIn({ totp_code: phone.code() })).status).toBe(200)
      expect(await mailsNow()).toHaveLength(expected)
      app.clock.advance(MINUTE)
    }
  })

  test('the mail waits in the outbox where it cannot be sent', async () => {
    await app.close()
    const mailer = { isConfigured: true, send: () => Promise.reject(new Error('no mail server')) }
    await begin({ mailer })
    await guess(10)
    await mailsNow()
    expect(app.outbox.list().map(({ recipient, subject }) => [recipient, subject])).toEqual([
      [anna.email, 'Someone knows your password'],
    ])
  })
})

describe('from then on', () => {
  beforeEach(() => guess(10))

  test('five wrong codes lock for half an hour', async () => {
    const locked = await signIn({ totp_code: phone.code() })
    expect(locked.body['details']).toEqual({ retry_after: 1_800 })
    app.clock.advance(2 * QUARTER - 1)
    expect(refusal(await signIn({ totp_code: phone.code() }))).toEqual([429, 'too_many_requests'])
    app.clock.advance(1)
    expect((await signIn({ totp_code: phone.code() })).status).toBe(200)
  })

  test('again and again, until a success', async () => {
    app.clock.advance(2 * QUARTER)
    await guess(5)
    expect((await signIn({ totp_code: phone.code() })).body['details']).toEqual({ retry_after: 1_800 })
    app.clock.advance(2 * QUARTER)
    expect((await signIn({ totp_code: phone.code() })).status).toBe(200)
    app.clock.advance(MINUTE)
    await guess(5)
    expect((await signIn({ totp_code: phone.code() })).body['details']).toEqual({ retry_after: 900 })
  })

  test('wrong passwords, which anybody can enter, lock for a quarter as ever, so they tell nothing', async () => {
    app.clock.advance(2 * QUARTER)
    for (let n = 0; n < 5; n++) await signIn({ password: 'another password' })
    expect((await signIn()).body['details']).toEqual({ retry_after: 900 })
  })

  test('`user unlock` opens it at once, and a new password too', async () => {
    app.accounts.unlock(anna.email)
    expect((await signIn({ totp_code: phone.code() })).status).toBe(200)
    await guess(10)
    await app.accounts.resetPassword(anna.email, 'seven green bottles')
    app.clock.advance(MINUTE)
    const entered = { password: 'seven green bottles', totp_code: phone.code() }
    expect((await signIn(entered)).status).toBe(200)
  })

  test('from a known address the right code gets in', async () => {
    const home = from('203.0.113.7')
    app.clock.advance(2 * QUARTER)
    expect((await sendSignIn(app, anna.email, { totp_code: phone.code() }, home)).status).toBe(200)
    app.clock.advance(MINUTE)
    await guess(10)
    const right = { password: PASSWORD, totp_code: phone.code() }
    expect(refusal(await signIn(right))).toEqual([429, 'too_many_requests'])
    expect((await sendSignIn(app, anna.email, right, home)).status).toBe(200)
  })
})
