import { noteModelDir } from '../../../platform/db/models.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import { footprintOf } from '../../../platform/vectors/footprint.ts'
import { vectorBytesMax } from '../../../platform/vectors/machine-memory.ts'
import { createVectorTable } from '../../../platform/vectors/vec0.ts'
import type { Base, Module } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { ProductIndexService } from '../product-index/module.ts'
import type { ProductsModule } from '../products/module.ts'
import { createCleaning } from './cleaning.ts'
import { modelMoveQueries } from './queries.ts'
import { createRoom } from './room-check.ts'
import { type ModelMoves, modelMovesService } from './service.ts'
import type { MoveWorld, StoreMoves } from './world.ts'

export interface ModelMovesNeeds {
  storeRows: Pick<StoreQueries, 'findStore'>
  models: ModelSet
  index: Pick<ProductIndexService, 'loadComing' | 'switchTo' | 'dropComing' | 'removeStore'>
  products: Pick<ProductsModule, 'service' | 'rows'>
  world: MoveWorld
  storeMoves: StoreMoves
  /** The most memory of all vectors together; undefined for what the machine can give. */
  vectorMemoryBytesMax?: number | undefined
}

const WAKE_MS = 1_000

/**
 * Wires moves of the catalogue to another model, which leave no gap, and the embedding of products whose vectors are of an
 * earlier model.
 *
 * A move embeds the pictures that lack a vector of its model, while searches answer from the present one. A store of which
 * none is left, except for what has failed several times, is switched: its segment is loaded beside the present one, a row of
 * `store_models` makes it the store's, and the index follows in the same tick. When the last store has switched, the model is
 * the one in use, and the vectors of the former one stay for a week (`cleaning.ts` then deletes them in steps). The way back is
 * the same move the other way, and so is a cancelled one.
 *
 * There is no list of work: the pictures name the models that they have vectors of, so a restart resumes where the last
 * run ended. `writer.embedComing`, `embedAgain` and `embedAnew` write vectors and leave the content: the product keeps its
 * time of change, it is told as indexed with the origin `reembedding`, and waiting items of jobs stay.
 */
export function buildModelMoves(base: Base, needs: ModelMovesNeeds) {
  const { db } = base
  const { storeRows, models, index, products, world, storeMoves } = needs
  const queries = modelMoveQueries(db)
  const room = createRoom({
    machine: world.machine,
    countPictures: queries.countPictures,
    footprintOf,
    vectorMemoryBytesMax: needs.vectorMemoryBytesMax ?? vectorBytesMax(),
  })
  const service = modelMovesService({
    ...base,
    queries,
    models,
    index,
    writer: products.service.writer,
    noteDir: (row, dir) => noteModelDir(db, row, dir),
    findStore: storeRows.findStore,
    demandRoom: room.demand,
    world,
    storeMoves,
  })
  const cleaning = createCleaning({
    ...base,
    queries,
    releaseModel: products.rows.releaseModel,
    openTable: (model, dimension) => createVectorTable(db, `vectors_${model}`, dimension),
    isStopped: service.isStopped,
  })
  service.resume()
  return {
    service,
    chores: [
      { name: 'moving products to another model', everyMs: WAKE_MS, reach: 'steps', run: service.wake },
      { name: 'deleting the vectors of former models', everyMs: WAKE_MS, run: cleaning.run },
    ],
    forgetStore: service.forgetStore,
  } satisfies Module<ModelMoves>
}
