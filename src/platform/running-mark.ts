import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storageFailure } from '../core/storage.ts'

/** Present in the data folder while a service uses it. */
const RUNNING_FILE = 'running'

export interface RunningMark {
  /** Whether the previous service did not shut down cleanly, or left a database that may be damaged. */
  wasUnclean: boolean
  remove(): void
}

/** Creates a mark in the data folder that only a clean shutdown removes. */
export function markRunning(dataDir: string): RunningMark {
  const path = join(dataDir, RUNNING_FILE)
  const wasUnclean = existsSync(path)
  try {
    if (!wasUnclean) writeFileSync(path, '')
  } catch (error) {
    // A full disk must not keep the service from serving its data.
    if (!storageFailure(error)) throw error
  }
  return { wasUnclean, remove: () => rmSync(path, { force: true }) }
}
