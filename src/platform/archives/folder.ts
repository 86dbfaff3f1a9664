import { constants } from 'node:fs'
import { open, opendir, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { UnreadableFile } from '../../core/unreadable-file.ts'
import type { ZipArchive, ZipEntry } from './zip.ts'

export interface FolderEntry extends ZipEntry {
  /** Time of the last change, Unix ms. */
  changedAt: number
}

export interface FolderArchive extends ZipArchive {
  entries: Map<string, FolderEntry>
  /** Symbolic links and other entries that are neither files nor folders; none is followed. */
  skipped: number
}

export interface FolderLimits {
  entriesMax: number
  /** Nested folders. */
  depthMax: number
}

const PIECE_BYTES = 256 * 1024

/**
 * Lists the files of a folder and its subfolders ordered by their paths, as if they were in an archive. Names
 * that begin with a dot are left out. No symbolic link is followed, so nothing outside the folder is ever read.
 *
 * @throws UnreadableFile beyond the limits; the error of the disk for a folder that cannot be read.
 */
export async function openFolder(path: string, limits: FolderLimits): Promise<FolderArchive> {
  const root = await realpath(path)
  const entries: FolderEntry[] = []
  let skipped = 0

  async function walk(folder: string, depth: number): Promise<void> {
    if (depth > limits.depthMax) throw new UnreadableFile(`The folder is more than ${limits.depthMax} deep`)
    for await (const item of await opendir(join(root, folder))) {
      if (item.name.startsWith('.')) continue
      const inner = folder === '' ? item.name : `${folder}/${item.name}`
      if (item.isDirectory()) await walk(inner, depth + 1)
      else if (item.isFile()) {
        if (entries.length === limits.entriesMax)
          throw new UnreadableFile(`The folder has more than ${limits.entriesMax} files`)
        entries.push(await describe(root, inner))
      } else skipped++
    }
  }

  await walk('', 0)
  // Disks list files in any order, but the same folder must always give the same list.
  entries.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { entries: new Map(entries.map((entry) => [entry.path, entry])), skipped, close: () => {} }
}

async function describe(root: string, path: string): Promise<FolderEntry> {
  const { size, mtimeMs } = await Bun.file(join(root, path)).stat()
  return { path, bytes: size, changedAt: mtimeMs, open: () => read(root, path, size) }
}

/** Reads a file of the size that it had when it was listed. */
async function* read(root: string, path: string, bytes: number): AsyncGenerator<Uint8Array> {
  const full = join(root, path)
  const file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    // A folder on the way may have become a link since the folder was listed.
    const isInside = relative(root, await realpath(full)) === path
    const { size } = await file.stat()
    if (!isInside || size !== bytes) throw new UnreadableFile(`${path} has changed while the folder was read`)
    for (let at = 0; at < bytes; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(PIECE_BYTES, bytes - at)))
      if (bytesRead === 0) throw new UnreadableFile(`${path} has changed while the folder was read`)
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}
