import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../core/clock.ts'
import { readFreeDisk } from '../../platform/disk.ts'
import { type Check, error, ok, warning } from './check.ts'
import { findExisting } from './host-checks.ts'
import type { DiskSample } from './install-queries.ts'

const MB = 1_000_000

/** Below this share of the disk the service says that it is not ready. */
const SHARE_MIN = 0.05

/** With less than that the operator should act now. */
const DAYS_MIN = 14

/** @param neededBytes what the next start unpacks. @param samples of earlier days, oldest first. @param now Unix ms. */
export async function checkDisk(
  dataDir: string,
  neededBytes: number,
  samples: readonly DiskSample[] = [],
  now = 0,
): Promise<Check> {
  const { freeBytes, share } = await readFreeDisk(findExisting(dataDir))
  const free = `${Math.floor(freeBytes / MB)} MB are free`
  const cure = 'Delete what is not needed, or move the data folder to a larger disk'
  if (freeBytes < neededBytes)
    return error('disk', `${free}, and the next start unpacks ${Math.ceil(neededBytes / MB)} MB`, cure)
  if (share < SHARE_MIN)
    return error(
      'disk',
      `${free}, less than ${SHARE_MIN * 100} % of the disk: the service is not ready`,
      cure,
    )
  const days = countDaysLeft(samples, share, now)
  if (days === undefined) return ok('disk', free)
  const left = `${free}; as it fills, that lasts for ${Math.floor(days)} days`
  return days < DAYS_MIN ? warning('disk', left, cure) : ok('disk', left)
}

/**
 * Tells when the free share falls to the one below which the service is not ready, if it goes on as it did.
 *
 * @returns undefined while nothing is known, and where the disk does not fill.
 */
export function countDaysLeft(
  samples: readonly DiskSample[],
  share: number,
  now: number,
): number | undefined {
  const [oldest] = samples
  if (!oldest) return undefined
  const days = now / DAY_MS - oldest.day
  const lost = oldest.freeShare - share
  return days < 1 || lost <= 0 ? undefined : (share - SHARE_MIN) / (lost / days)
}

const PROBE_BYTES = 16 * 1024 * 1024
const PIECE_BYTES = 1024 * 1024
const SYNCS = 20

/** A product is acknowledged after one wait for the disk. */
const SYNC_MS_MAX = 50
const MB_PER_S_MIN = 20

/**
 * Writes a file of 16 MiB into the folder and deletes it.
 *
 * @param monotonic in ms.
 */
export function checkDiskSpeed(dataDir: string, monotonic: () => number): Check {
  // A doctor that was killed left its own.
  const path = join(dataDir, 'doctor.tmp')
  try {
    rmSync(path, { force: true })
    const { syncMs, perSecond } = measureDisk(path, monotonic)
    const text = `The disk writes ${Math.round(perSecond)} MB a second, and a wait for it takes ${syncMs.toFixed(1)} ms`
    return syncMs > SYNC_MS_MAX || perSecond < MB_PER_S_MIN
      ? warning(
          'disk-speed',
          text,
          'Put the data folder on a local SSD: every write of a product waits for the disk',
        )
      : ok('disk-speed', text)
  } catch (fault) {
    const { code = String(fault) } = fault as NodeJS.ErrnoException
    return error(
      'disk-speed',
      `No file can be written to ${dataDir} (${code})`,
      'Check owner, rights and free space',
    )
  } finally {
    rmSync(path, { force: true })
  }
}

function measureDisk(path: string, monotonic: () => number): { syncMs: number; perSecond: number } {
  const file = openSync(path, 'wx', 0o600)
  try {
    // Zeros might be stored as nothing.
    const piece = randomBytes(PIECE_BYTES)
    const begin = monotonic()
    for (let at = 0; at < PROBE_BYTES; at += PIECE_BYTES) writeSync(file, piece)
    fsyncSync(file)
    const written = monotonic()
    for (let n = 0; n < SYNCS; n++) {
      writeSync(file, piece, 0, 4096, 0)
      fsyncSync(file)
    }
    const syncMs = (monotonic() - written) / SYNCS
    const perSecond = PROBE_BYTES / MB / Math.max(0.001, (written - begin) / 1000)
    return { syncMs, perSecond }
  } finally {
    closeSync(file)
  }
}
