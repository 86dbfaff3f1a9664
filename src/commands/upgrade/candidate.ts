import { createHash, timingSafeEqual } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  fsyncSync,
  lchownSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { syncFolder } from '../../platform/sync-folder.ts'

/** Where a program lies, the one that takes its place, and the one that was there before. */
export const nextTo = (installed: string) => ({
  candidate: `${installed}.new`,
  previous: `${installed}.previous`,
})

/** An executable larger than this is none of ours. */
const BYTES_MAX = 2_000_000_000

/** What a file must be. */
export interface Expected {
  /** SHA-256 in hex; one of them must be right. */
  hashes: readonly string[]
  /** Where they come from, for an error. */
  source: string
}

/**
 * Copies a file beside the program that it will replace, and checks the copy: what is tried and put in place later is what was checked here.
 *
 * @throws OperatorError, and nothing is left.
 */
export async function takeCandidate(
  file: string,
  installed: string,
  { hashes, source }: Expected,
): Promise<void> {
  const { candidate } = nextTo(installed)
  rmSync(candidate, { force: true })
  try {
    demandProgram(file)
    // A link that somebody has put there meanwhile is not followed.
    copyFileSync(file, candidate, constants.COPYFILE_EXCL)
    const hash = createHash('sha256')
    for await (const piece of createReadStream(candidate, { highWaterMark: 1024 * 1024 })) hash.update(piece)
    const found = hash.digest()
    if (!hashes.some((hash) => timingSafeEqual(found, Buffer.from(hash, 'hex'))))
      throw new OperatorError(
        `${file} is not the program that ${source} names: its SHA-256 is ${found.toString('hex')}. Nothing was changed: download it again.`,
      )
    const { mode, uid, gid } = statSync(installed)
    chmodSync(candidate, mode & 0o777)
    if (process.getuid?.() === 0) lchownSync(candidate, uid, gid)
    flush(candidate)
  } catch (error) {
    rmSync(candidate, { force: true })
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `Cannot copy ${file} to ${candidate}: ${(error as Error).message}. Nothing was changed.`,
    )
  }
}

/** Offsets and values of the header of a program (elf(5)). */
const ELF = { magic: 0x7f454c46, machineAt: 18, bytes: 20 }
const MACHINES: Partial<Record<string, number>> = { x64: 62, arm64: 183 }

function demandProgram(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw new OperatorError(`There is no file ${file}`)
  const header = Buffer.alloc(ELF.bytes)
  const isFile = found.isFile() && found.size <= BYTES_MAX
  const length = isFile ? readStart(file, header) : 0
  if (process.platform !== 'linux' && isFile) return
  const isProgram = length === ELF.bytes && header.readUInt32BE(0) === ELF.magic
  if (!isProgram)
    throw new OperatorError(
      `${file} is no executable of this system. Nothing was changed: an archive must be unpacked first.`,
    )
  if (header.readUInt16LE(ELF.machineAt) !== MACHINES[process.arch])
    throw new OperatorError(
      `${file} is an executable of another kind of machine than this one (${process.arch}). Nothing was changed: download the one for this machine.`,
    )
}

function readStart(path: string, into: Buffer): number {
  const file = openSync(path, 'r')
  try {
    return readSync(file, into, 0, into.length, 0)
  } finally {
    closeSync(file)
  }
}

/** Puts the candidate in the place of the program, which stays beside it. At every moment one of them is there, whole. */
export function putInPlace(installed: string): void {
  const { candidate, previous } = nextTo(installed)
  const half = `${previous}.part`
  rmSync(half, { force: true })
  linkSync(installed, half)
  renameSync(half, previous)
  renameSync(candidate, installed)
  syncFolder(dirname(installed))
}

/** Puts the program from before back. */
export function takeBack(installed: string): void {
  renameSync(nextTo(installed).previous, installed)
  syncFolder(dirname(installed))
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
