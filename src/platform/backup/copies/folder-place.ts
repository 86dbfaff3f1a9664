import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../../core/operator-error.ts'
import { flushFolder } from '../../sync-folder.ts'
import { type CopyPlace, isCopyName, type WrittenCopy } from './place.ts'

const PART = '.part'

/** Keeps copies in a folder, which is mostly one of another machine. */
export function openFolderPlace(folder: string, installId: string): CopyPlace {
  const own = join(folder, installId)

  /** A folder that is not mounted must not be made on the disk of this machine. */
  async function makeOwn(): Promise<void> {
    const isThere = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    )
    if (!isThere)
      throw new OperatorError(`There is no folder ${folder}: mount or make it, or correct BACKUP_TO.`)
    await mkdir(own, { recursive: true, mode: 0o700 })
  }

  const listOwn = (): Promise<string[]> =>
    readdir(own).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })

  return {
    address: own,

    async write(name, content) {
      await makeOwn()
      const path = join(own, name)
      try {
        const written = await writeFile(path + PART, content)
        const read = await readFile(path + PART)
        if (read.bytes !== written.bytes || read.sha256 !== written.sha256)
          throw new OperatorError(`${folder} gives back other bytes than were written there: check its disk.`)
        await rename(path + PART, path)
        await flushFolder(own)
        await flushFolder(folder)
        return written
      } catch (error) {
        await rm(path + PART, { force: true }).catch(() => {})
        throw explain(error, folder)
      }
    },

    list: async () => (await listOwn()).filter(isCopyName),

    remove: (name) => rm(join(own, name), { force: true }),

    async tidy() {
      for (const name of await listOwn())
        if (name.endsWith(PART) && isCopyName(name.slice(0, -PART.length)))
          await rm(join(own, name), { force: true })
    },
  }
}

async function writeFile(path: string, content: AsyncIterable<Uint8Array>): Promise<WrittenCopy> {
  const hash = createHash('sha256')
  let bytes = 0
  await using file = await open(path, 'w', 0o600)
  for await (const piece of content) {
    for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten
    hash.update(piece)
    bytes += piece.length
  }
  await file.sync()
  return { bytes, sha256: hash.digest('hex') }
}

async function readFile(path: string): Promise<WrittenCopy> {
  const hash = createHash('sha256')
  let bytes = 0
  await using file = await open(path, 'r')
  for await (const piece of file.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>) {
    hash.update(piece)
    bytes += piece.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

function explain(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new OperatorError(`The disk of ${folder} is full: free some space there, or lower BACKUP_TO_KEEP.`)
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new OperatorError(`${folder} is not writable: check that this user may write there.`)
  return error
}
