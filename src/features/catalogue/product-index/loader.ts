import type { ApiError } from '../../../core/errors.ts'
import { storageFailure } from '../../../core/storage.ts'
import type { VectorTable } from '../../../platform/vectors/vec0.ts'
import type { IndexEntry, ProductIndex } from './product-index.ts'
import type { ProductIndexQueries } from './queries.ts'

export interface IndexLoaderDeps {
  index: ProductIndex
  queries: ProductIndexQueries
  vectors: Pick<VectorTable, 'eachWithPauses'>
  /** Learns of a database that cannot be read. */
  noteFault(error: unknown): void
}

export type IndexLoader = ReturnType<typeof createIndexLoader>

/** Fills the product index from the database, and knows whether the index is whole. */
export function createIndexLoader({ index, queries, vectors, noteFault }: IndexLoaderDeps) {
  /** Why the last loading failed. */
  let fault: ApiError | undefined

  /** @param storeId reads this store only. */
  function* read(storeId?: string): Generator<void, number> {
    const entries = new Map<number, IndexEntry>()
    for (const entry of queries.listEntries(storeId)) {
      entries.set(entry.pictureId, entry)
      yield
    }
    yield* vectors.eachWithPauses((pictureId, vector) => {
      const entry = entries.get(pictureId)
      if (entry) index.put(entry, vector)
    }, storeId)
    return entries.size
  }

  /** Notes why the index is not whole. @throws any error that is not of the storage. */
  function noteFailure(error: unknown): void {
    fault = storageFailure(error)
    if (!fault) throw error
    noteFault(error)
  }

  /**
   * Fills the index step by step. If the database cannot be read, everything except searching works.
   *
   * @returns the number of pictures; 0 when the index could not be loaded.
   */
  function* loadInSteps(): Generator<void, number> {
    fault = undefined
    try {
      return yield* read()
    } catch (error) {
      noteFailure(error)
      return 0
    }
  }

  return {
    loadInSteps,

    /** Fills the index in one step. @returns the number of pictures. */
    load(): number {
      const steps = loadInSteps()
      for (;;) {
        const { done, value } = steps.next()
        if (done) return value
      }
    },

    /** Drops the pictures of one store and reads them again, in one step. */
    forgetStore(storeId: string): void {
      index.removeStore(storeId)
      try {
        for (const _ of read(storeId));
      } catch (error) {
        noteFailure(error)
      }
    },

    /** Whether the last loading read everything. */
    isWhole: (): boolean => fault === undefined,

    /**
     * The index for searches, which would miss products in half of one.
     *
     * @throws ApiError of the storage when the last loading failed.
     */
    getWhole(): ProductIndex {
      if (fault) throw fault
      return index
    },
  }
}
