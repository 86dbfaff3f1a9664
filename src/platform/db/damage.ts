import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { DATABASE_FILE } from './open.ts'

const LINES_MAX = 20

/** Far longer than a check of the largest database takes. */
const PATIENCE_MS = 3_600_000

/**
 * Checks a database for damage in a separate process. It reads the whole file, which takes seconds if the file is large.
 *
 * @param command a command line that runs {@link runDatabaseCheck}; the data folder is appended.
 * @param signal kills the process.
 * @returns the problems found, at most 20 lines; none for a sound database.
 * @throws Error if the check did not finish.
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
  if (code !== 0)
    throw new Error(`The database check ended with ${child.signalCode ?? code}: ${said.slice(0, 500)}`)
  return JSON.parse(out) as string[]
}

/** The process behind {@link findDamage}: `database-check <data folder>`. */
export function runDatabaseCheck([dataDir = '']: readonly string[]): void {
  // The service comes first.
  setPriority(constants.priority.PRIORITY_LOW)
  console.log(JSON.stringify(findProblems(join(dataDir, DATABASE_FILE))))
}

/** @returns the problems that `PRAGMA quick_check` finds, or the error if the file cannot be read. */
function findProblems(path: string): string[] {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    // The check covers virtual tables too.
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
