import { describe, expect, test } from 'bun:test'
import { createFairQueue } from '../../../src/platform/fair/fair-queue.ts'

/** A queue for tokens that the test hands out. */
function tokens(ms = 60_000) {
  const queue = createFairQueue()
  let free = 0
  const served: string[] = []
  const grant = () => (free > 0 ? free-- : undefined)
  const wait = (owner: string, name = owner, signal?: AbortSignal) =>
    queue
      .wait(owner, grant, { ms, signal, failure: () => new Error('in vain') })
      .then(() => void served.push(name))
  return {
    wait,
    served,
    /** Hands out so many tokens. */
    async give(count: number) {
      free += count
      queue.serve()
      await new Promise(setImmediate)
    },
    free: () => free,
  }
}

describe('a fair queue', () => {
  test('serves at once where nothing is short', async () => {
    const { wait, give, served } = tokens()
    await give(2)
    await Promise.all([wait('a'), wait('b')])
    expect(served).toEqual(['a', 'b'])
  })

  test('takes turns between owners, and keeps the order within one', async () => {
    const { wait, give, served } = tokens()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void wait(name[0] as string, name)
    for (let n = 0; n < 7; n++) await give(1)
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  test('an owner who cannot be served holds up nobody else', async () => {
    const queue = createFairQueue()
    const options = { ms: 60_000, failure: () => new Error('in vain') }
    queue.wait('a', () => undefined, options).catch(() => {})
    expect(await queue.wait('b', () => 'served', options)).toBe('served')
  })

  test('who waits too long is told and leaves the line', async () => {
    const { wait, give, served, free } = tokens(20)
    await expect(wait('a')).rejects.toThrow('in vain')
    await give(1)
    expect([served, free()]).toEqual([[], 1])
    await wait('a', 'next')
    expect(served).toEqual(['next'])
  })

  test('a signal ends the wait, also one that came before', async () => {
    const { wait, give, free } = tokens()
    const stop = new AbortController()
    const waiting = wait('a', 'a', stop.signal)
    stop.abort()
    await expect(waiting).rejects.toThrow('in vain')
    await expect(wait('a', 'a', stop.signal)).rejects.toThrow('in vain')
    await give(1)
    expect(free()).toBe(1)
  })
})
