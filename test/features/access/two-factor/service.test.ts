import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Caller, EVERYTHING } from '../../../../src/core/actor.ts'
import type { AuditEvent } from '../../../../src/core/audit.ts'
import { systemIds } from '../../../../src/core/ids.ts'
import { drawQrCode } from '../../../../src/core/qr.ts'
import { otpauthUrl } from '../../../../src/core/totp.ts'
import { sessionQueries } from '../../../../src/features/access/sessions/session-queries.ts'
import { twoFactorQueries } from '../../../../src/features/access/two-factor/queries.ts'
import { twoFactorService } from '../../../../src/features/access/two-factor/service.ts'
import { peopleQueries } from '../../../../src/features/stores/people/queries.ts'
import { type Db, openDatabase } from '../../../../src/platform/db/open.ts'
import { createSecretBox } from '../../../../src/platform/secret-box.ts'
import { recordBar } from '../../../robustness/bars.ts'
import { manualClock } from '../../../support/app.ts'
import { shownCode } from '../../../support/authenticator.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { STANDING } from '../../../support/permissions.ts'
import { addStore } from '../../../support/products.ts'

const DATA_SECRET = 'a secret that is only used in tests'
const TRACE = { address: '192.0.2.1', requestId: 'request', userAgent: null }
const STEP_MS = 30_000
const MINUTE_MS = 60_000

let db: Db
let clock: ReturnType<typeof manualClock>
let recorded: AuditEvent[]
let logged: object[]
let twoFactor: ReturnType<typeof serviceOn>

beforeEach(() => {
  db = memoryDatabase()
  clock = manualClock('2030-01-01T00:00:00Z')
  recorded = []
  logged = []
  twoFactor = serviceOn(db)
  for (const name of ['ann', 'bob', 'eve']) addUser(db, name)
})
afterEach(() => db.close())

function serviceOn(
  on: Db,
  dataSecret = DATA_SECRET,
  record = (event: AuditEvent) => void recorded.push(event),
) {
  return twoFactorService({
    queries: twoFactorQueries(on),
    people: peopleQueries(on),
    box: createSecretBox(dataSecret, systemIds),
    clock,
    ids: systemIds,
    atomically: (work) => on.transaction(work)(),
    endOtherSessions: sessionQueries(on).endSessions,
    noteSecondFactor: () => {},
    record,
    log: { error: (fields, message) => void logged.push({ ...fields, message }) },
  })
}

const addUser = (on: Db, name: string) =>
  on
    .prepare('INSERT INTO users (id, email, name, password_hash, created_at) VALUES (?, ?, ?, ?, 0)')
    .run(name, `${name}@shop.test`, name, 'no hash')

const caller = (userId: string | null, ...amr: string[]): Caller => ({
  kind: 'person',
  userId,
  keyId: null,
  storeId: 'a store',
  store: { id: 'a store', slug: 'a-store', name: 'A store', plan: 'free', suspendedAt: null },
  role: null,
  isSuperAdmin: false,
  ...EVERYTHING,
  token: { jti: 'jti', exp: 0, sessionId: 'session', amr: ['pwd', ...amr] },
  trace: TRACE,
  ...STANDING,
})

/** What a person's authenticator shows now, some steps off. */
const shown = (secret: string, steps = 0) => shownCode(secret, clock.now(), steps)

/** Enables it for a person and waits for the next code. */
function enabled(name: string) {
  const { secret } = twoFactor.setup(caller(name))
  const { recovery_codes } = twoFactor.enable(caller(name), { totp_code: shown(secret) })
  clock.advance(2 * STEP_MS)
  return { secret, codes: recovery_codes }
}

const pass = (name: string, totp_code: string) => twoFactor.pass(name, { totp_code }, TRACE).ok
const recover = (name: string, recovery_code: string) => twoFactor.pass(name, { recovery_code }, TRACE)
const actions = () => recorded.map(({ action }) => action)

describe('the setup', () => {
  test('tells secret, address and account, and enables nothing yet', () => {
    const { secret, otpauth_url, issuer, account, qr_code_url } = twoFactor.setup(caller('ann'))
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect([issuer, account]).toEqual(['Lookalike', 'ann@shop.test'])
    expect(otpauth_url).toBe(otpauthUrl({ secret, issuer: 'Lookalike', account: 'ann@shop.test' }))
    expect(qr_code_url).toBe(drawQrCode(otpauth_url))
    expect(twoFactor.isEnabled('ann')).toBe(false)
    expect(pass('ann', shown(secret))).toBe(false)
    expect(recorded).toEqual([])
  })

  test('a second one replaces the first: only the newer secret enables', () => {
    const first = twoFactor.setup(caller('ann')).secret
    const second = twoFactor.setup(caller('ann')).secret
    expect(second).not.toBe(first)
    expect(() => twoFactor.enable(caller('ann'), { totp_code: shown(first) })).toThrow('The code is wrong')
    expect(twoFactor.enable(caller('ann'), { totp_code: shown(second) }).enabled).toBe(true)
  })

  test('a second one begins its quarter of an hour again', () => {
    twoFactor.setup(caller('ann'))
    clock.advance(14 * MINUTE_MS)
    const { secret } = twoFactor.setup(caller('ann'))
    clock.advance(14 * MINUTE_MS)
    expect(twoFactor.enable(caller('ann'), { totp_code: shown(secret) }).enabled).toBe(true)
  })

  test('where it is enabled it is refused and changes nothing', () => {
    const { secret } = enabled('ann')
    expect(() => twoFactor.setup(caller('ann'))).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(pass('ann', shown(secret))).toBe(true)
  })

  test.each([
    [15 * MINUTE_MS - 1, true],
    [15 * MINUTE_MS, false],
  ])('waits for 15 minutes, exclusive: after %d ms %p', (waited, isInTime) => {
    const { secret } = twoFactor.setup(caller('ann'))
    clock.advance(waited)
    const enable = () => twoFactor.enable(caller('ann'), { totp_code: shown(secret) })
    if (isInTime) expect(enable().enabled).toBe(true)
    else expect(enable).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(twoFactor.isEnabled('ann')).toBe(isInTime)
  })
})

describe('enabling', () => {
  test('hands out ten different recovery codes and is written down', () => {
    const { codes } = enabled('ann')
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    expect(twoFactor.isEnabled('ann')).toBe(true)
    expect(recorded).toEqual([
      {
        action: 'two_factor.enabled',
        actorKind: 'person',
        storeId: null,
        userId: 'ann',
        keyId: null,
        details: { sessions_ended: 0 },
        trace: TRACE,
      },
    ])
  })

  test('uses its code up: the first login needs the next one', () => {
    const { secret } = twoFactor.setup(caller('ann'))
    twoFactor.enable(caller('ann'), { totp_code: shown(secret) })
    expect(pass('ann', shown(secret))).toBe(false)
    expect(pass('ann', shown(secret, -1))).toBe(false)
    expect(pass('ann', shown(secret, 1))).toBe(true)
  })

  test.each([-2, 2])('with a code %d steps off is refused; the setup goes on', (steps) => {
    const { secret } = twoFactor.setup(caller('ann'))
    expect(() => twoFactor.enable(caller('ann'), { totp_code: shown(secret, steps) })).toThrow(
      expect.objectContaining({ code: 'invalid_2fa' }),
    )
    expect(twoFactor.enable(caller('ann'), { totp_code: shown(secret) }).enabled).toBe(true)
  })

  test('without a setup, and a second time, is a conflict', () => {
    expect(() => twoFactor.enable(caller('bob'), { totp_code: '000000' })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    const { secret } = enabled('ann')
    expect(() => twoFactor.enable(caller('ann'), { totp_code: shown(secret) })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
  })

  test('is undone when it cannot be written down', () => {
    const unrecorded = serviceOn(db, DATA_SECRET, () => {
      throw new Error('the audit log is full')
    })
    const { secret } = unrecorded.setup(caller('ann'))
    expect(() => unrecorded.enable(caller('ann'), { totp_code: shown(secret) })).toThrow('audit log')
    expect(twoFactor.status(caller('ann'))).toEqual({
      enabled: false,
      enabled_at: null,
      recovery_codes_left: 0,
    })
    expect(twoFactor.enable(caller('ann'), { totp_code: shown(secret) }).enabled).toBe(true)
  })

  test('with a secret that can no longer be opened asks for a new setup, and is logged', () => {
    twoFactor.setup(caller('ann'))
    const restored = serviceOn(db, 'another secret that is only used in tests')
    expect(() => restored.enable(caller('ann'), { totp_code: '000000' })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    expect(logged).toEqual([expect.objectContaining({ user_id: 'ann' })])
  })
})

describe('a code at the login', () => {
  test.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('%d steps off: %p', (steps, isAccepted) => {
    const { secret } = enabled('ann')
    clock.advance(10 * STEP_MS)
    expect(pass('ann', shown(secret, steps))).toBe(isAccepted)
    const measured = `${steps} steps off: ${isAccepted ? 'accepted' : 'refused'}`
    recordBar({ bar: 19, part: 'drift', on: 'process', n: 1, measured, isMet: true })
  })

  test('is accepted once (RFC 6238 §5.2), and nothing older after it', () => {
    const { secret } = enabled('ann')
    expect(pass('ann', shown(secret))).toBe(true)
    expect(pass('ann', shown(secret))).toBe(false)
    expect(pass('ann', shown(secret, -1))).toBe(false)
    clock.advance(STEP_MS)
    expect(pass('ann', shown(secret, -1))).toBe(false)
    expect(pass('ann', shown(secret))).toBe(true)
  })

  test('of twenty at once exactly one is accepted', async () => {
    const { secret } = enabled('ann')
    const tries = Array.from({ length: 20 }, async () => {
      await Promise.resolve()
      return pass('ann', shown(secret))
    })
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
  })

  test('another person’s is wrong', () => {
    const ann = enabled('ann')
    const bob = enabled('bob')
    expect(pass('ann', shown(bob.secret))).toBe(false)
    expect(pass('bob', shown(ann.secret))).toBe(false)
  })

  test.each(['', '12345', '1234567', 'abcdef'])('that is no code is wrong: %j', (code) => {
    enabled('ann')
    expect(pass('ann', code)).toBe(false)
  })

  test('is wrong for whoever has it not enabled, and so is nothing at all', () => {
    enabled('ann')
    expect(pass('bob', '000000')).toBe(false)
    expect(pass('nobody', '000000')).toBe(false)
    expect(twoFactor.pass('ann', {}, TRACE)).toEqual({ ok: false })
  })

  test('is wrong and logged when the secret cannot be decrypted', () => {
    const { secret } = enabled('ann')
    const restored = serviceOn(db, 'another secret that is only used in tests')
    expect(restored.pass('ann', { totp_code: shown(secret) }, TRACE)).toEqual({ ok: false })
    expect(logged).toEqual([
      { user_id: 'ann', message: 'a TOTP secret cannot be decrypted: was the data secret replaced?' },
    ])
    expect(JSON.stringify(logged)).not.toContain(secret)
  })

  test('is wrong for a secret that was copied over from another person', () => {
    const { secret } = enabled('ann')
    enabled('eve')
    db.prepare(
      "UPDATE two_factor SET last_step = NULL, sealed_secret = (SELECT sealed_secret FROM two_factor WHERE user_id = 'ann') WHERE user_id = 'eve'",
    ).run()
    expect(pass('eve', shown(secret))).toBe(false)
  })
})

describe('a recovery code', () => {
  test('passes once, says how many are left and is written down', () => {
    const { codes } = enabled('ann')
    recorded = []
    expect(recover('ann', codes[3] as string)).toEqual({ ok: true, recoveryCodesLeft: 9 })
    expect(recorded).toMatchObject([
      {
        action: 'two_factor.recovery_code_used',
        userId: 'ann',
        details: { recovery_codes_left: 9 },
        trace: TRACE,
      },
    ])
    expect(recover('ann', codes[3] as string)).toEqual({ ok: false })
    expect(recover('ann', codes[4] as string)).toEqual({ ok: true, recoveryCodesLeft: 8 })
    expect(actions()).toHaveLength(2)
  })

  test('all ten pass, the eleventh time none does', () => {
    const { codes } = enabled('ann')
    expect(codes.map((code) => recover('ann', code).recoveryCodesLeft)).toEqual([
      9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
    ])
    expect(codes.map((code) => recover('ann', code).ok)).not.toContain(true)
  })

  test('of twenty at once exactly one passes', async () => {
    const { codes } = enabled('ann')
    const tries = Array.from({ length: 20 }, async () => {
      await Promise.resolve()
      return recover('ann', codes[0] as string).ok
    })
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
  })

  test.each([
    ['in capitals', (code: string) => code.toUpperCase()],
    ['without its dash', (code: string) => code.replace('-', '')],
    ['with a space in its place', (code: string) => code.replace('-', ' ')],
  ])('passes %s, and is the same code then', (_how, typed) => {
    const code = enabled('ann').codes[0] as string
    expect(recover('ann', typed(code)).ok).toBe(true)
    expect(recover('ann', code).ok).toBe(false)
  })

  test('another person’s does not pass, nor does one that does not exist', () => {
    const { codes } = enabled('ann')
    enabled('bob')
    expect(recover('bob', codes[0] as string).ok).toBe(false)
    expect(recover('ann', 'aaaaa-aaaaa').ok).toBe(false)
    expect(recover('ann', '').ok).toBe(false)
    expect(recover('ann', codes[0] as string).ok).toBe(true)
  })

  test('beside a TOTP code is not looked at', () => {
    const { secret, codes } = enabled('ann')
    const both = { recovery_code: codes[0] as string }
    expect(twoFactor.pass('ann', { ...both, totp_code: '' }, TRACE)).toEqual({ ok: false })
    expect(twoFactor.pass('ann', { ...both, totp_code: shown(secret) }, TRACE)).toEqual({ ok: true })
    expect(twoFactor.status(caller('ann')).recovery_codes_left).toBe(10)
  })

  test('is not used up when it cannot be written down', () => {
    const { codes } = enabled('ann')
    const unrecorded = serviceOn(db, DATA_SECRET, () => {
      throw new Error('the audit log is full')
    })
    expect(() => unrecorded.pass('ann', { recovery_code: codes[0] as string }, TRACE)).toThrow('audit log')
    expect(recover('ann', codes[0] as string).ok).toBe(true)
  })

  test('new ones end the old ones, used or not', () => {
    const { codes } = enabled('ann')
    recover('ann', codes[0] as string)
    const { recovery_codes } = twoFactor.renewRecoveryCodes(caller('ann', 'otp'))
    expect(recovery_codes).toHaveLength(10)
    expect(twoFactor.status(caller('ann')).recovery_codes_left).toBe(10)
    expect(codes.map((code) => recover('ann', code).ok)).not.toContain(true)
    expect(recover('ann', recovery_codes[0] as string).ok).toBe(true)
    expect(actions()).toContain('two_factor.recovery_codes_renewed')
  })

  test('new ones need it enabled, and a login with a code', () => {
    expect(() => twoFactor.renewRecoveryCodes(caller('ann', 'otp'))).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    const { codes } = enabled('ann')
    expect(() => twoFactor.renewRecoveryCodes(caller('ann'))).toThrow(
      expect.objectContaining({ code: 'permission_denied' }),
    )
    expect(recover('ann', codes[0] as string).ok).toBe(true)
  })
})

describe('disabling', () => {
  test('takes secret and recovery codes away and is written down', () => {
    const { secret, codes } = enabled('ann')
    expect(twoFactor.disable(caller('ann', 'otp'))).toEqual({ enabled: false })
    expect(twoFactor.isEnabled('ann')).toBe(false)
    expect(pass('ann', shown(secret))).toBe(false)
    expect(recover('ann', codes[0] as string).ok).toBe(false)
    expect(actions()).toEqual(['two_factor.enabled', 'two_factor.disabled'])
    expect(rowsOf('ann')).toEqual([0, 0])
  })

  test('needs a login that passed the second factor', () => {
    enabled('ann')
    expect(() => twoFactor.disable(caller('ann'))).toThrow(
      expect.objectContaining({
        code: 'permission_denied',
        extras: { details: { required: 'two_factor' } },
        message: expect.stringContaining('sign in again with a code'),
      }),
    )
    expect(twoFactor.isEnabled('ann')).toBe(true)
  })

  test('where it is not enabled does no harm; a setup under way ends', () => {
    expect(twoFactor.disable(caller('ann'))).toEqual({ enabled: false })
    const { secret } = twoFactor.setup(caller('ann'))
    expect(twoFactor.disable(caller('ann'))).toEqual({ enabled: false })
    expect(() => twoFactor.enable(caller('ann'), { totp_code: shown(secret) })).toThrow('No setup')
    expect(recorded).toEqual([])
  })

  test('leaves everybody else’s alone, and a new setup has a new secret', () => {
    const ann = enabled('ann')
    const bob = enabled('bob')
    twoFactor.disable(caller('ann', 'otp'))
    expect(pass('bob', shown(bob.secret))).toBe(true)
    expect(twoFactor.status(caller('bob')).recovery_codes_left).toBe(10)
    expect(twoFactor.setup(caller('ann')).secret).not.toBe(ann.secret)
  })
})

describe('the operator’s reset', () => {
  test('takes it away from exactly that person and is written down', () => {
    enabled('ann')
    const bob = enabled('bob')
    recorded = []
    expect(twoFactor.reset('ann@shop.test')).toBe(true)
    expect([twoFactor.isEnabled('ann'), twoFactor.isEnabled('bob')]).toEqual([false, true])
    expect(rowsOf('ann')).toEqual([0, 0])
    expect(pass('bob', shown(bob.secret))).toBe(true)
    expect(recorded).toEqual([
      {
        action: 'two_factor.reset',
        actorKind: 'operator',
        storeId: null,
        userId: 'ann',
        keyId: null,
        details: { sessions_ended: 0 },
        trace: null,
      },
    ])
  })

  test('tells nothing to take and an unknown person apart', () => {
    expect(twoFactor.reset('ann@shop.test')).toBe(false)
    expect(twoFactor.reset('nobody@shop.test')).toBeUndefined()
    expect(recorded).toEqual([])
  })
})

describe('what is told', () => {
  test('the status', () => {
    expect(twoFactor.status(caller('ann'))).toEqual({
      enabled: false,
      enabled_at: null,
      recovery_codes_left: 0,
    })
    twoFactor.setup(caller('ann'))
    expect(twoFactor.status(caller('ann')).enabled).toBe(false)
    const { codes } = enabled('ann')
    recover('ann', codes[0] as string)
    expect(twoFactor.status(caller('ann'))).toEqual({
      enabled: true,
      enabled_at: '2030-01-01T00:00:00.000Z',
      recovery_codes_left: 9,
    })
  })

  test('how many members of a store have it, pending ones not', () => {
    const join = (name: string, store: string) =>
      db
        .prepare("INSERT INTO memberships (user_id, store_id, role, created_at) VALUES (?, ?, 'viewer', 0)")
        .run(name, store)
    for (const store of ['one', 'two', 'empty']) {
      addStore(db, store)
    }
    join('ann', 'one')
    join('bob', 'one')
    join('ann', 'two')
    enabled('ann')
    twoFactor.setup(caller('bob'))
    enabled('eve')
    expect(twoFactor.countMembers('one')).toEqual({ total: 2, enabled: 1 })
    expect(twoFactor.countMembers('two')).toEqual({ total: 1, enabled: 1 })
    expect(twoFactor.countMembers('empty')).toEqual({ total: 0, enabled: 0 })
  })
})

const rowsOf = (userId: string) =>
  ['two_factor', 'recovery_codes'].map((table) =>
    Number(
      db.prepare<[string], { n: number }>(`SELECT count(*) AS n FROM ${table} WHERE user_id = ?`).get(userId)
        ?.n,
    ),
  )

describe('on the disk', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookalike-two-factor-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('neither the secret nor a recovery code can be read, in any form', () => {
    const file = openDatabase(folder)
    addUser(file, 'ann')
    twoFactor = serviceOn(file)
    const { secret, codes } = enabled('ann')
    const bytes = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))
    const read = bytes()
    expect(read.includes('ann@shop.test')).toBe(true)
    for (const canary of [secret, ...codes, ...codes.map((code) => code.replace('-', ''))]) {
      for (const text of [canary, canary.toLowerCase(), Buffer.from(canary).toString('base64')]) {
        expect(read.includes(text)).toBe(false)
      }
    }
    file.close()
  })

  test('two connections accept one code and one step once', () => {
    const [one, other] = [openDatabase(folder), openDatabase(folder)]
    addUser(one, 'ann')
    twoFactor = serviceOn(one)
    const { secret, codes } = enabled('ann')
    const second = serviceOn(other)
    const code = { totp_code: shown(secret) }
    const recovery = { recovery_code: codes[0] as string }
    expect([second.pass('ann', code, TRACE).ok, twoFactor.pass('ann', code, TRACE).ok]).toEqual([true, false])
    expect(twoFactor.pass('ann', recovery, TRACE).ok).toBe(true)
    expect(second.pass('ann', recovery, TRACE).ok).toBe(false)
    one.close()
    other.close()
  })
})
