import { describeOperation, type Operator } from '../../../core/audit.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { KnownModel } from '../../../platform/models/known.ts'
import type { ModelShelf } from '../../../platform/models/shelf.ts'
import type { ModelMoves } from '../../catalogue/model-moves/service.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { Fetches } from './fetches.ts'
import { findUse, listModels } from './presenter.ts'
import type { ModelQueries } from './queries.ts'
import type { AdminModels, ModelFetch, ModelFetchStarted, ModelMove } from './schema.ts'

export interface ModelsDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  moves: Pick<ModelMoves, 'use' | 'back' | 'cancel' | 'confirm' | 'reindex' | 'status'>
  shelf: Pick<ModelShelf, 'list' | 'find' | 'remove'>
  fetches: Pick<Fetches, 'start' | 'cancel' | 'findLatest'>
  known: readonly KnownModel[]
  queries: Pick<ModelQueries, 'countPictures'>
  storeRows: Pick<StoreQueries, 'findStoreBySlug'>
  /** The length of the vectors of the model in use. */
  readDimension(): number
  isModelDirSet: boolean
  isOffline: boolean
}

export type ModelsService = ReturnType<typeof modelsService>

/** The models of this node, for super-admins and for commands (contract 8.15). */
export function modelsService(deps: ModelsDeps) {
  const { moves, shelf, fetches, known, clock, atomically, record } = deps
  /** Uses and removals take turns: nobody moves to a model whose files are being deleted. */
  let turn: Promise<unknown> = Promise.resolve()
  let counted: { pictures: number; at: number } | undefined

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = turn.then(work, work)
    turn = next.catch(() => {})
    return next
  }

  /** Counts anew after a minute: pages ask every other second, and the count reads an index of all stores. */
  function countPictures(): number {
    const now = clock.monotonic()
    if (!counted || now - counted.at >= MINUTE_MS)
      counted = { pictures: deps.queries.countPictures(), at: now }
    return counted.pictures
  }

  /** Writes down what the operator has done. */
  function note(by: Operator, action: Parameters<typeof describeOperation>[2], details = {}): void {
    atomically(() => record(describeOperation(by, null, action, details)))
  }

  async function start(by: Operator, work: () => Promise<ModelMove>): Promise<ModelMove> {
    by?.demandStill()
    const move = await work()
    const { id: move_id, kind, from, to } = move
    note(by, 'model.move_started', { move_id, kind, from, to })
    return move
  }

  /** @throws ApiError `not_found`, `conflict`. */
  async function demandFetchable(name: string): Promise<KnownModel> {
    const found = known.find((one) => one.name === name)
    if (!found) throw notFound('model')
    const refuse = (reason: string, message: string) =>
      new ApiError('conflict', message, { details: { reason } })
    if (found.status === 'unconfirmed') {
      throw refuse(
        'unconfirmed',
        `Nobody has confirmed the files of ${name}: run "lookalike model fetch ${name} --trust" on the machine of the service`,
      )
    }
    if (deps.isOffline) {
      throw refuse(
        'offline',
        `OFFLINE forbids downloads: run "lookalike model fetch ${name}" on the machine of the service, which says what to bring`,
      )
    }
    const here = await shelf.find(name)
    if (here && here.problem === undefined) throw refuse('already_here', `${name} is here already`)
    return found
  }

  return {
    async list(): Promise<AdminModels> {
      const { in_use, move, former } = moves.status()
      const inUse = { name: in_use, dimension: deps.readDimension() }
      return {
        in_use,
        models: listModels(await shelf.list(), known, inUse),
        move: move,
        former,
        fetch: fetches.findLatest(),
        model_dir_set: deps.isModelDirSet,
        is_offline: deps.isOffline,
        pictures: countPictures(),
      }
    },

    /** @throws ApiError `not_found`, `conflict`. */
    async fetch(by: Operator, name: string): Promise<ModelFetchStarted> {
      return fetches.start(by, await demandFetchable(name))
    },

    /** @throws ApiError `conflict`. */
    cancelFetch: (by: Operator): Promise<ModelFetch> => fetches.cancel(by),

    /** @throws ApiError `not_found`, `conflict`, `storage_full`. */
    use: (by: Operator, name: string): Promise<ModelMove> => inTurn(() => start(by, () => moves.use(name))),

    /** @throws ApiError `conflict`, `storage_full`. */
    back: (by: Operator): Promise<ModelMove> => inTurn(() => start(by, () => moves.back())),

    /** Embeds everything again with the model in use. @throws ApiError `not_found`, `conflict`. */
    reindex(by: Operator, slug: string | undefined): Promise<ModelMove> {
      const store = slug === undefined ? undefined : deps.storeRows.findStoreBySlug(slug)
      if (slug !== undefined && !store) throw notFound('store')
      return inTurn(() => start(by, () => moves.reindex(store?.id)))
    },

    /** @throws ApiError `conflict`. */
    cancel: (by: Operator): Promise<ModelMove> =>
      inTurn(async () => {
        by?.demandStill()
        const move = await moves.cancel()
        note(by, 'model.move_cancelled', { move_id: move.id, from: move.from, to: move.to })
        return move
      }),

    /** Deletes the vectors of the former model. @throws ApiError `conflict`. */
    confirm: (by: Operator): Promise<AdminModels['in_use']> =>
      inTurn(async () => {
        by?.demandStill()
        const { in_use, former } = moves.status()
        if (!former) throw new ApiError('conflict', `There is no former model beside ${in_use}`)
        await moves.confirm()
        note(by, 'model.confirmed', { model: in_use, former: former.name })
        return in_use
      }),

    /** @throws ApiError `not_found`, `conflict`. */
    remove: (by: Operator, name: string): Promise<void> =>
      inTurn(async () => {
        const model = await shelf.find(name)
        if (!model) throw notFound('model')
        if (model.isBundled) {
          throw new ApiError('conflict', `${name} is part of the executable and cannot be removed`, {
            details: { reason: 'bundled' },
          })
        }
        const use = findUse(name, moves.status())
        if (use) {
          throw new ApiError('conflict', `${name} cannot be removed: ${use}`, {
            details: { reason: 'in_use' },
          })
        }
        by?.demandStill()
        await shelf.remove(name)
        note(by, 'model.removed', { model: name })
      }),
  }
}
