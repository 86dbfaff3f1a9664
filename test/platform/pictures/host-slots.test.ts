import { expect, test } from 'bun:test'
import { createHostSlots } from '../../../src/platform/pictures/host-slots.ts'

const slotsOf = (perHostMax: number, waitMs = 60_000) =>
  createHostSlots({
    limits: { max: perHostMax, perOwnerMax: perHostMax, firstMax: 1, extraMax: perHostMax },
    waitMs,
    onTooLong: (host) => new Error(`${host} is busy`),
  })

test('runs no more than the allowed number for each host, and the next when one ends', async () => {
  const slots = slotsOf(2)
  const begun: string[] = []
  const gates = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const works = gates.map((gate, at) =>
    slots.run('shop', 'a', () => {
      begun.push(`a${at}`)
      return gate.promise
    }),
  )
  await slots.run('shop', 'b', async () => begun.push('b'))
  expect(begun).toEqual(['a0', 'a1', 'b'])
  gates[1]?.resolve()
  await works[1]
  await new Promise(setImmediate)
  expect(begun).toEqual(['a0', 'a1', 'b', 'a2'])
  gates[0]?.resolve()
  gates[2]?.resolve()
  await Promise.all(works)
})

test('a failure is passed on and frees its slot', async () => {
  const slots = slotsOf(1)
  await expect(slots.run('shop', 'a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await slots.run('shop', 'a', async () => 'next')).toBe('next')
})

test('who waits too long leaves and never begins, and the slot stays usable', async () => {
  const slots = slotsOf(1, 20)
  const gate = Promise.withResolvers<string>()
  const first = slots.run('shop', 'a', () => gate.promise)
  let hasBegun = false
  const second = slots.run('shop', 'a', async () => {
    hasBegun = true
  })
  await expect(second).rejects.toThrow('a is busy')
  gate.resolve('done')
  expect(await first).toBe('done')
  expect(await slots.run('shop', 'a', async () => 'third')).toBe('third')
  expect(hasBegun).toBe(false)
})

test('a store that fills a host keeps no other store out', async () => {
  const slots = createHostSlots({
    limits: { max: 8, perOwnerMax: 4, firstMax: 1, extraMax: 3 },
    waitMs: 60_000,
    onTooLong: (host) => new Error(`${host} is busy`),
  })
  const end = Promise.withResolvers<void>()
  const held = Array.from({ length: 9 }, () => slots.run('greedy', 'cdn.test', () => end.promise))
  expect(await slots.run('shop', 'cdn.test', async () => 'at once')).toBe('at once')
  end.resolve()
  await Promise.all(held)
})
