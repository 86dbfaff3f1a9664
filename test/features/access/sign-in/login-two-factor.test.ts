import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import { recordBar } from '../../../robustness/bars.ts'
import { readRepetitions } from '../../../robustness/random.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  type Authenticator,
  addPerson,
  enableTwoFactor,
  fingerprint,
  freshAddress,
  from,
  getToken,
  type Person,
  refusal,
  type SignInWorld,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'
import { failWrites, updateRows } from '../../../support/seed.ts'

const HIDDEN_TRIES = readRepetitions('HIDDEN_TRIES', 20)

let app: TestApp
let anna: Person
let signIn: SignInWorld['signIn']
let phone: Authenticator
/** A token of before the second factor was on. */
let earlier: string

beforeEach(async () => {
  ;({ app, anna, signIn } = await signInWorld())
  earlier = await getToken(app, anna)
  phone = await enableTwoFactor(app, earlier)
  app.clock.advance(60_000)
})
afterEach(() => app.close())

/** A code that the authenticator does not show within two minutes around now. */
function wrongCode(): string {
  const near = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((steps) => phone.code(steps))
  return ['000000', '111111', '222222'].find((code) => !near.includes(code)) as string
}

describe('a login with two-factor authentication (contract 5.2)', () => {
  test('without a code but with the right password: 401 requires_2fa, exactly', async () => {
    const answer = await signIn()
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({
      error: 'requires_2fa',
      message: expect.any(String),
      details: { requires_2fa: true },
    })
  })

  test('again with the code: 200 with the normal answer, and the token says how the person signed in', async () => {
    await signIn()
    const { status, body } = await signIn({ totp_code: phone.code() })
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(
      'access_token expires_in is_super_admin memberships redirect token_type user_id user_name user_type'.split(
        ' ',
      ),
    )
    expect(decodeJwt(String(body['access_token']))['amr']).toEqual(['pwd', 'otp'])
  })

  test('a wrong code: 401 invalid_2fa, and no token', async () => {
    const answer = await signIn({ totp_code: wrongCode() })
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({ error: 'invalid_2fa', message: expect.any(String) })
  })

  test('a wrong password is the generic 401 with no code, a wrong code and the right code, as for an unknown e-mail', async () => {
    const answers = [
      await signIn({ password: 'another password' }),
      await signIn({ password: 'another password', totp_code: wrongCode() }),
      await signIn({ password: 'another password', totp_code: phone.code() }),
      await signIn({ password: 'another password', recovery_code: phone.recoveryCodes[0] }),
      await sendSignIn(app, 'nobody@people.test', {}, from(freshAddress())),
      await sendSignIn(app, 'nobody@people.test', { totp_code: phone.code() }, from(freshAddress())),
    ]
    expect(new Set(answers.map(fingerprint)).size).toBe(1)
    expect(answers.map(refusal)[0]).toEqual([401, 'unauthorized'])
  })

  test(`${HIDDEN_TRIES} wrong passwords never tell that it is on`, async () => {
    await addPerson(app, 'bert')
    const told: string[] = []
    for (let n = 0; n < HIDDEN_TRIES; n++) {
      // Failures of one e-mail are limited.
      if (n % 4 === 0) app.clock.advance(15 * 60_000)
      const wrong = { password: `wrong password ${n}` }
      const [hers, his] = [
        await signIn(wrong),
        await sendSignIn(app, 'bert@people.test', wrong, from(freshAddress())),
      ]
      if (hers.status !== 401 || fingerprint(hers) !== fingerprint(his)) told.push(fingerprint(hers))
    }
    const measured = `${told.length} answers unlike those to somebody without one`
    const isMet = told.length === 0
    recordBar({ bar: 19, part: 'second factor hidden', on: 'process', n: HIDDEN_TRIES, measured, isMet })
    expect(told).toEqual([])
  }, 600_000)

  test('a wrong password uses up neither the code nor the recovery code beside it', async () => {
    await signIn({ password: 'another password', totp_code: phone.code() })
    await signIn({ password: 'another password', recovery_code: phone.recoveryCodes[0] })
    expect((await signIn({ totp_code: phone.code() })).status).toBe(200)
    expect((await signIn({ recovery_code: phone.recoveryCodes[0] })).status).toBe(200)
  })

  test('every login needs a code, also right after one with it', async () => {
    await signIn({ totp_code: phone.code() })
    expect(refusal(await signIn())).toEqual([401, 'requires_2fa'])
    app.clock.advance(30_000)
    expect((await signIn({ totp_code: phone.code() })).status).toBe(200)
  })

  test('it is on for this person alone', async () => {
    const bert = await addPerson(app, 'bert')
    const answer = await sendSignIn(app, bert.email)
    expect([answer.status, decodeJwt(String(answer.body['access_token']))['amr']]).toEqual([200, ['pwd']])
    const carl = await addPerson(app, 'carl')
    const other = await enableTwoFactor(app, await getToken(app, carl))
    app.clock.advance(60_000)
    expect(refusal(await signIn({ totp_code: other.code() }))).toEqual([401, 'invalid_2fa'])
  })

  test('a session of before it was on goes on; only logins need the code', async () => {
    expect((await app.call('GET', '/v1/me', { token: earlier })).status).toBe(200)
  })

  test('null stands for a code that is not there', async () => {
    expect(refusal(await signIn({ totp_code: null, recovery_code: null }))).toEqual([401, 'requires_2fa'])
    expect((await signIn({ totp_code: phone.code(), recovery_code: null })).status).toBe(200)
  })

  test('a setup that was not finished asks for nothing', async () => {
    const bert = await addPerson(app, 'bert')
    await app.call('POST', '/v1/security/2fa/setup', { token: await getToken(app, bert) })
    expect((await sendSignIn(app, bert.email)).status).toBe(200)
  })

  test('a code from somebody who has it not on is not looked at', async () => {
    const bert = await addPerson(app, 'bert')
    const answer = await sendSignIn(app, bert.email, { totp_code: '123456' })
    expect([answer.status, decodeJwt(String(answer.body['access_token']))['amr']]).toEqual([200, ['pwd']])
  })

  test('switched off, logins need the password alone', async () => {
    const token = String((await signIn({ totp_code: phone.code() })).body['access_token'])
    expect((await app.call('POST', '/v1/security/2fa/disable', { token })).body).toEqual({ enabled: false })
    expect((await signIn()).status).toBe(200)
  })
})

describe('codes (contract 5.2: one step around now, each once)', () => {
  test.each([-1, 0, 1])('the code of %d steps from now is taken', async (steps) => {
    expect((await signIn({ totp_code: phone.code(steps) })).status).toBe(200)
  })

  test.each([-3, -2, 2, 3])('the code of %d steps from now is not', async (steps) => {
    expect(refusal(await signIn({ totp_code: phone.code(steps) }))).toEqual([401, 'invalid_2fa'])
  })

  test('a code is taken once, and none before it any more', async () => {
    const [before, code] = [phone.code(-1), phone.code()]
    expect((await signIn({ totp_code: code })).status).toBe(200)
    expect(refusal(await signIn({ totp_code: code }))).toEqual([401, 'invalid_2fa'])
    expect(refusal(await signIn({ totp_code: before }))).toEqual([401, 'invalid_2fa'])
    expect((await signIn({ totp_code: phone.code(1) })).status).toBe(200)
  })

  test('the code that switched it on is used up by that', async () => {
    const carl = await addPerson(app, 'carl')
    const other = await enableTwoFactor(app, await getToken(app, carl))
    expect(refusal(await sendSignIn(app, carl.email, { totp_code: other.code() }))).toEqual([
      401,
      'invalid_2fa',
    ])
  })

  test('of five logins at once with one code exactly one gets in', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => signIn({ totp_code: phone.code() })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
    expect(new Set(answers.filter(({ status }) => status === 401).map(({ body }) => body['error']))).toEqual(
      new Set(['invalid_2fa']),
    )
  })
})

describe('a code and the sign-in that it is for are one transaction', () => {
  test.each(['totp_code', 'recovery_code'])(
    'a %s is not used up where no sign-in can be written',
    async (kind) => {
      const code = kind === 'totp_code' ? phone.code() : phone.recoveryCodes[0]
      const mend = failWrites(app, 'INSERT ON sessions')
      expect((await signIn({ [kind]: code })).status).toBe(500)
      mend()
      expect((await signIn({ [kind]: code })).status).toBe(200)
    },
  )
})

describe('recovery codes (contract 5.2)', () => {
  test('get in once each, and the answer says how many are left', async () => {
    const [first, second] = phone.recoveryCodes
    const answer = await signIn({ recovery_code: first })
    expect([answer.status, answer.body['recovery_codes_left']]).toEqual([200, 9])
    expect(refusal(await signIn({ recovery_code: first }))).toEqual([401, 'invalid_2fa'])
    expect((await signIn({ recovery_code: second })).body['recovery_codes_left']).toBe(8)
  })

  test('of five logins at once with one recovery code exactly one gets in', async () => {
    const recovery_code = phone.recoveryCodes[0]
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => signIn({ recovery_code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
  })

  test('and count without regard to spaces, beside an empty code of the authenticator', async () => {
    const typed = ` ${phone.recoveryCodes[0]?.split('').join(' ')} `
    expect((await signIn({ recovery_code: typed, totp_code: '' })).status).toBe(200)
    expect(refusal(await signIn({ recovery_code: typed, totp_code: null }))).toEqual([401, 'invalid_2fa'])
  })

  test.each([{ recovery_code: ' ' }, { totp_code: '' }, { totp_code: null, recovery_code: '' }])(
    'left empty count as absent: 401 requires_2fa for %p',
    async (codes) => {
      expect(refusal(await signIn(codes))).toEqual([401, 'requires_2fa'])
    },
  )

  test('a code of the authenticator passes as it is shown, in two halves, beside an empty recovery code', async () => {
    app.clock.advance(60_000)
    const code = phone.code()
    const totp_code = `${code.slice(0, 3)} ${code.slice(3)}`
    expect((await signIn({ totp_code, recovery_code: '' })).status).toBe(200)
  })

  test.each(['aaaaa-aaaaa', '-', '123456', "' OR 1=1 --"])(
    '401 invalid_2fa for %p',
    async (recovery_code) => {
      expect(refusal(await signIn({ recovery_code }))).toEqual([401, 'invalid_2fa'])
    },
  )

  test('another person’s is wrong, and not used up', async () => {
    const carl = await addPerson(app, 'carl')
    const other = await enableTwoFactor(app, await getToken(app, carl))
    const recovery_code = other.recoveryCodes[0]
    expect(refusal(await signIn({ recovery_code }))).toEqual([401, 'invalid_2fa'])
    expect((await sendSignIn(app, carl.email, { recovery_code })).body['recovery_codes_left']).toBe(9)
  })

  test('400 credential_ambiguous with a totp_code as well, with any password; neither code is used up', async () => {
    const both = { totp_code: phone.code(), recovery_code: phone.recoveryCodes[0] }
    const right = await signIn(both)
    const wrong = await signIn({ ...both, password: 'another password' })
    const unknown = await sendSignIn(app, 'nobody@people.test', both)
    expect(refusal(right)).toEqual([400, 'credential_ambiguous'])
    expect(new Set([right, wrong, unknown].map(fingerprint)).size).toBe(1)
    expect((await signIn({ totp_code: both.totp_code })).status).toBe(200)
    expect((await signIn({ recovery_code: both.recovery_code })).body['recovery_codes_left']).toBe(9)
  })

  test('a TOTP secret from another install accepts no code, and recovery codes still work', async () => {
    updateRows(app, 'two_factor', { sealed_secret: Buffer.of(0) })
    expect(refusal(await signIn({ totp_code: phone.code() }))).toEqual([401, 'invalid_2fa'])
    expect((await signIn({ recovery_code: phone.recoveryCodes[0] })).status).toBe(200)
  })
})
