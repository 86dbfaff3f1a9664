import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createVectorArena, type Segment } from '../../../src/platform/vectors/arena.ts'
import { dot, normalised, unitVectors } from './units.ts'

/** Not a multiple of 16, so that padding is at work in every test. */
const DIMENSION = 100

function segmentOf(arena: ReturnType<typeof createVectorArena>, storeId: string): Segment {
  const segment = arena.segment(storeId)
  if (!segment) throw new Error(`${storeId} has no segment`)
  return segment
}

function filled(count: number, dimension = DIMENSION) {
  const next = unitVectors(dimension, 7)
  const arena = createVectorArena(dimension)
  const vectors = Array.from({ length: count }, next)
  for (const [index, vector] of vectors.entries()) arena.put('store', index + 1, vector)
  return { arena, vectors, next, segment: segmentOf(arena, 'store') }
}

describe('scores', () => {
  test.each([64, 100, 512, 768])(
    'rescoring %d dimensions is within 1e-5 of the float vectors',
    (dimension) => {
      const { segment, vectors, next } = filled(200, dimension)
      const query = next()
      const scores = segment.rescore(query, [...vectors.keys()])
      for (const [slot, vector] of vectors.entries())
        expect(Math.abs((scores[slot] as number) - dot(query, vector))).toBeLessThan(1e-5)
    },
  )

  test('rescoring a vector with one component, an axis, is within 1e-5 too', () => {
    const arena = createVectorArena(512)
    const axis = new Float32Array(512)
    axis[300] = 1
    arena.put('store', 1, axis)
    const query = unitVectors(512, 4)()
    const [score] = segmentOf(arena, 'store').rescore(query, [0])
    expect(Math.abs((score as number) - (query[300] as number))).toBeLessThan(1e-5)
  })

  test.each([1, 16, 100, 512, 4_096])(
    'a scan of %d dimensions is within half a step of the float vectors',
    (dimension) => {
      const { segment, vectors, next } = filled(70, dimension)
      const query = next()
      const scores = segment.scanAll(query)
      const length = query.reduce((sum, x) => sum + Math.abs(x), 0)
      for (const [slot, vector] of vectors.entries()) {
        const step = Math.max(...vector.map(Math.abs)) / 127
        expect(Math.abs((scores[slot] as number) - dot(query, vector))).toBeLessThan(
          0.51 * step * length + 1e-4,
        )
      }
    },
  )

  test('the largest vectors and queries do not overflow', () => {
    const arena = createVectorArena(4_096)
    const flat = normalised(new Float32Array(4_096).fill(1))
    const slot = arena.put('store', 1, flat)
    arena.put(
      'store',
      2,
      flat.map((x) => -x),
    )
    const [same, opposite] = segmentOf(arena, 'store').scanAll(flat)
    expect(slot).toBe(0)
    expect(same).toBeCloseTo(1, 3)
    expect(opposite).toBeCloseTo(-1, 3)
  })

  test('scanning single slots gives the scores of the full scan', () => {
    const { segment, next } = filled(5_000)
    const query = next()
    const all = segment.scanAll(query)
    const slots = Uint32Array.from({ length: 4_500 }, (_, index) => (index * 7) % 5_000)
    expect(segment.scanSlots(query, slots)).toEqual(Float32Array.from(slots, (slot) => all[slot] as number))
  })

  test('a vector comes back within 1/64,000 of its largest component', () => {
    const { segment, vectors } = filled(3)
    for (const [slot, vector] of vectors.entries()) {
      const bound = Math.max(...vector.map(Math.abs)) / 64_000
      const back = segment.vectorAt(slot)
      expect(back).toHaveLength(DIMENSION)
      for (const [i, x] of vector.entries()) expect(Math.abs((back?.[i] as number) - x)).toBeLessThan(bound)
    }
  })

  test('a query or vector of zeros scores 0', () => {
    const { arena, segment, next } = filled(2)
    const zero = new Float32Array(DIMENSION)
    arena.put('store', 3, zero)
    expect([...segment.scanAll(zero)]).toEqual([0, 0, 0])
    expect(segment.scanAll(next())[2]).toBe(0)
    expect([...segment.rescore(next(), [2])]).toEqual([0])
  })
})

describe('slots', () => {
  test('replacing keeps the slot and changes the vector', () => {
    const { arena, segment, next } = filled(3)
    const vector = next()
    expect(arena.put('store', 2, vector)).toBe(1)
    expect(arena.count('store')).toBe(3)
    expect(segment.rescore(vector, [1])[0]).toBeCloseTo(1, 4)
  })

  test('a removed vector is gone from every answer and its slot is used again', () => {
    const { arena, segment, next } = filled(3)
    expect(arena.remove('store', 2)).toBe(1)
    expect(arena.remove('store', 2)).toBeUndefined()
    expect([segment.keyAt(1), segment.findSlot(2), segment.vectorAt(1)]).toEqual([-1, undefined, undefined])
    const query = next()
    expect(segment.scanAll(query)[1]).toBe(-Infinity)
    expect([...segment.scanSlots(query, [1]), ...segment.rescore(query, [1])]).toEqual([-Infinity, -Infinity])
    expect(arena.put('store', 9, next())).toBe(1)
    expect([arena.count('store'), segment.slots]).toEqual([3, 3])
  })

  test('free slots at the end are cut off', () => {
    const { arena, segment } = filled(130)
    for (let key = 2; key <= 130; key++) arena.remove('store', key)
    expect([
      segment.slots,
      arena.count('store'),
      segment.scanAll(new Float32Array(DIMENSION)).length,
    ]).toEqual([1, 1, 1])
    expect(() => segment.rescore(new Float32Array(DIMENSION), [64])).toThrow('Slot 64 does not exist')
  })

  test('an empty store answers with nothing', () => {
    const { arena, segment, next } = filled(1)
    arena.remove('store', 1)
    expect([...segment.scanAll(next()), ...segment.rescore(next(), [])]).toEqual([])
    expect([arena.count('none'), arena.segment('none'), arena.remove('none', 1)]).toEqual([
      0,
      undefined,
      undefined,
    ])
  })

  test('any order of puts, replacements and removals leaves the vectors of a plain map', () => {
    // One arena for all runs, so that later runs work in the used blocks of earlier ones.
    const arena = createVectorArena(DIMENSION)
    const next = unitVectors(DIMENSION, 11)
    const step = fc.record({
      store: fc.constantFrom('red', 'blue'),
      key: fc.integer({ min: 1, max: 150 }),
      isPut: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        for (const store of ['red', 'blue']) arena.removeStore(store)
        const model = new Map([
          ['red', new Map<number, Float32Array>()],
          ['blue', new Map<number, Float32Array>()],
        ])
        for (const { store, key, isPut } of steps) {
          const vectors = model.get(store) as Map<number, Float32Array>
          if (!isPut) {
            expect(arena.remove(store, key) !== undefined).toBe(vectors.delete(key))
            continue
          }
          const vector = next()
          vectors.set(key, vector)
          const slot = arena.put(store, key, vector)
          expect(arena.segment(store)?.findSlot(key)).toBe(slot)
        }
        for (const [store, vectors] of model) expectSame(arena.segment(store), vectors, next())
      }),
      { numRuns: 60, endOnFailure: true },
    )
  })
})

function expectSame(
  segment: Segment | undefined,
  vectors: Map<number, Float32Array>,
  query: Float32Array,
): void {
  if (!segment) {
    expect(vectors.size).toBe(0)
    return
  }
  const taken = Array.from({ length: segment.slots }, (_, slot) => slot).filter(
    (slot) => segment.keyAt(slot) !== -1,
  )
  expect(taken.map((slot) => segment.keyAt(slot)).sort()).toEqual([...vectors.keys()].sort())
  const rough = segment.scanAll(query)
  const precise = segment.rescore(query, taken)
  expect([...rough.keys()].filter((slot) => rough[slot] !== -Infinity)).toEqual(taken)
  for (const [index, slot] of taken.entries()) {
    const exact = dot(query, vectors.get(segment.keyAt(slot)) as Float32Array)
    // Eight standard errors of the largest components met at this dimension.
    expect(Math.abs((precise[index] as number) - exact)).toBeLessThan(3e-5)
    expect(Math.abs((rough[slot] as number) - exact)).toBeLessThan(0.02)
  }
}

describe('memory', () => {
  test('blocks of a removed store are used again', () => {
    const { arena, next } = filled(1_000)
    const before = arena.memoryBytes
    for (let round = 0; round < 20; round++) {
      arena.removeStore('store')
      for (let key = 1; key <= 1_000; key++) arena.put('store', key, next())
    }
    expect(arena.memoryBytes).toBe(before)
  })

  test('blocks emptied by single removals are used again by another store, which sees nothing of before', () => {
    const { arena, next } = filled(1_000)
    const before = arena.memoryBytes
    for (let key = 1; key <= 1_000; key++) arena.remove('store', key)
    for (let key = 1; key <= 959; key++) arena.put('other', key, next())
    const other = segmentOf(arena, 'other')
    arena.remove('other', 500)
    expect(arena.memoryBytes).toBe(before)
    expect([...other.scanAll(next())].filter((score) => score > -Infinity)).toHaveLength(958)
  })

  test('1,000 stores of 50 vectors take at most 3 times their raw bytes', () => {
    const arena = createVectorArena(512)
    const vector = unitVectors(512, 3)()
    for (let store = 0; store < 1_000; store++)
      for (let key = 1; key <= 50; key++) arena.put(`store ${store}`, key, vector)
    expect(arena.memoryBytes).toBeLessThanOrEqual(3 * 1_000 * 50 * 512)
  })
})

describe('a limit of memory', () => {
  const MEMORY = 1_000_000
  const full = () => {
    const arena = createVectorArena(DIMENSION, { memoryBytesMax: MEMORY })
    const next = unitVectors(DIMENSION, 11)
    let count = 0
    while (arena.reserve('store', 1)) arena.put('store', ++count, next())
    return { arena, next, count }
  }

  test('what was reserved is put without growing beyond the limit; the next vector throws and changes nothing', () => {
    const { arena, next, count } = full()
    const segment = segmentOf(arena, 'store')
    expect(count % 64).toBe(0)
    expect(arena.memoryBytes).toBeLessThanOrEqual(MEMORY)
    expect(arena.memoryBytes).toBeGreaterThan(MEMORY - 65_536)
    const query = next()
    const before = [...segment.scanAll(query)]
    expect(() => arena.put('store', count + 1, next())).toThrow('do not fit into memory')
    expect(() => arena.put('other', 1, next())).toThrow('do not fit into memory')
    expect([arena.count('store'), arena.count('other'), segment.slots]).toEqual([count, 0, count])
    expect([...segment.scanAll(query)]).toEqual(before)
    expect(arena.put('store', count, next())).toBe(count - 1)
  })

  test('reserving answers what putting then does, after any removals', () => {
    const { arena, next, count } = full()
    const change = fc.record({
      store: fc.constantFrom('store', 'red', 'blue'),
      key: fc.integer({ min: 1, max: count }),
      wanted: fc.integer({ min: 1, max: 150 }),
      isRemoval: fc.boolean(),
    })
    let fresh = count
    const keys = new Map<string, Set<number>>()
    for (const store of ['store', 'red', 'blue']) keys.set(store, new Set())
    for (let key = 1; key <= count; key++) keys.get('store')?.add(key)
    fc.assert(
      fc.property(fc.array(change, { minLength: 50, maxLength: 300, size: 'max' }), (changes) => {
        for (const { store, key, wanted, isRemoval } of changes) {
          const own = keys.get(store) as Set<number>
          if (isRemoval) {
            for (const each of [...own].filter((each) => each % 16 === key % 16)) {
              arena.remove(store, each)
              own.delete(each)
            }
            continue
          }
          const fits = arena.reserve(store, wanted)
          for (let n = 0; fits && n < wanted; n++) {
            arena.put(store, ++fresh, next())
            own.add(fresh)
          }
          if (fits) continue
          let put = 0
          const fill = () => {
            for (; put < wanted; put++) arena.put(store, fresh + put + 1, next())
          }
          expect(fill).toThrow('do not fit into memory')
          for (let n = 1; n <= put; n++) arena.remove(store, fresh + n)
        }
        for (const [store, own] of keys) expect(arena.count(store)).toBe(own.size)
      }),
      { numRuns: 8, endOnFailure: true },
    )
  })

  test('reserving nothing, or less, is always possible and takes nothing', () => {
    const { arena, count } = full()
    expect([arena.reserve('store', 0), arena.reserve('other', -5), arena.reserve('other', 1)]).toEqual([
      true,
      true,
      false,
    ])
    arena.remove('store', 1)
    expect([arena.reserve('store', 1), arena.reserve('store', 2), arena.reserve('other', 1)]).toEqual([
      true,
      false,
      false,
    ])
    expect(arena.count('store')).toBe(count - 1)
    const empty = createVectorArena(DIMENSION, { memoryBytesMax: MEMORY })
    expect([empty.reserve('store', 0), empty.memoryBytes]).toEqual([true, 0])
    expect(createVectorArena(DIMENSION, { memoryBytesMax: 0 }).reserve('store', 1)).toBe(false)
  })

  test('a machine that refuses more memory counts as full, and what is there still answers', () => {
    const arena = createVectorArena(DIMENSION)
    const next = unitVectors(DIMENSION, 12)
    const vector = next()
    arena.put('store', 1, vector)
    const { grow } = WebAssembly.Memory.prototype
    WebAssembly.Memory.prototype.grow = () => {
      throw new RangeError('Out of memory')
    }
    try {
      expect([arena.reserve('store', 63), arena.reserve('store', 100_000)]).toEqual([true, false])
      expect(segmentOf(arena, 'store').rescore(vector, [0])[0]).toBeCloseTo(1, 4)
    } finally {
      WebAssembly.Memory.prototype.grow = grow
    }
    expect(arena.reserve('store', 100_000)).toBe(true)
    for (let key = 2; key <= 5_000; key++) arena.put('store', key, next())
  })
})

describe('mistakes', () => {
  test('a vector or query of another dimension is refused and changes nothing', () => {
    const { arena, segment } = filled(2)
    const wrong = new Float32Array(DIMENSION + 1)
    expect(() => arena.put('store', 3, wrong)).toThrow('101 dimensions, not 100')
    expect(() => arena.put('new', 3, wrong)).toThrow('101 dimensions, not 100')
    expect(() => segment.scanAll(wrong)).toThrow('101 dimensions, not 100')
    expect(() => segment.scanSlots(wrong, [0])).toThrow('101 dimensions, not 100')
    expect(() => segment.rescore(wrong, [0])).toThrow('101 dimensions, not 100')
    expect([arena.count('store'), arena.segment('new')]).toEqual([2, undefined])
  })

  test.each([Number.NaN, Infinity, -Infinity])('a component of %d is refused', (component) => {
    const { arena, segment } = filled(1)
    const vector = new Float32Array(DIMENSION)
    vector[99] = component
    expect(() => arena.put('store', 2, vector)).toThrow('not finite')
    expect(() => segment.scanAll(vector)).toThrow('not finite')
    expect(arena.count('store')).toBe(1)
  })

  test.each([0, -1, 1.5, 2 ** 53])('%d is refused as a key', (key) => {
    expect(() => createVectorArena(2).put('store', key, Float32Array.of(1, 0))).toThrow('cannot be the key')
  })

  test.each([0, 1.5, 4_097])('%d dimensions are refused', (dimension) => {
    expect(() => createVectorArena(dimension)).toThrow('not supported')
  })
})
