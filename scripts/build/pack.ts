import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbeddedFile } from '../../src/platform/native/embedded.ts'
import { createFileHash, hashBytes } from '../../src/platform/native/file-hash.ts'
import { packBytes, unpackBlocks } from '../../src/platform/native/packed.ts'

/** Packs a file's contents into a file in `folder`, or takes what an earlier build packed there. */
export async function packFile(bytes: Uint8Array, folder: string): Promise<Omit<EmbeddedFile, 'name'>> {
  const hash = hashBytes(bytes)
  const source = join(folder, `${hash}-${bytes.length}.zst`)
  const known = existsSync(source) ? readFileSync(source) : undefined
  const packed = known !== undefined && unpacksTo(known, hash) ? known : await packBytes(bytes)
  if (!unpacksTo(packed, hash)) throw new Error('A packed file does not unpack to the same bytes')
  if (packed !== known) {
    mkdirSync(folder, { recursive: true })
    // Another build may be packing the same file.
    const temporary = `${source}.${process.pid}`
    writeFileSync(temporary, packed)
    renameSync(temporary, source)
  }
  return { source, sourceHash: hashBytes(packed), sizeBytes: bytes.length, hash }
}

/** False also for what a disk left half of. */
function unpacksTo(packed: Uint8Array, hash: string): boolean {
  const found = createFileHash()
  try {
    for (const block of unpackBlocks(packed)) found.add(block)
  } catch {
    return false
  }
  return found.end() === hash
}
