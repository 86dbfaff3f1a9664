import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { type Answer, countingIds, manualClock, type TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  freshAddress,
  from,
  getToken,
  type Person,
  proxiedApp,
  refusal,
  sendSignIn,
} from '../../../support/people.ts'
import { openPortal, refreshPortal, signOut } from '../../../support/portal.ts'
import {
  countRows,
  deleteRows,
  deleteUser,
  failWrites,
  makeReadOnly,
  setPasswordHash,
} from '../../../support/seed.ts'

const MINUTE = 60_000
const WRONG = { password: 'another password' }

let app: TestApp
let anna: Person
let folder: string
let clock: ReturnType<typeof manualClock>
const ids = countingIds()

/** A program on a disk of its own, as after a start. */
function start(): void {
  app = { ...proxiedApp({ clock, ids, db: openDatabase(folder) }), clock, ids }
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-unwritable-'))
  clock = manualClock('2030-01-01T00:00:00Z')
  start()
  anna = await addPerson(app, 'anna', [])
})
afterEach(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

let mendDisk: () => void
/** From now on no page can be added or changed. */
const breakDisk = () => {
  mendDisk = makeReadOnly(app)
}

/** Does what was put off, once. */
async function laterOn(): Promise<void> {
  await app.settle()
}

const signIn = (more: Record<string, unknown> = {}, address = freshAddress()) =>
  sendSignIn(app, anna.email, more, from(address))
const tokenIn = ({ body }: Answer) => String(body['access_token'])
const me = (token: string) => app.call('GET', '/v1/me', { token })
const refresh = (token: string) =>
  app.call('POST', '/oauth/refresh', { token, headers: from(freshAddress()) })
const rows = () => countRows(app, 'sessions')

describe('a database that cannot be written', () => {
  test('lets people in with the right password, and their token works', async () => {
    breakDisk()
    const answer = await signIn()
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toContain('memberships')
    const token = tokenIn(answer)
    expect((await me(token)).status).toBe(200)
    const { body } = await app.call('GET', '/v1/me/sessions', { token })
    expect(body['count']).toBe(1)
    expect((body['sessions'] as Record<string, unknown>[])[0]).toMatchObject({
      is_current: true,
      two_factor: false,
    })
    expect(rows()).toBe(0)
  })

  test('keeps the limits: five wrong passwords, ten logins of an address', async () => {
    breakDisk()
    for (let n = 0; n < 5; n++) expect(refusal(await signIn(WRONG))).toEqual([401, 'unauthorized'])
    expect(refusal(await signIn(WRONG))).toEqual([429, 'too_many_requests'])
    expect((await signIn()).body['details']).toEqual({ retry_after: 900 })
    const home = from('203.0.113.1')
    for (let n = 0; n < 10; n++) await sendSignIn(app, `nobody-${n}@people.test`, {}, home)
    expect(refusal(await sendSignIn(app, 'nobody@people.test', {}, home))).toEqual([
      429,
      'rate_limit_exceeded',
    ])
    clock.advance(15 * MINUTE)
    expect((await signIn()).status).toBe(200)
  })

  test('forgives failures with a success, also those of before', async () => {
    for (let n = 0; n < 4; n++) await signIn(WRONG)
    breakDisk()
    expect((await signIn()).status).toBe(200)
    for (let n = 0; n < 4; n++) expect(refusal(await signIn(WRONG))).toEqual([401, 'unauthorized'])
    mendDisk()
    expect(refusal(await signIn(WRONG))).toEqual([401, 'unauthorized'])
    expect(refusal(await signIn(WRONG))).toEqual([429, 'too_many_requests'])
  })

  test('lets an address in that was known before, while the e-mail is locked', async () => {
    await signIn({}, '203.0.113.7')
    breakDisk()
    for (let n = 0; n < 5; n++) await signIn(WRONG)
    expect(refusal(await signIn())).toEqual([429, 'too_many_requests'])
    expect((await signIn({}, '203.0.113.7')).status).toBe(200)
  })

  test('refreshes: the old token ends, of several at once one wins, and nothing of it comes back', async () => {
    const before = tokenIn(await signIn())
    breakDisk()
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(before)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
    const after = tokenIn(answers.find(({ status }) => status === 200) as Answer)
    expect([(await me(before)).status, (await me(after)).status]).toEqual([401, 200])
    const third = tokenIn(await refresh(after))
    expect((await refresh(after)).status).toBe(401)
    mendDisk()
    await laterOn()
    expect([(await me(before)).status, (await me(after)).status, (await me(third)).status]).toEqual([
      401, 401, 200,
    ])
    await app.close()
    start()
    expect([(await me(before)).status, (await me(third)).status]).toEqual([401, 200])
  })

  test('signs in to the portal, refreshes and signs out, and the earlier sign-in stays ended', async () => {
    const earlier = await openPortal(app, anna)
    breakDisk()
    const browser = await openPortal(app, anna, {}, { cookie: earlier.cookie })
    const refreshed = await refreshPortal(app, browser.cookie)
    expect(refreshed.status).toBe(200)
    const statusOf = async (token: string) => (await me(token)).status
    expect(await Promise.all([earlier.token, browser.token, tokenIn(refreshed)].map(statusOf))).toEqual([
      401, 200, 200,
    ])
    expect((await refreshPortal(app, earlier.cookie)).status).toBe(401)
    mendDisk()
    await laterOn()
    expect(rows()).toBe(1)
    await app.close()
    start()
    expect(await Promise.all([earlier.token, browser.token].map(statusOf))).toEqual([401, 200])
    expect((await refreshPortal(app, earlier.cookie)).status).toBe(401)
    expect((await refreshPortal(app, browser.cookie)).status).toBe(200)
    breakDisk()
    const last = await openPortal(app, anna)
    expect((await signOut(app, last.cookie)).status).toBe(200)
    expect(await statusOf(last.token)).toBe(401)
    mendDisk()
  })

  test('a sign-in of the portal that it holds gives tokens while it cannot be extended', async () => {
    const { cookie } = await openPortal(app, anna)
    breakDisk()
    clock.advance(11 * 60 * MINUTE)
    expect((await refreshPortal(app, cookie)).status).toBe(200)
    mendDisk()
    expect((await refreshPortal(app, cookie)).status).toBe(200)
    clock.advance(11 * 60 * MINUTE)
    expect((await refreshPortal(app, cookie)).status).toBe(200)
  })

  test('refreshes a sign-in that is held in memory', async () => {
    breakDisk()
    const held = tokenIn(await signIn())
    const next = await refresh(held)
    expect(next.status).toBe(200)
    expect([(await me(held)).status, (await me(tokenIn(next))).status]).toEqual([401, 200])
  })

  test('holds what it can: a restart ends the sign-in', async () => {
    breakDisk()
    const token = tokenIn(await signIn())
    await app.close()
    start()
    expect(refusal(await me(token))).toEqual([401, 'unauthorized'])
  })

  test('once it can be written, the sign-in is, soon and by itself', async () => {
    breakDisk()
    const token = tokenIn(await signIn())
    await laterOn()
    expect(rows()).toBe(0)
    mendDisk()
    await laterOn()
    expect(rows()).toBe(1)
    await app.close()
    start()
    expect((await me(token)).status).toBe(200)
  })

  test('a sign-in held in memory can be ended: by its owner, with all others, by a new password', async () => {
    breakDisk()
    const tokens = [tokenIn(await signIn()), tokenIn(await signIn()), tokenIn(await signIn())] as const
    mendDisk()
    const own = await app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token: tokens[0] }) })
    expect([own.status, (await me(tokens[0])).status]).toEqual([200, 401])
    const others = await app.call('DELETE', '/v1/me/sessions', { token: tokens[1] })
    expect(others.body).toEqual({ status: 'ended', ended: 1 })
    expect([(await me(tokens[1])).status, (await me(tokens[2])).status]).toEqual([200, 401])
    await app.accounts.resetPassword(anna.email, 'seven green bottles')
    expect((await me(tokens[1])).status).toBe(401)
    await laterOn()
    expect(rows()).toBe(0)
  })

  test('503 when an end cannot be written, and nothing has ended', async () => {
    breakDisk()
    const token = tokenIn(await signIn())
    const end = await app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token }) })
    expect([end.status, (await me(token)).status]).toEqual([503, 200])
  })

  test('a session that ended in memory does not come back when the rest of the transaction fails', async () => {
    const before = tokenIn(await signIn())
    breakDisk()
    const token = tokenIn(await refresh(before))
    mendDisk()
    failWrites(app, 'INSERT ON audit_events')
    const end = await app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token }) })
    expect(end.status).toBe(500)
    expect([(await me(token)).status, (await me(before)).status]).toEqual([401, 401])
    await laterOn()
    expect(rows()).toBe(0)
  })

  test('a command beside the service ends what it finds, and it stays ended', async () => {
    const before = tokenIn(await signIn())
    breakDisk()
    const token = tokenIn(await refresh(before))
    mendDisk()
    deleteRows(app, 'sessions')
    expect((await me(token)).status).toBe(401)
    await laterOn()
    expect([rows(), (await me(token)).status]).toEqual([0, 401])
  })

  test('a new password that a command beside the service sets ends a sign-in held in memory', async () => {
    breakDisk()
    const token = tokenIn(await signIn())
    mendDisk()
    setPasswordHash(app, anna.id, 'of the new one')
    expect((await me(token)).status).toBe(401)
    await laterOn()
    expect(rows()).toBe(0)
  })

  test('a person who is gone meanwhile has no sign-in', async () => {
    breakDisk()
    const token = tokenIn(await signIn())
    mendDisk()
    deleteUser(app, anna.id)
    await laterOn()
    expect([rows(), (await me(token)).status]).toEqual([0, 401])
  })

  test('another fault while a session is written ends nothing; the write is tried again with the next one', async () => {
    breakDisk()
    const token = tokenIn(await signIn())
    mendDisk()
    const mend = failWrites(app, 'INSERT ON sessions')
    await laterOn()
    expect([rows(), (await me(token)).status]).toEqual([0, 200])
    mend()
    breakDisk()
    await signIn()
    mendDisk()
    await laterOn()
    expect(rows()).toBe(2)
  })

  test('a person has 50 sign-ins there too, and the oldest ends', async () => {
    breakDisk()
    const tokens: string[] = []
    for (let n = 0; n < 52; n++) tokens.push(tokenIn(await signIn()))
    const alive = await Promise.all(tokens.map(async (token) => (await me(token)).status === 200))
    expect(alive).toEqual([false, false, ...Array(50).fill(true)])
  })

  test('expired ones are forgotten', async () => {
    breakDisk()
    await signIn()
    clock.advance(4_000_000)
    mendDisk()
    await app.tidy()
    await laterOn()
    expect(rows()).toBe(0)
  })

  test('a fault that is not the disk’s is a 500', async () => {
    failWrites(app, 'INSERT ON sessions')
    expect((await signIn()).status).toBe(500)
  })
})

describe('with a second factor', () => {
  test('a code works once, even while its use cannot be written, and not again afterwards', async () => {
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    clock.advance(MINUTE)
    breakDisk()
    expect(refusal(await signIn())).toEqual([401, 'requires_2fa'])
    expect(refusal(await signIn({ totp_code: phone.code(-10) }))).toEqual([401, 'invalid_2fa'])
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn({ totp_code: phone.code() })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    mendDisk()
    expect(refusal(await signIn({ totp_code: phone.code() }))).toEqual([401, 'invalid_2fa'])
    expect((await signIn({ totp_code: phone.code(1) })).status).toBe(200)
  })

  test('a code that was used before the disk broke is used up', async () => {
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    clock.advance(MINUTE)
    await signIn({ totp_code: phone.code() })
    breakDisk()
    expect(refusal(await signIn({ totp_code: phone.code() }))).toEqual([401, 'invalid_2fa'])
  })

  test('a recovery code needs the disk: 503, and it is not used up', async () => {
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    breakDisk()
    expect((await signIn({ recovery_code: phone.recoveryCodes[0] })).status).toBe(503)
    mendDisk()
    expect((await signIn({ recovery_code: phone.recoveryCodes[0] })).body['recovery_codes_left']).toBe(9)
  })
})

test('a machine grant goes on, and its failures are counted', async () => {
  const { client_id, client_secret } = await app.store('one')
  breakDisk()
  const ask = (secret: string) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret: secret })
    return app.call('POST', '/oauth/token', { body })
  }
  for (let n = 0; n < 10; n++) expect(refusal(await ask('wrong'))).toEqual([401, 'unauthorized'])
  expect(refusal(await ask('wrong'))).toEqual([429, 'too_many_requests'])
  expect((await ask(client_secret)).status).toBe(200)
  expect(refusal(await ask('wrong'))).toEqual([401, 'unauthorized'])
})
