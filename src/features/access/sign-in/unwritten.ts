import { isUnwritable } from '../../../core/storage.ts'

/** Writes what a sign-in can do without while the database cannot be written. @returns whether it was written. */
export function tryWrite(log: { warn(fields: { err: unknown }, message: string): void }, write: () => void) {
  try {
    write()
    return true
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.warn({ err }, 'a sign-in could not be written')
    return false
  }
}
