import { MINUTE_MS } from '../../../core/clock.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import { releaseStartMemory } from '../../../platform/native/start-memory.ts'
import { createVectorArena } from '../../../platform/vectors/arena.ts'
import { vectorBytesMax } from '../../../platform/vectors/machine-memory.ts'
import type { Base, Module } from '../../module.ts'
import { createIndexLoader, type IndexLoader } from './loader.ts'
import { createModelIndexes, type ModelIndexes } from './model-indexes.ts'
import { productIndexQueries } from './queries.ts'
import { listWords } from './words/tokens.ts'

export interface ProductIndexNeeds {
  /** Only the vectors of a store's model are searched. */
  models: Pick<ModelSet, 'inUse' | 'of' | 'comingOf' | 'listRunning'>
  /** The most memory of all vectors together; undefined for what the machine can give. */
  memoryBytesMax?: number | undefined
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
}

export type ProductIndexService = ModelIndexes &
  IndexLoader & {
    /** The different words of a text as products are indexed by them, in their order, up to a number. */
    listWords: typeof listWords
  }

/**
 * Wires the index of all products in memory. It lies below the features that use it and calls none of them: products
 * write to it in the tick of each commit, and searches read it.
 *
 * A store has one segment of vectors (`platform/vectors`), filter columns by the slots of that segment, and its words.
 * A slot is a picture. A product is one document of the words, which the slots of its pictures share;
 * `columns.documentAt` leads from a slot to it.
 *
 * `loader.ts` fills segments and columns at the start; until they are whole, searches answer 503 and everything else
 * works. The words follow while the service answers, 64 slots a step; until then searches by words say so in their
 * warnings, and a write brings the words of its own product. A store of at most 64 slots gets its words with its first
 * search. A grouped write claims space for its vectors
 * (`claimSpace`) and returns the claim at its commit, so the claims of one group add up. Prices and sale dates stand by
 * slot, and a read after such a date computes the column again.
 *
 * What is measured over the whole store, such as how far its cosines scatter, is measured over a sample that depends on the products
 * and not on their slots (`sample.ts`). A store that has left for another node stays until its last searches are over (`leaving.ts`).
 *
 * While the catalogue moves to another model, a store has a second segment that is filled and not searched
 * (`model-indexes.ts`, `coming-loader.ts`). A picture without a vector of its store's model has a slot that no score finds, so
 * the words of its product still do.
 */
export function buildProductIndex({ db, clock, log, reportFault }: Base, needs: ProductIndexNeeds) {
  const { models, memoryBytesMax = vectorBytesMax(), stop } = needs
  const createArena = (dimension: number, readBytesMax: () => number) =>
    createVectorArena(dimension, { memoryBytesMax: readBytesMax })
  const indexes = createModelIndexes({ db, now: clock.now, models, memoryBytesMax, createArena })
  stop?.addEventListener('abort', indexes.close, { once: true })
  const queries = productIndexQueries(db, models.inUse.row)
  const loader = createIndexLoader({ indexes, models, queries, reportFault, log })
  const service: ProductIndexService = { ...indexes, ...loader, listWords }
  async function loadWords(): Promise<void> {
    // What is left of the texts and of columns that grew is as much again as the words.
    if (await loader.readWordsInTurns(stop)) releaseStartMemory()
  }
  return {
    service,
    chores: [{ name: 'loading the words of products', everyMs: MINUTE_MS, reach: 'none', run: loadWords }],
    forgetStore: loader.forgetStore,
  } satisfies Module<ProductIndexService>
}
