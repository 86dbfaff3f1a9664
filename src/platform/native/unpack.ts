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
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from '../sync-folder.ts'
import type { EmbeddedFile, PartName } from './embedded.ts'
import { bytesHash, fileHash } from './file-hash.ts'

/** A link to a library that stands in for an embedded one. */
export interface LinkedFile {
  name: string
  /** The absolute path of the operator's library. Its contents are not looked at. */
  linkTo: string
}

/** The files of a part as they shall lie on disk. */
export interface PlacedPart {
  /** Names the part's folder: another set of files has another one. */
  hash: string
  files: readonly (EmbeddedFile | LinkedFile)[]
}

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
 * Gives the folder below `base` that holds all files of a part, and writes what is missing or damaged.
 *
 * The folder is named by the part's content hash. A file appears under its name only when all of it is on disk (temporary
 * name, fsync, rename), so two processes may do this at once, and a library in use is never changed. Folders are readable
 * by their owner alone. Every byte is read each time: a damaged library can end the process that loads it, and damaged
 * weights would give other vectors. All parts together took 21 ms.
 *
 * @param onDamage called with the path of each file that was there, but not as it should be, once it is put right.
 * @throws UnpackError when the folder cannot be written, or the embedded file is damaged itself.
 */
export function unpackPart(
  part: PartName,
  content: PlacedPart,
  base: string,
  onDamage: (path: string) => void = () => {},
): string {
  const folder = join(base, `${part}-${content.hash}`)
  let staging: string | undefined
  try {
    const looked = content.files.map((file) => {
      const path = join(folder, file.name)
      return { file, path, state: stateOf(path, file) }
    })
    const needed = looked.filter(({ state }) => state !== 'whole')
    if (needed.length === 0) return folder
    mkdirSync(base, { recursive: true, mode: 0o700 })
    staging = mkdtempSync(join(base, '.unpack-'))
    for (const { file, path } of needed) place(file, join(staging, 'file'), path)
    for (const { path, state } of needed) if (state === 'damaged') onDamage(path)
    removeStale(part, folder, base, staging)
  } catch (error) {
    throw unpackError(part, content, base, error)
  } finally {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true })
  }
  return folder
}

/** One look decides: a file that another process puts there a moment later was missing, and is not damaged. */
function stateOf(path: string, file: EmbeddedFile | LinkedFile): 'whole' | 'missing' | 'damaged' {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return 'missing'
  const isWhole =
    'linkTo' in file
      ? stats.isSymbolicLink() && readlinkSync(path) === file.linkTo
      : stats.isFile() && stats.size === file.sizeBytes && hashOf(path) === file.hash
  return isWhole ? 'whole' : 'damaged'
}

/** Undefined for a file that cannot be read, on a bad sector for example: it is written anew like a damaged one. */
function hashOf(path: string): string | undefined {
  try {
    return fileHash(path)
  } catch {
    return undefined
  }
}

function place(file: EmbeddedFile | LinkedFile, temporary: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  if ('linkTo' in file) symlinkSync(file.linkTo, temporary)
  else writeWhole(file, temporary)
  renameSync(temporary, target)
  syncFolder(dirname(target))
}

function writeWhole({ name, source, hash }: EmbeddedFile, temporary: string): void {
  const bytes = readFileSync(source)
  if (bytesHash(bytes) !== hash) {
    throw new UnpackError(`${name} is damaged inside the executable: download or build it again`, 'EDAMAGED')
  }
  const file = openSync(temporary, 'w', 0o600)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
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

function unpackError(part: PartName, { files }: PlacedPart, base: string, error: unknown): UnpackError {
  if (error instanceof UnpackError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
  const megabytes = Math.ceil(
    files.reduce((sum, file) => sum + ('linkTo' in file ? 0 : file.sizeBytes), 0) / 1_000_000,
  )
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
