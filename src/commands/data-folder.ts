import { OperatorError } from '../core/operator-error.ts'
import { storageFailure } from '../core/storage.ts'

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
