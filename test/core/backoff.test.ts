import { expect, test } from 'bun:test'
import { createBackoff } from '../../src/core/backoff.ts'

test('a list of waits repeats its last', () => {
  const backoff = createBackoff({ waits: [5, 10, 60] })
  expect([0, 1, 2, 3, 99].map((failures) => backoff(failures))).toEqual([5, 10, 60, 60, 60])
})

test('a growing wait ends at the longest', () => {
  const backoff = createBackoff({ first: 2, factor: 4, longest: 100 })
  expect([0, 1, 2, 3, 2_000].map((failures) => backoff(failures))).toEqual([2, 8, 32, 100, 100])
})

test('jitter spreads a wait to both sides', () => {
  const backoff = createBackoff({ first: 1_000, factor: 2 }, 0.25)
  expect([0, 0.5, 1].map((share) => backoff(1, share))).toEqual([1_500, 2_000, 2_500])
})

test('a wait may grow evenly', () => {
  const backoff = createBackoff({ perFailure: 10, longest: 25 })
  expect([0, 1, 2, 3].map((failures) => backoff(failures))).toEqual([10, 20, 25, 25])
})
