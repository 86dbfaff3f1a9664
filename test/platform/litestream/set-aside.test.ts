import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putInPlace, setDatabaseAside } from '../../../src/platform/litestream/set-aside.ts'

let dataDir: string
const NOW = Date.UTC(2026, 10, 27, 12, 0, 0)
const at = (...names: string[]) => join(dataDir, ...names)
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-aside-'))
  for (const folder of ['jobs', 'pictures', 'secrets', 'work/litestream'])
    mkdirSync(at(folder), { recursive: true })
  for (const name of [
    'lookalike.db',
    'lookalike.db-wal',
    'jobs/1',
    'pictures/p',
    'secrets/data',
    'work/litestream/g',
  ])
    writeFileSync(at(name), name)
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test('the database goes aside with its log and its jobs; pictures and secrets stay', () => {
  const aside = setDatabaseAside(dataDir, NOW)
  expect(aside?.folder).toBe(at('set-aside-20261127T120000000Z'))
  expect(aside?.writtenAt).toBeGreaterThan(NOW - 365 * 86_400_000)
  expect(readdirSync(aside?.folder ?? '').sort()).toEqual([
    'jobs',
    'litestream',
    'lookalike.db',
    'lookalike.db-wal',
  ])
  expect(readdirSync(dataDir).sort()).toEqual([
    'pictures',
    'secrets',
    'set-aside-20261127T120000000Z',
    'work',
  ])
})

test('a kill in between leaves the rest to the next start, in one folder', () => {
  // The database itself was moved last.
  mkdirSync(at('set-aside-unfinished'))
  writeFileSync(at('set-aside-unfinished', 'lookalike.db-wal'), 'log')
  rmSync(at('lookalike.db-wal'))
  const aside = setDatabaseAside(dataDir, NOW)
  expect(readFileSync(join(aside?.folder ?? '', 'lookalike.db-wal'), 'utf8')).toBe('log')
  expect(readFileSync(join(aside?.folder ?? '', 'lookalike.db'), 'utf8')).toBe('lookalike.db')
  expect(existsSync(at('set-aside-unfinished'))).toBe(false)
})

test('without a database nothing happens', () => {
  rmSync(at('lookalike.db'))
  expect(setDatabaseAside(dataDir, NOW)).toBeUndefined()
  expect(existsSync(at('jobs/1'))).toBe(true)
})

test('a restored database takes no other one away', () => {
  writeFileSync(at('restored'), 'new')
  expect(() => putInPlace(dataDir, at('restored'))).toThrow('is still there')
  setDatabaseAside(dataDir, NOW)
  putInPlace(dataDir, at('restored'))
  expect(readFileSync(at('lookalike.db'), 'utf8')).toBe('new')
})
