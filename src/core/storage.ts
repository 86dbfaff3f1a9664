import { ApiError, type ErrorCode } from './errors.ts'

/** What can be wrong with the disk or the database. */
export type StorageCode = 'storage_full' | 'read_only' | 'storage_failed'

/** Why the storage does not work, in words for its operator. */
export class StorageProblem extends Error {
  override readonly name = 'StorageProblem'
}

type Failure = readonly [code: StorageCode | 'overloaded', message: string, retryAfterSeconds: number]

const FULL: Failure = ['storage_full', 'The disk is full; nothing was written', 60]
const READ_ONLY: Failure = ['read_only', 'The data folder cannot be written; nothing was changed', 60]
const FAILED: Failure = ['storage_failed', 'The disk or the database does not work here', 60]
const BUSY: Failure = ['overloaded', 'The database is busy with another writer', 1]
const NO_FILES: Failure = ['overloaded', 'Too many files are open', 1]

/** Beginnings of SQLite's codes, which have many endings; everything else it says is a bug of ours. */
const OF_SQLITE: readonly (readonly [prefix: string, failure: Failure])[] = [
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

const OF_FILES: ReadonlyMap<string, Failure> = new Map([
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EROFS', READ_ONLY],
  ['EIO', FAILED],
  ['ESTALE', FAILED],
  ['ENXIO', FAILED],
  ['ENODEV', FAILED],
])

/** Codes that sockets and processes have as well; with a path they are about a file. */
const OF_PATHS: ReadonlyMap<string, Failure> = new Map([
  ['EACCES', READ_ONLY],
  ['EPERM', READ_ONLY],
  ['EMFILE', NO_FILES],
  ['ENFILE', NO_FILES],
])

/**
 * What a client is told of an error of SQLite or of the file system that is the machine's fault, where waiting or making
 * room helps: `storage_full`, `read_only`, `storage_failed`, or `overloaded` while somebody else writes.
 *
 * @returns undefined for every other error.
 */
export function storageFailure(error: unknown): ApiError | undefined {
  const code = codeOf(error)
  const failure =
    (isOfVectors(error) ? FAILED : undefined) ??
    OF_SQLITE.find(([prefix]) => code.startsWith(prefix))?.[1] ??
    OF_FILES.get(code) ??
    (hasPath(error) ? OF_PATHS.get(code) : undefined)
  return failure && toApiError(failure, error)
}

/** The same for an error of a file of ours, whatever it says: each of them keeps us from our work. */
export const fileFailure = (error: unknown): ApiError => storageFailure(error) ?? toApiError(FAILED, error)

/** Whether an answer tells of a fault of the storage, which the operator has to know of. */
export const isStorageFault = (error: ApiError): error is ApiError & { code: StorageCode } =>
  FAULTS.includes(error.code)

const FAULTS: readonly ErrorCode[] = ['storage_full', 'read_only', 'storage_failed'] satisfies StorageCode[]

/** Whether SQLite could not make sense of what it read, or not read it: then more of the database may be damaged. */
export const isDamage = (error: unknown): boolean =>
  isOfVectors(error) || /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA)$)/.test(codeOf(error))

/** Whether an error is one of SQLite. */
export const isOfDatabase = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_')

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** What sqlite-vec says when SQLite gives it an error for one of its own tables, whose code it does not pass on. */
const isOfVectors = (error: unknown): boolean =>
  codeOf(error) === 'SQLITE_ERROR' &&
  /sqlite-vec error|\bvectors? (blob|data)/i.test((error as Error).message)

const hasPath = (error: unknown): boolean => error instanceof Error && 'path' in error

const toApiError = ([code, message, retryAfterSeconds]: Failure, cause: unknown): ApiError =>
  new ApiError(code, message, { retryAfterSeconds, cause })

/** A full disk, a disk that fails, and a database that may only be read: SQLite's codes and their extended forms. */
const UNWRITABLE = /^SQLITE_(FULL|IOERR|READONLY)/

/** Whether an error says that the database cannot be written now, which waiting or making room may change. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNWRITABLE.test(String(error.code))
