import { closeSync, openSync, readSync } from 'node:fs'

/** Reading a library of 46 MB in one piece would keep it in the memory of the checking process. */
export const BLOCK_BYTES = 1024 * 1024

/** Hashes contents that arrive block by block. */
export interface FileHash {
  /** Every block but the last has exactly {@link BLOCK_BYTES}. */
  add(block: Uint8Array): void
  /** @returns 16 hex digits. */
  end(): string
}

/**
 * Creates the hash of a file's contents: xxHash3 over the xxHash3 of each block of 1 MiB.
 *
 * It detects damage, not forgery: anyone who can write these files can also start another program. It is cheap enough
 * for every start. SHA-256 takes four times as long, and ten times as long on a CPU without instructions for it.
 */
export function createFileHash(): FileHash {
  // Bun uses only 32 bits of a seed, so a chain of seeded hashes would lose half of each.
  const hashes: bigint[] = []
  return {
    add: (block) => void hashes.push(Bun.hash.xxHash3(block)),
    end: () => Bun.hash.xxHash3(BigUint64Array.from(hashes)).toString(16).padStart(16, '0'),
  }
}

/** Hashes a file, see {@link createFileHash}. */
export function hashFile(path: string): string {
  const file = openSync(path, 'r')
  try {
    const block = new Uint8Array(BLOCK_BYTES)
    const hash = createFileHash()
    for (let filled = fill(file, block); filled > 0; filled = fill(file, block)) {
      hash.add(block.subarray(0, filled))
    }
    return hash.end()
  } finally {
    closeSync(file)
  }
}

/** Hashes bytes like a file with these contents, see {@link createFileHash}. */
export function hashBytes(bytes: Uint8Array): string {
  const hash = createFileHash()
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) hash.add(bytes.subarray(at, at + BLOCK_BYTES))
  return hash.end()
}

/** Reads until the block is full or the file ends, because a single read may return fewer bytes than requested. */
function fill(file: number, block: Uint8Array): number {
  let filled = 0
  while (filled < block.length) {
    const read = readSync(file, block, filled, block.length - filled, null)
    if (read === 0) break
    filled += read
  }
  return filled
}
