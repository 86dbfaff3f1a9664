import { expect, test } from 'bun:test'
import { createTouch } from '../../src/core/touch.ts'
import { manualClock } from '../support/app.ts'

const MINUTE = 60_000

function setUp() {
  const clock = manualClock('2030-01-01T00:00:00Z')
  const warnings: string[] = []
  const state = { isBroken: false, groups: 0 }
  const touch = createTouch({
    clock,
    name: 'a key',
    log: { warn: (_fields, message) => void warnings.push(message) },
    withoutFsync(write) {
      if (state.isBroken) throw new Error('disk full')
      state.groups += 1
      write()
    },
  })
  const thing = (lastAt: number | null = null) => ({
    lastAt,
    write(now: number) {
      this.lastAt = now
    },
  })
  return { clock, warnings, state, touch, thing }
}

test('a use is stored at once, and then at most once a minute', () => {
  const { clock, touch, thing, state } = setUp()
  const key = thing()
  touch(key)
  expect(key.lastAt).toBe(clock.now())
  clock.advance(MINUTE - 1)
  touch(key)
  expect([key.lastAt, state.groups]).toEqual([clock.now() - MINUTE + 1, 1])
  clock.advance(1)
  touch(key)
  expect([key.lastAt, state.groups]).toEqual([clock.now(), 2])
})

test('several uses are stored together, each only when due', () => {
  const { clock, touch, thing, state } = setUp()
  const [due, recent] = [thing(clock.now() - MINUTE), thing(clock.now() - 1)]
  touch(due, recent)
  expect([due.lastAt, recent.lastAt, state.groups]).toEqual([clock.now(), clock.now() - 1, 1])
})

test('a failed write is logged, not thrown, and nothing is tried for a minute', () => {
  const { clock, touch, thing, state, warnings } = setUp()
  state.isBroken = true
  touch(thing())
  touch(thing())
  expect(warnings).toEqual(['the use of a key could not be stored'])
  state.isBroken = false
  const key = thing()
  clock.advance(MINUTE - 1)
  touch(key)
  expect(key.lastAt).toBeNull()
  clock.advance(1)
  touch(key)
  expect(key.lastAt).toBe(clock.now())
})
