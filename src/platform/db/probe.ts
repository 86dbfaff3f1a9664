import type { Db } from './open.ts'

/** Longest wait for another writer, in ms. A readiness check must not block other requests. */
const PATIENCE_MS = 250

/**
 * Writes a row and waits until it is on the disk.
 *
 * @param now Unix ms.
 * @throws SqliteError if the database cannot be written.
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

/** @throws SqliteError if sqlite-vec is not loaded. */
export function probeVectors(db: Db): void {
  db.prepare('SELECT vec_version()').get()
}
