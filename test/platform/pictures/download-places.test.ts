import { describe, expect, jest, test } from 'bun:test'
import { createByteBudget } from '../../../src/core/byte-budget.ts'
import { ApiError } from '../../../src/core/errors.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import {
  createDownloadPlaces,
  type DownloadPlacesOptions,
} from '../../../src/platform/pictures/download-places.ts'
import type { ReserveBytes } from '../../../src/platform/pictures/picture-budget.ts'

const NEVER = new AbortController().signal
const soon = () => new Promise(setImmediate)

/**
 * A line of at most 4 downloads at once, 2 of one store, and 8 in line, 4 of one store; 100 bytes, 60 for one. A store's first
 * one is its own in each, and so are its first 10 bytes.
 */
function small(options: Partial<DownloadPlacesOptions> = {}) {
  const budget = createByteBudget({ max: 100, perOwnerMax: 60, firstMax: 10, extraMax: 90 })
  const run = createDownloadPlaces({
    budget,
    ofHost: { max: 100, perOwnerMax: 100, firstMax: 100, extraMax: 0 },
    downloads: { max: 4, perOwnerMax: 2, firstMax: 1, extraMax: 1 },
    admitted: { max: 8, perOwnerMax: 4, firstMax: 1, extraMax: 4 },
    waitMs: 60_000,
    ...options,
  })
  const begun: string[] = []

  /** Downloads `size` bytes once the test opens the gate. */
  function download(storeId: string, size = 10, announced = size, isSlow = () => false) {
    const gate = Promise.withResolvers<void>()
    const used = Promise.withResolvers<void>()
    const load = async (reserve: ReserveBytes): Promise<Uint8Array> => {
      begun.push(storeId)
      await reserve(announced, NEVER, { isSlow, giveWay: () => gate.reject(new Error('gave way')) })
      await gate.promise
      return new Uint8Array(size)
    }
    const picture = run({ store: storeId, host: 'pictures.test' }, load, used.promise)
    picture.catch(() => {})
    return { picture, arrive: gate.resolve, fail: gate.reject, use: used.resolve }
  }
  return { budget, download, begun }
}

/** The code of a failure that comes at once; `none` while the download waits or runs. */
const codeOf = (download: { picture: Promise<unknown> }): Promise<string> =>
  Promise.race([
    download.picture.then(
      () => 'none',
      (error) => (error instanceof ApiError ? error.code : String(error)),
    ),
    soon().then(() => 'none'),
  ])

describe('the line of downloads', () => {
  test('lets so many run at once, and half of them for one store', async () => {
    const { download, begun } = small()
    for (const store of ['a', 'a', 'a', 'b', 'c', 'd']) download(store)
    await soon()
    expect(begun).toEqual(['a', 'a', 'b', 'c'])
  })

  test('answers overloaded at once when the line is full, for one store and for all', async () => {
    const { download } = small()
    for (let n = 0; n < 4; n++) download('a')
    expect(await codeOf(download('a'))).toBe('overloaded')
    download('b')
    download('b')
    expect(await codeOf(download('b'))).toBe('overloaded')
    for (const store of ['c', 'd']) expect(await codeOf(download(store))).toBe('none')
    expect(await codeOf(download('e'))).toBe('overloaded')
  })

  test('whatever four stores wait for, another has its first place and its first turn', async () => {
    const limits = { max: 100, perOwnerMax: 8, firstMax: 2, extraMax: 8 }
    const { download, begun } = small({ downloads: limits, admitted: { ...limits, perOwnerMax: 32 } })
    for (const store of ['a', 'b', 'c', 'd']) {
      for (let n = 0; n < 40; n++) download(store)
    }
    await soon()
    const before = begun.length
    download('late')
    download('late')
    await soon()
    expect(begun.slice(before)).toEqual(['late', 'late'])
  })

  test('who has left makes a place for the next', async () => {
    const { download } = small()
    const all = Array.from({ length: 4 }, () => download('a'))
    all[0]?.arrive()
    all[1]?.fail(new Error('broken'))
    await Promise.allSettled([all[0]?.picture, all[1]?.picture])
    await soon()
    expect(await codeOf(download('a'))).toBe('none')
    expect(await codeOf(download('a'))).toBe('none')
    expect(await codeOf(download('a'))).toBe('overloaded')
  })

  test('a picture counts until it is used, with the bytes that really came', async () => {
    const { download, budget } = small()
    const one = download('a', 10, 40)
    await soon()
    expect(budget.held('a')).toBe(40)
    one.arrive()
    expect((await one.picture).length).toBe(10)
    expect(budget.held('a')).toBe(10)
    one.use()
    await soon()
    expect(budget.held()).toBe(0)
  })

  test('a download that fails gives everything back', async () => {
    const { download, budget, begun } = small()
    const all = Array.from({ length: 3 }, () => download('a', 20))
    await soon()
    all[0]?.fail(new Error('broken'))
    await expect(all[0]?.picture).rejects.toThrow('broken')
    await soon()
    expect(begun).toHaveLength(3)
    expect(budget.held()).toBe(40)
  })

  test('without room a download waits until a picture was used, and others go on', async () => {
    const { download, budget } = small()
    const first = download('a', 50)
    const second = download('a', 50)
    const other = download('b', 50)
    await soon()
    expect([budget.held('a'), budget.held('b')]).toEqual([50, 50])
    second.arrive()
    first.arrive()
    other.arrive()
    await Promise.all([first.picture, other.picture])
    first.use()
    await second.picture
    expect([budget.held('a'), budget.held('b')]).toEqual([50, 50])
  })

  test('a slow download gives its room to another store that waits, and only then', async () => {
    const { download, budget } = small()
    let isSlow = false
    const slow = download('a', 60, 60, () => isSlow)
    const other = download('b', 35, 35)
    const late = download('c', 30)
    await soon()
    expect(budget.held('c')).toBe(0)
    isSlow = true
    await expect(slow.picture).rejects.toThrow('gave way')
    late.arrive()
    expect((await late.picture).length).toBe(30)
    expect([budget.held('a'), budget.held('b')]).toEqual([0, 35])
    other.arrive()
  })

  test('overloaded when turn or room do not come in time, and nothing is held', async () => {
    const { download, budget } = small({ waitMs: 20 })
    const all = [download('a', 60), download('a', 60), download('a', 60)]
    const told = await Promise.all(
      all.slice(1).map(({ picture }) => picture.catch((error: ApiError) => error.code)),
    )
    expect(told).toEqual(['overloaded', 'overloaded'])
    all[0]?.arrive()
    await all[0]?.picture
    all[0]?.use()
    await soon()
    expect(budget.held()).toBe(0)
  })
})

describe("a job's download that waits for its host", () => {
  /** The rounds in which a product loads its pictures, four at a time. */
  const ROUNDS = Math.ceil((1 + LIMITS.additionalPicturesMax) / 4)
  /** What may follow each turn: the wait for bytes, the download, the model. */
  const AFTER_MS = 2 * LIMITS.fetchTotalMs + 10_000

  test('says so before its product is given up, even if every round of its pictures waits as long', async () => {
    jest.useFakeTimers()
    try {
      const one = { max: 1, perOwnerMax: 1, firstMax: 1, extraMax: 0 }
      const run = createDownloadPlaces({ budget: createByteBudget(), ofHost: one, waitMs: 15_000 })
      const claim = { store: 'a', host: 'busy.test', isBulk: true }
      const gate = Promise.withResolvers<Uint8Array>()
      const first = run(claim, () => gate.promise, Promise.resolve())
      let code = ''
      const second = run(claim, () => gate.promise, Promise.resolve()).catch((error: ApiError) => {
        code = error.code
      })
      let waitedMs = 0
      for (; code === '' && waitedMs < LIMITS.jobItemMs; waitedMs += 1_000) {
        jest.advanceTimersByTime(1_000)
        for (let n = 0; n < 20; n++) await Promise.resolve()
      }
      await second
      expect(code).toBe('overloaded')
      expect(ROUNDS * (waitedMs + AFTER_MS)).toBeLessThanOrEqual(LIMITS.jobItemMs)
      // Longer than a client would wait.
      expect(waitedMs).toBeGreaterThan(2 * LIMITS.fetchTotalMs)
      gate.resolve(new Uint8Array(1))
      await first
    } finally {
      jest.useRealTimers()
    }
  })
})
