import { expect, test } from 'bun:test'
import { untilBeat } from '../../src/core/beat.ts'

test.each([
  [5_000, 1_000],
  [5_000.4, 1_000],
  [5_700, 300],
  [5_750, 250],
])('at %d ms the next beat is %d ms away', (now, ms) => expect(untilBeat(now)).toBe(ms))

test('a timer that fires a little before its beat waits for the next one, not for the same', () =>
  expect(untilBeat(5_999.5)).toBe(1_001))
