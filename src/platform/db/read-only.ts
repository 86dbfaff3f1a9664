import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE, type Db } from './open.ts'

/** Opens the database of a data folder as it is: it is neither made nor migrated nor written to. */
export const openReadOnly = (dataDir: string): Db =>
  new Database(join(dataDir, DATABASE_FILE), { readonly: true, fileMustExist: true })
