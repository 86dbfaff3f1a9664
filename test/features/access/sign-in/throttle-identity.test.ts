import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { recordBar } from '../../../robustness/bars.ts'
import { readRepetitions, seededRandom } from '../../../robustness/random.ts'
import type { Answer, TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  fingerprint,
  freshAddress,
  from,
  getToken,
  type Person,
  proxiedApp,
  refusal,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'
import { countRows, insertRows, makeReadOnly, readColumn } from '../../../support/seed.ts'

const MINUTE = 60_000
const WRONG = { password: 'another password' }
const WAITS = readRepetitions('RETRY_AFTER_WAITS', 10)

/** Records a part of the bar of throttles that was just seen to be met. */
const metBar = (part: string, n: number, measured: string) =>
  recordBar({ bar: 20, part, on: 'process', n, measured, isMet: true })

let app: TestApp
let anna: Person

beforeEach(async () => {
  ;({ app, anna } = await signInWorld())
})
afterEach(() => app.close())

/** A login from an address that nobody has used yet, so that only the identity is counted. */
const signIn = (email = anna.email, more: Record<string, unknown> = {}, of = app) =>
  sendSignIn(of, email, more, from(freshAddress()))

const fail = (email = anna.email, of = app) => signIn(email, WRONG, of)

async function times(count: number, work: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let n = 0; n < count; n++) answers.push(await work())
  return answers
}

const codes = (answers: Answer[]) => answers.map(({ body }) => body['error'])

/** What every answer over an identity's budget says. */
function expectLocked(answer: Answer, waitSeconds: number): void {
  expect(refusal(answer)).toEqual([429, 'too_many_requests'])
  expect(answer.body['details']).toEqual({ retry_after: waitSeconds })
  expect(answer.headers.get('retry-after')).toBe(String(waitSeconds))
}

describe('5 failures of one e-mail in 15 minutes (contract 5.6)', () => {
  test('then 429 too_many_requests with the seconds to wait, also for the right password', async () => {
    expect(codes(await times(5, fail))).toEqual(Array(5).fill('unauthorized'))
    expectLocked(await fail(), 900)
    expectLocked(await signIn(), 900)
  })

  test('an unknown e-mail is counted in the same way, so the limit does not reveal who has an account', async () => {
    const known = await times(6, fail)
    const unknown = await times(6, () => fail('nobody@people.test'))
    const noAddress = await times(6, () => fail('no address'))
    expect(unknown.map(fingerprint)).toEqual(known.map(fingerprint))
    expect(noAddress.map(fingerprint)).toEqual(known.map(fingerprint))
  })

  test('the window slides: exactly 15 minutes after each failure one more try is allowed', async () => {
    for (let n = 0; n < 5; n++) {
      await fail()
      app.clock.advance(MINUTE)
    }
    expectLocked(await signIn(), 600)
    app.clock.advance(10 * MINUTE - 1_000)
    expectLocked(await signIn(), 1)
    app.clock.advance(999)
    expectLocked(await signIn(), 1)
    app.clock.advance(1)
    expect(refusal(await fail())).toEqual([401, 'unauthorized'])
    expectLocked(await signIn(), 60)
    app.clock.advance(MINUTE)
    expect((await signIn()).status).toBe(200)
    metBar('boundary', 1, 'failures of an e-mail: free again after 15 min to the millisecond')
  })

  test(`the wait in the answer is right to the second (${WAITS} times)`, async () => {
    const random = seededRandom(20)
    let wrong = 0
    for (let n = 0; n < WAITS; n++) {
      app.clock.advance(15 * MINUTE)
      for (let failure = 0; failure < 5; failure++) {
        await fail()
        app.clock.advance(random.below(170_000))
      }
      const seconds = Number((await fail()).headers.get('retry-after'))
      app.clock.advance((seconds - 1) * 1_000)
      const early = await fail()
      app.clock.advance(1_000)
      const inTime = await fail()
      if (early.status !== 429 || inTime.status !== 401) wrong++
      // The rest of the failures leave as well.
      app.clock.advance(15 * MINUTE)
    }
    const measured = `${wrong} wrong: refused a second before its end, looked at upon it`
    recordBar({ bar: 20, part: 'retry-after', on: 'process', n: WAITS, measured, isMet: wrong === 0 })
    expect(wrong).toBe(0)
  }, 120_000)

  test('what is refused meanwhile does not make the wait longer', async () => {
    await times(5, fail)
    app.clock.advance(14 * MINUTE)
    await times(10, fail)
    app.clock.advance(MINUTE)
    expect((await signIn()).status).toBe(200)
  })

  test('a success begins the count anew', async () => {
    for (let round = 0; round < 3; round++) {
      await times(4, fail)
      expect((await signIn()).status).toBe(200)
    }
    await times(5, fail)
    expectLocked(await signIn(), 900)
  })

  test('forms of one e-mail are one identity', async () => {
    const forms = [
      'ANNA@people.test',
      ' anna@people.test',
      'anna@People.Test ',
      'Anna@PEOPLE.test',
      anna.email,
    ]
    for (const email of forms) expect(refusal(await fail(email))).toEqual([401, 'unauthorized'])
    expectLocked(await signIn(), 900)
  })

  test('another e-mail is not affected, from the same address either', async () => {
    const bert = await addPerson(app, 'bert')
    const headers = from(freshAddress())
    await times(5, () => sendSignIn(app, anna.email, WRONG, headers))
    expectLocked(await sendSignIn(app, anna.email, {}, headers), 900)
    expect((await sendSignIn(app, bert.email, {}, headers)).status).toBe(200)
  })

  test('calls that were no login do not count: wrong bodies, two second factors, and those over the address’s budget', async () => {
    const home = from(freshAddress())
    await times(4, () => fail())
    for (let n = 0; n < 10; n++) {
      await signIn(anna.email, { totp_code: 'x' })
      await signIn(anna.email, { totp_code: '123456', recovery_code: 'x' })
      await sendSignIn(app, `stranger-${n}@people.test`, WRONG, home)
    }
    expect((await sendSignIn(app, anna.email, WRONG, home)).body['error']).toBe('rate_limit_exceeded')
    expect((await signIn()).status).toBe(200)
  })

  test('of 50 guesses at once from many addresses exactly 5 are checked', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => fail()))
    expect(codes(answers).filter((code) => code === 'unauthorized')).toHaveLength(5)
    expect(codes(answers).filter((code) => code === 'too_many_requests')).toHaveLength(45)
    metBar('bursts', 50, 'failures of an e-mail: exactly 5 of 50 at once')
  })

  test('a right guess after five wrong ones of the same moment is not looked at', async () => {
    const guesses = [...Array.from({ length: 5 }, () => fail()), signIn()]
    expect(codes(await Promise.all(guesses)).at(-1)).toBe('too_many_requests')
  })

  test('a super-admin is throttled like anybody', async () => {
    const root = await addPerson(app, 'root', [], { isSuperAdmin: true })
    await times(5, () => fail(root.email))
    expectLocked(await signIn(root.email), 900)
  })

  test('a session goes on while its person is locked out of the login', async () => {
    const token = await getToken(app, anna)
    await times(6, fail)
    expect((await app.call('GET', '/v1/me', { token })).status).toBe(200)
    expect((await app.call('POST', '/oauth/refresh', { token })).status).toBe(200)
  })
})

describe('with two-factor authentication (contract 5.2)', () => {
  test('wrong codes count: after five not even password and right code get in', async () => {
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    app.clock.advance(10 * MINUTE)
    const far = phone.code(-15)
    expect(codes(await times(5, () => signIn(anna.email, { totp_code: far })))).toEqual(
      Array(5).fill('invalid_2fa'),
    )
    expectLocked(await signIn(anna.email, { totp_code: phone.code() }), 900)
    expectLocked(await signIn(anna.email, { recovery_code: phone.recoveryCodes[0] }), 900)
    expectLocked(await signIn(), 900)
  })

  test('wrong recovery codes, codes and passwords count together', async () => {
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    app.clock.advance(10 * MINUTE)
    await times(2, () => signIn(anna.email, { recovery_code: 'aaaaa-aaaaa' }))
    await times(2, () => signIn(anna.email, { totp_code: phone.code(-15) }))
    expect(refusal(await fail())).toEqual([401, 'unauthorized'])
    expectLocked(await signIn(anna.email, { totp_code: phone.code() }), 900)
  })

  test('requires_2fa neither counts as a failure nor resets the count', async () => {
    await enableTwoFactor(app, await getToken(app, anna))
    expect(codes(await times(12, () => signIn()))).toEqual(Array(12).fill('requires_2fa'))
    await times(4, fail)
    expect(codes(await times(3, () => signIn()))).toEqual(Array(3).fill('requires_2fa'))
    expect(refusal(await fail())).toEqual([401, 'unauthorized'])
    expectLocked(await signIn(), 900)
  })

  test('a login with the code begins the count anew', async () => {
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    app.clock.advance(MINUTE)
    await times(4, fail)
    expect((await signIn(anna.email, { totp_code: phone.code() })).status).toBe(200)
    expect(codes(await times(4, fail))).toEqual(Array(4).fill('unauthorized'))
    expect(refusal(await signIn())).toEqual([401, 'requires_2fa'])
  })

  test('of 50 codes guessed at once exactly 5 are looked at', async () => {
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    app.clock.advance(10 * MINUTE)
    const totp_code = phone.code(-15)
    const answers = await Promise.all(Array.from({ length: 50 }, () => signIn(anna.email, { totp_code })))
    expect(codes(answers).filter((code) => code === 'invalid_2fa')).toHaveLength(5)
    expect(codes(answers).filter((code) => code === 'too_many_requests')).toHaveLength(45)
  })
})

describe('10 failures of one client_id in 15 minutes (contract 5.6)', () => {
  const ask = (client_id: string, client_secret: string, of = app) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    return of.call('POST', '/oauth/token', { body, headers: from(freshAddress()) })
  }

  test('then every wrong secret is 429 too_many_requests with the seconds to wait', async () => {
    const { client_id } = await app.store('one')
    expect(codes(await times(10, () => ask(client_id, 'wrong')))).toEqual(Array(10).fill('unauthorized'))
    for (const answer of await times(20, () => ask(client_id, 'wrong'))) expectLocked(answer, 900)
  })

  test('the right secret still passes, from any address, and resets the count', async () => {
    const { client_id, client_secret } = await app.store('one')
    for (let round = 0; round < 3; round++) {
      await times(11, () => ask(client_id, 'wrong'))
      expect((await ask(client_id, client_secret)).status).toBe(200)
      expect(codes(await times(10, () => ask(client_id, 'wrong')))).toEqual(Array(10).fill('unauthorized'))
      expectLocked(await ask(client_id, 'wrong'), 900)
      expect((await ask(client_id, client_secret)).status).toBe(200)
    }
  })

  test('many tokens a minute from one address are fine: that limit is for logins', async () => {
    const { client_id, client_secret } = await app.store('one')
    const body = () => new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const address = freshAddress()
    const grant = () => app.call('POST', '/oauth/token', { body: body(), headers: from(address) })
    for (let n = 0; n < 40; n++) expect((await grant()).status).toBe(200)
    // Nor have they used up the logins of that address.
    const login = { email: 'one@shop.test', password: 'a long password' }
    const headers = from(address)
    expect((await app.call('POST', '/oauth/login', { body: login, headers })).status).toBe(200)
  })

  test('a secret that was right once is wrong after a new one was made', async () => {
    const { client_id, client_secret } = await app.store('one')
    const token = String((await ask(client_id, client_secret)).body['access_token'])
    await times(10, () => ask(client_id, 'wrong'))
    const { body } = await app.call('POST', '/v1/security/client-secret/rotate', {
      token,
      body: { client_secret },
    })
    // Showing the right secret there has forgiven the wrong ones.
    expect((await ask(client_id, client_secret)).status).toBe(401)
    expect((await ask(client_id, String(body['client_secret']))).status).toBe(200)
  })

  test('the right secret gets its token even when the earlier failures cannot be deleted', async () => {
    const { client_id, client_secret } = await app.store('one')
    await ask(client_id, 'wrong')
    const mend = makeReadOnly(app)
    const { status } = await ask(client_id, client_secret)
    mend()
    expect(status).toBe(200)
  })

  test('a flood of unknown ids does not push it out', async () => {
    const { client_id } = await app.store('one')
    await times(10, () => ask(client_id, 'wrong'))
    await ask('nobody', 'wrong')
    const [bucket = ''] = readColumn<string>(app, 'throttle_events', 'bucket', { key: 'nobody' })
    insertRows(app, 'throttle_events', 100_000, (n) => ({
      bucket,
      key: `flood ${n}`,
      at: app.clock.now(),
    }))
    await ask('nobody else', 'wrong')
    expectLocked(await ask(client_id, 'wrong'), 900)
  })

  test('an id or a secret by HTTP Basic that is too long to be ours is refused, and fills no table', async () => {
    const count = () => countRows(app, 'throttle_events')
    const before = count()
    for (const pair of [`${'i'.repeat(201)}:x`, `x:${'s'.repeat(201)}`]) {
      const answer = await app.call('POST', '/oauth/token', {
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        headers: { authorization: `Basic ${btoa(pair)}` },
      })
      expect(refusal(answer)).toEqual([401, 'unauthorized'])
    }
    expect(count()).toEqual(before)
  })

  test('an unknown id is counted in the same way', async () => {
    const { client_id } = await app.store('one')
    const known = await times(11, () => ask(client_id, 'wrong'))
    const unknown = await times(11, () => ask('01900000-0000-7000-8000-ffffffffffff', 'wrong'))
    expect(unknown.map(fingerprint)).toEqual(known.map(fingerprint))
  })

  test('secrets by HTTP Basic count to the same', async () => {
    const { client_id } = await app.store('one')
    const basic = () =>
      app.call('POST', '/oauth/token', {
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        headers: { authorization: `Basic ${btoa(`${client_id}:wrong`)}` },
      })
    await times(5, basic)
    await times(5, () => ask(client_id, 'wrong'))
    expectLocked(await basic(), 900)
  })

  test('exactly 15 minutes after the first failure one more try is allowed', async () => {
    const { client_id } = await app.store('one')
    await ask(client_id, 'wrong')
    app.clock.advance(MINUTE)
    await times(9, () => ask(client_id, 'wrong'))
    app.clock.advance(14 * MINUTE - 1_000)
    expectLocked(await ask(client_id, 'wrong'), 1)
    app.clock.advance(999)
    expectLocked(await ask(client_id, 'wrong'), 1)
    app.clock.advance(1)
    expect(refusal(await ask(client_id, 'wrong'))).toEqual([401, 'unauthorized'])
    expectLocked(await ask(client_id, 'wrong'), 60)
    metBar('boundary', 1, 'failures of a client_id: free again after 15 min to the millisecond')
  })

  test('a success begins the count anew; further successes are not limited', async () => {
    const { client_id, client_secret } = await app.store('one')
    await times(9, () => ask(client_id, 'wrong'))
    expect((await ask(client_id, client_secret)).status).toBe(200)
    expect(codes(await times(9, () => ask(client_id, 'wrong')))).toEqual(Array(9).fill('unauthorized'))
    const grants = await times(30, () => ask(client_id, client_secret))
    expect(grants.map(({ status }) => status)).toEqual(Array(30).fill(200))
  })

  test('of 50 guesses at once exactly 10 are looked at', async () => {
    const { client_id } = await app.store('one')
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(client_id, 'wrong')))
    expect(codes(answers).filter((code) => code === 'unauthorized')).toHaveLength(10)
    expect(codes(answers).filter((code) => code === 'too_many_requests')).toHaveLength(40)
    metBar('bursts', 50, 'failures of a client_id: exactly 10 of 50 at once')
  })

  test('another client is not affected, and calls without a secret do not count', async () => {
    const one = await app.store('one')
    const two = await app.store('two')
    await times(20, () => ask(one.client_id, ''))
    expect((await ask(one.client_id, one.client_secret)).status).toBe(200)
    await times(11, () => ask(one.client_id, 'wrong'))
    expect((await ask(two.client_id, two.client_secret)).status).toBe(200)
  })

  test('an e-mail and a client_id of one name are two identities', async () => {
    await times(10, () => ask(anna.email, 'wrong'))
    expect((await signIn()).status).toBe(200)
  })
})

test('the counts survive a restart and tidying', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-throttle-'))
  const { clock, ids } = app
  const first = proxiedApp({ db: openDatabase(folder), clock, ids })
  const { client_id, client_secret } = await first.store('one')
  const grant = (secret: string, of: TestApp) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret: secret })
    return of.call('POST', '/oauth/token', { body })
  }
  await times(5, () => fail('one@shop.test', first))
  await times(10, () => grant('wrong', first))
  await first.close()

  clock.advance(15 * MINUTE - 1_000)
  const second = proxiedApp({ db: openDatabase(folder), clock, ids })
  await second.tidy()
  expectLocked(await signIn('one@shop.test', {}, second), 1)
  expectLocked(await grant('wrong', second), 1)
  clock.advance(1_000)
  expect((await signIn('one@shop.test', {}, second)).status).toBe(200)
  expect((await grant(client_secret, second)).status).toBe(200)
  metBar('restart', 1, 'e-mails and client_ids: the failures still count')
  await second.close()
  rmSync(folder, { recursive: true })
})
