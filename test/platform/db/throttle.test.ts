import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Db, openDatabase } from '../../../src/platform/db/open.ts'
import { createThrottle } from '../../../src/platform/db/throttle.ts'
import { recordBar } from '../../robustness/bars.ts'
import { memoryDatabase } from '../../support/database.ts'

const MINUTE = 60_000
const START = Date.parse('2030-01-01T00:00:00Z')

let db: Db

beforeEach(() => {
  db = memoryDatabase()
})
afterEach(() => void db.close())

const rows = (bucket: string): unknown =>
  db.prepare('SELECT count(*) FROM throttle_events WHERE bucket = ?').pluck().get(bucket)

const logins = (limit = 2) => createThrottle(db, { bucket: 'logins', limit, windowMs: MINUTE })

describe('a kept sliding window', () => {
  test('allows its limit, refuses the next, and tells what is left', () => {
    const throttle = logins()
    expect(throttle.take('a', 0)).toEqual({ isAllowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
    expect(throttle.take('a', 1_500)).toEqual({ isAllowed: true, limit: 2, remaining: 0, resetSeconds: 59 })
    expect(throttle.take('a', 2_000)).toEqual({ isAllowed: false, limit: 2, remaining: 0, resetSeconds: 58 })
  })

  test('refuses a millisecond before the wait is over and allows when it is', () => {
    const throttle = logins(1)
    throttle.take('a', START)
    const { resetSeconds } = throttle.take('a', START + 1)
    expect(resetSeconds).toBe(60)
    expect(throttle.take('a', START + MINUTE - 1).isAllowed).toBe(false)
    expect(throttle.take('a', START + MINUTE).isAllowed).toBe(true)
  })

  test('refused events do not count: whoever keeps knocking waits no longer', () => {
    const throttle = logins(1)
    throttle.take('a', START)
    for (let ms = 1; ms < MINUTE; ms += 1_000) expect(throttle.take('a', START + ms).isAllowed).toBe(false)
    expect(throttle.take('a', START + MINUTE).isAllowed).toBe(true)
  })

  test('lets exactly its limit of a burst of 50 through', async () => {
    const throttle = logins(5)
    const burst = Array.from({ length: 50 }, async () => throttle.take('a', START))
    const verdicts = await Promise.all(burst)
    expect(verdicts.filter(({ isAllowed }) => isAllowed)).toHaveLength(5)
    expect(rows('logins')).toBe(5)
  })

  test('keys and buckets do not touch each other', () => {
    const throttle = logins(1)
    const other = createThrottle(db, { bucket: 'refreshes', limit: 1, windowMs: MINUTE })
    throttle.take('a', START)
    expect(throttle.take('a', START).isAllowed).toBe(false)
    expect(throttle.take('b', START).isAllowed).toBe(true)
    expect(other.take('a', START).isAllowed).toBe(true)
  })

  test('looking finds what there is and counts nothing', () => {
    const throttle = logins(1)
    expect(throttle.peek('a', START)).toEqual({ isAllowed: true, limit: 1, remaining: 1, resetSeconds: 0 })
    expect(rows('logins')).toBe(0)
    throttle.take('a', START)
    const refused = { isAllowed: false, limit: 1, remaining: 0, resetSeconds: 45 }
    expect(throttle.peek('a', START + 15_000)).toEqual(refused)
    expect(throttle.take('a', START + 15_000)).toEqual(refused)
    expect(throttle.peek('a', START + MINUTE)).toMatchObject({ isAllowed: true, remaining: 1 })
  })

  test('what is added counts beyond the limit, and the wait covers all of it', () => {
    const throttle = logins(2)
    for (const second of [0, 10, 20, 30]) throttle.add('a', START + second * 1_000)
    expect(throttle.peek('a', START + 30_000)).toEqual({
      isAllowed: false,
      limit: 2,
      remaining: 0,
      resetSeconds: 50,
    })
    expect(throttle.peek('a', START + 80_000 - 1).isAllowed).toBe(false)
    expect(throttle.peek('a', START + 80_000).isAllowed).toBe(true)
  })

  test('a reset forgives the key and no other', () => {
    const throttle = logins(1)
    throttle.add('a', START)
    throttle.add('b', START)
    throttle.reset('a')
    expect(throttle.peek('a', START).isAllowed).toBe(true)
    expect(throttle.peek('b', START).isAllowed).toBe(false)
  })

  test('is part of a transaction that it is called in', () => {
    const throttle = logins(1)
    const failing = db.transaction(() => {
      throttle.add('a', START)
      throw new Error('something else failed')
    })
    expect(failing).toThrow('something else failed')
    expect(throttle.peek('a', START).isAllowed).toBe(true)
  })

  test('commits wait for the disk again afterwards', () => {
    const throttle = logins(1)
    throttle.take('a', START)
    throttle.reset('a')
    throttle.prune(START)
    expect(db.pragma('synchronous', { simple: true })).toBe(2)
  })
})

describe('any schedule', () => {
  interface Step {
    waitMs: number
    key: string
    verb: 'take' | 'peek' | 'add' | 'reset' | 'prune'
  }
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.record({
      // Ends of windows are met exactly only when waits are round.
      waitMs: fc.oneof(fc.nat(25_000), fc.constantFrom(0, 1, 999, 20_000, MINUTE - 1, MINUTE)),
      key: fc.constantFrom('a', 'b'),
      verb: fc.constantFrom('take', 'take', 'take', 'peek', 'add', 'reset', 'prune'),
    }),
    { minLength: 1, maxLength: 40 },
  )

  test('is judged as by a list of all events, and a wait is told to the second', () => {
    let bucket = 0
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), steps, (limit, schedule) => {
        const throttle = createThrottle(db, { bucket: `schedule ${++bucket}`, limit, windowMs: MINUTE })
        let events: { key: string; at: number }[] = []
        let now = START
        for (const { waitMs, key, verb } of schedule) {
          now += waitMs
          const countAt = (at: number) =>
            events.filter((event) => event.key === key && event.at > at - MINUTE).length
          const count = countAt(now)
          if (verb === 'reset') {
            throttle.reset(key)
            events = events.filter((event) => event.key !== key)
          } else if (verb === 'prune') throttle.prune(now)
          else if (verb === 'add') {
            throttle.add(key, now)
            events.push({ key, at: now })
          } else {
            const verdict = throttle[verb](key, now)
            expect([verdict.isAllowed, verdict.limit]).toEqual([count < limit, limit])
            const isCounted = verb === 'take' && verdict.isAllowed
            if (isCounted) events.push({ key, at: now })
            expect(verdict.remaining).toBe(Math.max(0, limit - count - (isCounted ? 1 : 0)))
            if (verdict.isAllowed) continue
            expect(countAt(now + verdict.resetSeconds * 1_000)).toBeLessThan(limit)
            expect(countAt(now + (verdict.resetSeconds - 1) * 1_000)).toBeGreaterThanOrEqual(limit)
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('a clock that was set back', () => {
  const HOUR = 60 * MINUTE

  test.each(['take', 'peek'] as const)('keeps nobody out for longer than the window (%s)', (verb) => {
    const throttle = logins(1)
    throttle.add('a', START)
    const now = START - HOUR
    expect(throttle[verb]('a', now)).toMatchObject({ isAllowed: false, resetSeconds: 60 })
    expect(throttle[verb]('a', now + MINUTE - 1).isAllowed).toBe(false)
    expect(throttle[verb]('a', now + MINUTE).isAllowed).toBe(true)
    const measured = 'a throttle: nobody kept out for longer than its window'
    recordBar({ bar: 32, part: 'steps', on: 'process', n: 1, measured, isMet: true })
  })

  test('and not even that after a prune a window ago', () => {
    const throttle = logins(1)
    throttle.add('a', START)
    throttle.prune(START - HOUR)
    expect(throttle.peek('a', START - HOUR + MINUTE).isAllowed).toBe(true)
  })
})

describe('rows', () => {
  test('of a bucket are bounded under a flood of keys: the oldest give way', () => {
    const throttle = createThrottle(db, { bucket: 'flood', limit: 1, windowMs: MINUTE, rowsMax: 10 })
    for (let n = 0; n < 100; n++) expect(throttle.take(`key ${n}`, START + n).isAllowed).toBe(true)
    expect(rows('flood')).toBe(10)
    expect(throttle.peek('key 90', START + 100).isAllowed).toBe(false)
    expect(throttle.peek('key 89', START + 100).isAllowed).toBe(true)
  })

  test('of windows that are over give way before younger ones', () => {
    const throttle = createThrottle(db, { bucket: 'flood', limit: 1, windowMs: MINUTE, rowsMax: 3 })
    for (const key of ['a', 'b', 'c']) throttle.take(key, START)
    throttle.take('young', START + MINUTE)
    expect(rows('flood')).toBe(1)
  })

  test('of other buckets are left alone', () => {
    const calm = logins()
    calm.take('a', START)
    const flooded = createThrottle(db, { bucket: 'flood', limit: 1, windowMs: MINUTE, rowsMax: 1 })
    for (const key of ['a', 'b', 'c']) flooded.take(key, START)
    flooded.prune(START + 2 * MINUTE)
    expect([rows('logins'), rows('flood')]).toEqual([1, 0])
  })

  test('are forgotten by a prune once their window is over, to the millisecond', () => {
    const throttle = logins()
    throttle.take('a', START)
    throttle.take('b', START + 1)
    throttle.prune(START + MINUTE)
    expect(rows('logins')).toBe(1)
    expect(throttle.peek('b', START + MINUTE)).toMatchObject({ remaining: 1 })
  })
})

describe('after a restart', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookalike-throttle-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('nobody is forgiven, and the bound still holds', () => {
    const options = { bucket: 'logins', limit: 2, windowMs: MINUTE, rowsMax: 3 }
    const before = openDatabase(folder)
    const first = createThrottle(before, options)
    for (const key of ['a', 'a', 'b']) first.take(key, START)
    before.close()

    const after = openDatabase(folder)
    const second = createThrottle(after, options)
    expect(second.take('a', START + MINUTE - 1)).toMatchObject({ isAllowed: false, resetSeconds: 1 })
    expect(second.take('b', START + 1)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(after.prepare('SELECT count(*) FROM throttle_events').pluck().get()).toBe(3)
    after.close()
  })
})
