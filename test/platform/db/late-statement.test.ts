import { afterEach, beforeEach, expect, test } from 'bun:test'
import { lateStatement } from '../../../src/platform/db/late-statement.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { memoryDatabase } from '../../support/database.ts'

let db: Db
beforeEach(() => {
  db = memoryDatabase()
})
afterEach(() => db.close())

test('a statement is compiled once, when it is first used, and keeps how it was set up before and since', () => {
  let compiled = 0
  const statement = lateStatement(() => {
    compiled++
    return db.prepare('SELECT 1 AS one, 2 AS two')
  })
  expect(statement.raw()).toBe(statement)
  expect(compiled).toBe(0)
  expect(statement.get()).toEqual([1, 2])
  statement.safeIntegers()
  expect(statement.all()).toEqual([[1n, 2n]])
  expect([...statement.iterate()]).toEqual([[1n, 2n]])
  expect(statement.columns().map(({ name }) => name)).toEqual(['one', 'two'])
  expect(compiled).toBe(1)
})

test('wrong SQL is thrown by each use, and not when the statement is made', () => {
  const statement = db.prepare('SELECT size FROM nowhere')
  expect(() => statement.get()).toThrow('no such table: nowhere')
  db.exec('CREATE TABLE nowhere (size)')
  expect(statement.all()).toEqual([])
})

test('a statement can be used again after its values were refused', () => {
  db.exec('CREATE TABLE names (name TEXT NOT NULL)')
  const insert = db.prepare('INSERT INTO names (name) VALUES (?)')
  expect(() => insert.run()).toThrow(RangeError)
  expect(insert.run('one').changes).toBe(1)
})
