import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import {
  isDamage,
  isOfDatabase,
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
  /** Writes a file beside the kept pictures and waits for the disk. */
  writeFile(): Promise<void>
  /** Looks through the whole database without holding anybody up. @returns what is wrong with it. */
  findDamage?(): Promise<string[]>
}

/** Knows the last fault of the storage, until a write has succeeded. */
export interface StorageWatch {
  /** Remembers an error, or the answer made of it, when it is a fault of the storage. */
  note(error: unknown): void
  /** @throws StorageProblem while the database cannot be written, or is damaged. */
  probeDatabase(): void
  /** Tries the files again after a fault. @throws StorageProblem while they cannot be written. */
  probeFiles(): Promise<void>
  /** Looks for damage in the background; a call during another one joins that. Never rejects. */
  inspect(): Promise<void>
  /** Whether nothing speaks against the database, and no look at it is owed. */
  isSound(): boolean
}

type Part = 'database' | 'files'

/** A look at readiness may come from anybody, so a row is written this often at most. */
const PROBE_MS = 1_000

/** One line in the log this often, however many requests meet a fault. */
const LOG_MS = 60_000

/** Looking through the database again and again must not be what keeps the disk busy. */
const INSPECT_MS = 5_000
const INSPECT_SHARE = 20

const DAMAGE_LINES_MAX = 10

const WHAT: Readonly<Record<Part, string>> = {
  database: 'the database cannot be written',
  files: 'pictures cannot be kept',
}

const WHY: Readonly<Record<StorageCode | 'overloaded', string>> = {
  storage_full: 'the disk is full',
  read_only: 'the data folder is read-only',
  storage_failed: 'the disk reports a fault',
  overloaded: 'another program holds it',
}

const DAMAGED = 'the database is damaged: restore a backup'
const SUSPECTED = 'the database could not be read, and is being looked through for damage'

export function createStorageWatch(deps: StorageWatchDeps): StorageWatch {
  const { clock, log } = deps
  const faults: Partial<Record<Part, string>> = {}
  const loggedAt: Partial<Record<Part, number>> = {}
  let probed: { at: number; problem: string | undefined } | undefined
  let damage: 'none' | 'suspected' | 'found' = 'none'
  let inspecting: Promise<void> | undefined
  /** Whether a look was asked for and none has come to its end. */
  let isLookOwed = false
  let nextInspection = 0

  function note(error: unknown): void {
    const cause =
      error instanceof ApiError ? (isStorageFault(error) ? (error.extras.cause ?? error) : undefined) : error
    const failure = cause instanceof ApiError ? cause : storageFailure(cause)
    if (!failure || !isStorageFault(failure)) return
    const part = isOfDatabase(cause) ? 'database' : 'files'
    if (isDamage(cause)) suspect()
    else faults[part] = `${WHAT[part]}: ${WHY[failure.code]}`
    probed = undefined
    const last = loggedAt[part]
    if (last !== undefined && clock.monotonic() - last < LOG_MS) return
    loggedAt[part] = clock.monotonic()
    log.error({ err: cause, part, code: failure.code }, 'the storage failed')
  }

  function recovered(part: Part): void {
    if (faults[part] === undefined) return
    delete faults[part]
    delete loggedAt[part]
    log.info({ part }, 'the storage works again')
  }

  function suspect(): void {
    if (damage === 'none') damage = 'suspected'
    if (clock.monotonic() >= nextInspection) void inspect()
  }

  /** The problem of a write right now. */
  function writeProblem(): string | undefined {
    try {
      deps.writeRow()
    } catch (error) {
      note(error)
      const failure = storageFailure(error)
      return failure?.code === 'overloaded'
        ? `${WHAT.database}: ${WHY.overloaded}`
        : (faults.database ?? WHAT.database)
    }
    recovered('database')
    return undefined
  }

  function inspect(): Promise<void> {
    isLookOwed = true
    inspecting ??= look().finally(() => {
      inspecting = undefined
    })
    return inspecting
  }

  async function look(): Promise<void> {
    if (!deps.findDamage) return
    const begin = clock.monotonic()
    try {
      const found = await deps.findDamage()
      damage = found.length > 0 ? 'found' : 'none'
      isLookOwed = false
      if (found.length > 0) log.error({ damage: found.slice(0, DAMAGE_LINES_MAX) }, DAMAGED)
      else log.info({}, 'the database was looked through and is sound')
    } catch (err) {
      log.warn({ err }, 'the database could not be looked through')
    }
    const took = clock.monotonic() - begin
    nextInspection = clock.monotonic() + Math.max(INSPECT_MS, took * INSPECT_SHARE)
  }

  return {
    note,

    probeDatabase() {
      if (damage !== 'none') {
        // What could not be read may be readable again, and what was damaged may have been mended.
        suspect()
        throw new StorageProblem(damage === 'found' ? DAMAGED : SUSPECTED)
      }
      const now = clock.monotonic()
      if (!probed || now - probed.at >= PROBE_MS) {
        const problem = writeProblem()
        probed = { at: now, problem }
      }
      if (probed.problem !== undefined) throw new StorageProblem(probed.problem)
    },

    async probeFiles() {
      if (faults.files === undefined) return
      try {
        await deps.writeFile()
      } catch (error) {
        note(error)
        throw new StorageProblem(faults.files)
      }
      recovered('files')
    },

    inspect,
    isSound: () => damage === 'none' && !isLookOwed,
  }
}
