import { createBackoff } from '../../../core/backoff.ts'
import { HOUR_MS, isoTimeOrNull, MINUTE_MS } from '../../../core/clock.ts'
import type { SentCopy } from '../../../platform/backup/copies/send.ts'
import type { Base } from '../../module.ts'
import type { TellFailure } from './failure.ts'
import type { BackupQueries, BackupRow } from './queries.ts'
import type { BackupList } from './schema.ts'

/** The other place that copies go to. */
export interface CopyWorld {
  /** By `BACKUP_TO`. */
  address: string
  /** How many stay there. */
  keep: number
  /** Whether there is a key to encrypt to. */
  hasKey(): boolean
  /** Sends the copy of a backup, and deletes old ones. @throws Error in one sentence. */
  send(
    file: { path: string; bytes: number; sha256: string },
    tell: (share: number) => void,
    stop: AbortSignal,
  ): Promise<SentCopy>
}

export interface CopiesDeps extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync'> {
  queries: BackupQueries
  /** Undefined where nobody wants copies. */
  world: CopyWorld | undefined
  isThere(path: string, bytes: number): Promise<boolean>
  tellFailure: TellFailure
}

/** The target is the same for all copies, so they wait together. */
const backoff = createBackoff({ waits: [15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS] })
/** Longer than the repetitions of one request take: a program that is silent for so long has ended. */
const SILENT_MS = 30 * MINUTE_MS
/** How often the progress is written down. */
const WRITTEN_MS = 1_000

const NO_KEY = 'backups are not copied elsewhere: there is no key, which "lookalike backup key" makes'

/** Sends each good backup to another place, the newest first, and again when that fails. */
export function createCopies({
  queries,
  world,
  isThere,
  clock,
  log,
  atomically,
  withoutFsync,
  tellFailure,
}: CopiesDeps) {
  let isSending = false
  let failures = 0
  let nextTryAt = 0
  let isKeyMissed = false

  async function send(
    row: BackupRow,
    target: CopyWorld,
    stop: AbortSignal,
    isLogged: boolean,
  ): Promise<boolean> {
    const { id, path, bytes, sha256 } = row
    let writtenAt = clock.monotonic()
    try {
      const sent = await target.send(
        { path, bytes: bytes ?? 0, sha256: sha256 ?? '' },
        (share) => {
          if (clock.monotonic() - writtenAt < WRITTEN_MS) return
          writtenAt = clock.monotonic()
          withoutFsync(() => queries.advanceCopy(id, clock.now(), share))
        },
        stop,
      )
      queries.endCopy({ id, copiedAt: clock.now(), ...sent })
      log.info({ backup_id: id, address: sent.address }, 'a backup was copied elsewhere')
      failures = 0
      return true
    } catch (error) {
      if (stop.aborted) {
        queries.failCopy(id, 'waiting', null)
        return false
      }
      const reason = (error as Error).message
      nextTryAt = clock.now() + backoff(failures)
      failures += 1
      if (isLogged) log.error({ backup_id: id, reason }, 'the copy of a backup failed')
      atomically(() => {
        queries.failCopy(id, 'failed', reason)
        tellFailure(`The copy of a good one did not arrive at ${target.address}: ${reason}`)
      })
      return false
    }
  }

  /** Says once that nothing is copied. */
  function missKey(): void {
    if (!isKeyMissed) log.warn(NO_KEY)
    isKeyMissed = true
  }

  async function sendAll(stop: AbortSignal, isLogged: boolean): Promise<void> {
    if (!world || isSending) return
    if (!world.hasKey()) return isLogged ? missKey() : undefined
    isKeyMissed = false
    isSending = true
    try {
      const silentBefore = clock.now() - SILENT_MS
      for (const row of queries.listDueCopies(silentBefore)) {
        if (!(await isThere(row.path, row.bytes ?? 0))) continue
        if (stop.aborted || !queries.claimCopy(row.id, clock.now(), silentBefore)) return
        if (!(await send(row, world, stop, isLogged))) return
      }
    } finally {
      isSending = false
    }
  }

  function findWarning(): string | undefined {
    if (!world) return undefined
    if (!world.hasKey()) return NO_KEY
    return queries.findNewestJudgedCopy()?.copyState === 'failed'
      ? 'the last copy of a backup did not arrive elsewhere'
      : undefined
  }

  return {
    /** Marks a backup that counts. */
    want(id: string): void {
      if (world) queries.wantCopy(id)
    },

    /** Sends what waits, whatever happened before. Its failures are written down and told; the caller shows them. */
    sendNow: (stop: AbortSignal): Promise<void> => sendAll(stop, false),

    async sendIfDue(stop: AbortSignal): Promise<void> {
      if (clock.now() >= nextTryAt) await sendAll(stop, true)
    },

    /** In one sentence that everyone may read. */
    findWarning,

    describe: (): BackupList['copies'] =>
      world
        ? {
            to: world.address,
            keep: world.keep,
            has_key: world.hasKey(),
            last_at: isoTimeOrNull(queries.findNewestCopy()?.madeAt ?? null),
            warning: findWarning() ?? null,
          }
        : null,
  }
}
