import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Flushes a folder's entries to disk. Without that, a new file may be gone after a power cut. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
