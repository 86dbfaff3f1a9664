import type { Db } from './open.ts'

/** Writes something and takes it back. @throws SqliteError when the database cannot be written. */
export function probeWrite(db: Db): void {
  // Taking the write lock alone succeeds on a database that may only be read.
  db.exec('BEGIN IMMEDIATE')
  try {
    db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`)
  } finally {
    db.exec('ROLLBACK')
  }
}

/** @throws SqliteError when sqlite-vec is not loaded. */
export function probeVectors(db: Db): void {
  db.prepare('SELECT vec_version()').get()
}
