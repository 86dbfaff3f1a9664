import { join } from 'node:path'
import type { Caller } from '../../../core/actor.ts'
import { describeOperation } from '../../../core/audit.ts'
import { DAY_MS, HOUR_MS, isoTime, isoTimeOrNull, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import type { BackupMaker } from '../../../platform/backup/apart.ts'
import type { BackupProgress, MadeBackup } from '../../../platform/backup/make.ts'
import type { Base } from '../../module.ts'
import { type CopyWorld, createCopies } from './copies.ts'
import type { TellFailure } from './failure.ts'
import { createBackupView } from './presenter.ts'
import type { BackupQueries, BackupRow, BackupStarter } from './queries.ts'
import { createSchedule } from './schedule.ts'
import type { Backup, BackupList, BackupQuery } from './schema.ts'

/** The part of the world that backups touch. */
export interface BackupWorld {
  make: BackupMaker
  dataDir: string
  /** Whether no process makes a backup of this install at present. */
  isIdle(): boolean
  isThere(path: string, bytes: number): Promise<boolean>
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>
  /** Undefined where no copies go elsewhere. */
  copies?: CopyWorld | undefined
}

export interface BackupsDeps
  extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'log' | 'withoutFsync' | 'defer'> {
  queries: BackupQueries
  world: BackupWorld
  tellFailure: TellFailure
  version: string
  /** Where backups go without a folder of their own. */
  folder: string
  /** 0 switches the schedule off. */
  everyMs: number
  keep: number
  /** Aborts when the program ends. */
  stop: AbortSignal
}

export interface BackupWish {
  startedBy: BackupStarter
  hasSecrets?: boolean
  /** Another folder, whose files are never deleted here. */
  folder?: string | undefined
  tell?: ((progress: BackupProgress) => void) | undefined
  stop?: AbortSignal | undefined
}

/** From its row to its lock a backup needs a moment. */
const STARTING_MS = MINUTE_MS
/** How often the progress is written down. */
const WRITTEN_MS = 1_000
const FAILURES_KEPT_MS = 90 * DAY_MS

const cursors = createCursors({ list: 'backups' }, { id: CursorId })

export type BackupsService = ReturnType<typeof backupsService>

export function backupsService(deps: BackupsDeps) {
  const { queries, world, clock, ids, atomically, record, log, withoutFsync, defer, everyMs, keep } = deps
  const { view } = createBackupView(world)
  const schedule = createSchedule({ queries, clock, everyMs })
  const copies = createCopies({ ...deps, world: world.copies, isThere: world.isThere })
  let isRunning = false

  /** Registers a backup. @throws ApiError `conflict` while another one runs. */
  function register({ startedBy, folder, hasSecrets = true }: BackupWish, by: Caller | null): BackupRow {
    if (isRunning || !world.isIdle())
      throw new ApiError('conflict', 'Another backup or restore is under way: wait until it has ended')
    const now = clock.now()
    const id = ids.uuid()
    const path = join(folder ?? deps.folder, nameFile(now))
    dropInterrupted()
    atomically(() => {
      queries.add({
        ...{ id, startedBy, path, startedAt: now },
        hasSecrets: hasSecrets ? 1 : 0,
        isRotated: folder === undefined ? 1 : 0,
      })
      if (by) record(describeOperation(by, null, 'backup.started', { backup_id: id }))
    })
    isRunning = true
    return queries.find(id) as BackupRow
  }

  /** Closes what a process left that was killed. */
  function dropInterrupted(): void {
    const before = clock.now() - STARTING_MS
    const left = isRunning ? [] : queries.listRunning().filter(({ startedAt }) => startedAt < before)
    if (left.length === 0 || !world.isIdle()) return
    atomically(() => {
      for (const { id } of left)
        queries.fail(id, clock.now(), 'The program ended before the backup was complete.')
    })
  }

  /** Makes a registered backup. @throws whatever made it fail, after that was written down and told. */
  async function make(row: BackupRow, { startedBy, tell, stop = deps.stop }: BackupWish): Promise<Backup> {
    const { id, path, hasSecrets } = row
    let writtenAt = clock.monotonic()
    try {
      const folder = path.slice(0, -nameOf(path).length - 1)
      const made = await world.make(
        {
          ...{ folder, name: nameOf(path), version: deps.version, dataDir: world.dataDir },
          hasSecrets: hasSecrets === 1,
        },
        (progress) => {
          tell?.(progress)
          if (clock.monotonic() - writtenAt < WRITTEN_MS) return
          writtenAt = clock.monotonic()
          withoutFsync(() => queries.advance(id, progress.step, progress.share))
        },
        stop,
      )
      atomically(() => {
        queries.complete(describeMade(id, made, clock.now()))
        copies.want(id)
      })
    } catch (error) {
      const reason = stop.aborted ? 'It was stopped.' : (error as Error).message
      // A command prints it.
      if (startedBy !== 'command') log.error({ backup_id: id, reason }, 'a backup failed')
      atomically(() => {
        queries.fail(id, clock.now(), reason)
        if (!stop.aborted) deps.tellFailure(reason)
      })
      throw error
    } finally {
      isRunning = false
    }
    log.info({ backup_id: id, file: path }, 'a backup was made and tried')
    // The service has a chore for the copies of its own.
    if (startedBy === 'command') await copies.sendNow(stop)
    await rotate()
    return view(queries.find(id) as BackupRow)
  }

  /** Deletes the files beyond those to keep, now that newer ones count. */
  async function rotate(): Promise<void> {
    for (const { id, path } of queries.listBeyond(keep)) {
      await world.remove(path)
      queries.remove(id)
    }
    queries.removeFailed(clock.now() - FAILURES_KEPT_MS)
  }

  return {
    /** Begins a backup for a super-admin. @throws ApiError `conflict`. */
    start(by: Caller): Promise<Backup> {
      const wish: BackupWish = { startedBy: 'operator' }
      const row = register(wish, by)
      // Its failure is written down and told.
      defer(() => make(row, wish).catch(() => {}), 0)
      return view(row)
    },

    /** Makes a backup and waits for it. @throws ApiError `conflict`; whatever made it fail. */
    run: (wish: BackupWish): Promise<Backup> => make(register(wish, null), wish),

    /** Makes the backup that is due by the schedule. */
    async runIfDue(): Promise<void> {
      const due = schedule.findDue()
      if (due === undefined || clock.now() < due || isRunning || !world.isIdle()) return
      const wish: BackupWish = { startedBy: 'schedule' }
      await make(register(wish, null), wish).catch(() => {})
    },

    /** @throws ApiError `invalid_cursor`. */
    async list({ limit = 50, cursor }: BackupQuery): Promise<BackupList> {
      dropInterrupted()
      const found = queries.listPage(cursors.read(cursor)?.id ?? null, limit + 1)
      const { rows, nextCursor } = cursors.page(found, limit, ({ id }) => ({ id }))
      const due = schedule.findDue()
      return {
        backups: await Promise.all(rows.map(view)),
        count: rows.length,
        next_cursor: nextCursor,
        schedule: {
          every_hours: everyMs / HOUR_MS,
          keep,
          folder: deps.folder,
          next_at: due === undefined ? null : isoTime(due),
        },
        copies: copies.describe(),
        last_good_at: isoTimeOrNull(queries.findNewest('completed')?.madeAt ?? null),
        warning: schedule.findWarning() ?? null,
      }
    },

    /** @throws ApiError `not_found`. */
    async read(id: string): Promise<Backup> {
      dropInterrupted()
      const row = queries.find(id)
      if (!row) throw notFound('backup')
      return view(row)
    },

    /** Sends the copies that wait. */
    copyIfDue: (): Promise<void> => copies.sendIfDue(deps.stop),

    findWarning: (): string | undefined => schedule.findWarning() ?? copies.findWarning(),

    /** The moment whose state the newest good backup holds, in Unix ms; undefined before the first one. */
    findLastGood: (): number | undefined => queries.findNewest('completed')?.madeAt ?? undefined,
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** `lookalike-20261127T001530123Z.tar.zst` */
const nameFile = (now: number): string => `lookalike-${isoTime(now).replaceAll(/[-:.]/g, '')}.tar.zst`

const describeMade = (id: string, { madeAt, bytes, sha256, counts }: MadeBackup, now: number) => ({
  ...{ id, madeAt, bytes, sha256 },
  finishedAt: now,
  counts: JSON.stringify(counts),
})
