import { rmSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileFailure } from '../../core/storage.ts'
import { giveToOwner } from '../owner.ts'
import { flushFolder } from '../sync-folder.ts'

/** Picture files named by content hash: `<dir>/ab/abcdef…`. A file is complete or absent. */
export interface PictureFiles {
  /**
   * Writes the bytes unless the file exists. When this resolves, they are on the disk.
   *
   * @throws ApiError `storage_full`, `read_only` or `storage_failed`, like the other methods.
   */
  write(contentHash: string, bytes: Uint8Array): Promise<void>
  /** @returns undefined if the file is missing. */
  read(contentHash: string): Promise<Uint8Array | undefined>
  /** @returns a handle to stream the file without holding it in memory; undefined if the file is missing. */
  file(contentHash: string): Promise<Blob | undefined>
  remove(contentHash: string): Promise<void>
  /** Writes a small file, waits for the disk, and deletes the file. */
  probe(): Promise<void>
}

/**
 * Opens the folder and deletes partial files that a crash left.
 *
 * @param uniqueName creates a new file name for each write, so that two writers never share one.
 * @param isShared whether another process may be writing to the folder, whose partial files then stay.
 */
export function createPictureFiles(
  dir: string,
  uniqueName: () => string,
  { isShared = false } = {},
): PictureFiles {
  const unfinished = join(dir, 'unfinished')
  if (!isShared) rmSync(unfinished, { recursive: true, force: true })
  const buildPath = (contentHash: string) => join(dir, contentHash.slice(0, 2), contentHash)

  /** @returns the first folder that it made. */
  async function makeFolder(path: string): Promise<string | undefined> {
    const made = await mkdir(path, { recursive: true, mode: 0o700 })
    if (made !== undefined) giveToOwner(dirname(dir), ...(made === dir ? [dir, path] : [path]))
    return made
  }

  /** Writes a partial file and waits for the disk. @returns its path. */
  async function writeUnfinished(bytes: Uint8Array): Promise<string> {
    await makeFolder(unfinished)
    const path = join(unfinished, uniqueName())
    try {
      const file = await open(path, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
        giveToOwner(dirname(dir), path)
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
    const path = buildPath(contentHash)
    if (await exists(path)) return
    const madeFolder = await makeFolder(dirname(path))
    const temporary = await writeUnfinished(bytes)
    try {
      await rename(temporary, path)
      await flushFolder(dirname(path))
      // A new name survives a power cut only if its folder is on the disk too.
      if (madeFolder !== undefined) await flushFolder(dirname(madeFolder))
    } catch (error) {
      await discard(temporary)
      throw error
    }
  }

  async function read(contentHash: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(buildPath(contentHash))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async function file(contentHash: string): Promise<Blob | undefined> {
    const found = Bun.file(buildPath(contentHash))
    return (await found.exists()) ? found : undefined
  }

  return {
    write: (contentHash, bytes) => withStorageErrors(write(contentHash, bytes)),
    read: (contentHash) => withStorageErrors(read(contentHash)),
    file: (contentHash) => withStorageErrors(file(contentHash)),
    remove: (contentHash) => withStorageErrors(rm(buildPath(contentHash), { force: true })),
    probe: () =>
      withStorageErrors(writeUnfinished(new Uint8Array(1)).then((path) => rm(path, { force: true }))),
  }
}

const withStorageErrors = <Value>(work: Promise<Value>): Promise<Value> =>
  work.catch((error) => {
    throw fileFailure(error)
  })

/** If this fails, the next start deletes the file. */
const discard = (path: string): Promise<void> => rm(path, { force: true }).catch(() => undefined)

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
