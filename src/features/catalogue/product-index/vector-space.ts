import { ApiError } from '../../../core/errors.ts'
import type { VectorArena } from '../../../platform/vectors/arena.ts'

/** Bounds the vectors in memory, and keeps space for those of writes that are not committed. */
export function createVectorSpace(arena: VectorArena) {
  /** Vectors that stores may still put, by `claimSpace`; less than 1 where more leave. */
  const claims = new Map<string, number>()

  const growth = (storeId: string, added: number, leaving: readonly number[]): number => {
    const segment = arena.segment(storeId)
    return added - leaving.filter((id) => segment?.findSlot(id) !== undefined).length
  }

  /**
   * Whether the next pictures of a store find space. It stays theirs until other pictures are put.
   *
   * @param added the number of pictures that get a vector.
   * @param leaving ids of pictures that leave before.
   */
  function hasSpace(storeId: string, added: number, leaving: readonly number[] = []): boolean {
    const promised = new Map(claims)
    promised.delete(storeId)
    return arena.reserve(storeId, growth(storeId, added, leaving) + (claims.get(storeId) ?? 0), promised)
  }

  /** Refuses pictures that find no space at present; see `hasSpace`. @throws ApiError `storage_full` */
  function requireSpace(storeId: string, added: number, leaving: readonly number[]): void {
    if (hasSpace(storeId, added, leaving)) return
    throw noSpace('The memory for the vectors of this service is full; nothing was written')
  }

  function addClaim(storeId: string, count: number): void {
    const claimed = (claims.get(storeId) ?? 0) + count
    if (claimed === 0) claims.delete(storeId)
    else claims.set(storeId, claimed)
  }

  /** The failure of vectors that find no space, with the numbers. */
  function noSpace(message: string): ApiError {
    const details = { memory_bytes: arena.memoryBytes, memory_max_bytes: arena.memoryBytesMax }
    return new ApiError('storage_full', message, { details, retryAfterSeconds: 60 })
  }

  return {
    hasSpace,
    requireSpace,
    noSpace,

    /**
     * Keeps space for the pictures of a write until its commit, beside those of the other writes of its transaction. To be
     * called in the tick of the commit.
     *
     * @returns gives the space back: to be called once, right before the pictures are put or when the write has failed.
     * @throws ApiError `storage_full`
     */
    claimSpace(storeId: string, added: number, leaving: readonly number[]): () => void {
      requireSpace(storeId, added, leaving)
      const count = growth(storeId, added, leaving)
      addClaim(storeId, count)
      return () => addClaim(storeId, -count)
    },
  }
}
