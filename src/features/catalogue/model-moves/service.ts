import { DAY_MS, isoTime, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { ModelFolder, ServingModel } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import { type ControllerDeps, createController, tell } from './controller.ts'
import { createLanes } from './lanes.ts'
import { type RunningMove, TRIES_MAX } from './move.ts'
import type { MoveCounts, MoveRow } from './queries.ts'
import type { RoomWish } from './room.ts'
import type { ModelsStatus, MoveStatus } from './schema.ts'
import { createStragglers, type StragglersDeps } from './stragglers.ts'
import type { FoundModel, MoveWorld } from './world.ts'

export interface ModelMovesDeps
  extends Pick<Base, 'reportFault'>,
    Omit<ControllerDeps, 'isStopped' | 'pause' | 'onSwitched' | 'onEnded' | 'findFolder'> {
  writer: ControllerDeps['writer'] & StragglersDeps['writer']
  world: Omit<MoveWorld, 'machine'>
  /** @throws ApiError `model_no_room` */
  demandRoom(wish: RoomWish): Promise<void>
}

export type ModelMoves = ReturnType<typeof modelMovesService>

/** A move that has ended is told for this time. */
const TOLD_MS = DAY_MS
/** Counts are used again for this time. */
const COUNT_MS = 1_000

/** Moves the catalogue to another model, in the background and without a gap; see `module.ts`. */
export function modelMovesService(deps: ModelMovesDeps) {
  const { queries, models, clock, log, world } = deps
  let counted: { row: MoveRow; counts: MoveCounts; at: number } | undefined
  let toldAt = clock.monotonic()
  let { wanted } = deps.world
  /** One verb at a time; they look at the world before they act. */
  let isBusy = false

  const lanes = createLanes({ ...deps, next: async () => (await moves.current?.next()) ?? nextStraggler() })
  const stragglers = createStragglers({ ...deps, isStopped: lanes.isStopped })
  const moves = createController({
    ...deps,
    findFolder: world.findFolder,
    isStopped: lanes.isStopped,
    pause: lanes.pause,
    onSwitched: stragglers.noteSettled,
    onEnded: stragglers.lookAgain,
  })

  /** Vectors of the model of a store are made outside a move; a move makes those of the model to come. */
  const nextStraggler = async () => (moves.current ? undefined : stragglers.next())

  function demandRest(): void {
    if (moves.current || isBusy)
      throw new ApiError('conflict', 'The catalogue is moving to another model: wait until it is done, or cancel it')
  }

  function demandChoice(): void {
    if (world.isDirSet)
      throw new ApiError(
        'conflict',
        'MODEL_DIR says which model this service uses: remove that setting and start the service again, then choose one here',
      )
    demandRest()
  }

  /** Runs a verb that looks at the world first, alone. */
  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    demandRest()
    isBusy = true
    try {
      return await work()
    } finally {
      isBusy = false
    }
  }

  async function moveTo(kind: 'use' | 'back', model: FoundModel, isChosen: boolean): Promise<void> {
    const known = models.listRunning().find(({ embedder }) => embedder.model.hash === model.hash)
    await deps.demandRoom({
      ...{ dimension: model.dimension, bytes: model.bytes, vectors: queries.countVectors(model.hash) },
      ...{ isRunning: known !== undefined, dimensionInUse: models.inUse.embedder.model.dimension },
    })
    const target = known ?? open(model)
    queries.noteDir(target.row, model.dir)
    moves.start(kind, target, isChosen, null)
    lanes.wake()
  }

  function open({ name, dir, hash }: ModelFolder): ServingModel {
    try {
      return models.open({ name, dir, hash })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ApiError('conflict', `The model ${name} cannot be opened: ${reason}`)
    }
  }

  async function use(name: string): Promise<MoveStatus> {
    demandChoice()
    return alone(async () => {
      const model = await world.find(name)
      if (!model) throw notFound('model')
      if (model.problem !== undefined) throw new ApiError('conflict', model.problem)
      if (model.hash === models.inUse.embedder.model.hash)
        throw new ApiError('conflict', `The model ${name} is in use already`)
      await moveTo('use', model, !model.isBundled)
      return demandStatus()
    })
  }

  async function back(): Promise<MoveStatus> {
    demandChoice()
    return alone(async () => {
      const { former } = queries.findState() ?? { former: null }
      const place = former === null ? undefined : queries.findModel(former)
      if (!place) throw new ApiError('conflict', 'There is no former model to go back to')
      const shelved = await world.find(place.name)
      const isShelved = shelved?.hash === place.hash && shelved.problem === undefined
      const dir = isShelved ? shelved.dir : world.findFolder(place)
      if (dir === undefined)
        throw new ApiError('conflict', `The files of the former model ${place.name} are gone: add them again, then go back`)
      const bytes = isShelved ? shelved.bytes : 0
      await moveTo('back', { ...place, isBundled: false, bytes, dir }, !(isShelved && shelved.isBundled))
      return demandStatus()
    })
  }

  async function cancel(): Promise<MoveStatus> {
    const running = moves.current
    if (!running) throw new ApiError('conflict', 'The catalogue is not moving to another model')
    if (running.row.isReturning)
      throw new ApiError('conflict', 'The move was cancelled already: the stores that had switched go back')
    if (world.isDirSet && running.row.kind !== 'reindex')
      throw new ApiError(
        'conflict',
        'MODEL_DIR says which model this service uses: change that setting and start the service again',
      )
    moves.cancel()
    counted = undefined
    lanes.wake()
    return demandStatus()
  }

  async function confirm(): Promise<void> {
    demandRest()
    const state = queries.findState()
    if (state?.former != null) leaveFormer(state.former)
  }

  function leaveFormer(former: number): void {
    deps.atomically(() => {
      queries.dropFormer()
      queries.addLeaving(former)
    })
  }

  async function reindex(storeId?: string): Promise<MoveStatus> {
    demandRest()
    if (storeId !== undefined && !deps.findStore(storeId)) throw notFound('store')
    moves.start('reindex', models.inUse, false, storeId ?? null)
    lanes.wake()
    return demandStatus()
  }

  function count(running: RunningMove): MoveCounts {
    const at = clock.monotonic()
    if (counted?.row !== running.row || at - counted.at >= COUNT_MS)
      counted = { row: running.row, counts: running.count(), at }
    return counted.counts
  }

  function demandStatus(): MoveStatus {
    const move = findMove()
    if (!move) throw new Error('The move is gone')
    return move
  }

  function findMove(): MoveStatus | null {
    const running = moves.current
    const row = running?.row ?? queries.findLast()
    if (!row || (row.finishedAt !== null && clock.now() - row.finishedAt > TOLD_MS)) return null
    const counts = running ? count(running) : row
    return {
      ...{ id: row.id, kind: row.kind, from: row.fromName, to: row.toName, state: row.state },
      ...{ stores: counts.stores, stores_done: counts.storesDone },
      ...{ products: counts.products, products_done: counts.productsDone, failed: counts.failed },
      failures: counts.failed === 0 ? [] : queries.listFailed(row.isReturning ? row.from : row.to, TRIES_MAX),
      eta_seconds: running ? moves.pace.estimate(counts.products - counts.productsDone) : null,
      is_returning: row.isReturning,
      problem: running ? (running.findProblem() ?? lanes.findProblem() ?? null) : null,
      started_at: isoTime(row.startedAt),
      finished_at: row.finishedAt === null ? null : isoTime(row.finishedAt),
    }
  }

  /** Moves to what the start of the program wants, once nothing else runs. A failure is tried again at the next start. */
  async function useWanted(model: FoundModel): Promise<void> {
    wanted = undefined
    if (model.hash === models.inUse.embedder.model.hash) return
    try {
      await alone(() => moveTo('use', model, false))
    } catch (error) {
      log.error({ err: error, model: model.name }, 'the catalogue cannot move to the model of this start')
    }
  }

  function tellProgress(running: RunningMove): void {
    if (clock.monotonic() - toldAt < MINUTE_MS) return
    toldAt = clock.monotonic()
    const counts = count(running)
    const eta = moves.pace.estimate(counts.products - counts.productsDone)
    const problem = running.findProblem() ?? lanes.findProblem()
    log.info({ ...tell(running.row, counts), eta_seconds: eta, problem }, 'the catalogue moves to another model')
  }

  return {
    use,
    back,
    cancel,
    confirm,
    reindex,

    status(): ModelsStatus {
      const state = queries.findState()
      const isKept = state?.formerName != null && state.formerUntil !== null
      return {
        in_use: models.inUse.embedder.model.id,
        move: findMove(),
        former: isKept ? { name: state.formerName as string, until: isoTime(state.formerUntil as number) } : null,
      }
    },

    /** Notes the model in use, and opens the other one of a move. To be called before the index is loaded. @throws OperatorError */
    resume(): void {
      const state = queries.findState()
      if (state?.inUse !== models.inUse.row || state.isChosen !== world.isChosen) {
        const former = state?.former === models.inUse.row ? null : (state?.former ?? null)
        const until = former === null ? null : (state?.formerUntil ?? null)
        queries.setState({ inUse: models.inUse.row, isChosen: world.isChosen, former, until })
      }
      queries.noteDir(models.inUse.row, world.dir)
      moves.resume()
    },

    /** Goes on with what is to be done. Call it every second; it costs nothing where nothing is. */
    async wake(): Promise<void> {
      if (wanted && !moves.current && !isBusy) await useWanted(wanted)
      if (moves.current) tellProgress(moves.current)
      const state = queries.findState()
      if (!moves.current && state?.former != null && clock.now() >= (state.formerUntil ?? 0)) leaveFormer(state.former)
      lanes.wake()
    },

    /** Waits until no product is in progress. */
    drain: lanes.drain,

    /** The number of a store's products that searches by pictures miss. */
    countWaiting: stragglers.countWaiting,

    /** Begins nothing any more. */
    stop: lanes.stop,
    isStopped: lanes.isStopped,

    forgetStore(storeId: string): void {
      stragglers.forgetStore(storeId)
      moves.current?.forgetStore(storeId)
      counted = undefined
      // Its row is gone for good; a move does not wait for it.
      if (!queries.hasRow(storeId)) models.setModelOf(storeId, models.inUse)
    },
  }
}
