import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Brings the names in a folder to the disk: after a power cut a new file is there only when its folder is. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
