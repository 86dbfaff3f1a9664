import { ApiError } from '../../../core/errors.ts'
import { storageFailure } from '../../../core/storage.ts'
import { turn } from '../../../core/turns.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import { createComingLoader } from './coming-loader.ts'
import { createLeaving } from './leaving.ts'
import type { ModelIndex, ModelIndexes } from './model-indexes.ts'
import type { ProductIndexQueries } from './queries.ts'
import { createWordLoader } from './word-loader.ts'

export interface IndexLoaderDeps extends Pick<Base, 'log' | 'reportFault'> {
  indexes: ModelIndexes
  models: Pick<ModelSet, 'of' | 'comingOf' | 'listRunning'>
  queries: Pick<ProductIndexQueries, 'listWords'>
}

export type IndexLoader = ReturnType<typeof createIndexLoader>

/** The part of the index that searches use. */
export type SearchableIndex = Pick<ModelIndexes, 'findStore' | 'findVector'>

/** Fills the product index from the database, and knows whether the index is whole. */
export function createIndexLoader({ indexes: index, models, queries, reportFault, log }: IndexLoaderDeps) {
  const words = createWordLoader({ index, queries })
  /** Why the last loading failed. */
  let fault: ApiError | undefined
  /** Stores that searches must not see, because the index holds only a part of them, with the reason. */
  const closed = new Map<string, ApiError>()
  const leaving = createLeaving(dropStore)

  /** Reads the stores of each model. @param storeId reads this store only. */
  function* read(storeId?: string): Generator<void, number> {
    const serving = storeId === undefined ? models.listRunning() : [models.of(storeId)]
    let pictures = 0
    for (const model of serving) pictures += yield* readModel(index.open(model), { models, fits, storeId })
    return pictures
  }

  /** Whether the pictures of a store fit. Drops it otherwise: half of one answers no search, and others may fit into its space. */
  function fits(storeId: string, pictures: number): boolean {
    if (closed.has(storeId)) return false
    if (index.hasSpace(storeId, pictures)) return true
    index.removeStore(storeId)
    closed.set(storeId, index.noSpace(storeId, 'The products of this store find no room in memory'))
    log.error({ store_id: storeId }, 'the vectors of a store find no room in memory: it cannot be searched')
    return false
  }

  /** Describes a failure to clients. */
  function explain(error: unknown): ApiError {
    const failure = storageFailure(error)
    if (failure) reportFault(error)
    return (
      failure ?? new ApiError('internal_error', 'The product index could not be loaded', { cause: error })
    )
  }

  function dropStore(storeId: string): void {
    index.removeStore(storeId)
    closed.delete(storeId)
    leaving.end(storeId)
  }

  /** @throws ApiError for a store that the index holds only a part of. */
  function requireOpen(storeId: string): void {
    const reason = closed.get(storeId)
    if (reason) throw reason
  }

  const searchable: SearchableIndex = {
    findStore(storeId) {
      requireOpen(storeId)
      words.readSmall(storeId)
      return index.findStore(storeId)
    },
    findVector(storeId, pictureId) {
      requireOpen(storeId)
      return index.findVector(storeId, pictureId)
    },
  }

  /**
   * Fills the index step by step. If the database cannot be read, everything except searching works; so it does for a
   * store whose vectors do not fit.
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

  return {
    ...createComingLoader({ indexes: index, models }),
    loadInSteps,
    readWordsInTurns: words.readWordsInTurns,
    areWordsReadOrFew: words.areReadOrFew,

    /** Fills the index in one step, words included. @returns the number of pictures. */
    load(): number {
      const steps = loadInSteps()
      for (;;) {
        const { done, value } = steps.next()
        if (!done) continue
        for (const _ of words.readAll());
        return value
      }
    },

    /** Drops the pictures of one store and reads them again, in one step. A fault closes this store, and no other. */
    forgetStore(storeId: string): void {
      dropStore(storeId)
      try {
        for (const _ of read(storeId));
        for (const _ of words.readStore(storeId));
      } catch (error) {
        const reason = explain(error)
        index.removeStore(storeId)
        closed.set(storeId, reason)
        if (reason.code === 'internal_error') throw error
      }
    },

    /** Drops the pictures of a store that is gone. */
    dropStore,

    /** Says that a store is served elsewhere from now on. @returns drops its pictures, unless it has come back. */
    beginLeaving: leaving.begin,

    /** Reads the pictures of a store that nobody can search or change yet, beside all other work. */
    async readStoreInTurns(storeId: string): Promise<void> {
      dropStore(storeId)
      for (const _ of read(storeId)) await turn()
      for (const _ of words.readStore(storeId)) await turn()
    },

    /** See {@link ModelIndexes.switchTo}. A store that found no room with the former model is open again. */
    switchTo(storeId: string): void {
      index.switchTo(storeId)
      closed.delete(storeId)
    },

    /** Whether the last loading could read everything. */
    isWhole: (): boolean => fault === undefined,

    /**
     * The index for searches, which would miss products in half of one.
     *
     * @throws ApiError of the storage when the last loading failed, and for a store whose vectors found no space.
     */
    getWhole(): SearchableIndex {
      if (fault) throw fault
      return searchable
    },
  }
}

interface ReadOptions {
  models: Pick<ModelSet, 'of'>
  /** Whether some pictures of a store find space; they are left out otherwise. */
  fits(storeId: string, pictures: number): boolean
  /** Reads this store only. */
  storeId: string | undefined
}

/** Reads the stores of one model. */
function* readModel(
  { model, index: into, queries: rows }: ModelIndex,
  { models, fits, storeId }: ReadOptions,
): Generator<void, number> {
  let pictures = 0
  for (const { storeId: owner, rowids, vectorAt } of model.vectors.blocks(storeId)) {
    yield
    // A store that moves has vectors of both models.
    if (models.of(owner).row !== model.row || !fits(owner, rowids.length)) continue
    for (const picture of rows.listPictures(owner, rowids)) {
      into.load(owner, picture, vectorAt(picture.n), rows.spelling)
      pictures++
    }
  }
  for (const owner of storeId === undefined ? rows.listBlankStores() : [storeId]) {
    if (models.of(owner).row !== model.row) continue
    for (const some of rows.blanks(owner)) {
      yield
      if (!fits(owner, some.length)) break
      for (const picture of some) into.load(owner, picture, undefined, rows.spelling)
      pictures += some.length
    }
  }
  return pictures
}
