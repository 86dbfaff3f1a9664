/** SQLite's codes, with their extended forms, for a full disk, a failing disk and a read-only database. */
const UNWRITABLE = /^SQLITE_(FULL|IOERR|READONLY)/

/** Whether an error means that the database cannot be written now; waiting or freeing space may help. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNWRITABLE.test(String(error.code))
