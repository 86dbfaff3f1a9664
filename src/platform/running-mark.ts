import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storageFailure } from '../core/storage.ts'

/** File in the data folder while a service runs on it. */
const RUNNING_FILE = 'running'

export interface RunningMark {
  /** Whether the service before this one did not end by itself, or left a database that may be damaged. */
  wasUnclean: boolean
  remove(): void
}

/** Leaves a mark in the data folder that only a clean end takes away. */
export function markRunning(dataDir: string): RunningMark {
  const path = join(dataDir, RUNNING_FILE)
  const wasUnclean = existsSync(path)
  try {
    if (!wasUnclean) writeFileSync(path, '')
  } catch (error) {
    // A full disk is no reason not to serve what is there.
    if (!storageFailure(error)) throw error
  }
  return { wasUnclean, remove: () => rmSync(path, { force: true }) }
}
