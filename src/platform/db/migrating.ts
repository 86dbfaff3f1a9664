import { statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { connect, DATABASE_FILE, type Db, migrate, readVersion, schemaVersion } from './open.ts'
import { endMigration, readHeader, takeSnapshot } from './snapshots.ts'

/**
 * Whether the database of a folder may be older than this program; false for one that is still to be made. It reads the file
 * only: a log beside it may hold a newer version, and a migration then finds nothing to do.
 */
export function isOutdated(dataDir: string): boolean {
  const path = join(dataDir, DATABASE_FILE)
  const version = readHeader(path)?.schema ?? 0
  // A young install that was killed has all its tables in the log.
  if (version === 0) return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  return version < schemaVersion
}

/** A command such as `lookalike store list` may migrate at the same time. Here nothing waits behind this process. */
const BUSY_MS = 600_000

/**
 * Migrates a database in a process of its own: SQLite is synchronous, and the indexes of a million products take a minute
 * in which the service could answer nothing.
 *
 * @param command a command line that runs {@link runMigration}; what else it needs is appended.
 * @param keep how many snapshots of the database from before migrations stay; 0 makes none.
 * @param stop kills the process. The step under way is a transaction and leaves nothing behind.
 * @throws the error that the migration would have thrown here; nothing if `stop` aborts.
 */
export async function migrateApart(
  command: readonly string[],
  env: Record<string, string>,
  { dataDir, keep }: { dataDir: string; keep: number },
  stop: AbortSignal,
): Promise<void> {
  const child = Bun.spawn([...command, dataDir, String(process.pid), String(keep)], {
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
  const { message, isForOperator, ...rest } = readFault(out) ?? {
    message: `The migration of the database ended with ${child.signalCode ?? code}: ${said.slice(0, 500)}`,
  }
  if (isForOperator) throw new OperatorError(message)
  throw Object.assign(new Error(message), rest)
}

/** An error as the process writes it; `code` is that of SQLite. */
interface Fault {
  message: string
  isForOperator?: boolean
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

/** The process behind {@link migrateApart}: `database-migration <data folder> <process id of its parent> <snapshots to keep>`. */
export function runMigration([dataDir = '', parent, keep]: readonly string[]): void {
  // Ctrl+C and process managers signal the whole group; the service decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  try {
    // After the service has died nothing holds the lock of the folder, and somebody may restore a backup.
    migrateWhile(() => process.ppid === Number(parent), dataDir, Number(keep))
  } catch (error) {
    const { message, code, stack } = error as NodeJS.ErrnoException
    console.log(JSON.stringify({ message, isForOperator: error instanceof OperatorError, code, stack }))
    process.exitCode = 1
  }
}

function migrateWhile(isWanted: () => boolean, dataDir: string, keep: number): void {
  const version = using(dataDir, readVersion)
  // A snapshot is made without another connection in this process: see its file.
  if (keep > 0 && version > 0 && version < schemaVersion)
    takeSnapshot(dataDir, { keep, now: systemClock.now(), busyMs: BUSY_MS })
  using(dataDir, (db) => {
    db.pragma(`busy_timeout = ${BUSY_MS}`)
    while (isWanted() && readVersion(db) < schemaVersion) migrate(db, readVersion(db) + 1)
    if (readVersion(db) === schemaVersion) endMigration(dataDir)
  })
}

function using<Result>(dataDir: string, work: (db: Db) => Result): Result {
  const db = connect(dataDir)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
