import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { OperatorError } from '../../core/operator-error.ts'
import { giveToOwner } from '../owner.ts'

const INSTANCE_LOCK = 'serving.lock'

/**
 * Locks a data folder for this process. Two services on one folder would each miss the other's writes in their search
 * index.
 *
 * The operating system holds the lock, on a separate file, so it ends with the process.
 *
 * @param address where the other process listens, if that is known.
 * @returns a function that releases the lock.
 * @throws OperatorError if another process holds it.
 */
export function lockInstance(dataDir: string, address?: string): () => void {
  const unlock = tryLockInstance(dataDir)
  if (unlock) return unlock
  const where = address ? `: it listens on ${address}` : ''
  throw new OperatorError(`Another lookalike already serves from ${dataDir}${where}`)
}

/** @returns a function that releases the lock, or undefined if another process holds it. */
export const tryLockInstance = (dataDir: string): (() => void) | undefined =>
  tryLock(join(dataDir, INSTANCE_LOCK))

/** Whether a service uses a data folder. It makes no lock where there was none, which might belong to another user. */
export function isServed(dataDir: string): boolean {
  if (!existsSync(join(dataDir, INSTANCE_LOCK))) return false
  const unlock = tryLockInstance(dataDir)
  unlock?.()
  return unlock === undefined
}

/** One upgrade of a program at a time. @param folder where the program lies. */
export const tryLockUpgrade = (folder: string): (() => void) | undefined =>
  tryLock(join(folder, '.lookalike-upgrade.lock'))

/** The same for the one process that makes a backup of the folder, or restores one. */
export const tryLockBackups = (dataDir: string): (() => void) | undefined =>
  tryLock(join(dataDir, 'backup.lock'))

/** The same for the one process that adds or removes a model. */
export const tryLockModels = (dataDir: string): (() => void) | undefined =>
  tryLock(join(dataDir, 'models.lock'))

/** One download of a model at a time. @param folder that of the models. */
export const tryLockDownloads = (folder: string): (() => void) | undefined =>
  tryLock(join(folder, '.fetched.lock'))

function tryLock(path: string): (() => void) | undefined {
  const db = new Database(path, { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
    // SQLite leaves the journal where a process is killed, and the next owner of the lock must be able to open it.
    giveToOwner(dirname(path), ...[path, `${path}-journal`].filter(existsSync))
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
  return () => db.close()
}
