import { expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { createReadingGate } from '../../../../src/features/catalogue/imports/reading-gate.ts'
import { createFairQueue } from '../../../../src/platform/fair/fair-queue.ts'

/** A gate whose time moves by hand. */
function openGate() {
  let now = 0
  const waiting: { at: number; callback: () => void }[] = []
  const gate = createReadingGate({
    turns: createFairQueue(),
    clock: { monotonic: () => now },
    defer: (callback, delayMs) => void waiting.push({ at: now + delayMs, callback }),
  })
  const advance = (ms: number) => {
    now += ms
    for (const { at, callback } of waiting.splice(0)) {
      if (at <= now) callback()
      else waiting.push({ at, callback })
    }
  }
  return { gate, advance }
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.then(() => 'entered'), new Promise((done) => setImmediate(done))])) ===
  'entered'

test('three stores read at a time, and one file of a store', async () => {
  const { gate } = openGate()
  const [end] = await Promise.all(['a', 'b', 'c'].map((store) => gate.enter(store, {})))
  const fourth = gate.enter('d', {})
  const again = gate.enter('b', {})
  expect(await isSettled(fourth)).toBe(false)
  end?.()
  expect(await isSettled(fourth)).toBe(true)
  expect(await isSettled(again)).toBe(false)
})

test('slow files do not delay other stores, and at most six files are read at once', async () => {
  const { gate, advance } = openGate()
  await Promise.all(['a', 'b', 'c'].map((store) => gate.enter(store, {})))
  const next = ['d', 'e', 'f'].map((store) => gate.enter(store, {}))
  expect(await isSettled(Promise.any(next))).toBe(false)
  advance(5_000)
  expect(await isSettled(Promise.all(next))).toBe(true)
  const seventh = gate.enter('g', {})
  advance(60_000)
  expect(await isSettled(seventh)).toBe(false)
})

test('a client that leaves waits no longer', async () => {
  const { gate } = openGate()
  await gate.enter('a', {})
  const left = new AbortController()
  const waits = gate.enter('a', { signal: left.signal })
  left.abort()
  expect(await waits.catch((error: unknown) => error)).toBeInstanceOf(ApiError)
})
