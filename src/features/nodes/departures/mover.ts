import { turn } from '../../../core/turns.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base } from '../../module.ts'
import type { StoreState } from '../../stores/stores/queries.ts'
import type { createCopying, Outcome } from './copying.ts'
import type { Ending } from './ending.ts'
import type { createHandover } from './handover.ts'
import { type createJudge, SILENT_MS_MAX } from './judging.ts'
import type { DepartureQueries, DepartureRow, RunningPhase } from './queries.ts'
import { MoveEnded } from './sending.ts'
import type { Session } from './session.ts'
import type { createSwitching } from './switching.ts'
import { createTarget, Refusal } from './target.ts'
import type { MoveCapture, MoveGate, OpenNodeClient, StoreMoveState } from './world.ts'

export interface MoverDeps extends Pick<Base, 'atomically' | 'clock' | 'log' | 'defer' | 'reportFault'> {
  queries: Pick<DepartureQueries, 'findById' | 'listOpen' | 'noteTargetTold' | 'dropPause'>
  copying: ReturnType<typeof createCopying>
  switching: ReturnType<typeof createSwitching>
  handover: ReturnType<typeof createHandover>
  judge: ReturnType<typeof createJudge>
  ending: Ending
  openClient: OpenNodeClient
  secretBox: Pick<SecretBox, 'open'>
  capture: Pick<MoveCapture, 'endOthers'>
  gate: MoveGate
  setMoveState(storeId: string, state: StoreMoveState | null): void
  findState(storeId: string): StoreState | undefined
  stop: AbortSignal
}

/** The context of the sealed tokens. */
export const TOKEN_CONTEXT = (moveId: string): string => `store move ${moveId}`

/** After a batch the move rests as long as the batch took, within this: searches of all stores go first. */
const REST_MS_MAX = 250

export type Mover = ReturnType<typeof createMover>

function openSession(deps: Pick<MoverDeps, 'secretBox' | 'openClient' | 'stop'>, row: DepartureRow): Session {
  const cancel = new AbortController()
  const token = deps.secretBox.open(row.token, TOKEN_CONTEXT(row.id)) ?? ''
  const { url, fingerprint } = row
  const at = (signal: AbortSignal) =>
    createTarget(deps.openClient({ url, fingerprint, token }, signal), row.targetId)
  return {
    target: at(AbortSignal.any([deps.stop, cancel.signal])),
    cancel,
    openTarget: at,
    ...{
      isIndexLoaded: false,
      isDigestReady: false,
      freshenings: 0,
      msPerRow: undefined,
      restUntil: 0,
      pausedAt: undefined,
    },
    ...{ begun: undefined, asked: 0 },
  }
}

/** Whether writes wait for the end of a pause, which an error or another process may have left. */
const isPaused = ({ phase }: DepartureRow): boolean => phase === 'paused' || phase === 'verifying'

/** Why a store cannot move any more. */
function findObstacle(state: StoreState | undefined): string | undefined {
  if (!state) return 'The store is being deleted'
  return state.suspendedAt === null ? undefined : 'The store was suspended meanwhile'
}

/**
 * Carries the moves of stores on, one durable step after another. The database says where each is, so a restart goes on there.
 * While no store moves, it does nothing.
 */
export function createMover(deps: MoverDeps) {
  const { queries, copying, switching, ending, clock, log, atomically } = deps
  /** Moves that are not over, and ended ones whose target is to be told. */
  const sessions = new Map<string, Session>()
  const running = new Map<string, Promise<void>>()

  /** Ends a pause that an error or another process has left: writes go on. */
  function dropPause({ id, storeId }: DepartureRow): void {
    atomically(() => {
      queries.dropPause(id)
      deps.setMoveState(storeId, 'moving')
    })
    deps.gate.resume(storeId)
  }

  /** Does the next step of a move. @returns whether there is more to do at once. */
  async function step(session: Session, row: DepartureRow): Promise<boolean> {
    if (row.finishedAt !== null) return tellEnd(session, row)
    if (row.phase === 'switching') {
      await deps.handover.settle(session, row)
      return false
    }
    const gone = findObstacle(deps.findState(row.storeId))
    if (gone !== undefined) {
      ending.end(row, row.phase as RunningPhase, 'failed', { error: gone })
      return true
    }
    const outcome: Outcome =
      row.phase === 'copying' ? await copying.copy(session, row) : await copying.catchUp(session, row)
    if (outcome === 'pause') await switching.pause(session, row)
    return outcome !== 'wait'
  }

  /** Has the target drop what it holds of a move that has failed or was cancelled. */
  async function tellEnd({ openTarget }: Session, row: DepartureRow): Promise<false> {
    try {
      await openTarget(deps.stop).abandon()
    } catch (error) {
      if (!(error instanceof Refusal) || error.isPassing) {
        // It drops what nobody goes on with by itself.
        if (clock.now() - (row.finishedAt ?? 0) < SILENT_MS_MAX) throw error
      }
    }
    atomically(() => queries.noteTargetTold(row.id))
    sessions.delete(row.id)
    return false
  }

  async function run(id: string, session: Session): Promise<void> {
    for (;;) {
      const row = queries.findById(id)
      if (!row || row.phase === 'moved' || row.isTargetTold) {
        sessions.delete(id)
        return
      }
      if (isPaused(row)) {
        // Before any wait: writes wait for it.
        dropPause(row)
        continue
      }
      const isResting = clock.monotonic() < session.restUntil
      if (deps.stop.aborted || isResting || clock.now() < row.nextAt) return
      session.begun ??= { at: clock.monotonic(), bytes: row.bytesSent, productsDone: row.productsDone }
      const startedAt = clock.monotonic()
      try {
        if (!(await step(session, row))) {
          const next = queries.findById(id)
          if (next?.phase === row.phase) return
          continue
        }
      } catch (error) {
        deps.judge(row, error)
        continue
      }
      await rest(clock.monotonic() - startedAt, row)
    }
  }

  /** Leaves the others their time. */
  async function rest(tookMs: number, { phase }: DepartureRow): Promise<void> {
    await turn()
    const restMs = Math.min(tookMs, REST_MS_MAX)
    if (phase !== 'copying' || restMs < 1) return
    await new Promise<void>((resolve) => deps.defer(resolve, restMs))
  }

  /** Goes on with all moves. Call it every second; it costs nothing where there is none. */
  function wake(): void {
    if (deps.stop.aborted) return
    for (const [id, session] of sessions) {
      if (running.has(id)) continue
      const done = run(id, session)
        .catch((error) => {
          // The database takes nothing at present.
          deps.reportFault(error)
          log.error({ err: error, move_id: id }, 'the move of a store could not go on')
        })
        .finally(() => running.delete(id))
      running.set(id, done)
    }
  }

  return {
    wake,

    /** Goes on after a restart. To be called before anything is served. */
    resume(): void {
      const rows = queries.listOpen()
      // A move that ended beside this program, by a database that was put back, may have left its triggers.
      deps.capture.endOthers(rows.filter((row) => row.finishedAt === null).map(({ storeId }) => storeId))
      for (const row of rows) {
        sessions.set(row.id, openSession(deps, row))
        if (row.phase === 'switching') void deps.gate.pause(row.storeId)
        if (isPaused(row)) dropPause(row)
      }
    },

    /** Begins with a move that has been written down. */
    add(row: DepartureRow): void {
      sessions.set(row.id, openSession(deps, row))
      deps.defer(wake, 0)
    },

    /** Ends the requests of a move that was cancelled, and tells the target. */
    abort(id: string): void {
      const session = sessions.get(id)
      session?.cancel.abort(new MoveEnded())
      deps.defer(wake, 0)
    },

    find: (id: string): Session | undefined => sessions.get(id),
    count: (): number => sessions.size,

    /** Waits until no step is under way. */
    async drain(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
