import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findBar, selectAbove, selectTop, sortDown } from '../../src/core/select.ts'

/** Few distinct values, so that ties are common. */
const scoreLists = fc.array(
  fc.oneof(fc.integer({ min: -3, max: 3 }), fc.float({ noNaN: true }), fc.constant(-Infinity)),
  { maxLength: 300 },
)

function sortedSlots(scores: Float32Array, k: number, mask?: Uint8Array): number[] {
  return [...scores.keys()]
    .filter((slot) => scores[slot] !== -Infinity && mask?.[slot] !== 0)
    .sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
    .slice(0, k)
}

test('the selection equals a full sort, ties going to the lower slot', () => {
  fc.assert(
    fc.property(scoreLists, fc.nat({ max: 320 }), (list, k) => {
      const scores = Float32Array.from(list)
      expect([...selectTop(scores, k)]).toEqual(sortedSlots(scores, k))
    }),
  )
})

test('positions that do not take part are never taken and take nobody’s place', () => {
  fc.assert(
    fc.property(
      scoreLists,
      fc.nat({ max: 40 }),
      fc.array(fc.nat({ max: 2 }), { minLength: 300, maxLength: 300 }),
      (list, k, bits) => {
        const scores = Float32Array.from(list)
        const mask = Uint8Array.from(bits)
        expect([...selectTop(scores, k, (slot) => mask[slot] !== 0)]).toEqual(sortedSlots(scores, k, mask))
      },
    ),
  )
})

test('NaN and -Infinity are no scores', () => {
  const scores = Float32Array.of(Number.NaN, 0.5, -Infinity, Number.NaN, 0.7)
  expect([...selectTop(scores, 5)]).toEqual([4, 1])
})

test('asking for nothing, or among nothing, gives nothing', () => {
  expect(selectTop(Float32Array.of(1, 2), 0)).toHaveLength(0)
  expect(selectTop(new Float32Array(0), 3)).toHaveLength(0)
})

const topsOf = (scores: Float32Array) =>
  Float32Array.from({ length: Math.ceil(scores.length / 64) }, (_, n) =>
    scores.subarray(64 * n, 64 * n + 64).reduce((most, score) => Math.max(most, score), -Infinity),
  )

test('bounds of blocks change no selection', () => {
  fc.assert(
    fc.property(
      scoreLists,
      fc.nat({ max: 320 }),
      fc.float({ noNaN: true, min: -4, max: 4 }),
      (list, k, bar) => {
        const scores = Float32Array.from(list)
        const tops = topsOf(scores)
        const even = (slot: number) => slot % 2 === 0
        expect(selectTop(scores, k, even, tops)).toEqual(selectTop(scores, k, even))
        const above = [...scores.keys()].filter((slot) => (scores[slot] as number) >= bar)
        expect([...selectAbove(scores, bar, undefined, tops)]).toEqual(above)
        expect([...selectAbove(scores, bar, even)]).toEqual(above.filter(even))
      },
    ),
  )
})

test('a bar of -Infinity lists every score, and many of them', () => {
  const scores = Float32Array.from({ length: 5_000 }, (_, n) => (n % 3 === 0 ? -Infinity : n))
  expect(selectAbove(scores, -Infinity)).toHaveLength(3_333)
})

test('sorting down gives every position once, from the highest score to the lowest', () => {
  fc.assert(
    fc.property(scoreLists, (list) => {
      const scores = Float32Array.from([...list, -0, 0, -1e-40, 1e-40])
      const order = [...sortDown(scores)]
      expect(order.toSorted((a, b) => a - b)).toEqual([...scores.keys()])
      const sorted = order.map((at) => (scores[at] as number) + 0)
      expect(sorted).toEqual([...scores].map((score) => score + 0).sort((a, b) => b - a))
    }),
  )
})

test('a bar lets at least as many pass as were asked for, and all when there are fewer', () => {
  const score = fc.oneof(fc.float({ noNaN: true, min: -1.5, max: 1.5 }), fc.constant(-Infinity))
  const lists = fc.array(score, { minLength: 300, maxLength: 2_000, size: 'max' })
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 1_500 }), (list, k) => {
      const scores = Float32Array.from(list)
      const odd = (slot: number) => slot % 2 === 1
      const parts = [...scores.keys()].filter((slot) => odd(slot) && (scores[slot] as number) > -Infinity)
      const bar = findBar(scores, k, odd, topsOf(scores))
      const passing = selectAbove(scores, bar, odd).length
      expect(passing).toBeGreaterThanOrEqual(Math.min(k, parts.length))
      if (parts.length < k) expect(bar).toBe(-Infinity)
    }),
    // Making such long lists smaller takes longer than the test.
    { endOnFailure: true },
  )
})

test('a bar at the edge of a bucket keeps scores that rounding lifts into it', () => {
  const scores = new Float32Array(600).fill(-1e-40)
  expect(selectAbove(scores, findBar(scores, 500))).toHaveLength(600)
})
