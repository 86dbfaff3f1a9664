import { createHash } from 'node:crypto'

/** 128 bits of a hash. */
const BYTES = 16

/** Names a thumbnail. The store is part of it, so the address of one store never leads to another store's. */
export function hashThumbnail(
  storeId: string,
  { contentHash, isPrecomputed }: { contentHash: Uint8Array; isPrecomputed?: boolean | undefined },
): Buffer {
  const hash = createHash('sha256')
    .update(storeId)
    .update(isPrecomputed ? '\0given\0' : '\0read\0')
  return hash.update(contentHash).digest().subarray(0, BYTES)
}
