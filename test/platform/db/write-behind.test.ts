import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Db } from '../../../src/platform/db/open.ts'
import { createWriteBehind } from '../../../src/platform/db/write-behind.ts'
import { memoryDatabase } from '../../support/database.ts'

let db: Db
let scheduled: { callback: () => void; delayMs: number }[]
let logged: { fields: { err: unknown; lost: number }; message: string }[]
let faults: unknown[]

beforeEach(() => {
  db = memoryDatabase()
  db.exec('CREATE TABLE notes (text TEXT UNIQUE)')
  scheduled = []
  logged = []
  faults = []
})
afterEach(() => void db.close())

const create = () =>
  createWriteBehind({
    db,
    name: 'notes',
    defer: (callback, delayMs) => void scheduled.push({ callback, delayMs }),
    log: { error: (fields, message) => void logged.push({ fields, message }) },
    reportFault: (error) => void faults.push(error),
  })
const write = (text: string) => () => void db.prepare('INSERT INTO notes VALUES (?)').run(text)
const notes = () => db.prepare('SELECT text FROM notes ORDER BY rowid').pluck().all()

test('writes run in order, together, half a second after the first', () => {
  const { enqueue } = create()
  for (const text of ['a', 'b', 'c']) enqueue(write(text))
  expect([notes(), scheduled.map(({ delayMs }) => delayMs)]).toEqual([[], [500]])
  scheduled[0]?.callback()
  expect(notes()).toEqual(['a', 'b', 'c'])
  enqueue(write('d'))
  expect(scheduled).toHaveLength(2)
})

test('a group is one transaction that does not wait for the disk', () => {
  const { enqueue, flush } = create()
  const seen: unknown[] = []
  enqueue(() => void seen.push(db.inTransaction, db.pragma('synchronous', { simple: true })))
  flush()
  expect(seen).toEqual([true, 1])
  expect(db.pragma('synchronous', { simple: true })).toBe(2)
})

test('a group with a failing write is lost, counted and noted; the next group is written', () => {
  const { enqueue, flush } = create()
  for (const text of ['a', 'b', 'a']) enqueue(write(text))
  flush()
  expect(logged).toMatchObject([
    { fields: { lost: 3, err: { code: 'SQLITE_CONSTRAINT_UNIQUE' } }, message: 'notes could not be written' },
  ])
  expect(faults).toHaveLength(1)
  enqueue(write('c'))
  flush()
  flush()
  expect([notes(), logged.length]).toEqual([['c'], 1])
})

test('a full queue is flushed at once, but not as part of another transaction', () => {
  const { enqueue } = create()
  const addAll = (from: number, to: number) => {
    for (let n = from; n < to; n++) enqueue(write(`${n}`))
  }
  addAll(0, 999)
  expect(notes()).toEqual([])
  addAll(999, 1_000)
  expect(notes()).toHaveLength(1_000)
  const fail = db.transaction(() => {
    addAll(1_000, 2_500)
    throw new Error('rolled back')
  })
  expect(fail).toThrow('rolled back')
  addAll(2_500, 2_501)
  expect(notes()).toHaveLength(2_501)
})

test('a write may queue another', () => {
  const { enqueue, flush } = create()
  enqueue(() => enqueue(write('second')))
  flush()
  expect([notes(), scheduled.length]).toEqual([[], 2])
  flush()
  expect(notes()).toEqual(['second'])
})
