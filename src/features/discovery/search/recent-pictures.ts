import type { Ids } from '../../../core/ids.ts'

/** Query pictures that can be named again. The oldest one makes room for a new one. */
const REMEMBERED_MAX = 2_000

export type RecentPictures = ReturnType<typeof createRecentPictures>

/** Keeps the vectors of the last query pictures, so that the next page needs no second upload (`image_id`). */
export function createRecentPictures(ids: Ids) {
  const vectors = new Map<string, { storeId: string; vector: Float32Array }>()
  return {
    /** @returns the image_id. */
    remember(storeId: string, vector: Float32Array): string {
      const id = ids.uuid()
      vectors.set(id, { storeId, vector })
      for (const oldest of vectors.keys()) {
        if (vectors.size <= REMEMBERED_MAX) break
        vectors.delete(oldest)
      }
      return id
    },
    /** Undefined for a forgotten picture, and for another store's. */
    recall(storeId: string, id: string): Float32Array | undefined {
      const picture = vectors.get(id)
      return picture?.storeId === storeId ? picture.vector : undefined
    },
    forgetStore(storeId: string): void {
      for (const [id, picture] of vectors) if (picture.storeId === storeId) vectors.delete(id)
    },
  }
}
