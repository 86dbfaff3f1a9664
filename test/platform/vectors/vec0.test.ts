import { expect, test } from 'bun:test'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import * as sqliteVec from 'sqlite-vec'
import { findNearestSlots } from '../../../scripts/bench/parts/nearest.ts'
import { createVectorArena } from '../../../src/platform/vectors/arena.ts'
import { createVectorTable } from '../../../src/platform/vectors/vec0.ts'
import { unitVectors } from './units.ts'

const DIMENSION = 64
/** Eight standard errors of a precise score at this dimension. */
const TOLERANCE = 3e-5
const STORES = ['red', 'green', 'blue']

function openTable(dimension = DIMENSION) {
  const db = new Database(':memory:')
  sqliteVec.load(db)
  const table = createVectorTable(db, 'vectors_1', dimension)
  table.create()
  return { db, table }
}

function all(table: ReturnType<typeof openTable>['table']) {
  const rows = new Map<number, { storeId: string; vector: Float32Array }>()
  table.each((rowid, vector, storeId) => rows.set(rowid, { storeId, vector: vector.slice() }))
  return rows
}

/** The store of a rowid never changes, as a picture never moves. */
const storeOf = (rowid: number) => STORES[rowid % 3] as string

const steps = fc.array(fc.record({ rowid: fc.integer({ min: 1, max: 600 }), isPut: fc.boolean() }), {
  minLength: 100,
  maxLength: 1_000,
  size: 'max',
})

test('any order of puts, replacements and removals reads back as it was written', () => {
  const next = unitVectors(DIMENSION, 5)
  fc.assert(
    fc.property(steps, (list) => {
      const { db, table } = openTable()
      const model: ReturnType<typeof all> = new Map()
      for (const { rowid, isPut } of list) {
        if (isPut) model.set(rowid, { storeId: storeOf(rowid), vector: next() })
        else model.delete(rowid)
        const row = model.get(rowid)
        if (row) table.put(row.storeId, rowid, row.vector)
        else table.remove(rowid)
      }
      const rows = all(table)
      expect([...rows.keys()].sort()).toEqual([...model.keys()].sort())
      for (const [rowid, row] of model) expect(rows.get(rowid)).toEqual(row)
      db.close()
    }),
    { numRuns: 12, endOnFailure: true },
  )
})

test('the arena answers like exact search in SQL, whatever happened before', () => {
  const next = unitVectors(DIMENSION, 9)
  fc.assert(
    fc.property(steps, (list) => {
      const { db, table } = openTable()
      const arena = createVectorArena(DIMENSION)
      for (const { rowid, isPut } of list) {
        const vector = next()
        if (isPut) table.put(storeOf(rowid), rowid, vector)
        else table.remove(rowid)
        if (isPut) arena.put(storeOf(rowid), rowid, vector)
        else arena.remove(storeOf(rowid), rowid)
      }
      const reloaded = createVectorArena(DIMENSION)
      table.each((rowid, vector, storeId) => reloaded.put(storeId, rowid, vector))
      for (const storeId of STORES) {
        const query = next()
        const exact = table.nearest(storeId, query, 1_000)
        expectNear(found(arena, storeId, query), exact)
        expectNear(found(reloaded, storeId, query), exact)
      }
      db.close()
    }),
    { numRuns: 12, endOnFailure: true },
  )
})

type Hits = { rowid: number; score: number }[]

function found(arena: ReturnType<typeof createVectorArena>, storeId: string, query: Float32Array): Hits {
  const segment = arena.segment(storeId)
  if (!segment) return []
  return findNearestSlots(segment, query, 10).map(({ slot, score }) => ({
    rowid: segment.keyAt(slot),
    score,
  }))
}

/** Every hit has its exact score and the score of its rank; so only rows nearer to each other than that may change places. */
function expectNear(hits: Hits, exact: Hits): void {
  const scores = new Map(exact.map(({ rowid, score }) => [rowid, score]))
  expect(new Set(hits.map(({ rowid }) => rowid)).size).toBe(Math.min(10, exact.length))
  for (const [rank, { rowid, score }] of hits.entries()) {
    expect(Math.abs(score - (scores.get(rowid) as number))).toBeLessThan(TOLERANCE)
    expect(Math.abs(score - (exact[rank] as Hits[number]).score)).toBeLessThan(TOLERANCE)
  }
}

test.each([256, 768, 1_152])(
  'vectors of %d numbers are found as by exact search, and estimated',
  async (dimension) => {
    const { table } = openTable(dimension)
    const arena = createVectorArena(dimension, { largeSlots: 100, threads: 0 })
    const next = unitVectors(dimension, 3)
    for (let rowid = 1; rowid <= 300; rowid++) {
      const vector = next()
      table.put('red', rowid, vector)
      arena.put('red', rowid, vector)
    }
    expect(all(table).get(300)?.vector).toHaveLength(dimension)
    const query = next()
    const exact = table.nearest('red', query, 300)
    expectNear(found(arena, 'red', query), exact)
    const segment = arena.segment('red')
    const estimates = await segment?.score({ query, mayEstimate: true }, ({ scores, isEstimated }) => {
      expect(isEstimated).toBe(true)
      return scores.slice()
    })
    // The estimates of the half that is more alike are higher on the whole.
    const sum = (hits: Hits) =>
      hits.reduce((total, { rowid }) => total + (estimates?.[segment?.findSlot(rowid) ?? -1] as number), 0)
    expect(sum(exact.slice(0, 150))).toBeGreaterThan(sum(exact.slice(150)))
  },
)

test('stores never see each other’s vectors, however near', () => {
  const { table } = openTable()
  const arena = createVectorArena(DIMENSION)
  const vector = unitVectors(DIMENSION, 2)()
  for (let rowid = 1; rowid <= 300; rowid++) {
    table.put(storeOf(rowid), rowid, vector)
    arena.put(storeOf(rowid), rowid, vector)
  }
  for (const storeId of STORES) {
    const rowids = table.nearest(storeId, vector, 300).map((hit) => hit.rowid)
    expect(rowids).toHaveLength(100)
    expect(rowids.every((rowid) => storeOf(rowid) === storeId)).toBe(true)
    expect(found(arena, storeId, vector).every(({ rowid }) => storeOf(rowid) === storeId)).toBe(true)
  }
  arena.removeStore('red')
  expect([arena.count('red'), arena.count('green')]).toEqual([0, 100])
})

test('large rowids and more results than vectors are fine', () => {
  const { table } = openTable()
  const vector = unitVectors(DIMENSION, 2)()
  table.put('red', Number.MAX_SAFE_INTEGER, vector)
  expect(all(table).get(Number.MAX_SAFE_INTEGER)?.vector).toEqual(vector)
  expect(table.nearest('red', vector, 10)).toHaveLength(1)
  expect(table.nearest('green', vector, 10)).toEqual([])
})

test('a rowid of another store is refused and stays as it was', () => {
  const { table } = openTable()
  const next = unitVectors(DIMENSION, 2)
  const vector = next()
  table.put('red', 1, vector)
  expect(() => table.put('green', 1, next())).toThrow('UNIQUE constraint')
  expect([...all(table)]).toEqual([[1, { storeId: 'red', vector }]])
})

test('a rolled back transaction leaves no vector', () => {
  const { db, table } = openTable()
  const write = db.transaction(() => {
    table.put('red', 1, new Float32Array(DIMENSION).fill(1))
    throw new Error('power cut')
  })
  expect(write).toThrow('power cut')
  expect(all(table).size).toBe(0)
})

test('a vector of another dimension and an odd table name are refused', () => {
  const { db, table } = openTable()
  expect(() => table.put('red', 1, new Float32Array(DIMENSION - 1))).toThrow('63 dimensions, not 64')
  expect(() => createVectorTable(db, 'a; DROP TABLE b', DIMENSION)).toThrow('cannot be the name')
})

test('one vector reads back bit by bit, for its own store alone', () => {
  const { table } = openTable(3)
  const vector = Float32Array.of(0.1, -1 / 3, 1e-30)
  table.put('red', 7, vector)
  table.put('blue', 8, Float32Array.of(1, 2, 3))
  expect(table.find('red', 7)).toEqual(vector)
  expect([table.find('blue', 7), table.find('red', 9)]).toEqual([undefined, undefined])
})
