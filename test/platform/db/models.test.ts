import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { registerModel } from '../../../src/platform/db/models.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { memoryDatabase } from '../../support/database.ts'

let db: Db
beforeEach(() => {
  db = memoryDatabase()
})
afterEach(() => db.close())

const model = (name: string, dimension = 4) => ({ id: name, hash: name.repeat(64), dimension })
const count = (table: string) => (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
const vector = (...numbers: number[]) => Float32Array.from(numbers)

describe('registerModel (contract 2.9)', () => {
  test('a model is known by its hash: registered again it keeps its row and its vectors, and has its new name', () => {
    const first = registerModel(db, model('a'), 7)
    first.vectors.put('s', 1, vector(1, 0, 0, 0))
    const again = registerModel(db, { ...model('a'), id: 'another folder' }, 8)
    expect(again.row).toBe(first.row)
    expect(again.vectors.nearest('s', vector(1, 0, 0, 0), 1)).toEqual([{ rowid: 1, score: 1 }])
    expect(db.prepare('SELECT name, hash, dimension, created_at FROM models').all()).toEqual([
      { name: 'another folder', hash: 'a'.repeat(64), dimension: 4, created_at: 7 },
    ])
  })

  test('two models have separate tables, also of different dimensions', () => {
    const a = registerModel(db, model('a'), 1)
    const b = registerModel(db, model('b', 6), 1)
    a.vectors.put('s', 1, vector(1, 0, 0, 0))
    b.vectors.put('s', 1, vector(0, 0, 0, 0, 0, 1))
    expect([a.row === b.row, count(`vectors_${a.row}`), count(`vectors_${b.row}`)]).toEqual([false, 1, 1])
    const seen: number[] = []
    b.vectors.each((_, { length }) => seen.push(length))
    expect(seen).toEqual([6])
    expect(() => a.vectors.put('s', 2, vector(1, 0))).toThrow()
  })

  test('removing takes a vector away whichever model made it, in one transaction with its caller', () => {
    registerModel(db, model('a'), 1).vectors.put('s', 1, vector(1, 0, 0, 0))
    const b = registerModel(db, model('b', 6), 1)
    b.vectors.put('s', 2, vector(0, 0, 0, 0, 0, 1))
    expect(() =>
      db.transaction(() => {
        b.vectors.remove(1)
        b.vectors.remove(2)
        throw new Error('undo')
      })(),
    ).toThrow('undo')
    expect([count('vectors_1'), count('vectors_2')]).toEqual([1, 1])
    b.vectors.remove(1)
    b.vectors.remove(2)
    b.vectors.remove(3)
    expect([count('vectors_1'), count('vectors_2')]).toEqual([0, 0])
  })

  test('a registration that fails leaves no model without a table', () => {
    db.exec('CREATE TABLE vectors_1 (taken)')
    expect(() => registerModel(db, model('a'), 1)).toThrow()
    expect(count('models')).toBe(0)
  })
})
