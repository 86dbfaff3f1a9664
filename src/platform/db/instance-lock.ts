import { join } from 'node:path'
import Database from 'better-sqlite3'
import { OperatorError } from '../../core/operator-error.ts'

/**
 * Makes sure that one process at a time serves from a data folder: each holds the search index of its own writes only.
 *
 * The lock is a lock of the operating system on a file of its own, so it goes with the process, however that ends.
 *
 * @returns a function that gives the lock back.
 * @throws OperatorError when another process holds it.
 */
export function lockInstance(dataDir: string): () => void {
  const db = new Database(join(dataDir, 'serving.lock'), { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) {
      throw new OperatorError(`Another lookalike serves from ${dataDir} already`)
    }
    throw error
  }
  return () => db.close()
}
