import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { OperatorError } from '../../../core/operator-error.ts'
import { encrypt } from './age.ts'
import type { CopyPlace, WrittenCopy } from './place.ts'

export interface CopyOrder {
  /** The backup. */
  path: string
  bytes: number
  sha256: string
  /** Of age. */
  recipient: string
  /** How many copies stay. */
  keep: number
}

export interface SentCopy extends WrittenCopy {
  /** Of the copy itself. */
  address: string
}

/** Sends the encrypted copy of a backup to a place, and deletes the oldest copies of this install there. */
export async function sendCopy(
  { path, bytes, sha256, recipient, keep }: CopyOrder,
  place: CopyPlace,
  tell: (share: number) => void,
): Promise<SentCopy> {
  await place.tidy()
  const name = `${path.slice(path.lastIndexOf('/') + 1)}.age`
  await using file = await open(path, 'r')
  const plain = readChecked(file, path, { bytes, sha256 }, (done) => tell(done / Math.max(bytes, 1)))
  let written: WrittenCopy
  try {
    const encrypted = await encrypt(plain, bytes, recipient)
    written = await place.write(name, encrypted.content, encrypted.bytes)
  } finally {
    // A place that has failed does not read on, and the file must not be closed under a reader.
    await plain.return(undefined)
  }
  // The names are in the order of time.
  const old = (await place.list()).toSorted().toReversed().slice(keep)
  for (const each of old) await place.remove(each)
  return { ...written, address: `${place.address}/${name}` }
}

const PIECE_BYTES = 256 * 1024

/** Reads a backup to its end. @throws OperatorError, before the end, for one that is not the file that was tried. */
async function* readChecked(
  file: FileHandle,
  path: string,
  expected: WrittenCopy,
  tell: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  while (bytes <= expected.bytes) {
    // The encryption may keep the piece for a while, so each is a new one.
    const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE_BYTES), 0, PIECE_BYTES, bytes)
    if (bytesRead === 0) break
    const piece = buffer.subarray(0, bytesRead)
    hash.update(piece)
    bytes += bytesRead
    yield piece
    tell(bytes)
  }
  if (bytes !== expected.bytes || hash.digest('hex') !== expected.sha256)
    throw new OperatorError(
      `${path} is no longer the file that was tried: make a new backup, and check the disk.`,
    )
}
