import { ApiError, type ErrorCode } from './errors.ts'

/** Error codes for faults of the disk or the database. */
export type StorageCode = 'storage_full' | 'read_only' | 'storage_failed'

/** A storage fault; the message is for the operator. */
export class StorageProblem extends Error {
  override readonly name = 'StorageProblem'
}

type Failure = readonly [code: StorageCode | 'overloaded', message: string, retryAfterSeconds: number]

const FULL: Failure = ['storage_full', 'The disk is full; nothing was written', 60]
const READ_ONLY: Failure = ['read_only', 'The data folder is read-only; nothing was changed', 60]
const FAILED: Failure = ['storage_failed', 'The disk or the database failed', 60]
const BUSY: Failure = ['overloaded', 'The database is busy with another writer', 1]
const NO_FILES: Failure = ['overloaded', 'Too many files are open', 1]

/** Prefixes of SQLite's extended codes. Any other code means a bug in this program. */
const SQLITE_FAILURES: readonly (readonly [prefix: string, failure: Failure])[] = [
  ['SQLITE_FULL', FULL],
  ['SQLITE_READONLY', READ_ONLY],
  ['SQLITE_BUSY', BUSY],
  ['SQLITE_LOCKED', BUSY],
  ['SQLITE_IOERR', FAILED],
  ['SQLITE_CORRUPT', FAILED],
  ['SQLITE_NOTADB', FAILED],
  ['SQLITE_CANTOPEN', FAILED],
  ['SQLITE_PROTOCOL', FAILED],
  ['SQLITE_PERM', FAILED],
  ['SQLITE_NOLFS', FAILED],
]

const FILE_FAILURES: ReadonlyMap<string, Failure> = new Map([
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EROFS', READ_ONLY],
  ['EIO', FAILED],
  ['ESTALE', FAILED],
  ['ENXIO', FAILED],
  ['ENODEV', FAILED],
])

/** Codes that sockets and processes raise too; with a path they concern a file. */
const PATH_FAILURES: ReadonlyMap<string, Failure> = new Map([
  ['EACCES', READ_ONLY],
  ['EPERM', READ_ONLY],
  ['EMFILE', NO_FILES],
  ['ENFILE', NO_FILES],
])

/**
 * Turns an error of SQLite or the file system into an answer when the machine caused it, so that waiting or freeing
 * space helps: `storage_full`, `read_only`, `storage_failed`, or `overloaded` while another process writes.
 *
 * @returns undefined for every other error.
 */
export function storageFailure(error: unknown): ApiError | undefined {
  const code = readCode(error)
  const failure =
    (isVectorTableError(error) ? FAILED : undefined) ??
    SQLITE_FAILURES.find(([prefix]) => code.startsWith(prefix))?.[1] ??
    FILE_FAILURES.get(code) ??
    (hasPath(error) ? PATH_FAILURES.get(code) : undefined)
  return failure && toApiError(failure, error)
}

/** Like {@link storageFailure} for an error on one of the service's own files; any other code is `storage_failed`. */
export const fileFailure = (error: unknown): ApiError => storageFailure(error) ?? toApiError(FAILED, error)

/** Whether an error reports a storage fault, which the operator must know about. */
export const isStorageFault = (error: ApiError): error is ApiError & { code: StorageCode } =>
  FAULTS.includes(error.code)

const FAULTS: readonly ErrorCode[] = ['storage_full', 'read_only', 'storage_failed'] satisfies StorageCode[]

/** Whether an error is a fault of the disk or the database, or the answer made from it: it would meet everybody. */
export function isFaultOfDisk(error: unknown): boolean {
  return error instanceof ApiError ? isStorageFault(error) : storageFailure(error) !== undefined
}

/** Whether SQLite could not read or parse its data, so that more of the database may be damaged. */
export const isDamage = (error: unknown): boolean =>
  isVectorTableError(error) ||
  /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA)$)/.test(readCode(error))

/** Whether SQLite raised an error. */
export const isDatabaseError = (error: unknown): boolean => readCode(error).startsWith('SQLITE_')

const readCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Whether sqlite-vec failed on one of its own tables. It drops SQLite's code, so only the message tells. */
const isVectorTableError = (error: unknown): boolean =>
  readCode(error) === 'SQLITE_ERROR' &&
  /sqlite-vec error|\bvectors? (blob|data)/i.test((error as Error).message)

const hasPath = (error: unknown): boolean => error instanceof Error && 'path' in error

const toApiError = ([code, message, retryAfterSeconds]: Failure, cause: unknown): ApiError =>
  new ApiError(code, message, { retryAfterSeconds, cause })

/** SQLite's codes and extended codes for a full disk, a failing disk and a read-only database. */
const UNWRITABLE = /^SQLITE_(FULL|IOERR|READONLY)/

/** Whether the database cannot be written at present; waiting or freeing space may help. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNWRITABLE.test(String(error.code))
