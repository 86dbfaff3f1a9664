import { afterEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { turn } from '../../../src/core/turns.ts'
import {
  type ArenaOptions,
  createVectorArena,
  type VectorArena,
} from '../../../src/platform/vectors/arena.ts'
import type { StartThread, Thread, ThreadRequest } from '../../../src/platform/vectors/scan-threads.ts'
import type { SlotScores } from '../../../src/platform/vectors/scores.ts'
import { dot, unitVectors } from './units.ts'

const DIMENSION = 100
/** A scan's error at this dimension. */
const ROUGH = 0.02

const arenas: VectorArena[] = []
afterEach(() => {
  for (const arena of arenas.splice(0)) arena.close()
})

/** An arena whose stores are large from 100 slots on. */
function makeArena(options: ArenaOptions = {}): VectorArena {
  const arena = createVectorArena(DIMENSION, { largeSlots: 100, threads: 2, ...options })
  arenas.push(arena)
  return arena
}

function fill(arena: VectorArena, count: number, storeId = 'store', seed = 7) {
  const next = unitVectors(DIMENSION, seed)
  const vectors = new Map<number, Float32Array>()
  for (let key = 1; key <= count; key++) {
    const vector = next()
    vectors.set(key, vector)
    arena.put(storeId, key, vector)
  }
  return { vectors, next }
}

const copy = ({ scores, tops, isEstimated }: SlotScores) => ({
  scores: scores.slice(),
  tops: tops.slice(),
  isEstimated,
})

async function scoreNow(arena: VectorArena, query: Float32Array, mayEstimate = false) {
  const scored = await arena.segment('store')?.score({ query, mayEstimate }, copy)
  if (!scored) throw new Error('The store has no scores')
  return scored
}

/** Every taken slot has the score of its vector, every free one -Infinity, and no score exceeds the top of its block. */
function expectScores(
  arena: VectorArena,
  vectors: ReadonlyMap<number, Float32Array>,
  query: Float32Array,
  { scores, tops }: Pick<SlotScores, 'scores' | 'tops'>,
): void {
  const segment = arena.segment('store')
  expect(scores).toHaveLength(segment?.slots ?? 0)
  for (const [slot, score] of scores.entries()) {
    const vector = vectors.get(segment?.keyAt(slot) ?? -1)
    if (vector) expect(Math.abs(score - dot(query, vector))).toBeLessThan(ROUGH)
    else expect(score).toBe(-Infinity)
    expect(score).toBeLessThanOrEqual(tops[Math.floor(slot / 64)] as number)
  }
}

/** Threads that a test stops, lets fail, or answers for. */
function heldThreads() {
  const held: { request?: ThreadRequest; done(): void; ended(): void; isEnded: boolean }[] = []
  const start: StartThread = (done, ended): Thread => {
    const thread = { done, ended, isEnded: false } as (typeof held)[number]
    held.push(thread)
    return {
      post: (request) => {
        thread.request = request
      },
      terminate: () => {
        thread.isEnded = true
      },
    }
  }
  return { start, held }
}

/** Writes one score everywhere, in the place of a thread. */
function fillScores(request: ThreadRequest | undefined, score: number): void {
  if (!request) throw new Error('The thread was asked for nothing')
  if ('places' in request) request.into.fill(score)
  else
    for (const { scores, tops } of request.into) {
      scores.fill(score)
      tops.fill(score)
    }
}

const settled = async () => {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}

describe.each([
  ['threads', { threads: 2 }],
  ['one thread', { threads: 1 }],
  ['slices on the event loop', { threads: 0 }],
  ['threads, in several memories', { threads: 2, sizes: { firstPagesMax: 9, laterPagesMax: 9 } }],
  ['slices, in several memories', { threads: 0, sizes: { firstPagesMax: 9, laterPagesMax: 9 } }],
] as const)('a large store, scanned with %s', (_, options) => {
  test('scores every vector, and lets small stores answer at once', async () => {
    const arena = makeArena(options)
    const { vectors, next } = fill(arena, 3_000)
    fill(arena, 50, 'small')
    const query = next()
    expect(arena.segment('store')?.score({ query }, copy)).toBeInstanceOf(Promise)
    expect(arena.segment('small')?.score({ query }, copy)).not.toBeInstanceOf(Promise)
    expectScores(arena, vectors, query, await scoreNow(arena, query))
  })

  test('scores are those of the end, whatever is put, replaced and removed during the scan', async () => {
    const arena = makeArena(options)
    const { vectors, next } = fill(arena, 600)
    const step = fc.record({ key: fc.integer({ min: 1, max: 2_500 }), isPut: fc.boolean() })
    let fresh = 3_000
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.boolean(),
        fc.boolean(),
        async (steps, growing, mayEstimate) => {
          const query = next()
          const scored = scoreNow(arena, query, mayEstimate)
          // The scan has begun; what follows happens beside it.
          await settled()
          for (const { key, isPut } of steps) {
            const vector = next()
            if (isPut) arena.put('store', key, vector)
            else arena.remove('store', key)
            if (isPut) vectors.set(key, vector)
            else vectors.delete(key)
          }
          for (let n = 0; growing && n < 130; n++) {
            const vector = next()
            vectors.set(++fresh, vector)
            arena.put('store', fresh, vector)
          }
          const scores = await scored
          const segment = arena.segment('store')
          expect(scores.scores).toHaveLength(segment?.slots ?? 0)
          if (!scores.isEstimated) expectScores(arena, vectors, query, scores)
          for (const { key, isPut } of steps.filter(({ key, isPut }) => vectors.has(key) === isPut)) {
            const slot = segment?.findSlot(key)
            if (isPut && slot !== undefined) {
              const exact = dot(query, vectors.get(key) as Float32Array)
              expect(Math.abs((scores.scores[slot] as number) - exact)).toBeLessThan(ROUGH)
            } else expect(slot).toBeUndefined()
          }
        },
      ),
      { numRuns: 25, endOnFailure: true },
    )
  })

  test('single slots have the scores of the end, too, and few are scored at once', async () => {
    const arena = makeArena(options)
    const { vectors, next } = fill(arena, 1_500)
    const segment = arena.segment('store')
    const step = fc.record({ key: fc.integer({ min: 1, max: 2_500 }), isPut: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(1_400), async (steps, cut) => {
        const queries = [next(), next()]
        const slots = Uint32Array.from({ length: segment?.slots ?? 0 }, (_, slot) => slot).filter(
          (slot) => slot % 3 > 0,
        )
        const scored = segment?.scoreSlots(queries, slots, (all) => all.map((scores) => scores.slice()))
        expect(scored).toBeInstanceOf(Promise)
        await settled()
        // The end of the store is cut off, and in part filled again.
        for (let key = 1_500; key > cut; key--) {
          arena.remove('store', key)
          vectors.delete(key)
        }
        for (const { key, isPut } of steps) {
          const vector = next()
          if (isPut) arena.put('store', key, vector)
          else arena.remove('store', key)
          if (isPut) vectors.set(key, vector)
          else vectors.delete(key)
        }
        for (const [n, scores] of ((await scored) ?? []).entries()) {
          expect(scores).toHaveLength(slots.length)
          for (const [i, score] of scores.entries()) {
            const vector = vectors.get(segment?.keyAt(slots[i] as number) ?? -1)
            if (vector) expect(Math.abs(score - dot(queries[n] as Float32Array, vector))).toBeLessThan(ROUGH)
            else expect(score).toBe(-Infinity)
          }
        }
        for (let key = 1; key <= 1_500; key++) {
          const vector = vectors.get(key) ?? next()
          vectors.set(key, vector)
          arena.put('store', key, vector)
        }
      }),
      { numRuns: 12, endOnFailure: true },
    )
    expect(segment?.scoreSlots([next()], Uint32Array.of(0, 7, 9), (all) => all[0]?.length)).toBe(3)
  })

  test('estimates follow the scores, also of vectors that were put one by one and replaced', async () => {
    const arena = makeArena(options)
    const { vectors, next } = fill(arena, 2_000)
    for (let key = 1; key <= 500; key++) {
      const vector = next()
      vectors.set(key, vector)
      arena.put('store', key, vector)
    }
    arena.remove('store', 77)
    vectors.delete(77)
    const segment = arena.segment('store')
    expect(segment?.canEstimate).toBe(true)
    const query = next()
    const { scores, tops, isEstimated } = await scoreNow(arena, query, true)
    expect(isEstimated).toBe(true)
    expect(scores[76]).toBe(-Infinity)
    let [error, spread] = [0, 0]
    for (const [slot, score] of scores.entries()) {
      expect(score).toBeLessThanOrEqual(tops[Math.floor(slot / 64)] as number)
      const vector = vectors.get(segment?.keyAt(slot) ?? -1)
      if (!vector) continue
      error += (score - dot(query, vector)) ** 2
      spread += dot(query, vector) ** 2
    }
    // For vectors without any structure its root is 0.88; guessing 0 gives 1.
    expect(error / spread).toBeGreaterThan(0.3)
    expect(error / spread).toBeLessThan(0.9)
  })

  test('removed and filled again during a scan, a store shows nothing of before', async () => {
    const arena = makeArena(options)
    const { next } = fill(arena, 1_000)
    const segment = arena.segment('store')
    const scored = segment?.score({ query: next() }, copy)
    await settled()
    arena.removeStore('store')
    const { vectors } = fill(arena, 700, 'store', 99)
    // What was found is that of the store which is gone.
    expect(await scored).toBeUndefined()
    const query = next()
    expectScores(arena, vectors, query, await scoreNow(arena, query))
  })

  test('many scans of many stores at once are all right', async () => {
    const arena = makeArena(options)
    const { vectors, next } = fill(arena, 800)
    fill(arena, 900, 'other', 5)
    const queries = Array.from({ length: 12 }, next)
    const all = queries.map((query) => scoreNow(arena, query))
    const others = queries.map((query) =>
      arena.segment('other')?.score({ query }, ({ scores }) => scores.length),
    )
    for (const [n, query] of queries.entries())
      expectScores(arena, vectors, query, await (all[n] as (typeof all)[0]))
    expect(await Promise.all(others)).toEqual(queries.map(() => 900))
  })
})

describe('searches of one large store that wait', () => {
  test('are answered four by one scan, each with its own scores', async () => {
    const { start, held } = heldThreads()
    const arena = makeArena({ startThread: start, threads: 1 })
    const { next } = fill(arena, 500)
    const queries = Array.from({ length: 7 }, next)
    const scored = queries.map((query) => scoreNow(arena, query))
    const all = Promise.all(scored)
    let isOver = false
    void all.then(() => {
      isOver = true
    })
    const scans: number[] = []
    let answered: ThreadRequest | undefined
    while (!isOver) {
      await turn()
      const [thread] = held
      const request = thread?.request
      if (!request || request === answered) continue
      answered = request
      if ('places' in request) throw new Error('The thread was asked for single places')
      scans.push(request.queries.length)
      for (const [n, query] of request.queries.entries()) request.into[n]?.scores.fill(query[0] as number)
      thread.done()
    }
    expect(scans).toEqual([1, 4, 2])
    expect((await all).map(({ scores }) => scores[0])).toEqual(queries.map(([first]) => first))
  })

  test('are answered one by one while another store waits', async () => {
    const { start, held } = heldThreads()
    const arena = makeArena({ startThread: start, threads: 1 })
    const { next } = fill(arena, 500)
    fill(arena, 500, 'other')
    const queries = Array.from({ length: 6 }, next)
    const answers = queries.map((query) => scoreNow(arena, query))
    const other = arena.segment('other')?.score({ query: next() }, () => 'answered')
    const scans: number[] = []
    let isOver = false
    void Promise.all([...answers, other]).then(() => {
      isOver = true
    })
    let answered: ThreadRequest | undefined
    while (!isOver) {
      await turn()
      const request = held[0]?.request
      if (!request || request === answered) continue
      answered = request
      if ('places' in request) throw new Error('The thread was asked for single places')
      scans.push(request.queries.length)
      held[0]?.done()
    }
    // The first began alone, the second before the other store had its turn.
    expect(scans).toEqual([1, 1, 1, 4])
  })

  test('each see the store of their own tick, though they share a scan', async () => {
    const arena = makeArena()
    const { vectors, next } = fill(arena, 500)
    const segment = arena.segment('store')
    const queries = Array.from({ length: 5 }, next)
    const all = queries.map((query, n) =>
      segment?.score({ query }, (scores) => {
        const now = new Map(vectors)
        const copied = copy(scores)
        // The next search must not find it any more, and must find what is new.
        arena.remove('store', n + 1)
        vectors.delete(n + 1)
        const vector = next()
        arena.put('store', 1_000 + n, vector)
        vectors.set(1_000 + n, vector)
        return { copied, now }
      }),
    )
    for (const [n, one] of (await Promise.all(all)).entries()) {
      if (!one) throw new Error('The store has no scores')
      const query = queries[n] as Float32Array
      const found = [...one.copied.scores].filter((score) => score > -Infinity)
      const wanted = [...one.now.values()].map((vector) => dot(query, vector))
      expect(found).toHaveLength(wanted.length)
      const [a, b] = [found.toSorted((x, y) => x - y), wanted.toSorted((x, y) => x - y)]
      for (const [at, score] of a.entries()) expect(Math.abs(score - (b[at] as number))).toBeLessThan(ROUGH)
    }
  })

  test('end together when the store is removed, and fail alone', async () => {
    const arena = makeArena()
    const { next } = fill(arena, 500)
    const segment = arena.segment('store')
    const score = (use: () => unknown) => segment?.score({ query: next() }, use)
    const failing = () => {
      throw new Error('a bug')
    }
    const outcomes = await Promise.allSettled([
      score(() => 1),
      score(failing),
      score(() => 2),
      score(() => 3),
    ])
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
      1,
      'failed',
      2,
      3,
    ])
    const late = [score(() => 1), score(() => 2), score(() => 3)]
    arena.removeStore('store')
    expect(await Promise.all(late)).toEqual([undefined, undefined, undefined])
  })
})

describe('a thread that fails', () => {
  test('during a scan: the scan is repeated without threads, which start again later', async () => {
    const { start, held } = heldThreads()
    const arena = makeArena({ startThread: start })
    const { vectors, next } = fill(arena, 500)
    const query = next()
    const scored = scoreNow(arena, query)
    await settled()
    expect(held).toHaveLength(2)
    // The other one still writes what nobody reads.
    held[0]?.ended()
    fillScores(held[1]?.request, 9)
    held[1]?.done()
    expectScores(arena, vectors, query, await scored)
    // Four scans go without threads, then a new one starts.
    for (let n = 0; n < 4; n++) await scoreNow(arena, query)
    expect(held).toHaveLength(2)
    const again = scoreNow(arena, query)
    await settled()
    expect(held).toHaveLength(3)
    fillScores(held[1]?.request, 0.5)
    held[1]?.done()
    held[2]?.done()
    expect([...(await again).scores]).toEqual(Array(500).fill(0.5))
  })

  test('during a scan of single slots: the rest is scored without threads', async () => {
    const { start, held } = heldThreads()
    const arena = makeArena({ startThread: start })
    const { next } = fill(arena, 500)
    const query = next()
    const slots = Uint32Array.from({ length: 100 }, (_, n) => 5 * n)
    const segment = arena.segment('store')
    const scored = segment?.scoreSlots([query], slots, ([scores]) => scores?.slice())
    await settled()
    expect(held.map(({ request }) => request && 'places' in request && request.places.length)).toEqual([
      50, 50,
    ])
    fillScores(held[0]?.request, 9)
    held[0]?.ended()
    fillScores(held[1]?.request, 9)
    held[1]?.done()
    expect([...((await scored) ?? [])]).toEqual([...(segment?.scanSlots(query, slots) ?? [])])
  })

  test('a new thread learns of all memories, an old one of the new', async () => {
    const { start, held } = heldThreads()
    const arena = makeArena({ startThread: start, threads: 1, sizes: { firstPagesMax: 9, laterPagesMax: 9 } })
    const { next } = fill(arena, 200)
    const known: number[] = []
    const scan = async () => {
      const scored = scoreNow(arena, next())
      await settled()
      known.push(held.at(-1)?.request?.memories.length ?? -1)
      return scored
    }
    void scan().then(() => undefined)
    await settled()
    held[0]?.done()
    fill(arena, 4_000, 'other')
    const second = scan()
    await settled()
    held[0]?.ended()
    await second
    expect(known[0]).toBe(1)
    expect(known[1]).toBeGreaterThan(1)
  })

  test('that cannot start: scans go on without', async () => {
    const arena = makeArena({
      startThread: () => {
        throw new Error('Resource temporarily unavailable')
      },
    })
    const { vectors, next } = fill(arena, 500)
    for (let n = 0; n < 3; n++) {
      const query = next()
      expectScores(arena, vectors, query, await scoreNow(arena, query))
    }
  })

  test('closing ends a scan that runs, and later scans still answer', async () => {
    const { start, held } = heldThreads()
    const arena = makeArena({ startThread: start })
    const { vectors, next } = fill(arena, 500)
    const query = next()
    const scored = scoreNow(arena, query)
    await settled()
    arena.close()
    expect(held.map(({ isEnded }) => isEnded)).toEqual([true, true])
    expectScores(arena, vectors, query, await scored)
    expectScores(arena, vectors, query, await scoreNow(arena, query))
    expect(held).toHaveLength(2)
  })

  test('too many scans that wait are refused, and the others answered', async () => {
    const arena = makeArena({ waitingMax: 2 })
    const { next } = fill(arena, 500)
    const all = Array.from({ length: 6 }, () => scoreNow(arena, next()))
    const outcomes = await Promise.allSettled(all)
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array(3).fill('fulfilled'),
      ...Array(3).fill('rejected'),
    ])
    expect(outcomes[5]).toMatchObject({ reason: { code: 'overloaded' } })
  })
})

describe('several memories', () => {
  test('one store spans them, and all its answers are those of one memory', () => {
    const small = createVectorArena(DIMENSION, { sizes: { firstPagesMax: 9, laterPagesMax: 9 } })
    const large = createVectorArena(DIMENSION)
    const next = unitVectors(DIMENSION, 3)
    for (let key = 1; key <= 5_000; key++) {
      const vector = next()
      small.put('store', key, vector)
      large.put('store', key, vector)
    }
    expect(small.memoryBytes).toBeGreaterThan(9 * 65_536)
    const [a, b] = [small.segment('store'), large.segment('store')]
    const query = next()
    const mixed = Uint32Array.from({ length: 4_999 }, (_, n) => (n * 1_237) % 5_000)
    expect(a?.scanAll(query)).toEqual(b?.scanAll(query) as Float32Array)
    expect(a?.scanSlots(query, mixed)).toEqual(b?.scanSlots(query, mixed) as Float32Array)
    expect(a?.rescore(query, mixed)).toEqual(b?.rescore(query, mixed) as Float32Array)
    expect(a?.vectorAt(4_999)).toEqual(b?.vectorAt(4_999))
  })

  test('their sum ends at the limit: what was reserved finds room, the next block does not', () => {
    const memoryBytesMax = 60 * 65_536
    const arena = createVectorArena(DIMENSION, {
      memoryBytesMax,
      sizes: { firstPagesMax: 9, laterPagesMax: 20 },
    })
    const next = unitVectors(DIMENSION, 3)
    let key = 0
    while (arena.reserve('store', 64)) for (let n = 0; n < 64; n++) arena.put('store', ++key, next())
    expect(arena.memoryBytes).toBeLessThanOrEqual(memoryBytesMax)
    expect(() => arena.put('store', key + 1, next())).toThrow('do not fit into memory')
    arena.removeStore('store')
    expect(arena.reserve('other', key)).toBe(true)
    for (let n = 1; n <= key; n++) arena.put('other', n, next())
    expect(arena.reserve('other', 1)).toBe(false)
  })
})
