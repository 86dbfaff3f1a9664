import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkFolder, lockFolder } from '../../../src/commands/service/data-folder.ts'
import {
  finishSwap,
  isSwapPending,
  listOldStates,
  NEW_FOLDER,
  STORE_FOLDER,
  swapIn,
} from '../../../src/platform/backup/swap.ts'
import { tryLockBackups } from '../../../src/platform/db/instance-lock.ts'
import { giveTreeToOwner } from '../../../src/platform/owner.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-swap-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const NOW = Date.parse('2026-11-27T00:00:00Z')
const OLD = 'before-restore-20261127T000000000Z'

/** Writes files that hold the name of their state. */
function fill(at: string, state: string, paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(at, path, '..'), { recursive: true })
    writeFileSync(join(at, path), state)
  }
}

const OLD_FILES = ['lookalike.db', 'lookalike.db-wal', 'pictures/ab/1', 'pictures/cd/2', 'secrets/data']
const NEW_FILES = ['lookalike.db', 'pictures/ab/1', 'secrets/data', 'secrets/jwt', 'jobs/7']

function fillBoth(): void {
  fill(folder, 'old', [...OLD_FILES, 'backups/kept.tar.zst'])
  fill(join(folder, NEW_FOLDER), 'new', NEW_FILES)
}

/** The files of a state, each with what it holds. */
const readState = (at: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(at, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(at.length + 1))
      .filter((path) => !path.startsWith('before-restore') && !path.endsWith('.lock'))
      .sort()
      .map((path) => [path, readFileSync(join(at, path), 'utf8')]),
  )

const stateOf = (state: string, paths: readonly string[]) =>
  Object.fromEntries(paths.toSorted().map((path) => [path, state]))

const NEW_STATE = { ...stateOf('new', NEW_FILES), 'backups/kept.tar.zst': 'old' }

describe('a swap', () => {
  test('puts the new state in place, keeps the old one whole, and leaves what belongs to no state', () => {
    fillBoth()
    expect(swapIn(folder, NEW_FOLDER, NOW)).toBe(join(folder, OLD))
    expect(readState(folder)).toEqual(NEW_STATE)
    expect(readState(join(folder, OLD))).toEqual(stateOf('old', OLD_FILES))
    expect([isSwapPending(folder), existsSync(join(folder, NEW_FOLDER))]).toEqual([false, false])
    expect(listOldStates(folder)).toEqual([OLD])
  })

  test('back to the old state gives what there was', () => {
    fillBoth()
    swapIn(folder, NEW_FOLDER, NOW)
    swapIn(folder, OLD, NOW + 1)
    expect(readState(folder)).toEqual({ ...stateOf('old', OLD_FILES), 'backups/kept.tar.zst': 'old' })
    expect(listOldStates(folder)).toHaveLength(1)
  })

  test('of a state without secrets leaves those that are there', () => {
    fillBoth()
    rmSync(join(folder, NEW_FOLDER, 'secrets'), { recursive: true })
    swapIn(folder, NEW_FOLDER, NOW)
    expect(readState(folder)).toMatchObject({ 'lookalike.db': 'new', 'secrets/data': 'old' })
  })

  test('back from a state without secrets leaves them, too', () => {
    fillBoth()
    rmSync(join(folder, NEW_FOLDER, 'secrets'), { recursive: true })
    swapIn(folder, NEW_FOLDER, NOW)
    swapIn(folder, OLD, NOW + 1)
    expect(readState(folder)).toEqual({ ...stateOf('old', OLD_FILES), 'backups/kept.tar.zst': 'old' })
  })

  test('what a killed restore has unpacked is deleted by the service, but not under a restore', () => {
    fillBoth()
    fill(join(folder, STORE_FOLDER), 'one', ['lookalike.db'])
    const unlock = tryLockBackups(folder)
    lockFolder(folder)()
    expect(readdirSync(folder)).toContain(STORE_FOLDER)
    unlock?.()
    lockFolder(folder)()
    expect(readdirSync(folder)).not.toContain(STORE_FOLDER)
    expect(readdirSync(folder)).not.toContain(NEW_FOLDER)
  })

  test('never goes back to a folder without a database, as a killed restore may leave one', () => {
    fillBoth()
    const empty = 'before-restore-20261128T000000000Z'
    mkdirSync(join(folder, empty))
    expect(listOldStates(folder)).toEqual([])
    expect(() => swapIn(folder, empty, NOW)).toThrow('holds no database')
    expect(readState(folder)).toMatchObject({ 'lookalike.db': 'old', 'secrets/data': 'old' })
  })

  // Only root can make somebody else the owner of a file.
  test.skipIf(process.getuid?.() !== 0)('by root belongs to the owner of the data folder', () => {
    fillBoth()
    chownSync(folder, 12_345, 12_346)
    giveTreeToOwner(folder, join(folder, NEW_FOLDER))
    const old = swapIn(folder, NEW_FOLDER, NOW)
    tryLockBackups(folder)?.()
    const made = [old, ...NEW_FILES.map((path) => join(folder, path)), join(folder, 'backup.lock')]
    expect(made.map((path) => statSync(path).uid)).toEqual(made.map(() => 12_345))
    expect(statSync(join(folder, 'pictures/ab')).gid).toBe(12_346)
  })

  const OUT = ['lookalike.db-wal', 'lookalike.db', 'pictures', 'secrets']
  const IN = ['lookalike.db', 'pictures', 'jobs', 'secrets']

  test.each(Array.from({ length: OUT.length + IN.length + 1 }, (_, n) => n))(
    'that is killed after %i renames is finished by the next program that opens the folder',
    (done) => {
      fillBoth()
      mkdirSync(join(folder, OLD))
      writeFileSync(
        join(folder, 'restore.json'),
        JSON.stringify({ from: NEW_FOLDER, in: IN, old: OLD, out: OUT }),
      )
      const moves = [
        ...OUT.map((entry) => [join(folder, entry), join(folder, OLD, entry)] as const),
        ...IN.map((entry) => [join(folder, NEW_FOLDER, entry), join(folder, entry)] as const),
      ]
      for (const [from, to] of moves.slice(0, done)) renameSync(from, to)
      checkFolder(folder, { mayMake: false })
      expect(readState(folder)).toEqual(NEW_STATE)
      expect(readState(join(folder, OLD))).toEqual(stateOf('old', OLD_FILES))
    },
  )

  test.each([
    { from: '../elsewhere', in: [], old: OLD, out: [] },
    { from: NEW_FOLDER, in: ['../../etc/passwd'], old: OLD, out: [] },
    { from: NEW_FOLDER, in: [], old: 'before-restore-1/../../x', out: [] },
  ])('whose journal leads out of the folder is refused: %j', (journal) => {
    writeFileSync(join(folder, 'restore.json'), JSON.stringify(journal))
    expect(() => finishSwap(folder)).toThrow('is damaged')
  })
})
