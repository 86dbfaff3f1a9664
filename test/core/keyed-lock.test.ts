import { expect, test } from 'bun:test'
import { createKeyedLock } from '../../src/core/keyed-lock.ts'

test('work of one key runs in the order of its arrival, one at a time', async () => {
  const locked = createKeyedLock()
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const events: string[] = []
  const work = (n: number) =>
    locked('a', async () => {
      events.push(`start ${n}`)
      await gates[n]?.promise
      events.push(`end ${n}`)
      return n
    })
  const both = Promise.all([work(0), work(1)])
  // The second may not start, although its gate is open.
  gates[1]?.resolve()
  await Promise.resolve()
  await Promise.resolve()
  expect(events).toEqual(['start 0'])
  gates[0]?.resolve()
  expect(await both).toEqual([0, 1])
  expect(events).toEqual(['start 0', 'end 0', 'start 1', 'end 1'])
})

test('work of different keys runs side by side', async () => {
  const locked = createKeyedLock()
  const gate = Promise.withResolvers<void>()
  const first = locked('a', () => gate.promise)
  expect(await locked('b', async () => 'done')).toBe('done')
  gate.resolve()
  await first
})

test('a failure is told to its caller alone, and the next one runs', async () => {
  const locked = createKeyedLock()
  const failing = locked('a', () => Promise.reject(new Error('broken')))
  const next = locked('a', async () => 'done')
  expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('done')
})
