import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { EmbeddedPart, PartName } from './embedded.ts'

/** Why a part could not be written to disk; the message is meant for the operator. */
export class UnpackError extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.name = 'UnpackError'
    this.code = code
  }
  /** The folder cannot be written by this user, so that another folder may still do. A full disk is not such a case. */
  get isRefused(): boolean {
    return ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(this.code)
  }
}

const staleAfterMs = 3_600_000

/**
 * Gives the folder below `base` that holds all files of a part, and writes what is missing.
 *
 * The folder is named by the part's content hash. A file appears under its name only when all of it is on disk (temporary
 * name, fsync, rename), so a file of the right size is a whole one, two processes may do this at once, and a library in
 * use is never changed. Folders are readable by their owner alone.
 *
 * @throws UnpackError when the folder cannot be written.
 */
export function unpackPart(part: PartName, content: EmbeddedPart, base: string): string {
  const folder = join(base, `${part}-${content.hash}`)
  let staging: string | undefined
  try {
    const missing = content.files.filter((file) => !isWhole(join(folder, file.name), file.sizeBytes))
    if (missing.length === 0) return folder
    mkdirSync(base, { recursive: true, mode: 0o700 })
    staging = mkdtempSync(join(base, '.unpack-'))
    for (const file of missing) writeWhole(file.source, join(staging, 'file'), join(folder, file.name))
    removeStale(part, folder, base, staging)
  } catch (error) {
    throw unpackError(part, content, base, error)
  } finally {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true })
  }
  return folder
}

/** Whether the file is there in full; its bytes are not read, which keeps the second start fast. */
function isWhole(path: string, sizeBytes: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size === sizeBytes
}

function writeWhole(source: string, temporary: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const file = openSync(temporary, 'w', 0o600)
  try {
    const bytes = readFileSync(source)
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, target)
  syncFolder(dirname(target))
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Deletes what a crash or an older version left. Only what is an hour older than our own staging folder: another process
 * may be unpacking this minute, and file times need no clock.
 */
function removeStale(part: PartName, folder: string, base: string, staging: string): void {
  const now = statSync(staging).mtimeMs
  for (const name of readdirSync(base)) {
    const path = join(base, name)
    if (path === folder || !(name.startsWith('.unpack-') || name.startsWith(`${part}-`))) continue
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || now - stats.mtimeMs < staleAfterMs) continue
    rmSync(path, { recursive: true, force: true })
  }
}

function unpackError(part: PartName, content: EmbeddedPart, base: string, error: unknown): UnpackError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
  const megabytes = Math.ceil(content.files.reduce((sum, file) => sum + file.sizeBytes, 0) / 1_000_000)
  const what = `cannot unpack ${part} (${megabytes} MB) into ${base}`
  if (code === 'ENOSPC' || code === 'EDQUOT') return new UnpackError(`${what}: the disk is full`, code)
  return new UnpackError(`${what}: ${error instanceof Error ? error.message : String(error)}`, code)
}

/**
 * Makes a folder of our own inside a place that all users share.
 *
 * @throws UnpackError when something of that name belongs to somebody else, who could have put his own libraries there.
 */
export function ensurePrivateFolder(folder: string, userId: number | undefined): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stats = lstatSync(folder)
    if (!stats.isDirectory() || (userId !== undefined && stats.uid !== userId)) {
      throw new UnpackError(`${folder} is not a folder of this user`, 'EOWNER')
    }
    if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700)
  } catch (error) {
    if (error instanceof UnpackError) throw error
    throw new UnpackError(
      `cannot make ${folder}: ${error instanceof Error ? error.message : error}`,
      'EPRIVATE',
    )
  }
  return folder
}
