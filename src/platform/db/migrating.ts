import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { connect, DATABASE_FILE, migrate, readVersion, schemaVersion } from './open.ts'

/** Offset of `user_version` in the header of the file (sqlite.org/fileformat2.html, 1.3). */
const VERSION_AT = 60

/**
 * Whether the database of a folder is older than this program; false for one that is still to be made. It reads the file
 * only: a log beside it may hold a newer version, and a migration then finds nothing to do.
 */
export function isOutdated(dataDir: string): boolean {
  const version = readVersionOfFile(join(dataDir, DATABASE_FILE))
  return version > 0 && version < schemaVersion
}

/** 0 without a file; opening it reports whatever else is wrong. */
function readVersionOfFile(path: string): number {
  const bytes = Buffer.alloc(4)
  try {
    const file = openSync(path, 'r')
    try {
      return readSync(file, bytes, 0, bytes.length, VERSION_AT) === bytes.length ? bytes.readUInt32BE() : 0
    } finally {
      closeSync(file)
    }
  } catch {
    return 0
  }
}

/** A command such as `lookalike store list` may migrate at the same time. Here nothing waits behind this process. */
const BUSY_MS = 600_000

/**
 * Migrates a database in a process of its own: SQLite is synchronous, and the indexes of a million products take a minute
 * in which the service could answer nothing.
 *
 * @param command a command line that runs {@link runMigration}; the data folder and this process are appended.
 * @param stop kills the process. The step under way is a transaction and leaves nothing behind.
 * @throws the error that the migration would have thrown here; nothing if `stop` aborts.
 */
export async function migrateApart(
  command: readonly string[],
  env: Record<string, string>,
  dataDir: string,
  stop: AbortSignal,
): Promise<void> {
  const child = Bun.spawn([...command, dataDir, String(process.pid)], {
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    signal: stop,
    killSignal: 'SIGKILL',
  })
  const [out, said, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code === 0 || stop.aborted) return
  const { message, ...rest } = readFault(out) ?? {
    message: `The migration of the database ended with ${child.signalCode ?? code}: ${said.slice(0, 500)}`,
  }
  throw Object.assign(new Error(message), rest)
}

/** An error as the process writes it; `code` is that of SQLite. */
interface Fault {
  message: string
  code?: string
  stack?: string
}

function readFault(text: string): Fault | undefined {
  try {
    return JSON.parse(text) as Fault
  } catch {
    return undefined
  }
}

/** The process behind {@link migrateApart}: `database-migration <data folder> <process id of the service>`. */
export function runMigration([dataDir = '', service]: readonly string[]): void {
  // Ctrl+C and process managers signal the whole group; the service decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  try {
    const db = connect(dataDir)
    db.pragma(`busy_timeout = ${BUSY_MS}`)
    // After the service has died nothing holds the lock of the folder, and somebody may restore a backup.
    const isWanted = () => process.ppid === Number(service)
    while (isWanted() && readVersion(db) < schemaVersion) migrate(db, readVersion(db) + 1)
    db.close()
  } catch (error) {
    const { message, code, stack } = error as NodeJS.ErrnoException
    console.log(JSON.stringify({ message, code, stack }))
    process.exitCode = 1
  }
}
