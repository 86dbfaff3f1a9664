import { turn } from '../../../core/turns.ts'
import type { ProductIndex } from './product-index.ts'
import type { ProductIndexQueries } from './queries.ts'

export interface WordLoaderDeps {
  index: Pick<ProductIndex, 'listUnread' | 'loadWords' | 'listUnreadStores' | 'countUnread'>
  queries: Pick<ProductIndexQueries, 'listWords'>
}

/**
 * Slots whose products' words are read in one tick: some 2 ms. A store of no more waits for its first search, because most
 * of many small stores are idle, and the words of 50 products take 60 to 100 KB.
 */
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

  /** @param slots leaves out the stores of no more. */
  function* readStores(slots: number): Generator<void> {
    for (const storeId of index.listUnreadStores(slots)) yield* readStore(storeId)
  }

  return {
    readStore,
    /** Whether the words of a store are read, or are few enough for its first search to read them. */
    areReadOrFew: (storeId: string): boolean => index.countUnread(storeId) <= STEP,
    readAll: (): Generator<void> => readStores(0),

    /** Reads the words of a store at once, if it is small and nobody has searched it yet. @throws what the database throws */
    readSmall(storeId: string): void {
      const unread = index.countUnread(storeId)
      if (unread > 0 && unread <= STEP) for (const _ of readStore(storeId));
    },

    /**
     * Reads the words of all products that were loaded, those of small stores left out, beside all other work. Until it is done, searches find products by their
     * vectors, and by the words of those that were read or written.
     *
     * @param stop ends it.
     * @returns whether there were any.
     * @throws what the database throws; another call goes on.
     */
    async readWordsInTurns(stop?: AbortSignal): Promise<boolean> {
      if (isReading) return false
      isReading = true
      let hasRead = false
      try {
        for (const _ of readStores(STEP)) {
          await turn()
          if (stop?.aborted) return hasRead
          hasRead = true
        }
        return hasRead
      } finally {
        isReading = false
      }
    },
  }
}
