import type { CallerStore } from '../../../core/actor.ts'
import { turn } from '../../../core/turns.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { ProductIndexService } from '../product-index/module.ts'
import type { ProductWriter } from '../products/writer.ts'
import type { ModelMoveQueries, MoveRow } from './queries.ts'
import type { LackPlace, LackStep } from './waiting-queries.ts'
import type { PassEnd } from './walks.ts'
import type { StoreMoves } from './world.ts'

export interface SwitchingDeps extends Pick<Base, 'clock' | 'log' | 'atomically' | 'gate'> {
  queries: Pick<ModelMoveQueries, 'findLacking' | 'isAnyLacking' | 'isEmpty' | 'setModelOf' | 'dropModelOf'>
  models: Pick<ModelSet, 'setComing' | 'setModelOf'>
  index: Pick<ProductIndexService, 'loadComing' | 'switchTo' | 'dropComing' | 'removeStore'>
  writer: Pick<ProductWriter, 'changes'>
  findStore(id: string): CallerStore | undefined
  isStopped(): boolean
  /** Learns why nothing goes on for a while. */
  pause(error: unknown): void
  /** Learns of every store that has switched. */
  onSwitched(storeId: string): void
  storeMoves: Pick<StoreMoves, 'prepare' | 'onStoreMoved'>
}

/** A product that has failed as often no longer holds up its store. */
export const TRIES_MAX = 3
/** Before the first picture of a store. */
export const NOWHERE: LackPlace = { other: 0, after: 0 }
/** How long a store waits whose vectors cannot be brought into memory. */
const WAIT_MS = 60_000
/** Stores without products that switch in one transaction. */
const EMPTY_STEP = 200
/** How often a store is looked through again because more has changed meanwhile than is remembered. */
const LOOKS_MAX = 5

/** Switches stores to the model that they were moved to: a transaction, and the index and the models in the same tick. */
export function createSwitching(
  deps: SwitchingDeps,
  row: Pick<MoveRow, 'isReturning'>,
  target: ServingModel,
) {
  const { queries, models, index, writer, findStore, clock, log, atomically, isStopped } = deps
  const wanted = { model: target.row, triesMax: TRIES_MAX }

  /** Writes that a store is on the target, and tells it to memory in the same tick. */
  function commitSwitch(storeIds: readonly string[]): void {
    atomically(() => {
      for (const storeId of storeIds) {
        if (row.isReturning) queries.dropModelOf(storeId)
        else queries.setModelOf(storeId, target.row)
      }
    })
  }

  /** Whether a store still has all vectors. A write that began before the move may have come without its second one. */
  async function isComplete(storeId: string): Promise<boolean> {
    for (let n = 0; n < LOOKS_MAX && !isStopped(); n++) {
      const mark = writer.changes.latest(storeId)
      let place: LackPlace | undefined = NOWHERE
      while (place) {
        const step: LackStep = queries.findLacking({ storeId, now: clock.now(), ...wanted }, place, 1)
        if (step.waiting.length > 0) return false
        place = step.next
        if (place) await turn()
      }
      const changed = writer.changes.listSince(storeId, mark)
      if (changed) return !queries.isAnyLacking(changed, target.row, TRIES_MAX)
    }
    return true
  }

  async function switchStore(storeId: string): Promise<PassEnd> {
    try {
      await index.loadComing(storeId)
      await deps.storeMoves.prepare(storeId)
      const isWhole = await isComplete(storeId)
      if (isStopped() || !findStore(storeId)) {
        index.dropComing(storeId)
        return 'done'
      }
      if (!isWhole) {
        index.dropComing(storeId)
        return 'again'
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
    deps.storeMoves.onStoreMoved(storeId)
    return 'done'
  }

  /** Stores without products have nothing to load: many switch together. */
  async function switchEmpty(left: readonly string[]): Promise<void> {
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

  return { switchStore, switchEmpty }
}
