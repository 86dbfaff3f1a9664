import type { CallerStore } from '../../../core/actor.ts'
import type { ServingModel } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { ProductWriter } from '../products/writer.ts'
import type { RunningMove } from './move.ts'
import type { Pace } from './pace.ts'
import type { ModelMoveQueries, MoveRow } from './queries.ts'
import { TRIES_MAX } from './switching.ts'
import { createWalks, type PassEnd } from './walks.ts'

export interface ReindexDeps extends Pick<Base, 'clock' | 'withoutFsync' | 'gate'> {
  queries: ModelMoveQueries
  writer: Pick<ProductWriter, 'embedAnew'>
  findStore(id: string): CallerStore | undefined
  pace: Pace
  isStopped(): boolean
  finish(): boolean
}

/** Products of a store that are read ahead. */
const WINDOW = 32

/** The products of a store in the order of their walk, up to those that are not done. */
interface Line {
  /** The last product up to which all are done or have failed. */
  place: string
  done: number
  /** Products behind that place that were taken up, and whether each is done. */
  taken: Map<string, boolean>
}

/** Embeds all products of some stores again with the model in use. Their places in the database say how far it has come. */
export function createReindex(deps: ReindexDeps, row: MoveRow, model: ServingModel): RunningMove {
  const { queries, writer, findStore, clock, withoutFsync, pace } = deps
  const lines = new Map<string, Line>()
  const wanted = { model: model.row, triesMax: TRIES_MAX }
  let isAbandoned = false
  let isBegun = false
  const isStopped = () => isAbandoned || deps.isStopped()

  function lineOf(storeId: string): Line {
    const noted = queries.findWalk(storeId)
    const line = lines.get(storeId) ?? {
      ...{ place: noted?.place ?? '', done: noted?.productsDone ?? 0 },
      taken: new Map<string, boolean>(),
    }
    lines.set(storeId, line)
    return line
  }

  const walks = createWalks<string>({
    findStore,
    gate: deps.gate,
    listStores: queries.listWalks,
    begin: (storeId) => lineOf(storeId).place,
    refill(walk) {
      const { storeId, place } = walk
      if (place === undefined) return
      const line = lineOf(storeId)
      withoutFsync(() => queries.noteWalk(storeId, line.place, line.done))
      walk.window = queries.listProducts(storeId, place, WINDOW)
      walk.place = walk.window.length < WINDOW ? undefined : walk.window.at(-1)?.productId
      for (const { productId } of walk.window) line.taken.set(productId, false)
      if (walk.window.length === 0)
        walk.window = queries.listDue({ storeId, now: clock.now(), ...wanted }, WINDOW)
    },
    endPass({ storeId, found }): PassEnd {
      if (found > 0) return 'again'
      const at = queries.findDueAt({ storeId, ...wanted })
      if (at !== null) return { at }
      withoutFsync(() => queries.endWalk(storeId))
      lines.delete(storeId)
      return 'done'
    },
    now: clock.now,
    isStopped,
  })

  /** Moves the place of a store on over all products that are done. */
  function noteDone(storeId: string, productId: string): void {
    const line = lines.get(storeId)
    if (!line?.taken.has(productId)) return
    line.taken.set(productId, true)
    for (const [id, isDone] of line.taken) {
      if (!isDone) return
      line.taken.delete(id)
      line.place = id
      line.done++
    }
  }

  return {
    row,
    findProblem() {
      const status = model.embedder.status()
      return status.state === 'failed' ? `The model does not run: ${status.reason}` : undefined
    },

    findRest: walks.findRest,

    async next() {
      if (isStopped() || model.embedder.status().state !== 'ready') return undefined
      if (!isBegun) walks.fill()
      isBegun = true
      const found = await walks.next()
      if (!found) {
        if (!isStopped() && walks.isDone()) isBegun = deps.finish()
        return undefined
      }
      const { store, product } = found
      return {
        ...{ store, product, model: model.row },
        embed: () => writer.embedAnew(store, product.productId),
        finished(outcome) {
          if (outcome === 'done') pace.count()
          // One that is delayed holds the place back, and the next pass begins with it.
          if (outcome !== 'delayed') noteDone(store.id, product.productId)
          found.finished()
        },
      }
    },

    count() {
      const sums = queries.sumWalks()
      let { productsDone } = sums
      for (const [storeId, { done }] of lines)
        productsDone += done - (queries.findWalk(storeId)?.productsDone ?? 0)
      const failed = queries.countFailed(model.row, TRIES_MAX)
      return { ...sums, productsDone: Math.min(productsDone, sums.products), failed }
    },

    forgetStore(storeId) {
      walks.forget(storeId)
      lines.delete(storeId)
      isBegun = false
    },

    abandon() {
      isAbandoned = true
      walks.clear()
    },
  }
}
