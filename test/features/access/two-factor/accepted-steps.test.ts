import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createAcceptedSteps } from '../../../../src/features/access/two-factor/accepted-steps.ts'
import { twoFactorQueries } from '../../../../src/features/access/two-factor/queries.ts'
import type { Db } from '../../../../src/platform/db/open.ts'
import { recordBar } from '../../../robustness/bars.ts'
import { readRepetitions } from '../../../robustness/random.ts'
import type { TestApp } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import {
  addPerson,
  enableTwoFactor,
  freshAddress,
  from,
  getToken,
  proxiedApp,
  refusal,
  sendSignIn,
} from '../../../support/people.ts'

const ROUNDS = readRepetitions('CODE_ROUNDS', 40)
const HOUR = 3_600_000
const DAY = 24 * HOUR

describe('steps of a clock that may be set back', () => {
  let db: Db
  beforeEach(() => {
    db = memoryDatabase()
    db.exec(
      "INSERT INTO users (id, email, name, password_hash, created_at) VALUES ('ann', 'ann@x.test', '', '', 0)",
    )
  })
  afterEach(() => void db.close())

  /** How a person begins who has just switched it on. */
  function begin(lastStep: number | null): ReturnType<typeof createAcceptedSteps> {
    db.exec('DELETE FROM two_factor')
    db.prepare(
      "INSERT INTO two_factor (user_id, sealed_secret, created_at, enabled_at, last_step) VALUES ('ann', x'00', 0, 0, ?)",
    ).run(lastStep === null ? null : BigInt(lastStep))
    return createAcceptedSteps(twoFactorQueries(db))
  }

  test.each(['accept', 'acceptInMemory'] as const)('a step is used once, with all before it (%s)', (way) => {
    const steps = begin(null)
    expect(steps[way]('ann', 100, 100)).toBe(true)
    for (const step of [99, 100]) {
      expect(steps.accept('ann', step, 100)).toBe(false)
      expect(steps.acceptInMemory('ann', step, 100)).toBe(false)
    }
    expect(steps[way]('ann', 101, 100)).toBe(true)
    expect(steps.accept('ann', 101, 101)).toBe(false)
    expect(steps.accept('ann', 102, 101)).toBe(true)
  })

  test.each(['accept', 'acceptInMemory'] as const)('a step of the future keeps nobody out (%s)', (way) => {
    const steps = begin(5_000)
    expect(steps[way]('ann', 100, 100)).toBe(true)
    expect(steps[way]('ann', 100, 100)).toBe(false)
    expect(steps[way]('ann', 101, 100)).toBe(true)
  })

  test('one step ahead is accepted: an authenticator may be early', () => {
    const steps = begin(101)
    expect([99, 100, 101].map((step) => steps.accept('ann', step, 100))).toEqual([false, false, false])
    expect(begin(102).accept('ann', 101, 100)).toBe(true)
  })

  test('under any clock no step is accepted twice within its time, and no wait is longer than two minutes', () => {
    const move = fc.record({
      by: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(-120, 120, -2_880, 2_880, -1, -2)),
      early: fc.integer({ min: -1, max: 1 }),
      isHeld: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 60 }), (moves) => {
        const steps = begin(null)
        let now = 100_000
        /** Steps that were taken since the clock last jumped. */
        let taken = new Set<number>()
        for (const { by, early, isHeld } of moves) {
          if (Math.abs(by) > 3 || by < 0) taken = new Set()
          now += by
          const step = now + early
          const isTaken = steps[isHeld ? 'acceptInMemory' : 'accept']('ann', step, now)
          if (isTaken) expect(taken.has(step)).toBe(false)
          if (isTaken) taken.add(step)
        }
        expect([0, 1, 2, 3, 4].some((wait) => steps.accept('ann', now + wait, now + wait))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a sign-in after the clock was set back', () => {
  let app: TestApp
  beforeEach(() => {
    app = proxiedApp()
  })
  afterEach(() => app.close())

  test.each([-HOUR, -DAY, HOUR, DAY])('by %d ms takes the code that is shown, once', async (jump) => {
    const anna = await addPerson(app, 'anna')
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    app.clock.advance(60_000)
    const signIn = () => sendSignIn(app, anna.email, { totp_code: phone.code() }, from(freshAddress()))
    expect((await signIn()).status).toBe(200)
    app.clock.advance(jump)
    expect((await signIn()).status).toBe(200)
    expect(refusal(await signIn())).toEqual([401, 'invalid_2fa'])
    app.clock.advance(30_000)
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn()))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    const measured = 'second factor: the code that is shown is taken at once, and once'
    recordBar({ bar: 32, part: 'steps', on: 'process', n: 1, measured, isMet: true })
  })

  test(`a code is used once: of five logins at once with it one gets in (${ROUNDS} times)`, async () => {
    const anna = await addPerson(app, 'anna')
    const phone = await enableTwoFactor(app, await getToken(app, anna))
    let reuses = 0
    for (let round = 0; round < ROUNDS; round++) {
      app.clock.advance(15 * 60_000)
      const signIn = () => sendSignIn(app, anna.email, { totp_code: phone.code() }, from(freshAddress()))
      const answers = await Promise.all(Array.from({ length: 5 }, signIn))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      reuses += answers.length - 1
    }
    const measured = '0 accepted, of logins at once with one code'
    recordBar({ bar: 19, part: 'reuse', on: 'process', n: reuses, measured, isMet: true })
  }, 600_000)
})
