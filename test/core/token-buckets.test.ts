import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createTokenBuckets } from '../../src/core/token-buckets.ts'

const RATE = { perMinute: 30, burst: 10 }

describe('token buckets', () => {
  test('never give more than the burst and what has flowed in since, and never less while tokens are there', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9_000), { maxLength: 200 }), (pauses) => {
        const buckets = createTokenBuckets(RATE)
        let [now, tokens] = [0, RATE.burst]
        for (const pause of pauses) {
          now += pause
          tokens = Math.min(RATE.burst, tokens + (pause * RATE.perMinute) / 60_000)
          const { isAllowed, remaining, resetSeconds } = buckets.take('a', now)
          // A token that is there to the rounding may be given or not.
          if (Math.abs(tokens - 1) > 1e-9) expect(isAllowed).toBe(tokens >= 1)
          if (isAllowed) tokens -= 1
          expect(Math.abs(remaining - tokens)).toBeLessThan(1 + 1e-9)
          if (!isAllowed) expect(resetSeconds).toBe(Math.ceil(Math.round((1 - tokens) * 2_000) / 1_000))
        }
      }),
    )
  })

  test('several at once go together', () => {
    const buckets = createTokenBuckets(RATE)
    expect(buckets.take('a', 0, 7)).toMatchObject({ isAllowed: true, remaining: 3 })
    expect(buckets.take('a', 0, 4)).toMatchObject({ isAllowed: false, remaining: 3, resetSeconds: 2 })
    expect(buckets.take('a', 0, 3)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(buckets.take('a', 20_000, 10)).toMatchObject({ isAllowed: true, remaining: 0 })
  })

  test('keys are apart, and without room the one used longest ago starts anew', () => {
    const buckets = createTokenBuckets({ perMinute: 1, burst: 1 }, 2)
    const take = (key: string) => buckets.take(key, 0).isAllowed
    expect([take('a'), take('b'), take('a'), take('b')]).toEqual([true, true, false, false])
    expect([take('c'), take('b'), take('c'), take('a')]).toEqual([true, false, false, true])
  })
})
