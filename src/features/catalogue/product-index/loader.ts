import { ApiError } from '../../../core/errors.ts'
import { storageFailure } from '../../../core/storage.ts'
import { turn } from '../../../core/turns.ts'
import type { VectorTable } from '../../../platform/vectors/vec0.ts'
import type { Base } from '../../module.ts'
import type { ProductIndex } from './product-index.ts'
import type { ProductIndexQueries } from './queries.ts'

export interface IndexLoaderDeps extends Pick<Base, 'log' | 'noteFault'> {
  index: ProductIndex
  queries: ProductIndexQueries
  vectors: Pick<VectorTable, 'blocks'>
}

/** Slots whose products' words are read in one tick: some 2 ms. */
const WORDS_STEP = 64

export type IndexLoader = ReturnType<typeof createIndexLoader>

/** What a search needs of the index. */
export type SearchableIndex = Pick<ProductIndex, 'findStore' | 'findVector'>

/** Fills the product index from the database, and knows whether the index is whole. */
export function createIndexLoader({ index, queries, vectors, noteFault, log }: IndexLoaderDeps) {
  /** Why the last loading failed. */
  let fault: ApiError | undefined
  /** Stores that searches must not see, because the index holds only a part of them, with the reason. */
  const closed = new Map<string, ApiError>()

  /** @param storeId reads this store only. */
  function* read(storeId?: string): Generator<void, number> {
    let pictures = 0
    for (const { storeId: owner, rowids, vectorAt } of vectors.blocks(storeId)) {
      yield
      if (!hasRoom(owner, rowids.length)) continue
      for (const picture of queries.listPictures(owner, rowids)) {
        index.load(owner, picture, vectorAt(picture.n), queries.spelling)
        pictures++
      }
    }
    return pictures
  }

  /** Reads the words of the products of a store, in steps of their own ticks; what was written meanwhile is known. */
  function* readWords(storeId: string): Generator<void> {
    for (let from = 0; ; from += WORDS_STEP) {
      yield
      const unread = index.listUnread(storeId, from, WORDS_STEP)
      if (!unread) return
      if (unread.slots.length > 0)
        index.loadWords(storeId, unread.slots, queries.listWords(storeId, unread.products))
    }
  }

  function* readAllWords(): Generator<void> {
    for (const storeId of index.listUnreadStores()) yield* readWords(storeId)
  }

  /** Drops a store that does not fit: half of one answers no search, and others may fit into its room. */
  function hasRoom(storeId: string, pictures: number): boolean {
    if (closed.has(storeId)) return false
    if (index.hasRoom(storeId, pictures)) return true
    index.removeStore(storeId)
    closed.set(storeId, index.noRoom('The products of this store find no room in memory'))
    log.error({ store_id: storeId }, 'the vectors of a store find no room in memory: it cannot be searched')
    return false
  }

  /** Describes a failure to clients. */
  function explain(error: unknown): ApiError {
    const failure = storageFailure(error)
    if (failure) noteFault(error)
    return (
      failure ?? new ApiError('internal_error', 'The product index could not be loaded', { cause: error })
    )
  }

  /** @throws ApiError for a store that the index holds only a part of. */
  function requireOpen(storeId: string): void {
    const reason = closed.get(storeId)
    if (reason) throw reason
  }

  const searchable: SearchableIndex = {
    findStore(storeId) {
      requireOpen(storeId)
      return index.findStore(storeId)
    },
    findVector(storeId, pictureId) {
      requireOpen(storeId)
      return index.findVector(storeId, pictureId)
    },
  }

  /**
   * Fills the index step by step. If the database cannot be read, everything except searching works; so it does for a
   * store whose vectors find no room.
   *
   * @returns the number of pictures; 0 when the index could not be loaded.
   */
  function* loadInSteps(): Generator<void, number> {
    fault = undefined
    closed.clear()
    // An earlier try may have left a part.
    index.clear()
    try {
      return yield* read()
    } catch (error) {
      fault = explain(error)
      if (fault.code === 'internal_error') throw error
      return 0
    }
  }

  /** Whether words are being read. */
  let isReading = false

  return {
    loadInSteps,

    /** Fills the index in one step, words included. @returns the number of pictures. */
    load(): number {
      const steps = loadInSteps()
      for (;;) {
        const { done, value } = steps.next()
        if (!done) continue
        for (const _ of readAllWords());
        return value
      }
    },

    /**
     * Reads the words of all products that were loaded, beside all other work. Until it is done, searches find products by their
     * vectors, and by the words of those that were read or written.
     *
     * @param stop ends it.
     * @throws what the database throws; another call goes on.
     */
    async readWordsInTurns(stop?: AbortSignal): Promise<void> {
      if (isReading) return
      isReading = true
      try {
        for (const _ of readAllWords()) {
          await turn()
          if (stop?.aborted) return
        }
      } finally {
        isReading = false
      }
    },

    /** Drops the pictures of one store and reads them again, in one step. A fault closes this store, and no other. */
    forgetStore(storeId: string): void {
      index.removeStore(storeId)
      closed.delete(storeId)
      try {
        for (const _ of read(storeId));
        for (const _ of readWords(storeId));
      } catch (error) {
        const reason = explain(error)
        index.removeStore(storeId)
        closed.set(storeId, reason)
        if (reason.code === 'internal_error') throw error
      }
    },

    /** Whether the last loading could read everything. */
    isWhole: (): boolean => fault === undefined,

    /**
     * The index for searches, which would miss products in half of one.
     *
     * @throws ApiError of the storage when the last loading failed, and for a store whose vectors found no room.
     */
    getWhole(): SearchableIndex {
      if (fault) throw fault
      return searchable
    },
  }
}
