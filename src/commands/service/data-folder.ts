import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { storageFailure } from '../../core/storage.ts'
import { clearUnpacked, finishSwap, hasUnpacked, isSwapPending } from '../../platform/backup/swap.ts'
import { findInstallFiles } from '../../platform/db/install-files.ts'
import { lockInstance, tryLockBackups, tryLockInstance } from '../../platform/db/instance-lock.ts'
import { DATABASE_FILE, type Db } from '../../platform/db/open.ts'
import { readAddresses } from './addresses.ts'
import { openOrExplain } from './way-back.ts'

/** The data folder holds no install. */
export class NoInstall extends OperatorError {}

/**
 * Checks that a data folder may be opened, before anything in it is opened or created.
 *
 * @param mayMake whether the command may create an install.
 * @throws OperatorError if the database of an install is missing, or if there is no install and none may be created.
 */
export function checkFolder(dataDir: string, { mayMake }: { mayMake: boolean }): void {
  if (isSwapPending(dataDir)) finishRestore(dataDir)
  const { hasDatabase, others } = findInstallFiles(dataDir)
  if (hasDatabase) return
  if (others.length > 0) {
    const left = others.join(' and ')
    throw new OperatorError(
      `The data folder ${dataDir} has lost its database: ${DATABASE_FILE} is missing or empty beside ${left}.\n` +
        `Restore ${DATABASE_FILE} from a backup, or move ${left} elsewhere to start afresh.`,
    )
  }
  if (!mayMake) {
    throw new NoInstall(
      `There is no install in ${dataDir}. Create one with "lookalike setup", or name another folder with --data-dir or DATA_DIR.`,
    )
  }
}

/** Finishes a restore that was killed while it replaced the old state. @throws OperatorError while it still runs. */
function finishRestore(dataDir: string): void {
  const unlock = tryLockBackups(dataDir)
  if (!unlock) throw new OperatorError(`A restore into ${dataDir} is under way: wait until it has ended.`)
  try {
    finishSwap(dataDir)
  } finally {
    unlock()
  }
}

/** Whether there is an install in a data folder. @throws OperatorError if the folder is incomplete or cannot be read. */
export function hasInstall(dataDir: string): boolean {
  try {
    checkFolder(dataDir, { mayMake: true })
    return findInstallFiles(dataDir).hasDatabase
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
}

/** Creates the data folder, accessible to its owner only: it contains password hashes and keys. */
export function makeFolder(path: string): void {
  process.umask(0o077)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new OperatorError(`Cannot create the data folder ${path}: ${(error as Error).message}`)
  }
}

/** Longest wait for another program that writes to the database. */
const BUSY_MS = 500

/**
 * Makes the data folder if it may, and locks it for this process alone.
 *
 * @returns a function that releases the lock.
 */
export function lockFolder(dataDir: string, { mayMake = true, mayLackDatabase = false } = {}): () => void {
  // A standby has secrets and pictures before it has a database.
  if (!mayLackDatabase) checkFolder(dataDir, { mayMake })
  makeFolder(dataDir)
  const unlock = lockInstance(dataDir, readAddresses(dataDir)[0])
  if (hasUnpacked(dataDir)) clearLeftovers(dataDir)
  return unlock
}

/** Deletes what a killed restore has left: it may be as large as the install, and holds its secrets. */
function clearLeftovers(dataDir: string): void {
  const unlock = tryLockBackups(dataDir)
  // A restore of one store is under way, which a running service does not hinder.
  if (!unlock) return
  try {
    clearUnpacked(dataDir)
  } finally {
    unlock()
  }
}

/** Opens the database of a folder that this process has locked. */
export function openForServing(dataDir: string): Db {
  const db = openOrExplain(dataDir)
  // Waiting for another writer blocks the event loop; a command holds the lock for milliseconds only.
  db.pragma(`busy_timeout = ${BUSY_MS}`)
  return db
}

/**
 * Finds the service that runs on a data folder.
 *
 * @returns its local address, or undefined if none runs.
 * @throws OperatorError while it starts or stops, or if there is no install.
 */
export function findRunningService(config: Config): string | undefined {
  const dataDir = resolve(config.DATA_DIR)
  try {
    checkFolder(dataDir, { mayMake: false })
    const unlock = tryLockInstance(dataDir)
    unlock?.()
    if (unlock) return undefined
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
  const [, local] = readAddresses(dataDir)
  if (local) return local
  throw new OperatorError(`The service on ${dataDir} is starting or stopping. Try again in a moment.`)
}

const CANNOT_WRITE = 'is not writable: check that it belongs to this user and that the disk is not read-only'
const FULL = 'is on a full disk'

/** Problems of a data folder, by the error code of SQLite or of the file system. */
const PROBLEMS: readonly (readonly [code: string, problem: string])[] = [
  [
    'SQLITE_NOTADB',
    'contains a file that is not a Lookalike database: restore a backup, or choose another folder',
  ],
  ['SQLITE_CORRUPT', 'contains a damaged database: restore a backup, or choose another folder'],
  ['SQLITE_CANTOPEN', 'cannot be opened: check that it belongs to this user'],
  ['SQLITE_READONLY', CANNOT_WRITE],
  ['SQLITE_FULL', FULL],
  ['SQLITE_BUSY', 'is in use by another program: try again'],
  ['SQLITE_LOCKED', 'is in use by another program: try again'],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['ENOTDIR', 'is not a folder: choose another one'],
  ['EROFS', CANNOT_WRITE],
  ['EACCES', CANNOT_WRITE],
  ['EPERM', CANNOT_WRITE],
]

/** Turns a storage error into an OperatorError about the data folder. Returns any other error unchanged. */
export function explainFolderError(dataDir: string, error: unknown): unknown {
  const { code, message, path } = error as NodeJS.ErrnoException & { code: string }
  const isFile = code === 'ENOTDIR' && path?.startsWith(dataDir)
  if (!isFile && !storageFailure(error)) return error
  const known = PROBLEMS.find(([prefix]) => code.startsWith(prefix))?.[1]
  const problem = known ?? `cannot be read or written: ${message} (${code})`
  return new OperatorError(`The data folder ${dataDir} ${problem}`)
}
