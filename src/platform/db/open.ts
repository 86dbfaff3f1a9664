import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { OperatorError } from '../../core/operator-error.ts'
import { hideParameters } from './hidden-parameters.ts'
import { lateStatement } from './late-statement.ts'
import { migrations } from './migrations/list.ts'

export type Db = Database.Database

/** The file that holds everything except pictures and secrets. */
export const DATABASE_FILE = 'lookalike.db'

/**
 * Opens the database of a data folder, or a temporary one in memory, and migrates its schema.
 *
 * Every commit reaches the disk before it is acknowledged (`synchronous = FULL`), so an acknowledged product
 * survives a power cut.
 *
 * @param source the data folder, `:memory:` for an empty database, or a serialized database to copy into memory.
 * @throws OperatorError if the schema is newer than this program.
 */
export function openDatabase(source: string | ':memory:' | Buffer): Db {
  const db = connect(source)
  migrate(db)
  // For the pages that a savepoint may have to bring back. In a file of the system's temporary folder they would take
  // time, and one that is full would fail a write for which the data folder has space. Indexes of a migration may be large.
  db.pragma('temp_store = MEMORY')
  return db
}

/** Opens a database like {@link openDatabase} and leaves its schema as it is. */
export function connect(source: string | ':memory:' | Buffer): Db {
  const isInMemory = typeof source !== 'string' || source === ':memory:'
  const db = new Database(isInMemory ? source : join(source, DATABASE_FILE))
  // In the other order a restart during recovery can fail with "database is locked".
  db.pragma('busy_timeout = 5000')
  enterWal(db)
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('cache_size = -32000')
  db.loadExtension(sqliteVec.getLoadablePath())
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => lateStatement(() => prepare(hideParameters(sql)))) as Db['prepare']
  return db
}

const WAL_TRIES = 250
const WAL_PAUSE_MS = 20

/** If two processes switch a new database to WAL at once, SQLite refuses one without waiting for `busy_timeout`. */
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
 * Runs a write that does not wait for the disk. The next synced commit or checkpoint brings it there. A crash of the
 * program loses nothing; a power cut may lose the write. Use it only for writes that no client has been told about.
 */
export function withoutFsync<Result>(db: Db, write: () => Result): Result {
  // The setting cannot change within a transaction; the outer commit decides.
  if (db.inTransaction) return write()
  db.pragma('synchronous = NORMAL')
  try {
    return write()
  } finally {
    db.pragma('synchronous = FULL')
  }
}

/** The schema version of this program, stored in `user_version`. */
export const schemaVersion = migrations.length

/**
 * Migrates a database to version `target`, one transaction per step. Several processes may do this at once: each step
 * checks the version inside its transaction, so it runs once.
 *
 * @throws OperatorError
 */
export function migrate(db: Db, target = schemaVersion): void {
  // A current database is opened without the write lock.
  while (readVersion(db) < target) {
    db.transaction(() => {
      const done = readVersion(db)
      const sql = migrations[done]
      if (sql === undefined || done >= target) return
      db.exec(sql)
      db.pragma(`user_version = ${done + 1}`)
    }).immediate()
  }
}

/** The schema version of a database. @throws NewerSchema if it is newer than this program. */
export function readVersion(db: Db): number {
  const version = readAnyVersion(db)
  if (version <= schemaVersion) return version
  throw new NewerSchema(
    `The database has schema ${version}, but this program only knows schema ${schemaVersion}: use a newer lookalike`,
  )
}

export const readAnyVersion = (db: Db): number => db.pragma('user_version', { simple: true }) as number

/** A newer program has migrated the database. */
export class NewerSchema extends OperatorError {}
