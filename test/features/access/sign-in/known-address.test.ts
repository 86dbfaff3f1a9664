import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../../src/platform/db/open.ts'
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
import { countRows, deleteUser, failWrites, readColumn } from '../../../support/seed.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const HOME = '203.0.113.7'
const WRONG = { password: 'another password' }
const LOCKED: [number, unknown] = [429, 'too_many_requests']

let app: TestApp
let anna: Person

beforeEach(async () => {
  ;({ app, anna } = await signInWorld())
})
afterEach(() => app.close())

const signIn = (address: string, more: Record<string, unknown> = {}, email = anna.email) =>
  sendSignIn(app, email, more, from(address))

/** Five strangers lock the e-mail. */
async function lock(email = anna.email): Promise<void> {
  for (let n = 0; n < 5; n++) await signIn(freshAddress(), WRONG, email)
  expect(refusal(await signIn(freshAddress(), WRONG, email))).toEqual(LOCKED)
}

async function times(count: number, work: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let n = 0; n < count; n++) {
    answers.push(await work())
    // More than ten a minute from one address are another matter.
    app.clock.advance(7_000)
  }
  return answers
}

describe('a locked e-mail, from an address that signed the person in', () => {
  beforeEach(async () => void (await signIn(HOME)))

  test('the right password gets in, and forgives', async () => {
    await lock()
    expect((await signIn(HOME)).status).toBe(200)
    expect(refusal(await signIn(freshAddress(), WRONG))).toEqual([401, 'unauthorized'])
    expect((await signIn(freshAddress())).status).toBe(200)
  })

  test('from any other address not even the right password does', async () => {
    await lock()
    for (const address of ['203.0.113.8', '203.0.112.7', '2001:db8::1', freshAddress()]) {
      expect(refusal(await signIn(address))).toEqual(LOCKED)
    }
  })

  test('a wrong password is 429 like any, says the same wait, and makes it no longer', async () => {
    await lock()
    app.clock.advance(10 * MINUTE)
    const here = await signIn(HOME, WRONG)
    const elsewhere = await signIn(freshAddress(), WRONG)
    expect(here.body['details']).toEqual({ retry_after: 300 })
    expect(fingerprint(here)).toBe(fingerprint(elsewhere))
    app.clock.advance(5 * MINUTE)
    expect((await signIn(freshAddress())).status).toBe(200)
  })

  test('five tries are checked in a quarter of an hour; the sixth is refused even if it is right', async () => {
    await lock()
    const wrong = await times(5, () => signIn(HOME, WRONG))
    expect(wrong.map(refusal)).toEqual(Array(5).fill(LOCKED))
    expect(refusal(await signIn(HOME))).toEqual(LOCKED)
  })

  test('four wrong ones leave the fifth', async () => {
    await lock()
    await times(4, () => signIn(HOME, WRONG))
    expect((await signIn(HOME)).status).toBe(200)
  })

  test('of a burst of ten exactly five are looked at', async () => {
    await lock()
    const five = Array.from({ length: 5 }, () => signIn(HOME, WRONG))
    const answers = await Promise.all([...five, signIn(HOME)])
    expect(answers.map(refusal)).toEqual(Array(6).fill(LOCKED))
  })

  test('tries of one address leave those of another known one', async () => {
    await signIn('198.51.100.9')
    await lock()
    await times(5, () => signIn(HOME, WRONG))
    expect(refusal(await signIn(HOME))).toEqual(LOCKED)
    expect((await signIn('198.51.100.9')).status).toBe(200)
  })

  test('tries slide out of the window like failures', async () => {
    await lock()
    await times(5, () => signIn(HOME, WRONG))
    app.clock.advance(13 * MINUTE)
    // The lock of before has ended by then; another one begins.
    app.clock.advance(2 * MINUTE)
    await lock()
    expect((await signIn(HOME)).status).toBe(200)
  })

  test('a success gives all five back, so that no attacker uses them up', async () => {
    for (let round = 0; round < 4; round++) {
      await lock()
      await times(3, () => signIn(HOME, WRONG))
      expect((await signIn(HOME)).status).toBe(200)
    }
  })

  test('the address is forgotten after 30 days, to the millisecond', async () => {
    app.clock.advance(30 * DAY - 1)
    await lock()
    expect((await signIn(HOME)).status).toBe(200)
    app.clock.advance(30 * DAY)
    await lock()
    expect(refusal(await signIn(HOME))).toEqual(LOCKED)
  })

  test('another sign-in renews it', async () => {
    app.clock.advance(20 * DAY)
    await signIn(HOME)
    app.clock.advance(20 * DAY)
    await lock()
    expect((await signIn(HOME)).status).toBe(200)
  })

  test('it is known to that person alone', async () => {
    const bert = await addPerson(app, 'bert')
    await lock(bert.email)
    expect(refusal(await signIn(HOME, {}, bert.email))).toEqual(LOCKED)
  })

  test('the /64 of an IPv6 address is known as a whole, and IPv4 in either spelling', async () => {
    await signIn('2001:db8:0:7::1')
    await lock()
    expect((await signIn('2001:db8:0:7:ffff::9')).status).toBe(200)
    await lock()
    expect(refusal(await signIn('2001:db8:0:8::1'))).toEqual(LOCKED)
    expect((await signIn(`::ffff:${HOME}`)).status).toBe(200)
  })

  test('a failed sign-in makes no address known, nor does one that waits for its code', async () => {
    await enableTwoFactor(app, await getToken(app, anna))
    const office = '198.51.100.9'
    expect(refusal(await signIn(office, WRONG))).toEqual([401, 'unauthorized'])
    expect(refusal(await signIn(office))).toEqual([401, 'requires_2fa'])
    await lock()
    expect(refusal(await signIn(office))).toEqual(LOCKED)
    expect(refusal(await signIn(HOME))).toEqual([401, 'requires_2fa'])
  })

  test('a failed try is in the audit log, one from a stranger’s address is not', async () => {
    await lock()
    const failures = () => {
      app.flushAudit()
      return countRows(app, 'audit_events', { action: 'login.failed' })
    }
    expect(failures()).toBe(5)
    await signIn(freshAddress(), WRONG)
    expect(failures()).toBe(5)
    await signIn(HOME, WRONG)
    expect(failures()).toBe(6)
  })
})

describe('with a second factor', () => {
  test('code and password get in from a known address; a wrong code is 429 and costs a try', async () => {
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    app.clock.advance(MINUTE)
    await signIn(HOME, { totp_code: phone.code() })
    app.clock.advance(MINUTE)
    await lock()
    expect(refusal(await signIn(HOME))).toEqual([401, 'requires_2fa'])
    expect(refusal(await signIn(HOME, { totp_code: phone.code(-20) }))).toEqual(LOCKED)
    expect(refusal(await signIn(HOME, { ...WRONG, totp_code: phone.code() }))).toEqual(LOCKED)
    expect((await signIn(HOME, { totp_code: phone.code() })).status).toBe(200)
    await lock()
    app.clock.advance(30_000)
    for (let n = 0; n < 5; n++) await signIn(HOME)
    expect(refusal(await signIn(HOME, { totp_code: phone.code() }))).toEqual(LOCKED)
  })
})

describe('nobody learns who has an account, or where from it was used', () => {
  test('all answers about a locked e-mail are the same: known, unknown, none, from a known address and others', async () => {
    await signIn(HOME)
    await lock()
    const answers = [
      await signIn(HOME, WRONG),
      await signIn(freshAddress(), WRONG),
      await signIn(freshAddress()),
    ]
    for (const email of ['nobody@people.test', 'no address']) {
      await lock(email)
      answers.push(await signIn(HOME, WRONG, email), await signIn(freshAddress(), {}, email))
    }
    expect(new Set(answers.map(fingerprint)).size).toBe(1)
  })

  test('the same work is done for each of them, five times an address', async () => {
    await signIn(HOME)
    const hashed: (string | undefined)[] = []
    await lock()
    await lock('nobody@people.test')
    const verify = app.passwords.verify
    // The service holds the very object that the program shows.
    app.passwords.verify = (hash, password, network) => {
      hashed.push(hash === undefined ? 'nobody’s' : 'a person’s')
      return verify(hash, password, network)
    }
    const stranger = freshAddress()
    for (const [email, address, kind] of [
      [anna.email, HOME, 'a person’s'],
      [anna.email, stranger, 'nobody’s'],
      ['nobody@people.test', HOME, 'nobody’s'],
      ['nobody@people.test', stranger, 'nobody’s'],
    ] as const) {
      hashed.length = 0
      for (let n = 0; n < 7; n++) expect(refusal(await signIn(address, WRONG, email))).toEqual(LOCKED)
      expect(hashed).toEqual(Array(5).fill(kind))
      app.clock.advance(MINUTE)
    }
  })
})

describe('the table of addresses', () => {
  const rows = () => readColumn<string>(app, 'sign_in_addresses', 'address')

  test('has one row for each address, in the form that throttles count', async () => {
    for (const address of [HOME, HOME, '2001:db8:0:7::1', '2001:db8:0:7::2']) await signIn(address)
    expect(rows().sort()).toEqual(['2001:db8:0:7::/64', HOME])
  })

  test('keeps 20 of a person: the least recently used one goes', async () => {
    for (let n = 1; n <= 25; n++) {
      await signIn(`203.0.${n}.1`)
      app.clock.advance(1_000)
      if (n > 5) await signIn('203.0.1.1')
      app.clock.advance(7_000)
    }
    expect(rows()).toHaveLength(20)
    expect(rows()).toContain('203.0.1.1')
    expect(rows()).toContain('203.0.7.1')
    expect(rows()).not.toContain('203.0.6.1')
  })

  test('is pruned after 30 days, and a clock that was set back leaves nothing for longer', async () => {
    await signIn(HOME)
    app.clock.advance(-DAY)
    await app.tidy()
    app.clock.advance(30 * DAY - 1)
    await app.tidy()
    expect(rows()).toEqual([HOME])
    app.clock.advance(1)
    await app.tidy()
    expect(rows()).toEqual([])
  })

  test('is deleted with its person', async () => {
    await signIn(HOME)
    deleteUser(app, anna.id)
    expect(rows()).toEqual([])
  })

  test('is written with the sign-in or not at all', async () => {
    failWrites(app, 'INSERT ON audit_events')
    expect((await signIn(HOME)).status).toBe(500)
    expect(rows()).toEqual([])
  })

  test('survives a restart, and so do the tries', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-known-'))
    const { clock, ids } = app
    await app.close()
    app = proxiedApp({ db: openDatabase(folder), clock, ids })
    anna = await addPerson(app, 'anna')
    await signIn(HOME)
    await lock()
    for (let n = 0; n < 4; n++) await signIn(HOME, WRONG)
    await app.close()
    app = proxiedApp({ db: openDatabase(folder), clock, ids })
    expect((await signIn(HOME)).status).toBe(200)
    clock.advance(MINUTE)
    await lock()
    for (let n = 0; n < 5; n++) await signIn(HOME, WRONG)
    clock.advance(MINUTE)
    await app.close()
    app = proxiedApp({ db: openDatabase(folder), clock, ids })
    expect(refusal(await signIn(HOME))).toEqual(LOCKED)
    rmSync(folder, { recursive: true })
  })
})
