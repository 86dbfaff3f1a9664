import { afterAll, expect, test } from 'bun:test'
import { hideParameters } from '../../../src/platform/db/hidden-parameters.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'

const db = openDatabase(':memory:')
db.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size REAL, UNIQUE (name, size))')
afterAll(() => void db.close())

test.each([
  ['WHERE a = ? AND b = @name LIMIT ?', 'WHERE a = +? AND b = +@name LIMIT +?'],
  ["SELECT '?', '@a''?', \"a?\"\"@b\", x -> '$.a@b'", "SELECT '?', '@a''?', \"a?\"\"@b\", x -> '$.a@b'"],
  ['SELECT 1 -- why?\n/* @what? */ WHERE a = ?', 'SELECT 1 -- why?\n/* @what? */ WHERE a = +?'],
  ['VALUES (?,@a),(?, @b)', 'VALUES (+?,+@a),(+?, +@b)'],
])('%p', (sql, hidden) => {
  expect(hideParameters(sql)).toBe(hidden)
})

test('every statement of an open database hides its parameters, which keep value and type', () => {
  const select = db.prepare('SELECT @value AS value, typeof(@value) AS type')
  expect(select.source).toBe('SELECT +@value AS value, typeof(+@value) AS type')
  const values = [null, 'text', '7', Buffer.from([0, 255]), 1.5, 7n] as const
  const found = values.map((value) => select.get({ value }) as { value: unknown; type: string })
  expect(found.map(({ type }) => type)).toEqual(['null', 'text', 'text', 'blob', 'real', 'integer'])
  expect(found.map(({ value }) => value)).toEqual([null, 'text', '7', Buffer.from([0, 255]), 1.5, 7])
})

test('a hidden parameter is compared as the column is, and still finds its row by an index', () => {
  db.prepare('INSERT INTO things (id, name, size) VALUES (?, ?, ?)').run(1n, '7', 7n)
  const find = 'SELECT id FROM things WHERE name = ? AND size = ?'
  for (const [name, size] of [
    [7n, '7'],
    ['7', 7],
    ['7', 7n],
  ]) {
    expect(db.prepare(find).get(name, size)).toEqual({ id: 1 })
  }
  const [step] = db.prepare(`EXPLAIN QUERY PLAN ${find}`).all('7', 7) as { detail: string }[]
  expect(step?.detail).toContain('(name=? AND size=?)')
})
