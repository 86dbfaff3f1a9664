import { describe, expect, test } from 'bun:test'
import { runInTurns, waitAtMost } from '../../../src/commands/service/ending.ts'

describe('long work in turns', () => {
  /** Endless or long work that takes a moment for each piece, and says when it is closed. */
  function work(pieces: number) {
    const state = { done: 0, isClosed: false }
    function* run(): Generator<void, string> {
      try {
        while (state.done < pieces) {
          state.done += 1
          const end = performance.now() + 1
          while (performance.now() < end);
          yield
        }
        return 'all'
      } finally {
        state.isClosed = true
      }
    }
    return { state, run }
  }

  test('is done to its end, and others get their turn meanwhile', async () => {
    const { state, run } = work(100)
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    expect(await runInTurns(run(), new AbortController().signal)).toBe('all')
    clearInterval(timer)
    expect([state.done, turns > 0]).toEqual([100, true])
  })

  test('without a signal it is done to its end as well', async () => {
    expect(await runInTurns(work(3).run(), undefined)).toBe('all')
  })

  test('ends soon after it was told to stop, and is closed', async () => {
    const { state, run } = work(Number.POSITIVE_INFINITY)
    const told = new AbortController()
    setTimeout(() => told.abort(), 10)
    expect(await runInTurns(run(), told.signal)).toBeUndefined()
    expect(state.isClosed).toBe(true)
  })

  test('passes its error on', async () => {
    await expect(
      runInTurns(
        (function* (): Generator<void, string> {
          yield
          throw new Error('broken')
        })(),
        undefined,
      ),
    ).rejects.toThrow('broken')
  })
})

test('hanging work ends the wait after the given time', async () => {
  await waitAtMost(5, new Promise(() => {}))
  await waitAtMost(60_000, Promise.resolve())
  await expect(waitAtMost(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})
