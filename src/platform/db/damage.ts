import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { DATABASE_FILE } from './open.ts'

const LINES_MAX = 20

/** Far more than a check of the largest database takes. */
const PATIENCE_MS = 3_600_000

/**
 * Looks through a database for damage in a process of its own, which reads all of it, for seconds where it is large.
 *
 * @param command a command line that ends in {@link runDatabaseCheck}; the data folder is appended.
 * @param signal ends the process.
 * @returns what is wrong, at most 20 lines; none for a sound database. @throws Error when it could not be looked through.
 */
export async function findDamage(
  command: readonly string[],
  env: Record<string, string>,
  dataDir: string,
  signal: AbortSignal,
): Promise<string[]> {
  const child = Bun.spawn([...command, dataDir], {
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    signal,
    killSignal: 'SIGKILL',
    timeout: PATIENCE_MS,
  })
  const [out, said, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`The check ended with ${child.signalCode ?? code}: ${said.slice(0, 500)}`)
  return JSON.parse(out) as string[]
}

/** The process behind {@link findDamage}: `database-check <data folder>`. */
export function runDatabaseCheck([dataDir = '']: readonly string[]): void {
  // Everything else goes first.
  setPriority(constants.priority.PRIORITY_LOW)
  console.log(JSON.stringify(problemsIn(join(dataDir, DATABASE_FILE))))
}

/** @returns what `PRAGMA quick_check` finds wrong; the error itself where the file cannot even be read. */
function problemsIn(path: string): string[] {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    // The check asks virtual tables, too.
    db.loadExtension(sqliteVec.getLoadablePath())
    const rows = db.pragma(`quick_check(${LINES_MAX})`) as { quick_check: string }[]
    return rows.map(({ quick_check }) => quick_check).filter((line) => line !== 'ok')
  } catch (error) {
    if (/^SQLITE_(CORRUPT|NOTADB|IOERR)/.test((error as { code?: string }).code ?? '')) {
      return [(error as Error).message]
    }
    throw error
  } finally {
    db.close()
  }
}
