import { expect, test } from 'bun:test'
import { createPace } from '../../src/core/pace.ts'

/** A sender of 100 bytes a second is just fast enough. */
function sender() {
  let now = 0
  const pace = createPace(100, () => now)
  return {
    pace,
    /** Sends so many bytes in each of several seconds. @returns whether it is slow then. */
    send(bytes: number, seconds: number): boolean {
      for (let n = 0; n < seconds * 10; n++) {
        now += 100
        pace.count(bytes / 10)
      }
      return pace.isSlow()
    },
    wait(ms: number): boolean {
      now += ms
      return pace.isSlow()
    },
  }
}

test('who keeps the pace is never slow', () => {
  expect(sender().send(100, 1_000)).toBe(false)
})

test('who sends a little less falls behind, however evenly it sends', () => {
  const { send } = sender()
  expect([send(90, 15), send(90, 15)]).toEqual([false, true])
})

test('two seconds of silence are allowed, at the start and after a burst of any length', () => {
  expect(sender().wait(1_999)).toBe(false)
  expect(sender().wait(2_001)).toBe(true)
  const { send, wait } = sender()
  send(100_000, 60)
  expect([wait(1_999), wait(2)]).toEqual([false, true])
})

test("time that was not the sender's does not count", () => {
  const { pace, wait } = sender()
  wait(10_000)
  pace.excuse(10_000)
  expect(pace.isSlow()).toBe(false)
})
