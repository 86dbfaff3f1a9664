import type { CallerStore } from '../../../core/actor.ts'
import { DAY_MS } from '../../../core/clock.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { ProductIndexService } from '../product-index/module.ts'
import type { ProductWriter } from '../products/writer.ts'
import { createMove, type RunningMove } from './move.ts'
import { createPace } from './pace.ts'
import type { ModelMoveQueries, ModelPlace, MoveCounts, MoveKind, MoveRow, MoveState } from './queries.ts'
import { createReindex } from './reindex.ts'
import type { StoreMoves } from './world.ts'

export interface ControllerDeps
  extends Pick<
    Base,
    'clock' | 'ids' | 'log' | 'atomically' | 'withoutFsync' | 'reportFault' | 'defer' | 'gate'
  > {
  queries: ModelMoveQueries
  models: ModelSet
  index: Pick<ProductIndexService, 'loadComing' | 'switchTo' | 'dropComing' | 'removeStore'>
  writer: Pick<ProductWriter, 'embedComing' | 'embedAnew' | 'changes'>
  findStore(id: string): CallerStore | undefined
  /** Finds the folder of a model that was in use before; undefined if its files are gone. */
  findFolder(model: ModelPlace): string | undefined
  isStopped(): boolean
  pause(error: unknown): void
  storeMoves: StoreMoves
  onSwitched(storeId: string): void
  /** Called when another model is in use, or a move has ended otherwise. */
  onEnded(): void
}

/** How long the vectors of a former model stay. */
const FORMER_MS = 7 * DAY_MS
/** A search that began with a model may take as long after the last store has left it. */
const CLOSE_AFTER_MS = 30_000

export type Controller = ReturnType<typeof createController>

/** Begins, turns round and ends moves. The database says which one runs, so a restart goes on with it. */
export function createController(deps: ControllerDeps) {
  const { queries, models, clock, ids, log, atomically } = deps
  const pace = createPace(clock)
  let current: RunningMove | undefined

  const common = {
    ...deps,
    pace,
    finish: () => current !== undefined && complete(current),
  }

  function build(row: MoveRow, target: ServingModel): RunningMove {
    pace.forget()
    return row.kind === 'reindex' ? createReindex(common, row, target) : createMove(common, row, target)
  }

  /** The running move as the database has it, on the way to a model. */
  function runTo(target: ServingModel): RunningMove {
    const row = queries.findRunning()
    if (!row) throw new Error('No move runs')
    return build(row, target)
  }

  /** @returns false where a store is left. */
  function complete({ row, count }: RunningMove): boolean {
    const isReindex = row.kind === 'reindex'
    const left = isReindex
      ? queries.listWalks()
      : row.isReturning
        ? queries.listSwitched()
        : queries.listLeft()
    if (left.length > 0) return false
    end(row, row.isReturning ? 'cancelled' : 'done', count())
    return true
  }

  /** Ends a move whose stores are all on one model. */
  function end(row: MoveRow, state: MoveState, counts: MoveCounts): void {
    const now = clock.now()
    const isMoved = state === 'done' && row.kind !== 'reindex'
    atomically(() => {
      queries.endMove(state, counts, now)
      queries.dropWalks()
      queries.dropModels()
      if (isMoved)
        queries.setState({ inUse: row.to, isChosen: row.isChosen, former: row.from, until: now + FORMER_MS })
      // A way back that was given up stays open.
      else if (row.kind !== 'reindex' && queries.findState()?.former !== row.to) queries.addLeaving(row.to)
    })
    current?.abandon()
    current = undefined
    const other = isMoved ? row.from : row.to
    const target = models.listRunning().find((model) => model.row === row.to)
    if (isMoved && target) models.setInUse(target)
    if (row.kind !== 'reindex') deps.defer(() => closeUnused(other), CLOSE_AFTER_MS)
    log.info({ ...tell(row, counts), state }, 'the move to another model has ended')
    deps.onEnded()
  }

  /** Ends the processes of a model, unless it is needed again. */
  async function closeUnused(row: number): Promise<void> {
    const model = models.listRunning().find((one) => one.row === row)
    const isNeeded = row === models.inUse.row || row === current?.row.to || row === current?.row.from
    if (model && !isNeeded) await models.close(model)
  }

  function start(kind: MoveKind, target: ServingModel, isChosen: boolean, storeId: string | null): void {
    const from = models.inUse.row
    const state = queries.findState()
    atomically(() => {
      if (kind === 'reindex') {
        queries.forgetFailures(from, storeId)
        queries.addWalks(storeId)
      } else {
        queries.dropLeaving(target.row)
        // A picture has vectors of two models at most.
        if (state?.former != null && state.former !== target.row) {
          queries.addLeaving(state.former)
          queries.dropFormer()
        }
        queries.forgetFailures(target.row, null)
      }
      queries.addMove({ id: ids.uuid(), kind, from, to: target.row, isChosen, now: clock.now() })
    })
    current = runTo(target)
    log.info(tell(current.row, current.count()), 'a move to another model begins')
  }

  /** The running move turns round: the stores that have switched go back. */
  function cancel(): void {
    const running = current
    if (!running) return
    const { row } = running
    if (row.kind === 'reindex' || queries.listSwitched().length === 0) {
      end(row, 'cancelled', running.count())
      return
    }
    queries.turnRound()
    running.abandon()
    current = runTo(models.inUse)
    log.info(tell(row, current.count()), 'the move to another model turns round')
  }

  /** Opens the model of the running move after a restart. To be called before the index is loaded. @throws OperatorError */
  function resume(): void {
    const row = queries.findRunning()
    if (!row) return
    if (row.kind === 'reindex') {
      current = runTo(models.inUse)
      return
    }
    const target = openAgain(row)
    if (target) current = runTo(row.isReturning ? models.inUse : target)
  }

  function openAgain(row: MoveRow): ServingModel | undefined {
    const place = queries.findModel(row.to)
    const dir = place && deps.findFolder(place)
    const opened = place && dir !== undefined && models.open({ name: place.name, dir, hash: place.hash })
    if (opened) return opened
    if (queries.listSwitched().length > 0)
      throw new OperatorError(
        `The catalogue is moving to the model ${row.toName}, some stores are on it already, and its files are gone${place?.dir ? ` from ${place.dir}` : ''}: put them back, then start again`,
      )
    end(row, 'failed', { stores: 0, storesDone: 0, products: 0, productsDone: 0, failed: 0 })
    log.error({ model: row.toName }, 'the model that the catalogue was moving to is gone: the move has ended')
    return undefined
  }

  return {
    get current() {
      return current
    },
    pace,
    start,
    cancel,
    resume,
  }
}

/** A move in the words of the log. */
export const tell = (row: MoveRow, counts: MoveCounts) => ({
  ...{ move: row.kind, from: row.fromName, to: row.toName },
  ...{ stores: counts.stores, stores_done: counts.storesDone },
  ...{ products: counts.products, products_done: counts.productsDone, failed: counts.failed },
})
