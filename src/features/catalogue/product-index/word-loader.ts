import { turn } from '../../../core/turns.ts'
import type { ProductIndex } from './product-index.ts'
import type { ProductIndexQueries } from './queries.ts'

export interface WordLoaderDeps {
  index: Pick<ProductIndex, 'listUnread' | 'loadWords' | 'listUnreadStores'>
  queries: Pick<ProductIndexQueries, 'listWords'>
}

/** Slots whose products' words are read in one tick: some 2 ms. */
const STEP = 64

/** Reads the words of products whose vectors were loaded. */
export function createWordLoader({ index, queries }: WordLoaderDeps) {
  let isReading = false

  /** Reads the words of the products of a store, in steps of their own ticks. Words that were written meanwhile are known. */
  function* readStore(storeId: string): Generator<void> {
    for (let from = 0; ; from += STEP) {
      yield
      const unread = index.listUnread(storeId, from, STEP)
      if (!unread) return
      if (unread.slots.length > 0)
        index.loadWords(storeId, unread.slots, queries.listWords(storeId, unread.products))
    }
  }

  function* readAll(): Generator<void> {
    for (const storeId of index.listUnreadStores()) yield* readStore(storeId)
  }

  return {
    readStore,
    readAll,

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
        for (const _ of readAll()) {
          await turn()
          if (stop?.aborted) return
        }
      } finally {
        isReading = false
      }
    },
  }
}
