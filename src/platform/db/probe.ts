import type { Db } from './open.ts'

/** Longest wait for another writer. Whoever asks for readiness must not hold everybody up. */
const PATIENCE_MS = 250

/**
 * Writes a row and waits until it is on the disk.
 *
 * @param now Unix ms. @throws SqliteError when the database cannot be written.
 */
export function probeWrite(db: Db, now: number): void {
  const patience = db.pragma('busy_timeout', { simple: true })
  db.pragma(`busy_timeout = ${PATIENCE_MS}`)
  try {
    db.prepare('UPDATE write_probe SET written_at = ? WHERE id = 1').run(BigInt(now))
  } finally {
    db.pragma(`busy_timeout = ${patience}`)
  }
}

/** @throws SqliteError when sqlite-vec is not loaded. */
export function probeVectors(db: Db): void {
  db.prepare('SELECT vec_version()').get()
}
