import type { Clock } from '../../core/clock.ts'
import { type KnownModel, registerModel } from '../db/models.ts'
import type { Db } from '../db/open.ts'
import type { Embedder } from '../embedder/embedder.ts'

/** A model with processes that answer, and with a table for its vectors. */
export interface ServingModel extends KnownModel {
  embedder: Embedder
}

/** Where the files of a model lie. */
export interface ModelFolder {
  name: string
  dir: string
  /** SHA-256 of its files; without it they are read. */
  hash?: string | undefined
}

/**
 * Which model answers for which store.
 *
 * At rest all stores are on the model in use. While the catalogue moves to another model, a store is on the former one until
 * all its vectors are there; so everything that embeds, scores or scans asks for the model of the store, and keeps nothing of
 * one model to compare it with another.
 *
 * A picture keeps its row, its id and its product in a move. The id is also the row of its vectors in the table of each
 * model, `vectors_<row>`. The columns `model` and `second_model` of its row name the models that it has vectors of, in any
 * order; the second is null outside a move. So a picture has a vector of a model where `? IN (model, second_model)`, the
 * switch of a store rewrites none of its pictures, and the way back finds its vectors. A picture waits for a model in the index
 * `pictures_model (model, store_id, product, second_model)`: `model <> ? AND second_model IS NOT ?`. A vector table and its row
 * in `models` stay when they are empty, because deleting a picture deletes from all tables.
 */
export interface ModelSet {
  /** The model of new stores, and of all stores outside a move. */
  readonly inUse: ServingModel
  /** The model whose vectors answer a store's searches. */
  of(storeId: string): ServingModel
  /** The model that a store is moving to; writes make its vectors, too. */
  comingOf(storeId: string): ServingModel | undefined
  /** Every model with processes, the one in use first. */
  listRunning(): readonly ServingModel[]
  /** Learns of every model that is opened from now on, and of those that are open. */
  watch(listener: (model: ServingModel) => void): void
  /**
   * Starts the processes of a model and registers it. A model that is open already is returned as it is.
   *
   * The stores that a move had switched to it before a restart are on it from now on. So open it before the index is loaded.
   *
   * @throws Error for a folder that cannot be read.
   */
  open(folder: ModelFolder): ServingModel
  /** Ends the processes of a model that no store is on. */
  close(model: ServingModel): Promise<void>
  setComing(storeId: string, model: ServingModel | undefined): void
  /** Switches a store in memory; the caller has committed it. */
  setModelOf(storeId: string, model: ServingModel): void
  /** Makes a model the one of all stores that are on no other. */
  setInUse(model: ServingModel): void
  /** Drops what is kept about a store that is gone, or comes back from elsewhere. */
  forgetStore(storeId: string): void
}

export interface ModelSetDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  /** Answers at the start. */
  embedder: Embedder
  openModel(folder: ModelFolder): Embedder
}

/** Opens the models of an install: the one in use, and with `open` those of a move. */
export function createModelSet({ db, clock, embedder, openModel }: ModelSetDeps): ModelSet {
  const register = (by: Embedder): ServingModel => ({
    ...registerModel(db, by.model, clock.now()),
    embedder: by,
  })
  let inUse = register(embedder)
  const running = new Map([[inUse.row, inUse]])
  const coming = new Map<string, ServingModel>()
  const listeners: ((model: ServingModel) => void)[] = []
  /** Rows of the models of the stores that are not on the one in use. */
  const rows = new Map(
    db.prepare<[], [storeId: string, model: number]>('SELECT store_id, model FROM store_models').raw().all(),
  )

  return {
    get inUse() {
      return inUse
    },
    of(storeId) {
      // Outside a move, nothing is looked up.
      if (rows.size === 0) return inUse
      return running.get(rows.get(storeId) ?? inUse.row) ?? inUse
    },
    comingOf: (storeId) => (coming.size === 0 ? undefined : coming.get(storeId)),
    listRunning: () => [inUse, ...[...running.values()].filter((model) => model !== inUse)],
    watch(listener) {
      listeners.push(listener)
      for (const model of running.values()) listener(model)
    },
    open(folder) {
      const known =
        folder.hash && [...running.values()].find((one) => one.embedder.model.hash === folder.hash)
      if (known) return known
      const opened = openModel(folder)
      const same = [...running.values()].find((one) => one.embedder.model.hash === opened.model.hash)
      if (same) {
        void opened.close()
        return same
      }
      const model = register(opened)
      running.set(model.row, model)
      for (const listen of listeners) listen(model)
      return model
    },
    async close(model) {
      if (model.row === inUse.row || [...rows.values()].includes(model.row))
        throw new Error(`Stores are on the model ${model.embedder.model.id}`)
      for (const [storeId, { row }] of coming) if (row === model.row) coming.delete(storeId)
      running.delete(model.row)
      await model.embedder.close()
    },
    setComing(storeId, model) {
      if (model) coming.set(storeId, model)
      else coming.delete(storeId)
    },
    setModelOf(storeId, model) {
      if (model.row === inUse.row) rows.delete(storeId)
      else rows.set(storeId, model.row)
    },
    setInUse(model) {
      inUse = model
      for (const [storeId, row] of rows) if (row === model.row) rows.delete(storeId)
    },
    forgetStore(storeId) {
      coming.delete(storeId)
    },
  }
}
