import { expect, test } from 'bun:test'
import type { ShareLimits } from '../../../src/core/shares.ts'
import { createPlaces } from '../../../src/platform/fair/places.ts'

const shares = (max: number, perOwnerMax: number, firstMax: number, extraMax: number): ShareLimits => ({
  ...{ max, perOwnerMax, firstMax, extraMax },
})
const FEW = shares(20, 3, 1, 3)
const ONE = shares(1, 1, 1, 0)

/** Downloads that end when they are told to, whose pictures are used when they are told to be. */
function downloads(limit = FEW, stop?: AbortSignal) {
  const places = createPlaces({
    limits: [
      { ...limit, only: 'bulk' },
      { ...shares(20, 2, 1, 1), by: 'host', only: 'bulk' },
    ],
    unused: shares(20, 2, 1, 4),
    failure: () => new Error('in vain'),
    stop,
  })
  const under: { name: string; end: () => void }[] = []
  const here: (() => void)[] = []
  return {
    begin(store: string, host: string) {
      const used = Promise.withResolvers<void>()
      const run = () => {
        const { promise, resolve } = Promise.withResolvers<Uint8Array>()
        const end = () => {
          resolve(new Uint8Array(1))
          here.push(used.resolve)
        }
        under.push({ name: `${store} ${host}`, end })
        return promise
      }
      return places.run({ store, host, isBulk: true }, run, used.promise)
    },
    names: () => under.map(({ name }) => name),
    async end(): Promise<void> {
      under.shift()?.end()
      await settle()
    },
    async use(): Promise<void> {
      here.shift()?.()
      await settle()
    },
  }
}

const settle = async () => {
  for (let n = 0; n < 8; n++) await Promise.resolve()
}

test('a host gets two at a time, and a slow one does not hold up the others of its store', async () => {
  const { begin, names } = downloads()
  for (const host of ['slow', 'slow', 'slow', 'quick']) void begin('a', host)
  await settle()
  expect(names()).toEqual(['a slow', 'a slow', 'a quick'])
})

test('a store has three at most; who waits comes when one ends', async () => {
  const { begin, names, end } = downloads()
  for (const host of ['1', '2', '3', '4']) void begin('a', host)
  await settle()
  expect(names()).toEqual(['a 1', 'a 2', 'a 3'])
  await end()
  expect(names()).toEqual(['a 2', 'a 3', 'a 4'])
})

test('stores with two hundred hosts that hang leave another one its first download', async () => {
  const { begin, names } = downloads()
  for (let n = 0; n < 200; n++) for (const store of ['a', 'b', 'c', 'd']) void begin(store, `hangs-${n}`)
  await settle()
  expect(names()).toHaveLength(7)
  void begin('late', 'works')
  await settle()
  expect(names().at(-1)).toBe('late works')
})

test("a turn is a store's, however many hosts it waits for", async () => {
  const { begin, names, end } = downloads(ONE)
  void begin('first', 'x')
  await settle()
  for (let n = 0; n < 50; n++) void begin('greedy', `host-${n}`)
  for (let n = 0; n < 2; n++) void begin('late', `host-${n}`)
  const order: (string | undefined)[] = []
  for (let n = 0; n < 4; n++) {
    await end()
    order.push(names()[0])
  }
  expect(order).toEqual(['greedy host-0', 'late host-0', 'greedy host-1', 'late host-1'])
})

test('a store whose pictures wait to be used downloads no further ones, until one is', async () => {
  const { begin, names, end, use } = downloads()
  for (const host of ['1', '2', '3']) void begin('a', host)
  await settle()
  for (let n = 0; n < 3; n++) await end()
  void begin('a', '4')
  void begin('b', '4')
  await settle()
  expect(names()).toEqual(['b 4'])
  await use()
  await use()
  expect(names()).toEqual(['b 4', 'a 4'])
})

test('a stop ends every wait', async () => {
  const stop = new AbortController()
  const { begin } = downloads(ONE, stop.signal)
  void begin('a', '1')
  const waiting = begin('a', '2').catch((error: Error) => error.message)
  stop.abort()
  expect(await waiting).toBe('in vain')
})
