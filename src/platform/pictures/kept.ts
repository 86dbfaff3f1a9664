import { rmSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileFailure } from '../../core/storage.ts'

/** Picture files under their content hash: `<dir>/ab/abcdef…`. A file is whole or not there. */
export interface PictureFiles {
  /**
   * Writes the bytes unless they are there already; they are on the disk when this returns.
   *
   * @throws ApiError `storage_full`, `read_only` or `storage_failed`, like the other methods.
   */
  write(contentHash: string, bytes: Uint8Array): Promise<void>
  /** The bytes, or undefined when the file is missing. */
  read(contentHash: string): Promise<Uint8Array | undefined>
  /** The file, to be sent piece by piece without being held in memory; undefined when it is missing. */
  file(contentHash: string): Promise<Blob | undefined>
  remove(contentHash: string): Promise<void>
  /** Writes a small file, waits for the disk, and takes the file away again. */
  probe(): Promise<void>
}

/**
 * Opens the folder, and clears away what a crash left half written: one process at a time has it.
 *
 * @param uniqueName gives a new file name for each write under way, so that two writers never share one.
 */
export function createPictureFiles(dir: string, uniqueName: () => string): PictureFiles {
  const unfinished = join(dir, 'unfinished')
  rmSync(unfinished, { recursive: true, force: true })
  const pathOf = (contentHash: string) => join(dir, contentHash.slice(0, 2), contentHash)

  /** Writes an unfinished file and lets it reach the disk. @returns its path. */
  async function writeUnfinished(bytes: Uint8Array): Promise<string> {
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    const path = join(unfinished, uniqueName())
    try {
      const file = await open(path, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      return path
    } catch (error) {
      await discard(path)
      throw error
    }
  }

  async function write(contentHash: string, bytes: Uint8Array): Promise<void> {
    const path = pathOf(contentHash)
    if (await isThere(path)) return
    const madeFolder = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const temporary = await writeUnfinished(bytes)
    try {
      await rename(temporary, path)
      await syncFolder(dirname(path))
      if (madeFolder !== undefined) await syncFolder(dirname(madeFolder))
    } catch (error) {
      await discard(temporary)
      throw error
    }
  }

  async function read(contentHash: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(pathOf(contentHash))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async function file(contentHash: string): Promise<Blob | undefined> {
    const found = Bun.file(pathOf(contentHash))
    return (await found.exists()) ? found : undefined
  }

  return {
    write: (contentHash, bytes) => told(write(contentHash, bytes)),
    read: (contentHash) => told(read(contentHash)),
    file: (contentHash) => told(file(contentHash)),
    remove: (contentHash) => told(rm(pathOf(contentHash), { force: true })),
    probe: () => told(writeUnfinished(new Uint8Array(1)).then((path) => rm(path, { force: true }))),
  }
}

const told = <Value>(work: Promise<Value>): Promise<Value> =>
  work.catch((error) => {
    throw fileFailure(error)
  })

/** What is left of it goes with the next start. */
const discard = (path: string): Promise<void> => rm(path, { force: true }).catch(() => undefined)

/** A new name survives a power cut only when its folder is on the disk too. Windows cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
