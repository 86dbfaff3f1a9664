import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRateWindow } from '../../src/core/rate-window.ts'
import { recordBar } from '../robustness/bars.ts'
import { readRepetitions } from '../robustness/random.ts'
import { CLOCK_STEPS, referenceWindow } from '../support/sliding-window.ts'

const MINUTE = 60_000
const SCHEDULES = readRepetitions('RATE_SCHEDULES', 1_000)
const ADDRESSES = readRepetitions('RATE_ADDRESSES', 100_000)

describe('a sliding window', () => {
  test('allows its limit, refuses the next, and tells what is left', () => {
    const window = createRateWindow(MINUTE)
    expect(window.take('a', 2, 0)).toEqual({ isAllowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
    expect(window.take('a', 2, 1_500)).toEqual({ isAllowed: true, limit: 2, remaining: 0, resetSeconds: 59 })
    expect(window.take('a', 2, 2_000)).toEqual({ isAllowed: false, limit: 2, remaining: 0, resetSeconds: 58 })
  })

  test('a refused request costs nothing: the wait that was told is enough', () => {
    const window = createRateWindow(MINUTE)
    window.take('a', 1, 0)
    for (let now = 1; now < MINUTE; now += 1_000) expect(window.take('a', 1, now).isAllowed).toBe(false)
    expect(window.take('a', 1, MINUTE).isAllowed).toBe(true)
  })

  test('several at once go together, and more than the limit take all of it', () => {
    const window = createRateWindow(MINUTE)
    expect(window.take('a', 5, 0, 3)).toMatchObject({ isAllowed: true, remaining: 2 })
    expect(window.take('a', 5, 1_000, 3)).toMatchObject({ isAllowed: false, remaining: 2, resetSeconds: 59 })
    expect(window.take('a', 5, 1_000, 2)).toMatchObject({ isAllowed: true, remaining: 0 })
    // The last two came later.
    expect(window.take('a', 5, 2_000, 9)).toMatchObject({ isAllowed: false, resetSeconds: 59 })
    expect(window.take('a', 5, 61_000, 9)).toMatchObject({ isAllowed: true, remaining: 0 })
  })

  test('keys do not touch each other', () => {
    const window = createRateWindow(MINUTE)
    window.take('a', 1, 0)
    expect(window.take('a', 1, 0).isAllowed).toBe(false)
    expect(window.take('b', 1, 0).isAllowed).toBe(true)
  })

  test('a lowered limit counts what was allowed before, and tells how long that takes to leave', () => {
    const window = createRateWindow(MINUTE)
    for (let n = 0; n < 10; n++) window.take('a', 10, n * 1_000)
    const refused = window.take('a', 3, 10_000)
    expect(refused).toEqual({ isAllowed: false, limit: 3, remaining: 0, resetSeconds: 57 })
    expect(window.take('a', 3, 10_000 + 57_000 - 1).isAllowed).toBe(false)
    expect(window.take('a', 3, 10_000 + 57_000).isAllowed).toBe(true)
  })

  test('a raised limit counts at once', () => {
    const window = createRateWindow(MINUTE)
    window.take('a', 1, 0)
    expect(window.take('a', 5, 1)).toMatchObject({ isAllowed: true, remaining: 3 })
  })

  test('no window ever holds more than the limit, and whoever waits as told is let in', () => {
    const steps = fc.array(fc.nat(20_000), { minLength: 1, maxLength: 80 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (limit, waits) => {
        const window = createRateWindow(MINUTE)
        const allowed: number[] = []
        let now = 0
        for (const wait of waits) {
          now += wait
          const verdict = window.take('a', limit, now)
          const inWindow = allowed.filter((time) => time > now - MINUTE).length
          expect(verdict.isAllowed).toBe(inWindow < limit)
          if (verdict.isAllowed) allowed.push(now)
          expect(verdict.remaining).toBe(Math.max(0, limit - inWindow - 1))
          if (!verdict.isAllowed) {
            const free = now + verdict.resetSeconds * 1000
            expect(allowed.filter((time) => time > free - MINUTE).length).toBeLessThan(limit)
          }
        }
      }),
    )
  })
})

describe('a clock that was set', () => {
  test.each(CLOCK_STEPS)('by %d ms keeps nobody out for longer than the window', (step) => {
    const window = createRateWindow(MINUTE)
    const start = 100 * 86_400_000
    for (let n = 0; n < 10; n++) window.take('a', 10, start + n)
    const now = start + step
    const verdict = window.take('a', 10, now)
    expect(verdict.resetSeconds).toBeLessThanOrEqual(60)
    if (!verdict.isAllowed) expect(window.take('a', 10, now + MINUTE - 1).isAllowed).toBe(false)
    expect(window.take('a', 10, now + MINUTE).isAllowed).toBe(true)
    const measured = 'a rate window: nobody kept out for longer than 60 s'
    recordBar({ bar: 32, part: 'steps', on: 'process', n: 1, measured, isMet: true })
  })

  test('back and forth is judged as by a list of all requests', () => {
    const keys = fc.constantFrom('a', 'b')
    const wait = fc.oneof(
      { weight: 20, arbitrary: fc.nat(9_000) },
      fc.constantFrom(...CLOCK_STEPS, -1, -30_000),
    )
    const schedule = fc.array(fc.record({ key: keys, wait }), { minLength: 1, maxLength: 200 })
    let judged = 0
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), schedule, (limit, requests) => {
        const window = createRateWindow(MINUTE)
        const reference = referenceWindow(MINUTE)
        let now = 100 * 86_400_000
        for (const { key, wait: waitMs } of requests) {
          now += waitMs
          const before = reference.at(key, now)
          reference.purge(now, key)
          const isAllowed = before.length < limit
          if (isAllowed) reference.add(key, now)
          const blocking = isAllowed ? (before[0] ?? now) : before[before.length - limit]
          judged += 1
          expect(window.take(key, limit, now)).toEqual({
            isAllowed,
            limit,
            remaining: Math.max(0, limit - before.length - 1),
            resetSeconds: Math.ceil(((blocking as number) + MINUTE - now) / 1_000),
          })
        }
      }),
      { numRuns: SCHEDULES },
    )
    const measured = `${judged} requests judged as by a list of all requests, also where the clock was set`
    recordBar({ bar: 21, part: 'schedules', on: 'process', n: SCHEDULES, measured, isMet: true })
  })
})

describe('memory', () => {
  test(`${ADDRESSES} addresses are counted in bounded memory`, () => {
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    const window = createRateWindow(MINUTE)
    for (let n = 0; n < ADDRESSES; n++)
      window.take(`203.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 5, n % MINUTE)
    const growth = (process.memoryUsage.rss() - before) / 1024 / 1024
    const measured = `${growth.toFixed(0)} MB more`
    recordBar({ bar: 21, part: 'addresses', on: 'process', n: ADDRESSES, measured, isMet: growth <= 100 })
    expect(growth).toBeLessThanOrEqual(100)
    // Somebody who came last is still counted.
    expect(window.take('new', 1, MINUTE).isAllowed).toBe(true)
    expect(window.take('new', 1, MINUTE).isAllowed).toBe(false)
  }, 60_000)

  test('a flood of keys is bounded: the oldest gives way', () => {
    const window = createRateWindow(MINUTE, 3)
    for (const key of ['a', 'b', 'c', 'd']) window.take(key, 1, 0)
    expect(window.take('d', 1, 1).isAllowed).toBe(false)
    expect(window.take('a', 1, 1).isAllowed).toBe(true)
  })

  test('keys whose window is over make room first', () => {
    const window = createRateWindow(MINUTE, 3)
    window.take('young', 1, MINUTE)
    window.take('old', 1, 0)
    window.take('older', 1, 0)
    window.take('new', 1, MINUTE + 1)
    expect(window.take('young', 1, MINUTE + 1).isAllowed).toBe(false)
  })
})
