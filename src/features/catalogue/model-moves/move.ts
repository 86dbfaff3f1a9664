import type { CallerStore } from '../../../core/actor.ts'
import { turn } from '../../../core/turns.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { ProductIndexService } from '../product-index/module.ts'
import type { ProductWriter } from '../products/writer.ts'
import type { Outcome, Work } from './lanes.ts'
import type { Pace } from './pace.ts'
import type { ModelMoveQueries, MoveCounts, MoveRow } from './queries.ts'
import type { LackPlace } from './waiting-queries.ts'
import { createWalks, type PassEnd } from './walks.ts'
import type { StoreMoves } from './world.ts'

export interface MoveDeps extends Pick<Base, 'clock' | 'log' | 'atomically'> {
  queries: ModelMoveQueries
  models: ModelSet
  index: Pick<ProductIndexService, 'loadComing' | 'switchTo' | 'dropComing' | 'removeStore'>
  writer: Pick<ProductWriter, 'embedComing'>
  findStore(id: string): CallerStore | undefined
  pace: Pace
  isStopped(): boolean
  /** Learns why nothing goes on for a while. */
  pause(error: unknown): void
  /** What runs before and after a store moves. */
  storeMoves: StoreMoves
  /** Learns of every store that has switched. */
  onSwitched(storeId: string): void
  /** Ends the move in one transaction. @returns false where a store is left, which has come meanwhile. */
  finish(): boolean
}

/** A product that has failed as often no longer holds up its store. */
export const TRIES_MAX = 3
/** Products of a store that are read ahead. */
const WINDOW = 32
/** How long a store waits whose vectors cannot be brought into memory. */
const WAIT_MS = 60_000
/** How long a store waits that is checked before its switch. */
const CHECK_MS = 5_000
/** Stores without products that switch in one transaction. */
const EMPTY_STEP = 200

/** A job that embeds many products, of which there is one at a time. */
export interface RunningMove {
  readonly row: MoveRow
  next(): Promise<Work | undefined>
  count(): MoveCounts
  /** Why nothing goes on; undefined when it does. */
  findProblem(): string | undefined
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
  const { queries, models, index, writer, findStore, clock, log, atomically, pace, storeMoves } = deps
  /** Stores that are about to be switched. */
  const announced = new Set<string>()
  let isAbandoned = false
  let isBegun = false
  const isStopped = () => isAbandoned || deps.isStopped()
  const listLeft = row.isReturning ? queries.listSwitched : queries.listLeft
  const wanted = { model: target.row, triesMax: TRIES_MAX }

  const walks = createWalks<LackPlace>({
    findStore,
    listStores: listLeft,
    begin(storeId) {
      models.setComing(storeId, target)
      return { other: 0, after: 0 }
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
      return switchStore(storeId)
    },
    now: clock.now,
    isStopped,
  })

  /** Writes that a store is on the target, and tells it to memory in the same tick. */
  function commitSwitch(storeIds: readonly string[]): void {
    atomically(() => {
      for (const storeId of storeIds) {
        if (row.isReturning) queries.dropModelOf(storeId)
        else queries.setModelOf(storeId, target.row)
      }
    })
  }

  async function switchStore(storeId: string): Promise<PassEnd> {
    try {
      await index.loadComing(storeId)
      if (isStopped() || !findStore(storeId)) {
        index.dropComing(storeId)
        return 'done'
      }
      commitSwitch([storeId])
    } catch (error) {
      index.dropComing(storeId)
      if (isStopped() || !findStore(storeId)) return 'done'
      log.warn({ err: error, store_id: storeId }, 'a store could not be switched to another model')
      deps.pause(error)
      return { at: clock.now() + WAIT_MS }
    }
    models.setComing(storeId, undefined)
    models.setModelOf(storeId, target)
    index.switchTo(storeId)
    deps.onSwitched(storeId)
    storeMoves.onStoreMoved(storeId)
    return 'done'
  }

  /** Stores without products have nothing to load: many switch together. */
  async function switchEmpty(): Promise<void> {
    const left = listLeft()
    for (let n = 0; n < left.length && !isStopped(); n += EMPTY_STEP) {
      const empty = left.slice(n, n + EMPTY_STEP).filter(queries.isEmpty)
      if (empty.length > 0) commitSwitch(empty)
      for (const storeId of empty) {
        models.setComing(storeId, undefined)
        index.removeStore(storeId)
        models.setModelOf(storeId, target)
        deps.onSwitched(storeId)
      }
      await turn()
    }
  }

  async function begin(): Promise<void> {
    await switchEmpty()
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
