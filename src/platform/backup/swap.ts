import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { DATABASE_FILE } from '../db/open.ts'
import { giveToOwner } from '../owner.ts'
import { syncFolder } from '../sync-folder.ts'
import { FOLDERS } from './contents.ts'

/**
 * What a restore replaces. The log of the old database goes with it: beside another one it would destroy that. What else
 * lies in a data folder belongs to no state: the unpacked parts of the program, backups, locks.
 */
const DATABASE: readonly string[] = [`${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`, DATABASE_FILE]
const ENTRIES: readonly string[] = [...DATABASE, ...[FOLDERS.pictures, FOLDERS.jobs, FOLDERS.secrets]]

const JOURNAL = 'restore.json'
/** Where a backup is unpacked. Nobody looks into it before the journal names it. */
export const NEW_FOLDER = 'restore-unpacked'
/** Where a backup is unpacked to take one store out of it. */
export const STORE_FOLDER = 'restore-one-store'
const OLD_PREFIX = 'before-restore-'
const OLD = new RegExp(`^${OLD_PREFIX}[0-9TZ]+$`)
/** Of the folders for a database that gave way to its snapshot. Pictures and secrets stay then, so it is no state of its own. */
const NEWER_PREFIX = 'before-snapshot-'
const NEWER = new RegExp(`^${NEWER_PREFIX}[0-9TZ]+$`)

/** The renames of a swap, which were decided before the first of them. */
interface Journal {
  /** The folder with the new state, and what goes from it into the data folder. */
  from: string
  in: string[]
  /** The folder for the old state, and what goes from the data folder into it, before anything else. */
  old: string
  out: string[]
}

/**
 * Puts the state in a folder of the data folder in the place of the present one. From the moment at which the journal is on the
 * disk the new state is the true one: if the program is killed, the next one that opens the data folder finishes the work.
 *
 * The secrets go only where others come: a backup without its keys leaves those that are there, and so does the way back.
 *
 * @param from {@link NEW_FOLDER}, or a folder with a state that a restore has replaced.
 * @returns the folder with the old state.
 * @throws OperatorError, before anything is changed, for an entry that cannot be moved.
 */
export function swapIn(dataDir: string, from: string, now: number): string {
  const hasSecrets = existsSync(join(dataDir, from, FOLDERS.secrets))
  const moved = ENTRIES.filter((entry) => hasSecrets || entry !== FOLDERS.secrets)
  return swap(dataDir, from, moved, nameFolder(OLD_PREFIX, now))
}

/**
 * Puts a snapshot in the place of the database. It needs no room on the disk, and is no snapshot any more.
 *
 * @returns the folder with the database that was there.
 */
export function swapInSnapshot(dataDir: string, snapshot: string, now: number): string {
  const unpacked = join(dataDir, NEW_FOLDER)
  rmSync(unpacked, { recursive: true, force: true })
  mkdirSync(unpacked, { mode: 0o700 })
  // A second name: until the journal is written, a kill must leave the snapshot where it is.
  linkSync(snapshot, join(unpacked, DATABASE_FILE))
  const old = swap(dataDir, NEW_FOLDER, DATABASE, nameFolder(NEWER_PREFIX, now))
  rmSync(snapshot)
  return old
}

const nameFolder = (prefix: string, now: number): string =>
  prefix + new Date(now).toISOString().replaceAll(/[-:.]/g, '')

function swap(dataDir: string, from: string, moved: readonly string[], old: string): string {
  const listIn = (folder: string) => moved.filter((entry) => existsSync(join(folder, entry)))
  const journal: Journal = { from, in: listIn(join(dataDir, from)), old, out: listIn(dataDir) }
  for (const entry of journal.out) {
    if (statSync(join(dataDir, entry)).dev === statSync(dataDir).dev) continue
    throw new OperatorError(
      `${join(dataDir, entry)} is on another disk than ${dataDir}, so it cannot be replaced in one step. Restore into a new folder with --data-dir, and move the files yourself.`,
    )
  }
  // Without one, all would be moved away and nothing put in its place.
  if (!journal.in.includes(DATABASE_FILE))
    throw new OperatorError(`${join(dataDir, from)} holds no database. Nothing was changed.`)
  writeDurably(dataDir, JSON.stringify(journal))
  finishSwap(dataDir)
  return join(dataDir, old)
}

const UNPACKED = [NEW_FOLDER, STORE_FOLDER]

/** Whether a backup is being unpacked, or was by a process that was killed. */
export const hasUnpacked = (dataDir: string): boolean =>
  UNPACKED.some((folder) => existsSync(join(dataDir, folder)))

/** Deletes what a restore has left that was killed before it changed anything. The caller holds the lock of backups. */
export function clearUnpacked(dataDir: string): void {
  for (const folder of UNPACKED) rmSync(join(dataDir, folder), { recursive: true, force: true })
}

/** Whether a swap was begun and not finished. */
export const isSwapPending = (dataDir: string): boolean => existsSync(join(dataDir, JOURNAL))

/** Finishes a swap that was begun, from whatever step it stopped at. The caller holds the lock of backups. */
export function finishSwap(dataDir: string): void {
  if (!isSwapPending(dataDir)) return
  const journal = readJournal(dataDir)
  const [from, old] = [join(dataDir, journal.from), join(dataDir, journal.old)]
  // Not before the journal: a kill between the two would leave an empty folder that looks like a state.
  mkdirSync(old, { recursive: true, mode: 0o700 })
  giveToOwner(dataDir, old)
  for (const entry of journal.out)
    if (!existsSync(join(old, entry))) renameSync(join(dataDir, entry), join(old, entry))
  // Only when the whole old state is away does anything of the new one come.
  for (const entry of journal.in)
    if (existsSync(join(from, entry))) renameSync(join(from, entry), join(dataDir, entry))
  for (const folder of [old, dataDir]) syncFolder(folder)
  rmSync(join(dataDir, JOURNAL))
  syncFolder(dataDir)
  rmSync(from, { recursive: true, force: true })
  if (journal.out.length === 0) rmSync(old, { recursive: true, force: true })
}

function readJournal(dataDir: string): Journal {
  const journal = JSON.parse(readFileSync(join(dataDir, JOURNAL), 'utf8')) as Journal
  // All of them become paths.
  const isSound =
    (journal.from === NEW_FOLDER || OLD.test(journal.from)) &&
    (OLD.test(journal.old) || NEWER.test(journal.old)) &&
    [...journal.in, ...journal.out].every((entry) => ENTRIES.includes(entry))
  if (!isSound) throw new OperatorError(`${join(dataDir, JOURNAL)} is damaged: it is no journal of a restore`)
  return journal
}

function writeDurably(dataDir: string, text: string): void {
  const path = join(dataDir, JOURNAL)
  const file = openSync(`${path}.part`, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  giveToOwner(dataDir, `${path}.part`)
  syncFolder(dataDir)
  renameSync(`${path}.part`, path)
  syncFolder(dataDir)
}

/** The names of the folders with the states that restores have replaced, the oldest first. */
export const listOldStates = (dataDir: string): string[] =>
  existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter((name) => OLD.test(name) && existsSync(join(dataDir, name, DATABASE_FILE)))
        .sort()
    : []
