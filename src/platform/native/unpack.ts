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
import { createFileHash, hashBytes, hashFile } from './file-hash.ts'
import { unpackBlocks } from './packed.ts'

/** A link to a library that replaces an embedded one. */
export interface LinkedFile {
  name: string
  /** The absolute path of the operator's library. Its contents are not checked. */
  linkTo: string
}

/** The files of a part in their layout on disk. */
export interface PlacedPart {
  /** Names the part's folder, so that another set of files gets another folder. */
  hash: string
  files: readonly (EmbeddedFile | LinkedFile)[]
}

/** A part could not be written to disk; the message is for the operator. */
export class UnpackError extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.name = 'UnpackError'
    this.code = code
  }
  /** Whether this user cannot write to the folder, so that another folder may work. A full disk does not count. */
  get isRefused(): boolean {
    return ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(this.code)
  }
}

const staleAfterMs = 3_600_000

/**
 * Unpacks the missing and damaged files of a part into a folder below `base`.
 *
 * The part's content hash names the folder. A file appears under its name only when it is completely on disk (temporary
 * name, fsync, rename). So two processes can unpack at the same time, and a library in use never changes. Only the
 * owner can read the folders. Every call reads every byte: a damaged library can crash the process that loads it, and
 * damaged weights would give wrong vectors. All parts together took 21 ms.
 *
 * @param onDamage called with the path of each damaged file after it has been replaced.
 * @returns the folder.
 * @throws UnpackError when the folder cannot be written or an embedded file is itself damaged.
 */
export const unpackPart = (
  part: PartName,
  content: PlacedPart,
  base: string,
  onDamage: (path: string) => void = () => {},
): string => asOwnerOf(base, () => unpackInto(part, content, base, onDamage))

const ROOT = 0

/**
 * Lets root work as the user whose folder it is: the files are that user's, who can replace them, and no link in the
 * folder leads root elsewhere. Other users work as themselves.
 */
function asOwnerOf<Result>(base: string, work: () => Result): Result {
  const { geteuid, getegid, seteuid, setegid } = process
  if (!geteuid || !getegid || !seteuid || !setegid || geteuid() !== ROOT) return work()
  const stats =
    statSync(base, { throwIfNoEntry: false }) ?? statSync(dirname(base), { throwIfNoEntry: false })
  if (stats === undefined || stats.uid === ROOT) return work()
  const group = getegid()
  setegid(stats.gid)
  seteuid(stats.uid)
  try {
    return work()
  } finally {
    seteuid(ROOT)
    setegid(group)
  }
}

function unpackInto(
  part: PartName,
  content: PlacedPart,
  base: string,
  onDamage: (path: string) => void,
): string {
  const folder = join(base, `${part}-${content.hash}`)
  let staging: string | undefined
  try {
    const checked = content.files.map((file) => {
      const path = join(folder, file.name)
      return { file, path, state: checkFile(path, file) }
    })
    const needed = checked.filter(({ state }) => state !== 'whole')
    if (needed.length === 0) return folder
    mkdirSync(base, { recursive: true, mode: 0o700 })
    staging = mkdtempSync(join(base, '.unpack-'))
    for (const { file, path } of needed) placeFile(file, join(staging, 'file'), path)
    for (const { path, state } of needed) if (state === 'damaged') onDamage(path)
    removeStale(part, folder, base, staging)
  } catch (error) {
    throw toUnpackError(part, content, base, error)
  } finally {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true })
  }
  return folder
}

/** Whether every file of a part lies below `base` with its size. Reads none: {@link unpackPart} finds other damage. */
export function isPlaced(part: PartName, content: PlacedPart, base: string): boolean {
  return content.files.every((file) => {
    const stats = lstatSync(join(base, `${part}-${content.hash}`, file.name), { throwIfNoEntry: false })
    return stats !== undefined && ('linkTo' in file || stats.size === file.sizeBytes)
  })
}

/** Reads the file's state once: a file that another process adds a moment later counts as missing, not as damaged. */
function checkFile(path: string, file: EmbeddedFile | LinkedFile): 'whole' | 'missing' | 'damaged' {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return 'missing'
  const isWhole =
    'linkTo' in file
      ? stats.isSymbolicLink() && readlinkSync(path) === file.linkTo
      : stats.isFile() && stats.size === file.sizeBytes && tryHash(path) === file.hash
  return isWhole ? 'whole' : 'damaged'
}

/** Undefined for a file that cannot be read, for example on a bad sector; it counts as damaged. */
function tryHash(path: string): string | undefined {
  try {
    return hashFile(path)
  } catch {
    return undefined
  }
}

function placeFile(file: EmbeddedFile | LinkedFile, temporary: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  if ('linkTo' in file) symlinkSync(file.linkTo, temporary)
  else writeWhole(file, temporary)
  renameSync(temporary, target)
  syncFolder(dirname(target))
}

/** Unpacks a file into `temporary`. @throws UnpackError when it is damaged inside the executable. */
function writeWhole({ name, source, sourceHash, hash, isProgram }: EmbeddedFile, temporary: string): void {
  const packed = readFileSync(source)
  // Before zstd sees them: a damaged frame may claim any size.
  if (hashBytes(packed) !== sourceHash) throw damagedInside(name)
  const written = createFileHash()
  const file = openSync(temporary, 'w', isProgram ? 0o700 : 0o600)
  try {
    for (const block of unpackBlocks(packed)) {
      writeFully(file, block)
      written.add(block)
    }
    if (written.end() !== hash) throw damagedInside(name)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const damagedInside = (name: string): UnpackError =>
  new UnpackError(`${name} is damaged inside the executable: download or build it again`, 'EDAMAGED')

/** Writes all bytes, because a single write may take fewer. */
function writeFully(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

/**
 * Deletes leftovers of a crash or an older version. Only entries an hour older than our own staging folder go, because
 * another process may be unpacking right now. Comparing file times needs no clock.
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

function toUnpackError(part: PartName, { files }: PlacedPart, base: string, error: unknown): UnpackError {
  if (error instanceof UnpackError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
  const megabytes = Math.ceil(
    files.reduce((sum, file) => sum + ('linkTo' in file ? 0 : file.sizeBytes), 0) / 1_000_000,
  )
  const failure = `cannot unpack ${part} (${megabytes} MB) into ${base}`
  if (code === 'ENOSPC' || code === 'EDQUOT') return new UnpackError(`${failure}: the disk is full`, code)
  return new UnpackError(`${failure}: ${error instanceof Error ? error.message : String(error)}`, code)
}

/**
 * Creates a private folder in a place that all users share.
 *
 * @throws UnpackError when another user owns that name and could have put other libraries there.
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
      `cannot create ${folder}: ${error instanceof Error ? error.message : error}`,
      'EPRIVATE',
    )
  }
  return folder
}
