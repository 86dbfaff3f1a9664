import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from './open.ts'

/** What lies in a data folder, found out without opening the database: SQLite deletes the log of an empty one. */
export interface InstallFiles {
  /** A database with tables, or a file that is none at all. */
  hasDatabase: boolean
  /** What an install keeps outside its database, by name, as far as there is any. */
  others: string[]
}

const FOLDERS = ['secrets', 'pictures']
const LOG_FILE = `${DATABASE_FILE}-wal`

/** Looks at a folder, which need not exist. */
export function installFiles(dataDir: string): InstallFiles {
  // In this order: of an install that another process is making, the database is there before anything else.
  const others = FOLDERS.filter((name) => holdsFile(join(dataDir, name))).map((name) => `${name}/`)
  const hasDatabase = holdsTables(dataDir)
  if (!hasDatabase && sizeOf(join(dataDir, LOG_FILE)) > 0) others.push(LOG_FILE)
  return { hasDatabase, others }
}

function holdsFile(folder: string): boolean {
  return entriesOf(folder).some((entry) => !entry.isDirectory() || holdsFile(join(folder, entry.name)))
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Where the first page says of which kind it is and how many cells it has (sqlite.org/fileformat2.html, 1.6). */
const PAGE_HEADER = { at: 100, leafTable: 13, cellsAt: 103 }
const MAGIC = 'SQLite format 3\0'

function holdsTables(dataDir: string): boolean {
  const path = join(dataDir, DATABASE_FILE)
  if (sizeOf(path) === 0) return false
  // The tables of an install that was just made may be in the log alone.
  if (sizeOf(join(dataDir, LOG_FILE)) > 0) return true
  const start = firstBytes(path, PAGE_HEADER.cellsAt + 2)
  // What is no database is told as that when it is opened.
  if (start.toString('latin1', 0, MAGIC.length) !== MAGIC || start.length < PAGE_HEADER.cellsAt + 2)
    return true
  return start[PAGE_HEADER.at] !== PAGE_HEADER.leafTable || start.readUInt16BE(PAGE_HEADER.cellsAt) > 0
}

function firstBytes(path: string, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0))
  } finally {
    closeSync(file)
  }
}
