import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE, type Db, readAnyVersion } from './open.ts'

/** Opens the database of a data folder as it is: it is neither made nor migrated nor written to. */
export const openReadOnly = (dataDir: string): Db =>
  new Database(join(dataDir, DATABASE_FILE), { readonly: true, fileMustExist: true })

/** Loads the library of the database. A system that it does not fit ends the program here, with the reason. */
export const loadDatabaseLibrary = (): void => void new Database(':memory:').close()

/** The schema version of the database in a data folder. */
export function readSchema(dataDir: string): number {
  const db = openReadOnly(dataDir)
  try {
    return readAnyVersion(db)
  } finally {
    db.close()
  }
}
