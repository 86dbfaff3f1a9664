import { createBackoff } from '../../../core/backoff.ts'
import type { Base } from '../../module.ts'
import type { Ending } from './ending.ts'
import type { DepartureQueries, DepartureRow } from './queries.ts'
import type { Session } from './session.ts'
import { Refusal } from './target.ts'

/** Waits between two questions. */
const askWait = createBackoff({ waits: [500, 1_000, 2_000, 5_000, 10_000] })

export interface HandoverDeps extends Pick<Base, 'atomically' | 'clock' | 'log'> {
  queries: Pick<DepartureQueries, 'noteFailure'>
  ending: Ending
  stop: AbortSignal
}

/** Asks the target of a move to open the store, once that has been written down, until it is known which node serves it. */
export function createHandover({ queries, ending, atomically, clock, log, stop }: HandoverDeps) {
  /** The target never opens the store: it stays. */
  function stay(row: DepartureRow, error: string): void {
    ending.end(row, 'switching', 'failed', { error })
  }

  function complete(session: Session, row: DepartureRow, url: string | undefined): void {
    const { pausedAt } = session
    const pauseMs = pausedAt === undefined ? null : Math.round(clock.monotonic() - pausedAt)
    ending.end(row, 'switching', 'moved', { pauseMs, ...(url !== undefined && { newUrl: url }) })
  }

  /** The target has refused to open the store: it is open already, or never will be. @throws where nobody knows */
  async function ask(session: Session, row: DepartureRow, refusal: Refusal): Promise<void> {
    const { state } = await session.target.look()
    if (state === 'open') return complete(session, row, undefined)
    if (state === 'abandoned') return stay(row, `The other node has given the move up: ${refusal.message}`)
    // From its answer on it cannot open any more.
    const answer = await session.target.abandon()
    if (answer.state === 'abandoned') stay(row, `The other node did not open the store: ${refusal.message}`)
  }

  function wait(session: Session, row: DepartureRow, error: unknown): void {
    if (stop.aborted) return
    const words = error instanceof Error ? error.message : String(error)
    session.restUntil = clock.monotonic() + askWait(session.asked++)
    atomically(() =>
      queries.noteFailure(
        row.id,
        `The other node has not said whether it serves the store, so writes wait until it does: ${words}`,
        0,
      ),
    )
    log.warn(
      { err: error, move_id: row.id, store_id: row.storeId },
      'the target of a move does not say whether it serves the store',
    )
  }
  return {
    /** Asks the target to open the store, until it is known whether it has. */
    async settle(session: Session, row: DepartureRow): Promise<void> {
      try {
        const { state, url } = await session.target.open()
        if (state === 'open') complete(session, row, url)
        return
      } catch (error) {
        if (!(error instanceof Refusal) || error.isPassing) return wait(session, row, error)
        try {
          await ask(session, row, error)
        } catch (unknown) {
          wait(session, row, unknown)
        }
      }
    },
  }
}
