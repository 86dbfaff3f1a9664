import { expect, test } from 'bun:test'
import { findNearestSlots } from '../../scripts/bench/parts/nearest.ts'
import { createVectorArena } from '../../src/platform/vectors/arena.ts'
import { dot, normalised, unitVectors } from '../platform/vectors/units.ts'

const DIMENSION = 128

/** Vectors that crowd around a few centres, as pictures of products do: neighbours are hard to tell apart. */
function crowded(count: number) {
  const next = unitVectors(DIMENSION, 21)
  const centres = Array.from({ length: 5 }, next)
  const near = (centre: Float32Array) => {
    const noise = next()
    return normalised(centre.map((x, i) => x + 0.3 * (noise[i] as number)))
  }
  const vectors = Array.from({ length: count }, (_, index) => near(centres[index % 5] as Float32Array))
  const arena = createVectorArena(DIMENSION)
  for (const [index, vector] of vectors.entries()) arena.put('store', index + 1, vector)
  const segment = arena.segment('store')
  if (!segment) throw new Error('The store has no segment')
  return { vectors, segment, query: near(centres[0] as Float32Array) }
}

const exact = (vectors: Float32Array[], query: Float32Array, slots: number[]) =>
  slots
    .map((slot) => ({ slot, score: dot(query, vectors[slot] as Float32Array) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 10)
    .map(({ slot }) => slot)
    .sort()

test('the ten nearest are those of exact search, with and without a choice of slots', () => {
  const { vectors, segment, query } = crowded(3_000)
  const everything = [...vectors.keys()]
  const third = everything.filter((slot) => slot % 3 === 1)
  const mask = Uint8Array.from(everything, (slot) => (slot % 3 === 1 ? 1 : 0))
  const slots = (hits: { slot: number }[]) => hits.map(({ slot }) => slot).sort()
  expect(slots(findNearestSlots(segment, query, 10))).toEqual(exact(vectors, query, everything))
  expect(slots(findNearestSlots(segment, query, 10, { mask }))).toEqual(exact(vectors, query, third))
  const among = Uint32Array.from(third)
  expect(slots(findNearestSlots(segment, query, 10, { among }))).toEqual(exact(vectors, query, third))
})

test('equal scores come in the order of their slots, and k may exceed the number of vectors', () => {
  const arena = createVectorArena(2)
  for (let key = 1; key <= 5; key++)
    arena.put('store', key, Float32Array.of(key === 3 ? 1 : 0, key === 3 ? 0 : 1))
  const segment = arena.segment('store')
  if (!segment) throw new Error('The store has no segment')
  const hits = findNearestSlots(segment, Float32Array.of(0, 1), 50)
  expect(hits.map(({ slot }) => slot)).toEqual([0, 1, 3, 4, 2])
  expect(hits[0]?.score).toBeCloseTo(1, 5)
})
