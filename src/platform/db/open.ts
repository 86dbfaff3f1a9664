import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { migrations } from './migrations/list.ts'

export type Db = Database.Database

/** The one file that holds everything but pictures and secrets. */
export const DATABASE_FILE = 'lookalike.db'

/** A database that a newer version of this program has written. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError'
}

/**
 * Opens the database in `dataDir`, or a throw-away one in memory, and brings its schema up to date.
 *
 * Every commit reaches the disk before it is acknowledged (`synchronous = FULL`), so an acknowledged product
 * survives a power cut.
 *
 * @param source the data folder, `:memory:` for an empty database, or a serialized database to copy into memory.
 * @throws NewerDatabaseError when the file's schema is newer than this program.
 */
export function openDatabase(source: string | ':memory:' | Buffer): Db {
  const isInMemory = typeof source !== 'string' || source === ':memory:'
  const db = new Database(isInMemory ? source : join(source, DATABASE_FILE))
  // In the other order a restart during recovery can fail with "database is locked".
  db.pragma('busy_timeout = 5000')
  enterWal(db)
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('cache_size = -32000')
  db.loadExtension(sqliteVec.getLoadablePath())
  migrate(db)
  return db
}

const WAL_TRIES = 250
const WAL_PAUSE_MS = 20

/** Of two processes that switch a new database over at once SQLite refuses one, without waiting for `busy_timeout`. */
function enterWal(db: Db): void {
  for (let tries = 1; ; tries++) {
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')
      if (!isBusy || tries === WAL_TRIES) throw error
      Bun.sleepSync(WAL_PAUSE_MS)
    }
  }
}

/**
 * Runs a write that does not wait for the disk. It gets there with the next commit that does, or at a checkpoint; a
 * crash of the program loses nothing, a power cut may lose it. For what nobody has been told yet.
 */
export function unsynced<Result>(db: Db, write: () => Result): Result {
  // Within a transaction the setting cannot be changed, and the outer commit decides.
  if (db.inTransaction) return write()
  db.pragma('synchronous = NORMAL')
  try {
    return write()
  } finally {
    db.pragma('synchronous = FULL')
  }
}

/** Number of the schema this program writes, kept in `user_version`. */
export const schemaVersion = migrations.length

/**
 * Brings a database from its version to `target`; each step is one transaction. Several processes may do this at once:
 * a step looks at the version inside its transaction, so each runs once.
 *
 * @throws NewerDatabaseError
 */
export function migrate(db: Db, target = schemaVersion): void {
  // A database of today is opened without the write lock.
  while (versionOf(db) < target) {
    db.transaction(() => {
      const done = versionOf(db)
      const sql = migrations[done]
      if (sql === undefined || done >= target) return
      db.exec(sql)
      db.pragma(`user_version = ${done + 1}`)
    }).immediate()
  }
}

/** @throws NewerDatabaseError */
function versionOf(db: Db): number {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version <= schemaVersion) return version
  throw new NewerDatabaseError(
    `The database has schema ${version}, this program knows ${schemaVersion}: use a newer lookalike`,
  )
}
