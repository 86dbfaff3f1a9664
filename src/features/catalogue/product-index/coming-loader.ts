import { turn } from '../../../core/turns.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { ModelIndexes } from './model-indexes.ts'
import { createWordLoader } from './word-loader.ts'

export interface ComingLoaderDeps {
  indexes: Pick<ModelIndexes, 'beginComing' | 'isComing' | 'dropComing'>
  models: Pick<ModelSet, 'comingOf'>
}

/** Brings into memory what a store has of the model that it is moving to. */
export function createComingLoader({ indexes, models }: ComingLoaderDeps) {
  /** Each step reads rows and uses them in one tick, so that no write can come between. */
  function* steps(storeId: string): Generator<void, void> {
    const model = models.comingOf(storeId)
    if (!model) throw new Error('The store is not moving to another model')
    const begun = indexes.beginComing(storeId, model)
    const { index, queries } = begun.into
    const requireSpace = (pictures: number) => {
      if (!index.hasSpace(storeId, pictures))
        throw index.noSpace('The vectors of the other model find no room in memory beside the present ones')
    }
    function* step() {
      yield
      if (!indexes.isComing(storeId, begun)) throw new Error('The coming vectors of the store were dropped')
    }
    try {
      for (const { rowids, vectorAt } of model.vectors.blocks(storeId)) {
        requireSpace(rowids.length)
        for (const picture of queries.listPictures(storeId, rowids))
          index.load(storeId, picture, vectorAt(picture.n), queries.spelling)
        yield* step()
      }
      for (const some of queries.blanks(storeId)) {
        requireSpace(some.length)
        for (const picture of some) index.load(storeId, picture, undefined, queries.spelling)
        yield* step()
      }
      for (const _ of createWordLoader({ index, queries }).readStore(storeId)) yield* step()
      begun.isWhole = true
    } catch (error) {
      if (indexes.isComing(storeId, begun)) indexes.dropComing(storeId)
      throw error
    }
  }

  return {
    /**
     * Loads the segment of the model that a store is moving to, beside the one that is searched and all other work. Writes
     * that commit meanwhile reach both. It ends in the tick in which the segment is whole.
     *
     * @throws ApiError `storage_full` where memory has no room for both, and what the database throws; nothing is left then.
     */
    async loadComing(storeId: string): Promise<void> {
      for (const _ of steps(storeId)) await turn()
    },
  }
}
