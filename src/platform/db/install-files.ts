import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from './open.ts'

/** The files in a data folder, found without opening the database: SQLite deletes the log of an empty one. */
export interface InstallFiles {
  /** Whether there is a database with tables, or a file in its place that is not a database. */
  hasDatabase: boolean
  /** Names of the files and folders that an install keeps outside its database and that exist. */
  others: string[]
}

const FOLDERS = ['secrets', 'pictures']
const LOG_FILE = `${DATABASE_FILE}-wal`

/** Lists the install files in a folder, which need not exist. */
export function findInstallFiles(dataDir: string): InstallFiles {
  // In this order: another process may be creating the install, and it creates the database first.
  const others = FOLDERS.filter((name) => holdsFile(join(dataDir, name))).map((name) => `${name}/`)
  const hasDatabase = holdsTables(dataDir)
  if (!hasDatabase && readSize(join(dataDir, LOG_FILE)) > 0) others.push(LOG_FILE)
  return { hasDatabase, others }
}

function holdsFile(folder: string): boolean {
  return listEntries(folder).some((entry) => !entry.isDirectory() || holdsFile(join(folder, entry.name)))
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const readSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Offsets and values in the header of the first page (sqlite.org/fileformat2.html, 1.6). */
const PAGE_HEADER = { at: 100, leafTable: 13, cellsAt: 103 }
const MAGIC = 'SQLite format 3\0'

function holdsTables(dataDir: string): boolean {
  const path = join(dataDir, DATABASE_FILE)
  if (readSize(path) === 0) return false
  // The tables of a new install may exist only in the log.
  if (readSize(join(dataDir, LOG_FILE)) > 0) return true
  const start = readStart(path, PAGE_HEADER.cellsAt + 2)
  // Opening the file reports that it is not a database.
  if (start.toString('latin1', 0, MAGIC.length) !== MAGIC || start.length < PAGE_HEADER.cellsAt + 2)
    return true
  return start[PAGE_HEADER.at] !== PAGE_HEADER.leafTable || start.readUInt16BE(PAGE_HEADER.cellsAt) > 0
}

function readStart(path: string, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0))
  } finally {
    closeSync(file)
  }
}
