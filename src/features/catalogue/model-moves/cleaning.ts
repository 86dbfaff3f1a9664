import { turn } from '../../../core/turns.ts'
import type { VectorTable } from '../../../platform/vectors/vec0.ts'
import type { Base } from '../../module.ts'
import type { ModelMoveQueries } from './queries.ts'

export interface CleaningDeps extends Pick<Base, 'log' | 'withoutFsync' | 'atomically'> {
  queries: Pick<ModelMoveQueries, 'findLeaving' | 'dropLeaving' | 'findModel'>
  /** Takes a model off a picture. @returns whether the vector may go. */
  releaseModel(picture: number, model: number): boolean
  /** The vectors of one model alone. */
  openTable(model: number, dimension: number): Pick<VectorTable, 'findChunk' | 'remove'>
  isStopped(): boolean
}

/** Blocks of at most 64 vectors that one run deletes. */
const STEPS = 16

/** Deletes the vectors of models that nobody needs any more, in steps that hold up nobody. */
export function createCleaning(deps: CleaningDeps) {
  const { queries, openTable, withoutFsync, atomically, log, isStopped } = deps
  /** The block that was looked at last, by model. */
  let place = { model: 0, chunk: 0 }
  let isRunning = false

  /** @returns false at the end. */
  function step(model: number, table: Pick<VectorTable, 'findChunk' | 'remove'>): boolean {
    const found = table.findChunk(place.chunk)
    if (!found) return false
    for (const rowid of found.rowids) {
      // What has no vector of another model keeps this one until it has.
      if (deps.releaseModel(rowid, model)) table.remove(rowid)
    }
    place = { model, chunk: found.chunk }
    return true
  }

  return {
    /** Deletes some vectors. Call it every second; it costs nothing where nothing is to be deleted. */
    async run(): Promise<void> {
      if (isRunning) return
      isRunning = true
      try {
        for (let n = 0; n < STEPS && !isStopped(); n++) {
          const model = queries.findLeaving()
          const known = model === undefined ? undefined : queries.findModel(model)
          if (model === undefined || !known) return
          if (place.model !== model) place = { model, chunk: 0 }
          const table = openTable(model, known.dimension)
          const isLeft = withoutFsync(() => atomically(() => step(model, table)))
          if (!isLeft) {
            withoutFsync(() => queries.dropLeaving(model))
            place = { model: 0, chunk: 0 }
            log.info({ model: known.name }, 'the vectors of a former model are deleted')
          }
          await turn()
        }
      } finally {
        isRunning = false
      }
    },
  }
}
