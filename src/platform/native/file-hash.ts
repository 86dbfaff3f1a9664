import { closeSync, openSync, readSync } from 'node:fs'

/** Read in one piece, a library of 46 MB would stay in the memory of the process that checks it. */
const BLOCK_BYTES = 1024 * 1024

/**
 * Hash of a file's contents, 16 hex digits: xxHash3 over the xxHash3 of each block of 1 MiB.
 *
 * It finds damage, not forgery: whoever may write these files may as well start another program. SHA-256 takes four times
 * as long, and ten times where the CPU has no instructions for it; this is cheap enough to be done at every start.
 */
export function fileHash(path: string): string {
  const file = openSync(path, 'r')
  try {
    const block = new Uint8Array(BLOCK_BYTES)
    const hashes: bigint[] = []
    for (let filled = fill(file, block); filled > 0; filled = fill(file, block)) {
      hashes.push(Bun.hash.xxHash3(block.subarray(0, filled)))
    }
    return joined(hashes)
  } finally {
    closeSync(file)
  }
}

/** The hash that {@link fileHash} gives for a file of these bytes. */
export function bytesHash(bytes: Uint8Array): string {
  const hashes: bigint[] = []
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    hashes.push(Bun.hash.xxHash3(bytes.subarray(at, at + BLOCK_BYTES)))
  }
  return joined(hashes)
}

/** Reads until the block is full or the file ends, since a read may give less than it was asked for. */
function fill(file: number, block: Uint8Array): number {
  let filled = 0
  while (filled < block.length) {
    const read = readSync(file, block, filled, block.length - filled, null)
    if (read === 0) break
    filled += read
  }
  return filled
}

/** Bun takes 32 bits of a seed, so a chain of seeded hashes would lose half of each. */
const joined = (hashes: readonly bigint[]): string =>
  Bun.hash.xxHash3(BigUint64Array.from(hashes)).toString(16).padStart(16, '0')
