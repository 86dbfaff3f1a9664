import type { CallerStore } from '../../../core/actor.ts'
import { describeOperation, type Operator } from '../../../core/audit.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { NodeJob } from '../../catalogue/jobs/schema.ts'
import type { Base } from '../../module.ts'
import type { StoreState } from '../../stores/stores/queries.ts'
import type { ArrivingMoveBegun, ArrivingMoveInput } from '../protocol/schema.ts'
import { createAnnouncing } from './announcing.ts'
import type { Ending } from './ending.ts'
import { type Mover, TOKEN_CONTEXT } from './mover.ts'
import { showJob, showMove } from './presenter.ts'
import type { DepartureQueries, DepartureRow, RunningPhase } from './queries.ts'
import type { StoreMove, StoreMoveBody } from './schema.ts'
import type { Session } from './session.ts'
import { Refusal } from './target.ts'
import type { MoveCapture, OpenNodeClient, StoreMoveState } from './world.ts'

export interface DeparturesDeps
  extends Pick<Base, 'atomically' | 'clock' | 'ids' | 'log' | 'record' | 'defer' | 'baseUrl'> {
  queries: Pick<DepartureQueries, 'add' | 'findById' | 'findRunning' | 'findLatest' | 'list'>
  mover: Mover
  ending: Ending
  openClient: OpenNodeClient
  secretBox: Pick<SecretBox, 'seal'>
  capture: Pick<MoveCapture, 'begin'>
  setMoveState(storeId: string, state: StoreMoveState | null): void
  findState(storeId: string): StoreState | undefined
  /** Finds a store that is on another node. */
  findMoved(storeId: string): { url: string } | undefined
  countProducts(storeId: string): number
  readStoredBytes(storeId: string): number
  listModels(storeId: string): ArrivingMoveInput['store']['models']
  /** Whether another model is about to answer for the stores. */
  isModelMoving(): boolean
  /** Reads what `node invite` has printed. @returns the secret in base32, and the fingerprint in hex. */
  parseCode(text: string): { secret: string; fingerprint: string } | undefined
  version: string
  schemaVersion: number
  stop: AbortSignal
}

/** A node that has not answered for so long is silent. */
const SILENCE_MS = 15_000
/** Stores that move at a time. */
const MOVES_MAX = 4

export type DeparturesService = ReturnType<typeof departuresService>

/** @throws ApiError `validation_error` */
function readAddress(to: string): string {
  const refuse = (message: string) =>
    new ApiError('validation_error', 'The address is not valid', {
      details: { errors: [{ path: '/to', message }] },
    })
  let url: URL
  try {
    url = new URL(to)
  } catch {
    throw refuse('must be an address such as https://node-2.example.com')
  }
  if (url.protocol !== 'https:') throw refuse('must begin with https:// because secrets travel to it')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw refuse('must have neither a login nor a query')
  if (url.pathname !== '/') throw refuse('must have no path')
  return url.origin
}

/** Only a target that is silent can be lost. @throws ApiError `conflict` */
async function demandSilence(session: Session | undefined, stop: AbortSignal): Promise<void> {
  if (!session) throw new ApiError('conflict', 'The move is not carried on by this service: look at it again')
  const target = session.openTarget(AbortSignal.any([stop, AbortSignal.timeout(SILENCE_MS)]))
  const answer = await target.look().catch((error) => (error instanceof Refusal ? error : undefined))
  if (answer !== undefined)
    throw new ApiError(
      'conflict',
      'The other node answers, so it is not lost: the move ends as soon as it says whether it serves the store',
    )
}

/** The moves of stores to other nodes, for super-admins and commands (contract 8.18). */
export function departuresService(deps: DeparturesDeps) {
  const { queries, mover, ending, atomically, clock, ids, record } = deps
  const { ask, takeBack } = createAnnouncing(deps)
  /** Stores whose move is being announced. */
  const beginning = new Set<string>()

  const show = (row: DepartureRow): StoreMove => showMove(row, mover.find(row.id), clock)

  /** @throws ApiError `not_found`, `conflict` */
  function demandFree(storeId: string): CallerStore {
    const state = deps.findState(storeId)
    const moved = state ? undefined : deps.findMoved(storeId)
    if (moved) throw new ApiError('conflict', `The store is at ${moved.url} already: move it from there`)
    if (!state) throw notFound('store')
    if (queries.findRunning(storeId))
      throw new ApiError('conflict', 'The store is moving already: wait until it has, or cancel the move')
    if (state.deleteAt !== null)
      throw new ApiError('conflict', 'The store is going to be deleted: resume it first, then move it')
    if (state.suspendedAt !== null)
      throw new ApiError('conflict', 'The store is suspended: resume it first, then move it')
    if (deps.isModelMoving())
      throw new ApiError(
        'conflict',
        'The catalogue is moving to another model: wait until it has, or cancel that, then move the store',
      )
    return state
  }

  function write(
    by: Operator,
    id: string,
    storeId: string,
    address: { url: string; fingerprint: string },
    taken: ArrivingMoveBegun,
  ) {
    return atomically(() => {
      by?.demandStill()
      const { slug } = demandFree(storeId)
      queries.add({
        ...{ id, storeId, slug, ...address, targetId: taken.move_id, newUrl: taken.url },
        token: deps.secretBox.seal(taken.token, TOKEN_CONTEXT(id)),
        ...{ reembeds: taken.reembeds, products: deps.countProducts(storeId), now: clock.now() },
      })
      deps.capture.begin(storeId)
      deps.setMoveState(storeId, 'moving')
      record(describeOperation(by, storeId, 'store.move_started', { move_id: id, to: address.url }))
      return queries.findById(id) as DepartureRow
    })
  }

  async function begin(by: Operator, storeId: string, { to, code }: StoreMoveBody): Promise<StoreMove> {
    const url = readAddress(to)
    const parsed = deps.parseCode(code)
    if (!parsed) {
      throw new ApiError('validation_error', 'The code is not valid', {
        details: {
          errors: [{ path: '/code', message: 'must be what "lookalike node invite" has printed, whole' }],
        },
      })
    }
    const { slug, name, plan } = demandFree(storeId)
    if (mover.count() >= MOVES_MAX || beginning.size >= MOVES_MAX)
      throw new ApiError('conflict', `${MOVES_MAX} stores are moving already: wait until one has`)
    if (beginning.has(storeId)) throw new ApiError('conflict', 'The store is moving already')
    const address = { url, fingerprint: parsed.fingerprint }
    beginning.add(storeId)
    try {
      const taken = await ask(address, {
        ...{ code: parsed.secret, version: deps.version, schema: deps.schemaVersion, from: deps.baseUrl() },
        store: {
          ...{ id: storeId, slug, name, plan, products: deps.countProducts(storeId) },
          ...{ bytes: deps.readStoredBytes(storeId), models: deps.listModels(storeId) },
        },
      })
      try {
        const row = write(by, ids.uuid(), storeId, address, taken)
        mover.add(row)
        deps.log.info(
          { move_id: row.id, store_id: storeId, slug, to: url },
          'a store begins to move to another node',
        )
        return show(row)
      } catch (error) {
        takeBack(address, taken)
        throw error
      }
    } finally {
      beginning.delete(storeId)
    }
  }

  /** @throws ApiError `not_found`, `conflict` */
  async function cancel(by: Operator, storeId: string, isTargetLost = false): Promise<StoreMove> {
    const row = queries.findRunning(storeId)
    if (!row) {
      if (!queries.findLatest(storeId) && !deps.findState(storeId)) throw notFound('store')
      throw new ApiError('conflict', 'The store is not moving')
    }
    if (row.phase === 'switching') {
      if (!isTargetLost)
        throw new ApiError(
          'conflict',
          'The other node has been asked to serve the store, so the move cannot be cancelled any more: it ends as soon as that node answers. If that node is lost for good, say so: "lookalike store move SLUG --cancel --target-lost"',
        )
      await demandSilence(mover.find(row.id), deps.stop)
    }
    by?.demandStill()
    if (!ending.end(row, row.phase as RunningPhase, 'cancelled', { by }))
      throw new ApiError('conflict', 'The move has gone on meanwhile: look at it again')
    mover.abort(row.id)
    return show(queries.findById(row.id) as DepartureRow)
  }

  return {
    /** @throws ApiError `validation_error`, `not_found`, `conflict`, `node_refused`, `node_unreachable` */
    begin,

    /** The running move of a store, or its last one. @throws ApiError `not_found` */
    read(storeId: string): StoreMove {
      const row = queries.findLatest(storeId)
      if (!row) throw notFound(deps.findState(storeId) ? 'store_move' : 'store')
      return show(row)
    },

    /** @param isTargetLost whether somebody says that the other node will never come back. */
    cancel,

    /** The newest first. @param beforeId only older ones. */
    listJobs: (
      status: NodeJob['status'] | undefined,
      beforeId: string | undefined,
      limit: number,
    ): NodeJob[] =>
      queries.list(status, beforeId, limit).map((row) => showJob(row, mover.find(row.id), clock)),

    /** Waits until no step is under way. */
    drain: mover.drain,
    wake: mover.wake,
  }
}
