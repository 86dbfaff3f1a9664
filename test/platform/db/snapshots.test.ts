import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { connect, DATABASE_FILE, migrate } from '../../../src/platform/db/open.ts'
import {
  endMigration,
  findSnapshot,
  isWhole,
  listSnapshots,
  takeSnapshot,
} from '../../../src/platform/db/snapshots.ts'

const OLD = 9
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-snapshots-'))
  const db = connect(folder)
  migrate(db, OLD)
  db.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

const take = (now: number, keep = 2) => takeSnapshot(folder, { keep, now, busyMs: 5_000 })
const writeNote = (note: number) => {
  const db = connect(folder)
  db.exec('CREATE TABLE IF NOT EXISTS notes (note INTEGER)')
  db.prepare('INSERT INTO notes VALUES (?)').run(BigInt(note))
  // Left as it is after a kill: what was written stands in the log alone.
  return db
}
const readNotes = (path: string) => {
  const db = new Database(path, { readonly: true })
  const found = [
    db.prepare('SELECT note FROM notes').pluck().all(),
    db.pragma('quick_check', { simple: true }),
  ]
  db.close()
  return found
}

test('a snapshot holds what stood in the log, and says from when and of which schema it is', () => {
  const db = writeNote(1)
  expect(statSync(join(folder, `${DATABASE_FILE}-wal`)).size).toBeGreaterThan(0)
  take(Date.UTC(2026, 10, 27, 1, 2, 3, 4))
  db.close()
  const [made] = listSnapshots(folder)
  expect(made).toMatchObject({ schema: OLD, madeAt: Date.UTC(2026, 10, 27, 1, 2, 3, 4) })
  expect(made?.path).toEndWith('/schema-9-20261127T010203004Z.db')
  expect(readNotes(made?.path ?? '')).toEqual([[1], 'ok'])
  expect(statSync(made?.path ?? '').mode & 0o777).toBe(0o600)
})

test('only the last ones stay, and a program finds the newest that it can open', () => {
  for (const now of [1_000, 2_000, 3_000]) take(now)
  expect(listSnapshots(folder).map(({ madeAt }) => madeAt)).toEqual([3_000, 2_000])
  expect(findSnapshot(folder, OLD)?.madeAt).toBe(3_000)
  expect(findSnapshot(folder, OLD - 1)).toBeUndefined()
})

test('a migration that goes on after a kill keeps its snapshot, and one that begins anew makes another', () => {
  take(1_000)
  const db = connect(folder)
  migrate(db, OLD + 1)
  db.close()
  take(2_000)
  expect(listSnapshots(folder).map(({ schema }) => schema)).toEqual([OLD])
  endMigration(folder)
  take(3_000)
  expect(listSnapshots(folder).map(({ schema }) => schema)).toEqual([OLD + 1, OLD])
})

test('half of a copy is no snapshot, and one that was cut short is not whole', () => {
  take(1_000)
  const [made] = listSnapshots(folder)
  if (!made) throw new Error('There is no snapshot')
  expect(isWhole(made)).toBe(true)
  truncateSync(made.path, statSync(made.path).size - 4_096)
  expect(isWhole(made)).toBe(false)
  expect(readdirSync(join(folder, 'snapshots'))).not.toContain('unfinished')
})
