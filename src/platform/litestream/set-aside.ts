import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '../db/open.ts'
import { syncFolder } from '../sync-folder.ts'
import { WORK_FOLDER } from './run-file.ts'

/** What belongs to a database. Pictures stay: their names are their contents. Secrets stay: they are those of the same install. */
const ENTRIES = [
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  DATABASE_FILE,
  'jobs',
  join(WORK_FOLDER, 'litestream'),
]

/** Holds what was moved until all of it was. */
const UNFINISHED = 'set-aside-unfinished'

export interface SetAside {
  /** The folder with the database. */
  folder: string
  /** When it was written for the last time, in Unix ms. */
  writtenAt: number
}

/**
 * Moves the database of a node that was away, while another took over, out of the way. Nothing is ever deleted. A kill in between
 * leaves the rest to the next start.
 *
 * @returns undefined if there is none.
 */
export function setDatabaseAside(dataDir: string, now: number): SetAside | undefined {
  const unfinished = join(dataDir, UNFINISHED)
  const present = ENTRIES.filter((entry) => existsSync(join(dataDir, entry)))
  if (!existsSync(unfinished) && !present.includes(DATABASE_FILE)) return undefined
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  for (const entry of present)
    renameSync(join(dataDir, entry), join(unfinished, entry.replace(`${WORK_FOLDER}/`, '')))
  const writtenAt = Math.max(
    0,
    ...[DATABASE_FILE, `${DATABASE_FILE}-wal`].map(
      (entry) => statSync(join(unfinished, entry), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    ),
  )
  const folder = join(dataDir, `set-aside-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`)
  syncFolder(unfinished)
  renameSync(unfinished, folder)
  syncFolder(dataDir)
  return { folder, writtenAt }
}

/** Puts a restored database in the place where there is none. */
export function putInPlace(dataDir: string, restored: string): void {
  const target = join(dataDir, DATABASE_FILE)
  if (existsSync(target)) throw new Error(`${target} is still there`)
  renameSync(restored, target)
  syncFolder(dataDir)
}
