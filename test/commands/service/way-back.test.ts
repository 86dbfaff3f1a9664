import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goBack, openOrExplain } from '../../../src/commands/service/way-back.ts'
import { lockInstance } from '../../../src/platform/db/instance-lock.ts'
import { connect, DATABASE_FILE, openDatabase, schemaVersion } from '../../../src/platform/db/open.ts'
import { listSnapshots, takeSnapshot } from '../../../src/platform/db/snapshots.ts'

let folder: string

const yes = { yes: 'true' }
const listNotes = (path: string) => {
  const db = connect(path)
  const notes = db.prepare('SELECT note FROM notes ORDER BY note').pluck().all()
  db.close()
  return notes
}

/** An install with one note in its snapshot, and another one since; a newer program has migrated it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-way-back-'))
  const db = openDatabase(folder)
  db.exec('CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES (1)')
  db.close()
  takeSnapshot(folder, { keep: 2, now: Date.UTC(2026, 10, 27, 1, 2), busyMs: 5_000 })
  const newer = connect(folder)
  newer.exec('INSERT INTO notes VALUES (2)')
  newer.pragma(`user_version = ${schemaVersion + 2}`)
  newer.close()
  mkdirSync(join(folder, 'pictures'))
  writeFileSync(join(folder, 'pictures', 'kept'), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a program that is too old for the database tells the way back, and from when the snapshot is', () => {
  expect(() => openOrExplain(folder)).toThrow(
    'on 2026-11-27 01:02 UTC, run "lookalike serve --from-snapshot": what was written since then is not in it.',
  )
  rmSync(join(folder, 'snapshots'), { recursive: true })
  expect(() => openOrExplain(folder)).toThrow('There is no snapshot that this program can open')
})

test('going back takes the snapshot, keeps the newer database beside, and leaves pictures where they are', async () => {
  expect(await goBack(folder, yes)).toBe(true)
  expect(listNotes(folder)).toEqual(['1'])
  openOrExplain(folder).close()
  const kept = readdirSync(folder).find((name) => name.startsWith('before-snapshot-')) ?? ''
  expect(listNotes(join(folder, kept))).toEqual(['1', '2'])
  expect(existsSync(join(folder, 'pictures', 'kept'))).toBe(true)
  expect(listSnapshots(folder)).toEqual([])
  // A second time there is nothing to go back from.
  expect(goBack(folder, yes)).rejects.toThrow('there is nothing to go back from')
})

test('a damaged snapshot, a service that runs and a missing answer change nothing', async () => {
  // The tests have no terminal.
  if (!process.stdin.isTTY) await expect(goBack(folder, {})).rejects.toThrow('give --yes')
  const unlock = lockInstance(folder)
  await expect(goBack(folder, yes)).rejects.toThrow('stop it first')
  unlock()
  truncateSync(listSnapshots(folder)[0]?.path ?? '', 8_192)
  await expect(goBack(folder, yes)).rejects.toThrow('is damaged')
  expect(listNotes(folder)).toEqual(['1', '2'])
  expect(existsSync(join(folder, DATABASE_FILE))).toBe(true)
})
