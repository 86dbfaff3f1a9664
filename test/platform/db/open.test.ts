import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, readTogether, unsynced } from '../../../src/platform/db/open.ts'

const FULL = 2
const NORMAL = 1

test('every commit waits for the disk, but for the ones that are told not to, whether they succeed or not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-open-'))
  const db = openDatabase(folder)
  const synchronous = () => db.pragma('synchronous', { simple: true })
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(synchronous()).toBe(FULL)
  expect(unsynced(db, synchronous)).toBe(NORMAL)
  expect(synchronous()).toBe(FULL)
  expect(() =>
    unsynced(db, () => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(synchronous()).toBe(FULL)
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

test('nothing is written to the temporary folder of the system: it may be full, and is not the data folder', () => {
  const db = openDatabase(':memory:')
  expect(db.pragma('temp_store', { simple: true })).toBe(2)
  db.close()
})

test('reads together see one state, and leave no transaction open, whether they succeed or not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-open-'))
  const db = openDatabase(folder)
  const other = openDatabase(folder)
  db.exec('CREATE TABLE things (name TEXT)')
  const count = () => db.prepare('SELECT count(*) FROM things').pluck().get()
  const together = readTogether(db)
  const seen = together(() => {
    const first = count()
    other.exec("INSERT INTO things VALUES ('meanwhile')")
    return [first, count(), db.inTransaction]
  })
  expect(seen).toEqual([0, 0, true])
  expect([count(), db.inTransaction]).toEqual([1, false])
  expect(() =>
    together(() => {
      count()
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(db.inTransaction).toBe(false)
  other.close()
  db.close()
  rmSync(folder, { recursive: true, force: true })
})
