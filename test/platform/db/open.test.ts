import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, withoutFsync } from '../../../src/platform/db/open.ts'

const FULL = 2
const NORMAL = 1

test('every commit waits for the disk, but for the ones that are told not to, whether they succeed or not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-open-'))
  const db = openDatabase(folder)
  const synchronous = () => db.pragma('synchronous', { simple: true })
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(synchronous()).toBe(FULL)
  expect(withoutFsync(db, synchronous)).toBe(NORMAL)
  expect(synchronous()).toBe(FULL)
  expect(() =>
    withoutFsync(db, () => {
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
