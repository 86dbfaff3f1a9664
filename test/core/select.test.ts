import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { selectTop } from '../../src/core/select.ts'

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

test('slots outside the mask are never taken and take nobody’s place', () => {
  fc.assert(
    fc.property(
      scoreLists,
      fc.nat({ max: 40 }),
      fc.array(fc.nat({ max: 2 }), { minLength: 300, maxLength: 300 }),
      (list, k, bits) => {
        const scores = Float32Array.from(list)
        const mask = Uint8Array.from(bits)
        expect([...selectTop(scores, k, mask)]).toEqual(sortedSlots(scores, k, mask))
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
