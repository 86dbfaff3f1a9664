import { expect, test } from 'bun:test'
import { createLoopWatch } from '../../../../src/features/operation/metrics/loop-delay.ts'

/** Runs the work at these moments of the clock. @returns what it tells. */
function runAt(...moments: number[]): number[] {
  const told: number[] = []
  let now = 0
  const run = createLoopWatch(
    () => now,
    (ms) => told.push(ms),
  )
  for (const moment of moments) {
    now = moment
    run()
  }
  return told
}

test('the first run, which comes between two beats, tells nothing', () => {
  expect(runAt(5_432)).toEqual([])
})

test('a run tells how long after its beat it comes; one a moment early is on time', () => {
  expect(runAt(5_432, 6_000, 7_025, 7_999.5, 9_400)).toEqual([0, 25, 0, 400])
})

test('a stop of several seconds counts as a whole', () => {
  expect(runAt(5_432, 6_000, 10_010)).toEqual([0, 3_008])
})
