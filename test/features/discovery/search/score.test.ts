import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { calibrate } from '../../../../src/core/calibrate.ts'
import {
  bend,
  correct,
  findCutoff,
  toScore,
  unbend,
} from '../../../../src/features/discovery/search/score.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('similarity_score (contract 3.5)', () => {
  test('a knee bends high scores and nothing else, and keeps their order', () => {
    const plain = { midpoint: 0.2, slope: 30, ceiling: 1 }
    const bent = { ...plain, knee: 1 }
    expect(toScore(0.2, bent)).toBe(0.5)
    expect(toScore(0.1, bent)).toBe(toScore(0.1, plain))
    expect(toScore(0.6, plain)).toBeGreaterThan(0.999)
    const scores = [0.25, 0.3, 0.4, 0.6, 3].map((value) => toScore(value, bent))
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
    expect(new Set(scores).size).toBe(scores.length)
    expect(scores.at(-2)).toBeLessThan(0.95)
    expect(scores.at(-1)).toBeLessThan(0.99)
  })

  test('a bent value can be unbent, on both sides of the knee', () => {
    for (const map of [
      { midpoint: 0.2, slope: 30, knee: 1 },
      { midpoint: 0.2, slope: 30 },
    ]) {
      for (const value of [-0.4, 0.1, 0.2 + 1 / 30, 0.25, 0.6, 3]) {
        expect(unbend(bend(value, map), map)).toBeCloseTo(value, 9)
      }
    }
    expect(unbend(1e6, { midpoint: 0.2, slope: 30, knee: 1 })).toBe(Infinity)
  })

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

  test('a correction of the log-odds keeps the order, and without one nothing changes', () => {
    const map = { midpoint: 0.2, slope: 20 }
    expect(correct(map, undefined)).toEqual(map)
    const final = { midpoint: 1, slope: 0.5 }
    for (const value of [-0.3, 0, 0.2, 0.25, 0.9]) {
      const odds = map.slope * (value - map.midpoint)
      expect(calibrate(value, correct(map, final))).toBeCloseTo(calibrate(odds, final), 12)
    }
  })

  test('no score exceeds the ceiling of its map', () => {
    const map = { midpoint: 0, slope: 10, ceiling: 0.3 }
    fc.assert(
      fc.property(fc.double({ min: -9, max: 9, noNaN: true }), (value) => {
        expect(toScore(value, map)).toBeLessThanOrEqual(0.3)
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
