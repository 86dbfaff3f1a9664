import { openPromise } from 'yauzl'
import { UnreadableFile } from '../../core/unreadable-file.ts'

/** A file in a zip archive. */
export interface ZipEntry {
  /** Its path in the archive, with `/`. */
  path: string
  /** Its unpacked size, which reading enforces. */
  bytes: number
  /** Unpacks it while it is read. @throws UnreadableFile if its content is damaged, or larger than the archive says. */
  open(): AsyncIterable<Uint8Array>
}

export interface ZipArchive {
  /** By path. */
  entries: ReadonlyMap<string, ZipEntry>
  close(): void
}

export interface ZipLimits {
  entriesMax: number
  /** Unpacked bytes of all files together. */
  bytesMax: number
}

/** The bytes of paths that a directory may hold in memory. */
const PATH_CHARS_MAX = 32 * 1024 * 1024

/**
 * Opens a zip archive on the disk by its directory; nothing is unpacked yet, and nothing is written to the disk.
 *
 * @throws UnreadableFile for a damaged archive, for paths that leave it, for two files of one path, for encrypted files,
 *   and beyond the limits.
 */
export async function openZip(file: string, { entriesMax, bytesMax }: ZipLimits): Promise<ZipArchive> {
  const zip = await blame(openPromise(file, { autoClose: false, strictFileNames: false }))
  try {
    if (zip.entryCount > entriesMax)
      throw new UnreadableFile(`The zip file has more than ${entriesMax} entries`)
    const entries = new Map<string, ZipEntry>()
    let total = 0
    let chars = 0
    for await (const entry of blameEach(zip.eachEntry())) {
      const path = entry.fileName
      if (path.endsWith('/')) continue
      total += entry.uncompressedSize
      chars += path.length
      if (total > bytesMax || chars > PATH_CHARS_MAX)
        throw new UnreadableFile('The zip file unpacks to too much')
      if (entry.isEncrypted()) throw new UnreadableFile(`The zip file is encrypted: ${path}`)
      if (entries.has(path)) throw new UnreadableFile(`The zip file holds ${path} twice`)
      entries.set(path, {
        path,
        bytes: entry.uncompressedSize,
        async *open() {
          const stream = await blame(zip.openReadStreamPromise(entry))
          try {
            yield* blameEach(stream as AsyncIterable<Uint8Array>)
          } finally {
            stream.destroy()
          }
        },
      })
    }
    return { entries, close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** An error of the disk stays as it is. */
const toUnreadable = (error: unknown): unknown =>
  error instanceof UnreadableFile || (error as NodeJS.ErrnoException).syscall !== undefined
    ? error
    : new UnreadableFile(`The zip file is damaged: ${(error as Error).message}`, undefined, error)

const blame = <Value>(work: Promise<Value>): Promise<Value> =>
  work.catch((error) => {
    throw toUnreadable(error)
  })

async function* blameEach<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
  try {
    yield* values
  } catch (error) {
    throw toUnreadable(error)
  }
}
