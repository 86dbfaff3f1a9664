import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLateWrites, type LateWrite } from '../../../src/platform/db/late-writes.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { createWriteBehind } from '../../../src/platform/db/write-behind.ts'
import { memoryDatabase } from '../../support/database.ts'

let db: Db
let scheduled: { callback: () => void; delayMs: number }[]
let logged: { fields: { err: unknown; lost: number }; message: string }[]
let faults: unknown[]
/** Stores of groups that were undone. */
let undone: string[]
/** Set to make every write fail as on a full disk. */
let isFull: boolean

beforeEach(() => {
  db = memoryDatabase()
  db.exec('CREATE TABLE notes (text TEXT UNIQUE)')
  for (const id of ['one', 'two'])
    db.prepare(
      "INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES (?, ?, '', 'free', x'00', 0)",
    ).run(id, id)
  scheduled = []
  logged = []
  faults = []
  undone = []
  isFull = false
})
afterEach(() => void db.close())

/** A run of the program. */
function create() {
  const options = {
    db,
    name: 'notes',
    defer: (callback: () => void, delayMs: number) => void scheduled.push({ callback, delayMs }),
    log: {
      error: (fields: { err: unknown; lost: number }, message: string) =>
        void logged.push({ fields, message }),
    },
    reportFault: (error: unknown) => void faults.push(error),
  }
  const writes = createWriteBehind(options)
  const late = createLateWrites({ ...options, writes, undone: (storeId) => void undone.push(storeId) })
  late.restoreAs('note', (_storeId, record) => insert((record as { text: string }).text))
  return { ...late, keep: writes.flush }
}

const insert = (text: string) => () => {
  if (isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  db.prepare('INSERT INTO notes VALUES (?)').run(text)
}
const note = (text: string, storeId = 'one'): LateWrite => ({
  storeId,
  kind: 'note',
  toRecord: () => ({ text }),
  write: insert(text),
})
const notes = () => db.prepare('SELECT text FROM notes ORDER BY rowid').pluck().all()
const records = () => db.prepare("SELECT record ->> 'text' FROM late_writes ORDER BY number").pluck().all()
const runScheduled = (delayMs: number) => {
  for (const work of scheduled.filter((one) => one.delayMs === delayMs)) work.callback()
}

test('records are written after half a second, the writes themselves after half a minute, once and in order', () => {
  const late = create()
  for (const text of ['a', 'b', 'c']) late.enqueue(note(text))
  expect(scheduled.map(({ delayMs }) => delayMs).sort()).toEqual([30_000, 500])
  runScheduled(500)
  expect([notes(), records()]).toEqual([[], ['a', 'b', 'c']])
  runScheduled(30_000)
  expect([notes(), records()]).toEqual([['a', 'b', 'c'], []])
  create().recover()
  expect(notes()).toEqual(['a', 'b', 'c'])
})

test('what is written before half a second is over needs no record', () => {
  const late = create()
  late.enqueue(note('a'))
  late.flush()
  late.keep()
  expect([notes(), records()]).toEqual([['a'], []])
})

test('writes and the end of their records are one transaction, which does not wait for the disk', () => {
  const late = create()
  const seen: unknown[] = []
  const look = () => void seen.push(db.inTransaction, db.pragma('synchronous', { simple: true }), records())
  late.enqueue({ ...note('a'), write: look })
  late.keep()
  late.flush()
  expect(seen).toEqual([true, 1, ['a']])
  expect(records()).toEqual([])
})

test('a start does again, in order and once, what a crash has left', () => {
  const before = create()
  for (const text of ['a', 'b']) before.enqueue(note(text))
  before.keep()
  before.enqueue(note('within the last half second'))
  const after = create()
  after.enqueue(note('c'))
  after.recover()
  after.recover()
  expect([notes(), records()]).toEqual([['a', 'b', 'c'], []])
})

test('a record that cannot be restored is lost, counted, and keeps no other one back', () => {
  const add = db.prepare('INSERT INTO late_writes (store_id, kind, record) VALUES (?, ?, ?)')
  add.run('one', 'note', '{"text":"a"}')
  add.run('one', 'note', 'null')
  add.run('one', 'unknown', '{}')
  add.run('one', 'note', '{"text":"b"}')
  create().recover()
  expect([notes(), records(), logged.map(({ fields }) => fields.lost)]).toEqual([['a', 'b'], [], [2]])
})

test('a write that fails is lost, counted and noted; the others of its group are written', () => {
  const late = create()
  for (const text of ['a', 'b', 'a', 'c', 'a']) late.enqueue(note(text))
  late.keep()
  late.flush()
  expect([notes(), records()]).toEqual([['a', 'b', 'c'], []])
  expect(logged).toMatchObject([
    { fields: { lost: 2, err: { code: 'SQLITE_CONSTRAINT_UNIQUE' } }, message: 'notes could not be written' },
  ])
  expect(faults).toHaveLength(1)
})

test('while the disk is full, writes wait with their records, and follow in order when it has room', () => {
  const late = create()
  for (const text of ['a', 'b']) late.enqueue(note(text))
  late.keep()
  isFull = true
  late.flush()
  late.enqueue(note('c'))
  late.flush()
  expect([notes(), records()]).toEqual([[], ['a', 'b']])
  expect(logged.map(({ fields }) => fields.lost)).toEqual([0])
  expect(() => late.flushOrThrow()).toThrow('full')
  isFull = false
  runScheduled(30_000)
  expect([notes(), records()]).toEqual([['a', 'b', 'c'], []])
})

test('each write hears once that it is kept, and each store of a group that is undone hears of that', () => {
  const late = create()
  const written: string[] = []
  const add = (text: string, storeId?: string) =>
    late.enqueue({ ...note(text, storeId), written: () => void written.push(text) })
  add('a')
  add('b', 'two')
  add('c')
  isFull = true
  late.flush()
  expect([written, undone]).toEqual([[], ['one', 'two']])
  isFull = false
  late.flush()
  late.flush()
  expect([written, undone]).toEqual([
    ['a', 'b', 'c'],
    ['one', 'two'],
  ])
})

test('a full disk at a start leaves the records for later', () => {
  const before = create()
  before.enqueue(note('a'))
  before.keep()
  isFull = true
  const after = create()
  after.recover()
  after.recover()
  expect(records()).toEqual(['a'])
  isFull = false
  after.flush()
  expect([notes(), records()]).toEqual([['a'], []])
})

test('records that could not be written are written with the next', () => {
  const late = create()
  late.enqueue(note('a'))
  db.exec("CREATE TRIGGER full BEFORE INSERT ON late_writes BEGIN SELECT raise(ABORT, 'broken'); END")
  late.keep()
  db.exec('DROP TRIGGER full')
  late.enqueue(note('b'))
  late.keep()
  expect(records()).toEqual(['a', 'b'])
  late.flush()
  expect([notes(), records()]).toEqual([['a', 'b'], []])
})

test('at most 1,000 wait for a full disk, the last ones; what is lost is counted', () => {
  const late = create()
  isFull = true
  for (let n = 0; n < 1_400; n++) late.enqueue(note(`${n}`))
  isFull = false
  late.flush()
  expect([notes().length, notes()[0], notes().at(-1)]).toEqual([1_000, '400', '1399'])
  expect(logged.reduce((sum, { fields }) => sum + fields.lost, 0)).toBe(400)
})

test('what was dropped for a full disk leaves no record that a start would do again', () => {
  const late = create()
  for (let n = 0; n < 100; n++) late.enqueue(note(`${n}`))
  late.keep()
  isFull = true
  for (let n = 100; n < 1_200; n++) late.enqueue(note(`${n}`))
  isFull = false
  late.flush()
  expect([notes().length, notes()[0], records()]).toEqual([1_000, '200', []])
})

test('the two-hundredth write makes all of them run, but not as part of another transaction', () => {
  const late = create()
  const addAll = (from: number, to: number) => {
    for (let n = from; n < to; n++) late.enqueue(note(`${n}`))
  }
  addAll(0, 199)
  expect(notes()).toEqual([])
  addAll(199, 200)
  expect(notes()).toHaveLength(200)
  const fail = db.transaction(() => {
    addAll(200, 500)
    throw new Error('rolled back')
  })
  expect(fail).toThrow('rolled back')
  addAll(500, 600)
  expect(notes()).toHaveLength(600)
})

test('a store that is read has its own writes run, and splits no group of the others', () => {
  const late = create()
  late.enqueue(note('a', 'one'))
  late.flushStore('two')
  expect(notes()).toEqual([])
  late.enqueue(note('b', 'two'))
  late.flushStore('two')
  expect(notes()).toEqual(['a', 'b'])
})

test('a store that is gone, or was forgotten, gets nothing; the others get theirs', () => {
  const late = create()
  late.enqueue(note('gone', 'two'))
  late.enqueue(note('kept'))
  late.keep()
  db.prepare("DELETE FROM stores WHERE id = 'two'").run()
  late.flush()
  expect([notes(), records(), logged]).toEqual([['kept'], [], []])
  late.enqueue(note('forgotten'))
  late.forgetStore('one')
  late.flush()
  expect(notes()).toEqual(['kept'])
})
