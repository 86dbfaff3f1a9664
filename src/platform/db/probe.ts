import type { Db } from './open.ts'

/** Takes the write lock and gives it back. @throws SqliteError when the database cannot be written. */
export function probeWrite(db: Db): void {
  db.exec('BEGIN IMMEDIATE')
  db.exec('ROLLBACK')
}

/** @throws SqliteError when sqlite-vec is not loaded. */
export function probeVectors(db: Db): void {
  db.prepare('SELECT vec_version()').get()
}
