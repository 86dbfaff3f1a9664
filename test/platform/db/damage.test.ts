import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDamage } from '../../../src/platform/db/damage.ts'
import { registerModel } from '../../../src/platform/db/models.ts'
import { DATABASE_FILE, type Db, openDatabase } from '../../../src/platform/db/open.ts'

const COMMAND = [process.execPath, join(import.meta.dir, '../../../src/main.ts'), 'database-check']
const PAGE = 4096

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-damage-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const look = (signal = new AbortController().signal) => findDamage(COMMAND, {}, folder, signal)

/** A database with vectors, so that the check meets virtual tables. */
function database(): Db {
  const db = openDatabase(folder)
  const { vectors } = registerModel(db, { id: 'm', hash: 'h', dimension: 4 }, 1)
  vectors.put('store', 1, new Float32Array([1, 0, 0, 0]))
  return db
}

test('a sound database has none, also while a service writes to it', async () => {
  const db = database()
  expect(await look()).toEqual([])
  db.close()
  expect(await look()).toEqual([])
}, 30_000)

test('a page of garbage is found, and the file is left as it is', async () => {
  const db = database()
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'stores'").get() as {
    rootpage: number
  }
  db.close()
  const file = openSync(join(folder, DATABASE_FILE), 'r+')
  writeSync(file, Buffer.alloc(PAGE, 0xee), 0, PAGE, (rootpage - 1) * PAGE)
  closeSync(file)
  const before = readFileSync(join(folder, DATABASE_FILE))
  const found = await look()
  expect(found.length).toBeGreaterThan(0)
  expect(found.length).toBeLessThanOrEqual(20)
  expect(readFileSync(join(folder, DATABASE_FILE)).equals(before)).toBe(true)
}, 30_000)

test('a file that is no database is damage', async () => {
  writeFileSync(join(folder, DATABASE_FILE), 'x'.repeat(3 * PAGE))
  expect(await look()).toEqual(['file is not a database'])
}, 30_000)

test('a database that is not there, and a check that is told to stop, are no answers', async () => {
  await expect(look()).rejects.toThrow(
    'The database check ended with 1: lookalike: unable to open database file',
  )
  await expect(look(AbortSignal.abort())).rejects.toThrow()
}, 30_000)
