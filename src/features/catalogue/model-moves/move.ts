import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { ProductWriter } from '../products/writer.ts'
import type { Outcome, Work } from './lanes.ts'
import type { Pace } from './pace.ts'
import type { ModelMoveQueries, MoveCounts, MoveRow } from './queries.ts'
import { createSwitching, NOWHERE, type SwitchingDeps, TRIES_MAX } from './switching.ts'
import type { LackPlace } from './waiting-queries.ts'
import { createWalks, type PassEnd } from './walks.ts'
import type { StoreMoves } from './world.ts'

export interface MoveDeps extends Omit<SwitchingDeps, 'queries' | 'models' | 'writer' | 'storeMoves'> {
  queries: ModelMoveQueries
  models: ModelSet
  writer: Pick<ProductWriter, 'embedComing' | 'changes'>
  pace: Pace
  /** What runs before and after a store moves. */
  storeMoves: StoreMoves
  /** Ends the move in one transaction. @returns false where a store is left, which has come meanwhile. */
  finish(): boolean
}

/** Products of a store that are read ahead. */
const WINDOW = 32
/** How long a store waits that is checked before its switch. */
const CHECK_MS = 5_000

/** A job that embeds many products, of which there is one at a time. */
export interface RunningMove {
  readonly row: MoveRow
  next(): Promise<Work | undefined>
  count(): MoveCounts
  /** Why nothing goes on; undefined when it does. */
  findProblem(): string | undefined
  /** When failed products are tried again, in Unix ms, if nothing else is left. */
  findRest(): number | undefined
  forgetStore(storeId: string): void
  /** Drops what is in memory of stores that have not switched. */
  abandon(): void
}

/**
 * Moves stores to another model, each as soon as all its vectors are there: its segment is loaded beside the one that is
 * searched, one small transaction makes it the store's, and the index follows in the same tick.
 *
 * A move that was cancelled goes the other way, with the stores that had switched.
 */
export function createMove(deps: MoveDeps, row: MoveRow, target: ServingModel): RunningMove {
  const { queries, models, index, writer, findStore, clock, pace, storeMoves } = deps
  /** Stores that are about to be switched. */
  const announced = new Set<string>()
  let isAbandoned = false
  let isBegun = false
  const isStopped = () => isAbandoned || deps.isStopped()
  const listLeft = row.isReturning ? queries.listSwitched : queries.listLeft
  const wanted = { model: target.row, triesMax: TRIES_MAX }

  const switching = createSwitching({ ...deps, isStopped }, row, target)
  const walks = createWalks<LackPlace>({
    findStore,
    gate: deps.gate,
    listStores: listLeft,
    begin(storeId) {
      models.setComing(storeId, target)
      return NOWHERE
    },
    refill(walk) {
      const { storeId, place } = walk
      if (!place) return
      const step = queries.findLacking({ storeId, now: clock.now(), ...wanted }, place, WINDOW)
      walk.window = step.waiting
      walk.place = step.next
      walk.passed += step.passed - step.waiting.length
    },
    async endPass({ storeId, found }): Promise<PassEnd> {
      if (found > 0) return 'again'
      const at = queries.findDueLacking({ storeId, ...wanted })
      if (at !== null) return { at }
      if (!announced.has(storeId)) storeMoves.onStoreMoving(storeId)
      announced.add(storeId)
      if (storeMoves.isChecking(storeId)) return { at: clock.now() + CHECK_MS }
      return switching.switchStore(storeId)
    },
    now: clock.now,
    isStopped,
  })

  async function begin(): Promise<void> {
    await switching.switchEmpty(listLeft())
    walks.fill()
    isBegun = true
  }

  const findProblem = (): string | undefined => {
    if (queries.findLeaving() !== undefined) return 'The vectors of an earlier model are deleted first'
    const status = target.embedder.status()
    if (status.state === 'failed')
      return `The model ${target.embedder.model.id} does not run: ${status.reason}`
    return undefined
  }

  function finished(outcome: Outcome): void {
    if (outcome === 'done') pace.count()
  }

  return {
    row,
    findProblem,
    findRest: walks.findRest,

    async next() {
      if (isStopped() || findProblem() || target.embedder.status().state !== 'ready') return undefined
      if (!isBegun) await begin()
      const found = await walks.next()
      if (found) {
        const { store, product } = found
        return {
          ...{ store, product, model: target.row },
          embed: () => writer.embedComing(store, product.productId),
          finished(outcome) {
            found.finished()
            finished(outcome)
          },
        }
      }
      // Stores may have come meanwhile.
      if (!isStopped() && walks.isDone() && !deps.finish()) isBegun = false
      return undefined
    },

    count() {
      const { stores, products, switchedStores, switchedProducts } = queries.sumStores()
      const storesDone = row.isReturning ? stores - switchedStores : switchedStores
      let productsDone = row.isReturning ? products - switchedProducts : switchedProducts
      for (const { passed } of walks.list()) productsDone += passed
      const failed = queries.countFailed(target.row, TRIES_MAX)
      return { stores, storesDone, products, productsDone: Math.min(productsDone, products), failed }
    },

    forgetStore(storeId) {
      walks.forget(storeId)
      isBegun = false
    },

    abandon() {
      isAbandoned = true
      for (const storeId of queries.listStores()) {
        if (!models.comingOf(storeId)) continue
        models.setComing(storeId, undefined)
        index.dropComing(storeId)
      }
      walks.clear()
    },
  }
}
