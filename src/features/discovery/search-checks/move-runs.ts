import { ApiError } from '../../../core/errors.ts'
import type { ForeignJobs } from '../../catalogue/jobs/foreign-jobs.ts'
import type { StoreMoves } from '../../catalogue/model-moves/world.ts'
import type { Base } from '../../module.ts'
import type { CheckQueries } from './queries.ts'

export interface MoveRunDeps extends Pick<Base, 'clock' | 'reportFault' | 'gate'> {
  queries: Pick<
    CheckQueries,
    'findJob' | 'measure' | 'enqueue' | 'enqueueOthers' | 'hasOthers' | 'listModels' | 'isWorking'
  >
  jobs: Pick<ForeignJobs, 'start'>
  /** The name of the model that answers the searches of a store. */
  nameModel(storeId: string): string
  /** Called once checks wait. */
  wake(): void
}

/** A switch does not wait longer for the checks of a store. */
const WAIT_MS_MAX = 10 * 60_000
/** How often stores are looked at whose checks could not be run yet, and how many runs begin at a time. */
const LOOK_MS = 5_000
const STARTS_MAX = 4

/**
 * Starts runs of checks before and after a store gets another model.
 *
 * The run afterwards follows from the table: a check whose last answer came from another model than the store's is due. So it
 * also comes after a crash in the middle of a move, and with a start with another model.
 */
export function createMoveRuns({ queries, jobs, nameModel, wake, clock, reportFault, gate }: MoveRunDeps) {
  /** Stores whose checks wait for their run before the move, by the time at which the wait began. */
  const moving = new Map<string, number>()
  /** Stores with checks that another model answered last; undefined before the first look. */
  let due: Set<string> | undefined
  let lookAt = Number.NEGATIVE_INFINITY

  /** Starts a run of at least one check, unless the store has too many jobs. @returns whether it began. */
  function start(storeId: string, enqueue: (jobId: string) => number): boolean {
    try {
      jobs.start(storeId, undefined, 'search_checks', enqueue)
    } catch (error) {
      // No check is worth a move that stops.
      if (!(error instanceof ApiError)) reportFault(error)
      return false
    }
    return true
  }

  const canRun = (storeId: string): boolean =>
    queries.isWorking(storeId) && queries.findJob(storeId) === undefined

  /** Finds the stores whose checks are due. Needed once: from then on the moves tell. */
  const findDue = (): Set<string> =>
    new Set(
      queries
        .listModels()
        .filter(({ storeId, model }) => model !== nameModel(storeId))
        .map(({ storeId }) => storeId),
    )

  const moves: Omit<StoreMoves, 'prepare'> = {
    onStoreMoving(storeId) {
      if (queries.measure(storeId).checks === 0) return
      moving.set(storeId, clock.monotonic())
      if (canRun(storeId) && start(storeId, (jobId) => queries.enqueue(storeId, jobId))) wake()
    },

    isChecking(storeId) {
      const since = moving.get(storeId)
      if (since === undefined) return false
      const isWaiting =
        clock.monotonic() - since < WAIT_MS_MAX &&
        queries.isWorking(storeId) &&
        queries.findJob(storeId) !== undefined
      if (!isWaiting) moving.delete(storeId)
      return isWaiting
    },

    onStoreMoved(storeId) {
      moving.delete(storeId)
      due = (due ?? findDue()).add(storeId)
      lookAt = Number.NEGATIVE_INFINITY
      wake()
    },
  }

  return {
    moves,

    /** Starts runs that are due, some at a time; stores that are suspended or busy are looked at again. Costs nothing while none is. */
    startDue(): void {
      if (clock.monotonic() < lookAt) return
      due ??= findDue()
      lookAt = due.size === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + LOOK_MS
      let starts = 0
      for (const storeId of due) {
        if (gate.isPaused(storeId)) continue
        const model = nameModel(storeId)
        if (queries.findJob(storeId) !== undefined) continue
        if (!queries.hasOthers(storeId, model)) due.delete(storeId)
        else if (starts < STARTS_MAX && queries.isWorking(storeId)) {
          starts++
          if (start(storeId, (jobId) => queries.enqueueOthers(storeId, jobId, model))) due.delete(storeId)
        }
      }
    },
  }
}
