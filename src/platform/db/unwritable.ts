/** A full disk, a disk that fails, and a database that may only be read: SQLite's codes and their extended forms. */
const UNWRITABLE = /^SQLITE_(FULL|IOERR|READONLY)/

/** Whether an error says that the database cannot be written now, which waiting or making room may change. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNWRITABLE.test(String(error.code))
