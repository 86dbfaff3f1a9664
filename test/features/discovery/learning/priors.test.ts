import { describe, expect, test } from 'bun:test'
import {
  BUCKETS,
  bucketOf,
  fitRates,
  PRIOR_MAX,
  toPrior,
} from '../../../../src/features/discovery/learning/priors.ts'

const row = (...numbers: number[]) =>
  Float64Array.from({ length: BUCKETS }, (_, bucket) => numbers[bucket] ?? 0)

describe('the rates of places', () => {
  test('are those of the log where they fall, and shared where they rise', () => {
    const rates = [...fitRates(row(100, 100, 100, 50), row(50, 10, 30, 0))]
    expect(rates.slice(0, 4)).toEqual([0.5, 0.2, 0.2, 0])
  })

  test('blame no place for a product that is always clicked there', () => {
    const shown = row(...new Array<number>(10).fill(100))
    const clicks = row(0, 0, 0, 0, 0, 0, 0, 80)
    expect([...fitRates(shown, clicks)].slice(0, 10)).toEqual([...new Array<number>(8).fill(0.1), 0, 0])
  })

  test('of a log without clicks are 0', () => {
    expect([...fitRates(row(), row())]).toEqual([...row()])
  })

  test.each([
    [1, 0],
    [10, 9],
    [11, 10],
    [20, 10],
    [21, 11],
    [40, 11],
    [41, -1],
  ])('place %i is in bucket %i', (place, bucket) => {
    expect(bucketOf(place)).toBe(bucket)
  })
})

describe('what a product gains', () => {
  test('is nothing without clicks, as in the mean, and below it', () => {
    expect([toPrior(0, 50), toPrior(50, 50), toPrior(10, 50)]).toEqual([0, 0, 0])
  })

  test('grows with the evidence, up to its bound', () => {
    const [few, some, many] = [toPrior(2, 1), toPrior(20, 10), toPrior(2_000, 100)]
    expect(few).toBeGreaterThan(0)
    expect(some).toBeGreaterThan(few as number)
    expect(many).toBe(PRIOR_MAX)
  })
})
