import { systemClock } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { finishSwap, swapInSnapshot } from '../../platform/backup/swap.ts'
import { tryLockBackups, tryLockInstance } from '../../platform/db/instance-lock.ts'
import { type Db, NewerSchema, openDatabase, schemaVersion } from '../../platform/db/open.ts'
import { readSchema } from '../../platform/db/read-only.ts'
import { findSnapshot, isWhole, type Snapshot } from '../../platform/db/snapshots.ts'
import { confirm } from '../cli/confirm.ts'

/** Opens the database of a folder, and tells the way back from one that a newer program has migrated. */
export function openOrExplain(dataDir: string): Db {
  try {
    return openDatabase(dataDir)
  } catch (error) {
    if (!(error instanceof NewerSchema)) throw error
    const snapshot = findSnapshot(dataDir, schemaVersion)
    throw new OperatorError(
      snapshot
        ? `${error.message}.\nTo go back to the database as it was before its migration, on ${formatTime(snapshot)}, run "lookalike serve --from-snapshot": what was written since then is not in it.`
        : `${error.message}, or restore a backup from before its migration. There is no snapshot that this program can open in ${dataDir}.`,
    )
  }
}

/**
 * Puts the snapshot from before a migration in the place of the database, after a question.
 *
 * @returns false if the answer is no.
 * @throws OperatorError, and nothing was changed.
 */
export async function goBack(
  dataDir: string,
  options: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  using _lock = lockForSwap(dataDir)
  const snapshot = chooseSnapshot(dataDir, schemaVersion)
  console.error(
    `The database goes back to its snapshot from ${formatTime(snapshot)}. What was written since then is lost for this version; the newer database is kept beside.`,
  )
  if (!(await confirm('Go back?', 'What was written since the snapshot is lost', options))) return false
  const old = swapInSnapshot(dataDir, snapshot.path, systemClock.now())
  console.error(`Done. The newer database is kept in ${old}: delete that folder when nobody needs it.`)
  return true
}

/** The process that goes back during an upgrade that failed: `database-back <data folder> <schema>`. */
export function runGoingBack([dataDir = '', schema]: readonly string[]): void {
  try {
    using _lock = lockForSwap(dataDir)
    // Killed before it migrated anything, the new version has left nothing to go back from.
    if (readSchema(dataDir) <= Number(schema)) return
    const snapshot = chooseSnapshot(dataDir, Number(schema))
    console.log(swapInSnapshot(dataDir, snapshot.path, systemClock.now()))
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

function chooseSnapshot(dataDir: string, schema: number): Snapshot {
  const present = readSchema(dataDir)
  if (present <= schema)
    throw new OperatorError(
      `The database has schema ${present}, which this program can open: there is nothing to go back from. Start it without --from-snapshot.`,
    )
  const snapshot = findSnapshot(dataDir, schema)
  if (!snapshot)
    throw new OperatorError(
      `There is no snapshot of schema ${schema} or before in ${dataDir}: restore a backup from before the migration. Nothing was changed.`,
    )
  if (!isWhole(snapshot))
    throw new OperatorError(
      `${snapshot.path} is damaged: restore a backup from before the migration. Nothing was changed.`,
    )
  return snapshot
}

function lockForSwap(dataDir: string): Disposable {
  const unlockInstance = tryLockInstance(dataDir)
  const unlockBackups = unlockInstance && tryLockBackups(dataDir)
  const unlock = () => {
    unlockBackups?.()
    unlockInstance?.()
  }
  if (!unlockBackups) {
    unlock()
    throw new OperatorError(`A service or a backup uses ${dataDir}: stop it first. Nothing was changed.`)
  }
  finishSwap(dataDir)
  return { [Symbol.dispose]: unlock }
}

const formatTime = ({ madeAt }: Snapshot): string =>
  `${new Date(madeAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
