import type { CallerStore } from '../../../core/actor.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { ModelSet, ServingModel } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { Controller } from './controller.ts'
import type { ModelMoveQueries } from './queries.ts'
import type { RoomWish } from './room-check.ts'
import type { MoveStatus } from './schema.ts'
import type { FoundModel, MoveWorld } from './world.ts'

export interface MoveVerbsDeps extends Pick<Base, 'atomically' | 'log'> {
  queries: Pick<ModelMoveQueries, 'findState' | 'findModel' | 'countVectors' | 'dropFormer' | 'addLeaving'>
  models: Pick<ModelSet, 'inUse' | 'listRunning' | 'open'>
  world: Omit<MoveWorld, 'machine'>
  moves: Pick<Controller, 'current' | 'start' | 'cancel'>
  /** Notes where the files of a model lie. */
  noteDir(row: number, dir: string): void
  /** @throws ApiError `model_no_room` */
  demandRoom(wish: RoomWish): Promise<void>
  findStore(id: string): CallerStore | undefined
  /** Called once a move has begun, or goes another way. */
  onBegun(): void
  demandMove(): MoveStatus
}

/** Finds the models that can be moved to. */
function createTargets({ queries, models, world }: Pick<MoveVerbsDeps, 'queries' | 'models' | 'world'>) {
  return {
    /** The former model, with the place of its files. @throws ApiError */
    async demandFormer(): Promise<FoundModel> {
      const former = queries.findState()?.former ?? null
      const place = former === null ? undefined : queries.findModel(former)
      if (!place) throw new ApiError('conflict', 'There is no former model to go back to')
      const shelved = await world.find(place.name)
      if (shelved?.hash === place.hash && shelved.problem === undefined) return shelved
      const dir = world.findFolder(place)
      if (dir !== undefined) return { ...place, dir, bytes: 0, isBundled: false }
      throw new ApiError(
        'conflict',
        `The files of the former model ${place.name} are gone: add them again, then go back`,
      )
    },

    /** @throws ApiError */
    async demandModel(name: string): Promise<FoundModel> {
      const model = await world.find(name)
      if (!model) throw notFound('model')
      if (model.problem !== undefined) throw new ApiError('conflict', model.problem)
      if (model.hash === models.inUse.embedder.model.hash)
        throw new ApiError('conflict', `The model ${name} is in use already`)
      return model
    },
  }
}

/** What an operator asks for: each verb looks at the world, and begins or ends a move. */
export function createMoveVerbs(deps: MoveVerbsDeps) {
  const { queries, models, world, moves, atomically, log } = deps
  const targets = createTargets(deps)
  /** Whether a verb looks at the world just now, before it acts. */
  let isBusy = false

  function demandRest(): void {
    if (moves.current || isBusy)
      throw new ApiError(
        'conflict',
        'The catalogue is moving to another model: wait until it is done, or cancel it',
      )
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
    const running = models.listRunning().find(({ embedder }) => embedder.model.hash === model.hash)
    await deps.demandRoom({
      ...{ dimension: model.dimension, bytes: model.bytes, vectors: queries.countVectors(model.hash) },
      ...{ isRunning: running !== undefined, dimensionInUse: models.inUse.embedder.model.dimension },
    })
    const target = running ?? open(model)
    deps.noteDir(target.row, model.dir)
    moves.start(kind, target, isChosen, null)
    deps.onBegun()
  }

  function open({ name, dir, hash }: FoundModel): ServingModel {
    try {
      return models.open({ name, dir, hash })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ApiError('conflict', `The model ${name} cannot be opened: ${reason}`)
    }
  }

  return {
    /**
     * Begins a move to a model.
     *
     * @throws ApiError `not_found`, `model_no_room`, and `conflict` for one that is in use or broken, while a move runs, and where
     *   `MODEL_DIR` decides.
     */
    async use(name: string): Promise<MoveStatus> {
      demandChoice()
      return alone(async () => {
        const model = await targets.demandModel(name)
        await moveTo('use', model, !model.isBundled)
        return deps.demandMove()
      })
    },

    /** Begins the way back to the former model. @throws ApiError like {@link use}. */
    async back(): Promise<MoveStatus> {
      demandChoice()
      return alone(async () => {
        const model = await targets.demandFormer()
        await moveTo('back', model, !model.isBundled)
        return deps.demandMove()
      })
    },

    /** Turns the running move round: the stores that have switched go back. @throws ApiError `conflict` */
    async cancel(): Promise<MoveStatus> {
      const row = moves.current?.row
      if (!row) throw new ApiError('conflict', 'The catalogue is not moving to another model')
      if (row.isReturning)
        throw new ApiError(
          'conflict',
          'The move was cancelled already: the stores that had switched are on their way back',
        )
      if (world.isDirSet && row.kind !== 'reindex')
        throw new ApiError(
          'conflict',
          'MODEL_DIR says which model this service uses: change that setting and start the service again',
        )
      moves.cancel()
      deps.onBegun()
      return deps.demandMove()
    },

    /** Gives up the way back: the vectors of the former model are deleted. Without one nothing happens. @throws ApiError `conflict` */
    async confirm(): Promise<void> {
      demandRest()
      const former = queries.findState()?.former
      if (former == null) return
      atomically(() => {
        queries.dropFormer()
        queries.addLeaving(former)
      })
    },

    /** Embeds the products of all stores, or of one, again with the model in use. @throws ApiError `not_found`, `conflict` */
    async reindex(storeId?: string): Promise<MoveStatus> {
      demandRest()
      if (storeId !== undefined && !deps.findStore(storeId)) throw notFound('store')
      moves.start('reindex', models.inUse, false, storeId ?? null)
      deps.onBegun()
      return deps.demandMove()
    },

    isResting: (): boolean => moves.current === undefined && !isBusy,

    /** Begins the move to what the start of the program wants. A failure is tried again at the next start. */
    async useWanted(model: FoundModel): Promise<void> {
      if (model.hash === models.inUse.embedder.model.hash) return
      try {
        await alone(() => moveTo('use', model, false))
      } catch (err) {
        log.error({ err, model: model.name }, 'the catalogue cannot move to the model of this start')
      }
    },
  }
}
