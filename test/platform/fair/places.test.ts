import { expect, test } from 'bun:test'
import { createPlaces } from '../../../src/platform/fair/places.ts'

const placesOf = (perHostMax: number, waitMs = 60_000) =>
  createPlaces({
    limits: [{ by: 'host', max: perHostMax, perOwnerMax: perHostMax, firstMax: 1, extraMax: perHostMax }],
    waitMs: () => waitMs,
    failure: ({ host }) => new Error(`${host} is busy`),
  })

test('runs no more than the allowed number for each host, and the next when one ends', async () => {
  const places = placesOf(2)
  const begun: string[] = []
  const gates = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const works = gates.map((gate, at) =>
    places.run({ store: 'shop', host: 'a' }, () => {
      begun.push(`a${at}`)
      return gate.promise
    }),
  )
  await places.run({ store: 'shop', host: 'b' }, async () => begun.push('b'))
  expect(begun).toEqual(['a0', 'a1', 'b'])
  gates[1]?.resolve()
  await works[1]
  await new Promise(setImmediate)
  expect(begun).toEqual(['a0', 'a1', 'b', 'a2'])
  gates[0]?.resolve()
  gates[2]?.resolve()
  await Promise.all(works)
})

test('a failure is passed on and frees its place', async () => {
  const places = placesOf(1)
  await expect(
    places.run({ store: 'shop', host: 'a' }, () => Promise.reject(new Error('broken'))),
  ).rejects.toThrow('broken')
  expect(await places.run({ store: 'shop', host: 'a' }, async () => 'next')).toBe('next')
})

test('who waits too long leaves and never begins, and the place stays usable', async () => {
  const places = placesOf(1, 20)
  const gate = Promise.withResolvers<string>()
  const first = places.run({ store: 'shop', host: 'a' }, () => gate.promise)
  let hasBegun = false
  const second = places.run({ store: 'shop', host: 'a' }, async () => {
    hasBegun = true
  })
  await expect(second).rejects.toThrow('a is busy')
  gate.resolve('done')
  expect(await first).toBe('done')
  expect(await places.run({ store: 'shop', host: 'a' }, async () => 'third')).toBe('third')
  expect(hasBegun).toBe(false)
})

test('a store that fills a host keeps no other store out', async () => {
  const places = createPlaces({
    limits: [{ by: 'host', max: 8, perOwnerMax: 4, firstMax: 1, extraMax: 3 }],
    failure: ({ host }) => new Error(`${host} is busy`),
  })
  const end = Promise.withResolvers<void>()
  const held = Array.from({ length: 9 }, () =>
    places.run({ store: 'greedy', host: 'cdn.test' }, () => end.promise),
  )
  expect(await places.run({ store: 'shop', host: 'cdn.test' }, async () => 'at once')).toBe('at once')
  end.resolve()
  await Promise.all(held)
})

test('work that waits for one limit holds no place of another', async () => {
  const one = { max: 1, perOwnerMax: 1, firstMax: 1, extraMax: 0 }
  const places = createPlaces({
    limits: [
      { ...one, by: 'host', failure: ({ host }) => new Error(`${host} is busy`) },
      { max: 2, perOwnerMax: 2, firstMax: 2, extraMax: 0 },
    ],
    waitMs: () => 20,
    failure: () => new Error('too much'),
  })
  const end = Promise.withResolvers<void>()
  const run = (store: string, host: string) => places.run({ store, host }, () => end.promise)
  const first = run('a', 'x')
  const waiting = run('b', 'x')
  const other = run('c', 'y')
  await expect(waiting).rejects.toThrow('x is busy')
  await expect(run('d', 'z')).rejects.toThrow('too much')
  end.resolve()
  await Promise.all([first, other])
})

test("a request waits behind its store's bulk work only where both need the same place", async () => {
  const few = { max: 3, perOwnerMax: 2, firstMax: 1, extraMax: 1 }
  const places = createPlaces({
    limits: [
      { ...few, only: 'bulk' },
      { ...few, only: 'other' },
    ],
    failure: () => new Error('too much'),
  })
  const end = Promise.withResolvers<void>()
  const bulk = Array.from({ length: 100 }, () =>
    places.run({ store: 'shop', host: 'x', isBulk: true }, () => end.promise),
  )
  expect(await places.run({ store: 'shop', host: 'x' }, async () => 'at once')).toBe('at once')
  expect(await places.run({ store: 'late', host: 'x', isBulk: true }, async () => 'too')).toBe('too')
  end.resolve()
  await Promise.all(bulk)
})
