import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { average, mixWords, toUnit } from '../../../../src/features/discovery/search/early-fusion.ts'

const numbers = (length: number) =>
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: length, maxLength: length })
const unit = (list: number[]) => {
  // A first number keeps every vector away from 0.
  const vector = toUnit(Float32Array.from([2, ...list]))
  if (!vector) throw new Error('There is no direction')
  return vector
}
const half = Math.SQRT1_2
/** A picture of two halves, and words that have the first one only. */
const split = fc
  .tuple(
    numbers(3),
    numbers(3),
    fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
  )
  .map(([shared, looks, words]) => ({
    picture: Float32Array.from([...unit(shared), ...unit(looks)], (number) => half * number),
    words: Float32Array.from([...unit(words), 0, 0, 0, 0]),
  }))
const weight = fc.double({ min: 0, max: 1, noNaN: true })
const length = (vector: Float32Array) => Math.hypot(...vector)

describe('a picture and words in one vector (contract 3.8)', () => {
  test('has length 1; it is the picture at a weight of 1, and the words at 0', () => {
    fc.assert(
      fc.property(split, weight, ({ picture, words }, share) => {
        expect(length(mixWords(picture, words, share))).toBeCloseTo(1, 4)
        expect(mixWords(picture, words, 1)).toEqual(picture)
        expect(mixWords(picture, words, 0)).toEqual(words)
      }),
    )
  })

  test('keeps the looks of the picture whole from one half on', () => {
    fc.assert(
      fc.property(split, fc.double({ min: 0.5, max: 0.99, noNaN: true }), ({ picture, words }, share) => {
        const mixed = mixWords(picture, words, share)
        for (let n = 4; n < 8; n++) expect(mixed[n]).toBeCloseTo(picture[n] as number, 4)
      }),
    )
  })

  test('is the mean of both directions for a model without halves', () => {
    const mixed = mixWords(Float32Array.from([1, 0]), Float32Array.from([0.6, 0.8]), 0.5)
    expect(mixed[0]).toBeCloseTo(1.6 / Math.hypot(1.6, 0.8), 5)
    expect(mixed[1]).toBeCloseTo(0.8 / Math.hypot(1.6, 0.8), 5)
  })
})

describe('the mean of several pictures (contract 3.8)', () => {
  test('weighs them, subtracts negatives, and is nothing where they cancel out', () => {
    const [x, y] = [Float32Array.from([1, 0]), Float32Array.from([0, 1])]
    const mean = average(
      [
        { vector: x, weight: 1 },
        { vector: y, weight: 0.5 },
      ],
      [{ vector: y, weight: 0.25 }],
    )
    expect(mean?.[0]).toBeCloseTo(1 / Math.hypot(1, 0.25), 5)
    expect(mean?.[1]).toBeCloseTo(0.25 / Math.hypot(1, 0.25), 5)
    expect(average([{ vector: x, weight: 0.3 }], [{ vector: x, weight: 0.3 }])).toBeUndefined()
  })
})
