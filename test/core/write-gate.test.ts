import { describe, expect, test } from 'bun:test'
import { createWriteGate } from '../../src/core/write-gate.ts'

const SHOP = 'shop'
const OTHER = 'other'

/** A gate whose timers the test rings. */
function gateWithTimers() {
  const timers = new Set<() => void>()
  const gate = createWriteGate({
    after(_ms, work) {
      timers.add(work)
      return () => timers.delete(work)
    },
  })
  return {
    gate,
    timers,
    ring: () => {
      for (const work of [...timers]) work()
    },
  }
}

const state = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => 'done'), Promise.resolve('waiting')])

describe('a gate for writes', () => {
  test('lets writes pass without a promise while nothing is paused', () => {
    const { gate } = gateWithTimers()
    const leave = gate.enter(SHOP)
    expect(leave).toBeFunction()
    expect(gate.countInside(SHOP)).toBe(1)
    ;(leave as () => void)()
    expect(gate.countInside(SHOP)).toBe(0)
  })

  test('pauses once the writes in progress have ended, of this store alone', async () => {
    const { gate } = gateWithTimers()
    const first = gate.tryEnter(SHOP)
    const second = gate.tryEnter(SHOP)
    const foreign = gate.tryEnter(OTHER)
    const paused = gate.pause(SHOP)
    expect(gate.isPaused(SHOP)).toBe(true)
    expect(gate.isPaused(OTHER)).toBe(false)
    first?.()
    first?.()
    expect(await state(paused)).toBe('waiting')
    second?.()
    await paused
    expect(gate.tryEnter(SHOP)).toBeUndefined()
    expect(gate.tryEnter(OTHER)).toBeFunction()
    foreign?.()
  })

  test('a write waits for the end of the pause, and counts as begun from then on', async () => {
    const { gate, timers } = gateWithTimers()
    await gate.pause(SHOP)
    const waiting = gate.enter(SHOP) as Promise<() => void>
    expect(await state(waiting)).toBe('waiting')
    gate.resume(SHOP)
    const leave = await waiting
    expect(timers.size).toBe(0)
    expect(gate.countInside(SHOP)).toBe(1)
    leave()
    expect(gate.countInside(SHOP)).toBe(0)
  })

  test('a write that has waited too long is refused with the time to try again', async () => {
    const { gate, ring } = gateWithTimers()
    await gate.pause(SHOP)
    const waiting = gate.enter(SHOP) as Promise<() => void>
    ring()
    expect(await waiting.catch((error) => error)).toMatchObject({
      code: 'read_only',
      extras: { retryAfterSeconds: 2 },
    })
    gate.resume(SHOP)
    expect(gate.countInside(SHOP)).toBe(0)
  })

  test('no more than a thousand writes of a store wait', async () => {
    const { gate } = gateWithTimers()
    await gate.pause(SHOP)
    const waiting = Array.from({ length: 1_000 }, () => gate.enter(SHOP))
    expect(await Promise.resolve(gate.enter(SHOP)).catch((error) => error.code)).toBe('read_only')
    gate.resume(SHOP)
    for (const leave of await Promise.all(waiting)) leave()
    expect(gate.countInside(SHOP)).toBe(0)
  })

  test('a pause that ends before the writes have ended resolves, and can begin again', async () => {
    const { gate } = gateWithTimers()
    const leave = gate.tryEnter(SHOP)
    const given = gate.pause(SHOP)
    gate.resume(SHOP)
    await given
    const again = gate.pause(SHOP)
    expect(await state(again)).toBe('waiting')
    leave?.()
    await again
    gate.resume(SHOP)
    gate.resume(SHOP)
    expect(gate.isPaused(SHOP)).toBe(false)
  })
})

test('a node that rests lets writes pass, and no step of background work', () => {
  let rests = true
  const gate = createWriteGate({ rests: () => rests })
  expect(gate.enter(SHOP)).toBeFunction()
  expect(gate.tryEnter(SHOP)).toBeUndefined()
  expect(gate.tryEnterAll()).toBeUndefined()
  expect(gate.isPaused(OTHER)).toBe(true)
  rests = false
  expect(gate.tryEnter(OTHER)).toBeFunction()
  expect(gate.tryEnterAll()).toBeFunction()
  expect(gate.isPaused(OTHER)).toBe(false)
})
