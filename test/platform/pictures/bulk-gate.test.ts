import { expect, test } from 'bun:test'
import { createBulkGate } from '../../../src/platform/pictures/bulk-gate.ts'

/** Downloads that end when they are told to. */
function downloads(options = { atOnceMax: 4, perStoreMax: 3, perHostMax: 2 }, stop?: AbortSignal) {
  const pass = createBulkGate({ ...options, stop })
  const under: { name: string; end: () => void }[] = []
  return {
    begin: (store: string, host: string) =>
      pass(store, host, () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        under.push({ name: `${store} ${host}`, end: resolve })
        return promise
      }),
    names: () => under.map(({ name }) => name),
    async end(): Promise<void> {
      under.shift()?.end()
      for (let n = 0; n < 5; n++) await Promise.resolve()
    },
  }
}

const settle = async () => {
  for (let n = 0; n < 5; n++) await Promise.resolve()
}

test('a host gets two at a time, and a slow one does not hold up the others of its store', async () => {
  const { begin, names } = downloads()
  for (const host of ['slow', 'slow', 'slow', 'quick']) void begin('a', host)
  await settle()
  expect(names()).toEqual(['a slow', 'a slow', 'a quick'])
})

test('a store has three at most and all have four; who waits comes when one ends', async () => {
  const { begin, names, end } = downloads()
  for (const host of ['1', '2', '3', '4']) void begin('a', host)
  for (const host of ['5', '6']) void begin('b', host)
  await settle()
  expect(names()).toEqual(['a 1', 'a 2', 'a 3', 'b 5'])
  await end()
  expect(names()).toHaveLength(4)
  await end()
  expect(names()).toContain('b 6')
})

test('a stop ends every wait', async () => {
  const stop = new AbortController()
  const { begin } = downloads({ atOnceMax: 1, perStoreMax: 1, perHostMax: 1 }, stop.signal)
  void begin('a', '1')
  const waiting = begin('a', '2').catch((error) => error.code)
  stop.abort()
  expect(await waiting).toBe('overloaded')
})
