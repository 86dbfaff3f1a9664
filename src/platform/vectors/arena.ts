/** The vectors of all stores in memory: the cache that answers searches, rebuilt from SQLite at start. */
export interface VectorArena {
  readonly dimension: number
  /** Adds a picture's vector to a store, or replaces the one with the same key. */
  put(storeId: string, key: number, vector: Float32Array): void
  /** Takes a vector out; a key that is not there is ignored. */
  remove(storeId: string, key: number): void
  /** Number of live vectors of a store. */
  count(storeId: string): number
}
