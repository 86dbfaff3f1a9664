import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdDecompress } from 'node:zlib'
import type { Header } from 'tar-stream'
import { UnreadableFile } from '../../core/unreadable-file.ts'
import {
  type BundleKind,
  type BundleManifest,
  type BundlePart,
  isSeal,
  looksSealed,
  MANIFEST_BYTES_MAX,
  MANIFEST_NAME,
  PIECE_BYTES,
  parseManifest,
  SEAL_BYTES,
  sumBytes,
  WINDOW_LOG_MAX,
} from './bundle.ts'
import { checked } from './bundle-writer.ts'

/** An entry of the archive while it is read. */
type Entry = AsyncIterable<Uint8Array> & { header: Header }

export interface BundleWish {
  kind: BundleKind
  /** Whether a part of this path belongs into such a file. */
  isKnown(path: string): boolean
  stop?: AbortSignal | undefined
}

export interface BundleReader {
  /** Judges the manifest before any part is read; what it throws ends the reading. */
  begin?(manifest: BundleManifest): void | Promise<void>
  /**
   * Takes a part. It must read the content to its end, which throws if the content is not what the manifest says; nothing may
   * be believed before {@link readBundle} has resolved.
   */
  take(part: BundlePart, content: AsyncIterable<Uint8Array>): Promise<void>
}

/**
 * Reads a bundle from its beginning to its end, part by part, with bounded memory.
 *
 * @throws UnreadableFile for a file that is not a bundle, is truncated or damaged, has a newer format or the wrong kind, and for
 *   every entry that the manifest does not name; the error of the disk, and what the reader throws.
 */
export async function readBundle(
  path: string,
  wish: BundleWish,
  reader: BundleReader,
): Promise<BundleManifest> {
  const file = await open(path, 'r')
  try {
    return await readOpen(file, wish, reader)
  } finally {
    await file.close()
  }
}

/** Reads the manifest alone. What it says is not proven: the seal is at the end of the file. */
export async function readManifest(path: string, wish: BundleWish): Promise<BundleManifest> {
  let found: BundleManifest | undefined
  const enough = new Error('enough')
  try {
    await readBundle(path, wish, {
      begin(manifest) {
        found = manifest
        throw enough
      },
      take: async () => {},
    })
  } catch (error) {
    if (error !== enough) throw error
  }
  return found as BundleManifest
}

/** What tar adds: headers and padding for each entry, and blocks of zeros at the end. */
const ENTRY_BYTES_MAX = 1024
const END_BYTES_MAX = 64 * 1024

async function readOpen(
  file: FileHandle,
  { kind, isKnown, stop }: BundleWish,
  { begin, take }: BundleReader,
): Promise<BundleManifest> {
  const { extract: createExtract } = await import('tar-stream')
  const { size, seal } = await readSeal(file)
  const hash = createHash('sha256')
  let bytesMax = MANIFEST_BYTES_MAX + END_BYTES_MAX
  let unpacked = 0

  async function* limited(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      unpacked += piece.length
      if (unpacked > bytesMax) throw new UnreadableFile('The file unpacks to more than its manifest says')
      yield piece
    }
  }

  const extract = createExtract()
  const params = { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX }
  const decompress = createZstdDecompress({ params })
  // Bun may tell an error once more when the pipeline has ended.
  decompress.on('error', () => {})
  const feeding = pipeline(
    Readable.from(readPieces(file, size, hash), { objectMode: false, highWaterMark: PIECE_BYTES }),
    decompress,
    limited,
    extract as unknown as NodeJS.WritableStream,
    ...(stop ? [{ signal: stop }] : []),
  )
  // Told below, or by the entry that it ends.
  let fault: unknown
  const fed = feeding.catch((error) => {
    fault = error
  })
  let manifest: BundleManifest | undefined
  let next = 0
  /** What the caller's own code threw is no damage of the file. */
  let foreign: unknown
  try {
    for await (const entry of extract as AsyncIterable<Entry>) {
      checkHeader(entry)
      if (!manifest) {
        manifest = parseManifest(await readManifestEntry(entry), kind, isKnown)
        bytesMax += sumBytes(manifest.parts) + manifest.parts.length * ENTRY_BYTES_MAX
        const begun = manifest
        await guard(() => begin?.(begun))
        continue
      }
      const part = manifest.parts[next++]
      const { name, size: bytes } = entry.header
      if (part?.path !== name || part.bytes !== bytes)
        throw new UnreadableFile(`The file holds ${JSON.stringify(name)} where its manifest has another part`)
      const content = checked(
        part,
        readEntry(entry),
        undefined,
        (text) => new UnreadableFile(`The file is damaged: ${text}`),
      )
      await guard(() => take(part, content))
    }
    await fed
    if (fault !== undefined) throw fault
  } catch (error) {
    extract.destroy()
    await fed
    if (error !== undefined && error === foreign) throw error
    throw stop?.aborted ? stop.reason : toUnreadable(fault instanceof UnreadableFile ? fault : error)
  }
  if (!isSeal(seal, hash.digest())) throw new UnreadableFile('The file is damaged: its seal does not match')
  if (manifest?.parts.length !== next) throw new UnreadableFile('The file is truncated: parts are missing')
  return manifest

  async function guard(work: () => void | Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      foreign = error
      throw error
    }
  }
}

function checkHeader({ header }: Entry): void {
  if (header.type !== 'file' || header.linkname)
    throw new UnreadableFile(`The file holds ${JSON.stringify(header.name)}, which is no plain file`)
}

async function readManifestEntry(entry: Entry): Promise<string> {
  const { name, size } = entry.header
  if (name !== MANIFEST_NAME || size > MANIFEST_BYTES_MAX)
    throw new UnreadableFile('The file does not begin with a manifest')
  const pieces: Uint8Array[] = []
  for await (const piece of entry) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

const ZSTD_MAGIC = 0xfd2fb528

/** Reads the end of the file, which tells at once whether it is whole. */
async function readSeal(file: FileHandle): Promise<{ size: number; seal: Buffer }> {
  const stats = await file.stat()
  if (!stats.isFile()) throw new UnreadableFile('That is not a file')
  const size = stats.size - SEAL_BYTES
  const start = Buffer.alloc(4)
  const { bytesRead } = await file.read(start, 0, start.length, 0)
  if (bytesRead < start.length || start.readUInt32LE() !== ZSTD_MAGIC)
    throw new UnreadableFile('That is not a file that lookalike made')
  const seal = Buffer.alloc(SEAL_BYTES)
  if (size > 0) await file.read(seal, 0, seal.length, size)
  if (!looksSealed(seal))
    throw new UnreadableFile('The file is truncated, or lookalike did not make it: its seal is missing')
  return { size, seal }
}

async function* readPieces(file: FileHandle, size: number, hash: Hash): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(Math.min(PIECE_BYTES, size - at)),
      0,
      Math.min(PIECE_BYTES, size - at),
      at,
    )
    if (bytesRead === 0) throw new UnreadableFile('The file is truncated')
    const piece = buffer.subarray(0, bytesRead)
    hash.update(piece)
    at += bytesRead
    yield piece
  }
}

/** What ends an entry too early is damage of the file, and not the fault of whoever reads it. */
async function* readEntry(entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    yield* entry
  } catch (error) {
    throw toUnreadable(error)
  }
}

/** An error of the disk stays as it is. */
const toUnreadable = (error: unknown): unknown =>
  error instanceof UnreadableFile || (error as NodeJS.ErrnoException).syscall !== undefined
    ? error
    : new UnreadableFile(`The file is damaged: ${(error as Error).message}`, undefined, error)
