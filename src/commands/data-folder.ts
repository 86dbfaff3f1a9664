import { OperatorError } from '../core/operator-error.ts'
import { storageFailure } from '../core/storage.ts'

const CANNOT_WRITE = 'cannot be written: does it belong to this user, on a disk that is not read-only?'
const FULL = 'lies on a full disk'

/** What is wrong with a data folder, by the code of SQLite or of the file system, in words for its operator. */
const PROBLEMS: readonly (readonly [code: string, problem: string])[] = [
  ['SQLITE_NOTADB', 'holds a file that is no database of ours: restore a backup, or name another folder'],
  ['SQLITE_CORRUPT', 'holds a damaged database: restore a backup, or name another folder'],
  ['SQLITE_CANTOPEN', 'cannot be opened: does it belong to this user?'],
  ['SQLITE_READONLY', CANNOT_WRITE],
  ['SQLITE_FULL', FULL],
  ['SQLITE_BUSY', 'is being written by another program: try again'],
  ['SQLITE_LOCKED', 'is being written by another program: try again'],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EROFS', CANNOT_WRITE],
  ['EACCES', CANNOT_WRITE],
  ['EPERM', CANNOT_WRITE],
]

/** An error that ended a command, said of the data folder where it is the data folder's. */
export function toldOfFolder(dataDir: string, error: unknown): unknown {
  if (!storageFailure(error)) return error
  const { code, message } = error as Error & { code: string }
  const known = PROBLEMS.find(([prefix]) => code.startsWith(prefix))?.[1]
  const problem = known ?? `cannot be read or written: ${message} (${code})`
  return new OperatorError(`The data folder ${dataDir} ${problem}`)
}
