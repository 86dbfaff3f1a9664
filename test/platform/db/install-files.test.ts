import { afterEach, beforeEach, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { findInstallFiles } from '../../../src/platform/db/install-files.ts'
import { DATABASE_FILE, openDatabase } from '../../../src/platform/db/open.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'install-files-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const file = (name: string, text = '') => writeFileSync(join(dir, name), text)
const NOTHING = { hasDatabase: false, others: [] }

test('a folder that is not there, or holds nothing, has nothing', () => {
  expect(findInstallFiles(join(dir, 'nowhere'))).toEqual(NOTHING)
  mkdirSync(join(dir, 'pictures/unfinished'), { recursive: true })
  mkdirSync(join(dir, 'secrets'))
  mkdirSync(join(dir, 'unpacked'))
  file('serving.lock')
  file(DATABASE_FILE)
  expect(findInstallFiles(dir)).toEqual(NOTHING)
})

test('a database is there from its first table on, whether that is in the file or in its log', () => {
  const db = openDatabase(dir)
  expect(findInstallFiles(dir).hasDatabase).toBe(true)
  const copy = mkdtempSync(join(dir, 'copy-'))
  for (const end of ['', '-wal'])
    copyFileSync(join(dir, DATABASE_FILE + end), join(copy, DATABASE_FILE + end))
  expect(findInstallFiles(copy)).toEqual({ hasDatabase: true, others: [] })
  db.close()
  expect(findInstallFiles(dir)).toEqual({ hasDatabase: true, others: [] })
})

test('a database without a table is none', () => {
  const db = new Database(join(dir, DATABASE_FILE))
  db.pragma('journal_mode = WAL')
  expect(findInstallFiles(dir)).toEqual(NOTHING)
  db.close()
  expect(findInstallFiles(dir)).toEqual(NOTHING)
})

test('a file that is no database is left to the one who opens it', () => {
  file(DATABASE_FILE, 'something else')
  expect(findInstallFiles(dir).hasDatabase).toBe(true)
  file(DATABASE_FILE, 'x'.repeat(4096))
  expect(findInstallFiles(dir).hasDatabase).toBe(true)
})

test('what lies beside it is named', () => {
  mkdirSync(join(dir, 'pictures/ab'), { recursive: true })
  mkdirSync(join(dir, 'secrets'))
  file('pictures/ab/abcd')
  file('secrets/data')
  file(`${DATABASE_FILE}-wal`, 'log')
  expect(findInstallFiles(dir)).toEqual({
    hasDatabase: false,
    others: ['secrets/', 'pictures/', `${DATABASE_FILE}-wal`],
  })
})
