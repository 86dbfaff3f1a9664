import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { calibrate } from '../../../../src/core/calibrate.ts'
import { boost, findCutoff } from '../../../../src/features/discovery/search/score.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('similarity_score (contract 3.5)', () => {
  test('is 0.5 at the midpoint, lies in 0 to 1 and grows with the cosine', () => {
    expect(calibrate(0.3, { midpoint: 0.3, slope: 40 })).toBe(0.5)
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0.1, max: 200, noNaN: true }),
        (a, b, slope) => {
          const [low, high] = [a, b].sort((x, y) => x - y).map((x) => calibrate(x, { midpoint: 0.2, slope }))
          expect((low as number) >= 0 && (high as number) <= 1 && (low as number) <= (high as number)).toBe(
            true,
          )
        },
      ),
    )
  })

  test('the boost is (1 − w) · s + w: between s and 1, and in the order of s', () => {
    expect(boost(0.5, 0.1)).toBeCloseTo(0.55, 12)
    expect(boost(1, 0.5)).toBe(1)
    fc.assert(
      fc.property(share, share, fc.double({ min: 0, max: 0.5, noNaN: true }), (a, b, w) => {
        expect(boost(a, w)).toBeGreaterThanOrEqual(a - 1e-12)
        expect(boost(a, w)).toBeLessThanOrEqual(1)
        if (a < b) expect(boost(a, w)).toBeLessThanOrEqual(boost(b, w))
      }),
    )
  })
})

describe('cutoff: auto (contract 3.5)', () => {
  test.each([
    [[], 0],
    [[0.9], 1],
    [[0.9, 0.1], 1],
    [[0.9, 0.88, 0.86, 0.84, 0.82], 5],
    // The largest drop behind the third result.
    [[0.95, 0.94, 0.93, 0.92, 0.7, 0.69, 0.68], 4],
    // A drop before the fourth does not count, unless it falls below 0.6 of the best.
    [[0.95, 0.7, 0.69, 0.68, 0.67], 5],
    [[0.9, 0.53, 0.52], 1],
    [[0.9, 0.85, 0.8, 0.5, 0.4], 3],
    [[0, 0, 0, 0, 0], 5],
  ])('%j keeps %d', (scores, kept) => {
    expect(findCutoff(scores)).toBe(kept)
  })

  test('keeps at least the first, and nothing below 0.6 of the best', () => {
    fc.assert(
      fc.property(fc.array(share, { minLength: 1, maxLength: 60 }), (raw) => {
        const scores = raw.sort((a, b) => b - a)
        const kept = findCutoff(scores)
        expect(kept).toBeGreaterThanOrEqual(1)
        for (const score of scores.slice(0, kept))
          expect(score).toBeGreaterThanOrEqual(0.6 * (scores[0] as number))
      }),
    )
  })
})
