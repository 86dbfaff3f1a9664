import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import {
  type BundleManifest,
  type BundlePart,
  formatSeal,
  isPartPath,
  MANIFEST_BYTES_MAX,
  MANIFEST_NAME,
  PIECE_BYTES,
} from './bundle.ts'

/** Level 3 is as fast as a disk; pictures hardly shrink at any level. */
const LEVEL = 3

export interface WriteOptions {
  /** Stops the writing; the file is removed. */
  stop?: AbortSignal | undefined
  /** Learns how many bytes of the parts were written so far. */
  onBytes?: (bytes: number) => void
}

/** A file that was written. */
export interface WrittenBundle {
  bytes: number
  /** Of the whole file, seal included. */
  sha256: string
}

/**
 * Writes a bundle to a new file, and waits until its content is on the disk. The caller gives it its name by a rename.
 *
 * @param path must not exist; readable by its owner alone.
 * @param read gives the content of a part, which must be what the manifest says.
 * @throws Error, after removing the file, if a part is not what the manifest says; the error of the disk.
 */
export async function writeBundle(
  path: string,
  manifest: BundleManifest,
  read: (part: BundlePart) => AsyncIterable<Uint8Array>,
  { stop, onBytes }: WriteOptions = {},
): Promise<WrittenBundle> {
  const file = await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let bytes = 0
    const write = async (piece: Uint8Array): Promise<void> => {
      await writeWhole(file, piece)
      hash.update(piece)
      bytes += piece.length
    }
    const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 }
    await pipeline(
      Readable.from(packTar(manifest, read, onBytes), { objectMode: false, highWaterMark: PIECE_BYTES }),
      createZstdCompress({ params }),
      new Writable({
        highWaterMark: PIECE_BYTES,
        write: (piece: Buffer, _, done) => void write(piece).then(() => done(), done),
      }),
      ...(stop ? [{ signal: stop }] : []),
    )
    await write(formatSeal(hash.copy().digest()))
    await file.sync()
    await file.close()
    return { bytes, sha256: hash.digest('hex') }
  } catch (error) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    throw error
  }
}

async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten
}

/** Packs manifest and parts into a tar archive, piece by piece. */
async function* packTar(
  manifest: BundleManifest,
  read: (part: BundlePart) => AsyncIterable<Uint8Array>,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  // A heavy start for a program that rarely needs it.
  const { pack: createPack } = await import('tar-stream')
  const pack = createPack()
  const mtime = new Date(manifest.made_at)

  async function add(
    name: string,
    size: number,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // Its errors are told by whoever waits for the entry, or by the archive's reader.
    promise.catch(() => {})
    const entry = pack.entry({ name, size, mtime, mode: 0o600 }, (error) =>
      error ? reject(error) : resolve(),
    )
    entry.on('error', () => {})
    for await (const piece of content) {
      if (!entry.write(piece))
        await Promise.race([new Promise<void>((go) => entry.once('drain', () => go())), promise])
    }
    entry.end(undefined)
    await promise
  }

  async function addAll(): Promise<void> {
    const text = Buffer.from(JSON.stringify(manifest))
    if (text.length > MANIFEST_BYTES_MAX) throw new Error('there are too many parts for one file')
    await add(MANIFEST_NAME, text.length, [text])
    let written = 0
    for (const part of manifest.parts) {
      if (!isPartPath(part.path)) throw new Error(`${part.path} is not a path of a part`)
      await add(
        part.path,
        part.bytes,
        checked(part, read(part), (bytes) => {
          written += bytes
          onBytes?.(written)
        }),
      )
    }
    pack.finalize()
  }

  const adding = addAll().catch((error) => pack.destroy(error as Error))
  try {
    for await (const piece of pack) yield piece as Uint8Array
    await adding
  } finally {
    pack.destroy()
  }
}

/** Passes the content of a part on. @throws Error if it is not what the manifest says. */
export async function* checked(
  { path, bytes, sha256 }: BundlePart,
  content: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void = () => {},
  fail: (message: string) => Error = (message) => new Error(message),
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let length = 0
  for await (const piece of content) {
    length += piece.length
    if (length > bytes) throw fail(`${path} is larger than it should be`)
    hash.update(piece)
    yield piece
    onBytes(piece.length)
  }
  if (length !== bytes) throw fail(`${path} is smaller than it should be`)
  if (hash.digest('hex') !== sha256) throw fail(`${path} is not what it should be`)
}
