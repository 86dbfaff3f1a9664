import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../../core/clock.ts'
import type { Lease } from '../../platform/lease/lease.ts'
import { findCopyEnd, findUsableEpoch, nameEpoch } from '../../platform/litestream/epochs.ts'
import type { CopyPlace } from '../../platform/litestream/place.ts'
import { restoreCopy } from '../../platform/litestream/restore.ts'
import { putInPlace } from '../../platform/litestream/set-aside.ts'
import { fetchPictures } from '../../platform/pictures/copied.ts'
import type { PictureFiles } from '../../platform/pictures/kept.ts'

/** The folder of the data folder with the copy that a standby holds. */
const STANDBY_FOLDER = 'standby'
const COPY = 'lookalike.db'

/** How often the lease is looked at. */
const LOOK_MS = 1_000
/** A lease that was not renewed for so long may be that of a dead owner: its copy is restored while its time runs out. */
const EARLY_MS = 7_000
/** How often a whole copy is restored, only to see that it can be. */
const REFRESH_MS = 3_600_000
/** A copy that could not be restored is tried again then. */
const RETRY_MS = 300_000
/** A takeover that failed is tried again then. */
const PAUSE_MS = 10_000
const PICTURES_MS = 60_000
const PICTURES_AT_ONCE = 5_000

export interface WaitingDeps {
  dataDir: string
  program: string
  place: CopyPlace
  lease: Lease
  /** The pictures of the data folder. */
  files: PictureFiles
  clock: Pick<Clock, 'monotonic' | 'now'>
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  stop: AbortSignal
  /** Checks a restored database. @throws OperatorError for one that this program cannot serve, in one sentence. */
  check(path: string): void
  /** What this node lacks before it may take over, in one sentence. */
  findObstacle(): string | undefined
  /** Tells what the standby does, for those who ask whether it is ready. */
  tell(state: StandbyState): void
}

export interface StandbyState {
  /** When the copy was restored that lies here, in Unix ms. */
  copiedAt: number | undefined
  /** The epoch of the owner. */
  epoch: number
  /** What is wrong, in one sentence. */
  problem: string | undefined
}

/**
 * Waits until the owner of the copies is silent, and takes over from it.
 *
 * The copy is restored before the lease is taken: if there is none that can be used, nobody gets the lease. That begins while the time of the
 * owner runs out, and counts if nothing has been copied since. An owner that comes back meanwhile changes the lease, and then it is not taken.
 *
 * @returns whether the database is in its place and the lease is this node's; false if the program is to stop.
 */
export async function waitAndTakeOver(deps: WaitingDeps): Promise<boolean> {
  const { dataDir, place, lease, clock, log, stop, tell } = deps
  const folder = join(dataDir, STANDBY_FOLDER)
  const copy = join(folder, COPY)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const state: StandbyState = { copiedAt: undefined, epoch: 0, problem: undefined }
  let refreshing: Promise<void> | undefined
  let [refreshAt, picturesAt] = [clock.monotonic(), clock.monotonic()]
  let takeOverAt = Number.NEGATIVE_INFINITY
  let said: string | undefined
  /** What the restored copy is of. */
  let held: { epoch: number; end: string } | undefined

  function report(problem: string | undefined): void {
    if (problem !== undefined && problem !== said)
      log.warn({ reason: problem }, 'the standby cannot take over')
    else if (problem === undefined && said !== undefined) log.info({}, 'the standby can take over')
    said = problem
    state.problem = problem
    tell(state)
  }

  /**
   * Restores the newest copy, unless it is here already.
   *
   * @throws OperatorError if there is none, or none that can be used.
   */
  async function restore(before: number): Promise<void> {
    const none = () => new Error(`There is no whole copy of a database in ${place.name} yet`)
    const epoch = await findUsableEpoch(place.listBelow, place.prefix, before)
    if (epoch === undefined) throw none()
    const end = await findCopyEnd(place.listBelow, place.prefix, epoch)
    if (held?.epoch === epoch && held.end === end && existsSync(copy)) return
    held = undefined
    const address = { bucket: place.bucket, path: nameEpoch(place.prefix, epoch) }
    if (!(await restoreCopy(deps.program, dataDir, address, copy, stop))) throw none()
    deps.check(copy)
    held = { epoch, end }
  }

  async function refresh(epoch: number, isLate: boolean): Promise<void> {
    try {
      if (isLate) await restore(epoch + 1)
      if (clock.monotonic() >= refreshAt) {
        refreshAt = clock.monotonic() + RETRY_MS
        const began = clock.now()
        await restore(epoch + 1)
        state.copiedAt = began
        refreshAt = clock.monotonic() + REFRESH_MS
      }
      if (clock.monotonic() >= picturesAt) {
        const pictures = { dir: join(dataDir, 'pictures'), files: deps.files, objects: place.pictures, stop }
        const { isComplete } = await fetchPictures(
          { ...pictures, prefix: join(place.prefix, 'pictures') },
          PICTURES_AT_ONCE,
        )
        if (isComplete) picturesAt = clock.monotonic() + PICTURES_MS
      }
      report(deps.findObstacle())
    } catch (error) {
      if (!stop.aborted) report((error as Error).message)
    }
  }

  async function takeOver(epoch: number): Promise<boolean> {
    const began = clock.monotonic()
    log.warn({ epoch }, 'the owner is silent: taking over')
    // One restore at a time writes the file.
    await refreshing
    await restore(epoch + 1)
    const restoredMs = Math.round(clock.monotonic() - began)
    if (!(await lease.takeOver())) {
      log.info({ epoch }, 'the owner is back, or another standby was faster')
      return false
    }
    putInPlace(dataDir, copy)
    log.warn({ epoch: lease.epoch, restored_ms: restoredMs }, 'took over')
    return true
  }

  while (!stop.aborted) {
    try {
      const { isThere, epoch, stillMs, isStill } = await lease.watch()
      state.epoch = epoch
      const obstacle = isThere
        ? deps.findObstacle()
        : `Nobody has copied a database to ${place.name} yet: start its owner with COPIES_TO=${place.name}`
      if (obstacle !== undefined) report(obstacle)
      else if (isStill) {
        if (clock.monotonic() >= takeOverAt && (await takeOver(epoch))) return true
      } else
        refreshing ??= refresh(epoch, stillMs >= EARLY_MS).finally(() => {
          refreshing = undefined
        })
    } catch (error) {
      takeOverAt = clock.monotonic() + PAUSE_MS
      if (!stop.aborted) report((error as Error).message)
    }
    tell(state)
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => {})
  }
  await refreshing
  return false
}
