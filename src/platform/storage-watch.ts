import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { shareRun } from '../core/share-run.ts'
import {
  isDamage,
  isDatabaseError,
  isStorageFault,
  type StorageCode,
  StorageProblem,
  storageFailure,
} from '../core/storage.ts'

export interface StorageWatchDeps {
  clock: Clock
  log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  /** Writes to the database and waits for the disk. */
  writeRow(): void
  /** Writes a file next to the stored pictures and waits for the disk. */
  writeFile(): Promise<void>
  /** Checks the whole database without blocking the service. @returns the problems found. */
  findDamage?: (() => Promise<string[]>) | undefined
}

/** Remembers the last storage fault until a write succeeds. */
export interface StorageWatch {
  /** Records an error, or the answer made from it, if it is a storage fault. */
  report(error: unknown): void
  /** @throws StorageProblem while the database cannot be written or is damaged. */
  probeDatabase(): void
  /** Tries to write a file after a fault. @throws StorageProblem while that fails. */
  probeFiles(): Promise<void>
  /** Checks the database for damage in the background; a concurrent call joins the running check. Never rejects. */
  inspect(): Promise<void>
  /** Whether no damage is known or suspected and no check is pending. */
  isSound(): boolean
}

type Part = 'database' | 'files'

/** Shortest time between two test writes, because anyone may call the readiness check. */
const PROBE_MS = 1_000

/** Shortest time between two log lines, however many requests hit a fault. */
const LOG_MS = 60_000

/** Shortest pause between two checks, absolute and as a multiple of the last one, to keep the disk free. */
const INSPECT_MS = 5_000
const INSPECT_SHARE = 20

const DAMAGE_LINES_MAX = 10

const EFFECTS: Readonly<Record<Part, string>> = {
  database: 'the database cannot be written',
  files: 'pictures cannot be stored',
}

const CAUSES: Readonly<Record<StorageCode | 'overloaded', string>> = {
  storage_full: 'the disk is full',
  read_only: 'the data folder is read-only',
  storage_failed: 'the disk reports a fault',
  overloaded: 'another program has locked it',
}

const DAMAGED = 'the database is damaged: restore a backup'
const SUSPECTED = 'the database could not be read and is being checked for damage'

export function createStorageWatch(deps: StorageWatchDeps): StorageWatch {
  const { clock, log } = deps
  const faults: Partial<Record<Part, string>> = {}
  const loggedAt: Partial<Record<Part, number>> = {}
  let probed: { at: number; problem: string | undefined } | undefined
  let damage: 'none' | 'suspected' | 'found' = 'none'
  /** Whether a check was requested and none has completed since. */
  let isCheckPending = false
  let nextInspection = 0

  function report(error: unknown): void {
    // An answer without a cause does not come from the disk: the memory for vectors may be full, too.
    const cause = error instanceof ApiError ? (isStorageFault(error) ? error.extras.cause : undefined) : error
    const failure = storageFailure(cause)
    if (!failure || !isStorageFault(failure)) return
    const part = isDatabaseError(cause) ? 'database' : 'files'
    if (isDamage(cause)) suspect()
    else faults[part] = `${EFFECTS[part]}: ${CAUSES[failure.code]}`
    probed = undefined
    const last = loggedAt[part]
    if (last !== undefined && clock.monotonic() - last < LOG_MS) return
    loggedAt[part] = clock.monotonic()
    log.error({ err: cause, part, code: failure.code }, 'the storage failed')
  }

  function reportRecovery(part: Part): void {
    if (faults[part] === undefined) return
    delete faults[part]
    delete loggedAt[part]
    log.info({ part }, 'the storage works again')
  }

  function suspect(): void {
    if (damage === 'none') damage = 'suspected'
    if (clock.monotonic() >= nextInspection) void inspect()
  }

  /** Tries a write. @returns the problem, if any. */
  function tryWrite(): string | undefined {
    try {
      deps.writeRow()
    } catch (error) {
      report(error)
      const failure = storageFailure(error)
      return failure?.code === 'overloaded'
        ? `${EFFECTS.database}: ${CAUSES.overloaded}`
        : (faults.database ?? EFFECTS.database)
    }
    reportRecovery('database')
    return undefined
  }

  function inspect(): Promise<void> {
    isCheckPending = true
    return check()
  }

  const check = shareRun(async (): Promise<void> => {
    if (!deps.findDamage) return
    const begin = clock.monotonic()
    try {
      const found = await deps.findDamage()
      damage = found.length > 0 ? 'found' : 'none'
      isCheckPending = false
      if (found.length > 0) log.error({ damage: found.slice(0, DAMAGE_LINES_MAX) }, DAMAGED)
      else log.info({}, 'the database was checked and is sound')
    } catch (err) {
      log.warn({ err }, 'the database could not be checked')
    }
    const took = clock.monotonic() - begin
    nextInspection = clock.monotonic() + Math.max(INSPECT_MS, took * INSPECT_SHARE)
  })

  return {
    report,

    probeDatabase() {
      if (damage !== 'none') {
        // The data may be readable again, or repaired.
        suspect()
        throw new StorageProblem(damage === 'found' ? DAMAGED : SUSPECTED)
      }
      const now = clock.monotonic()
      if (!probed || now - probed.at >= PROBE_MS) {
        const problem = tryWrite()
        probed = { at: now, problem }
      }
      if (probed.problem !== undefined) throw new StorageProblem(probed.problem)
    },

    async probeFiles() {
      if (faults.files === undefined) return
      try {
        await deps.writeFile()
      } catch (error) {
        report(error)
        throw new StorageProblem(faults.files)
      }
      reportRecovery('files')
    },

    inspect,
    isSound: () => damage === 'none' && !isCheckPending,
  }
}
