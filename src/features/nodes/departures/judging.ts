import { createBackoff } from '../../../core/backoff.ts'
import { findBlame } from '../../../core/blame.ts'
import { DAY_MS, MINUTE_MS } from '../../../core/clock.ts'
import type { Base } from '../../module.ts'
import type { Ending } from './ending.ts'
import type { DepartureQueries, DepartureRow, RunningPhase } from './queries.ts'
import { MoveEnded } from './sending.ts'
import { Refusal } from './target.ts'

/** A target that cannot be reached is tried again, for this long after its last answer. */
export const SILENT_MS_MAX = DAY_MS
const backoff = createBackoff({ waits: [1_000, 5_000, 15_000, MINUTE_MS, 5 * MINUTE_MS] }, 0.2)

export interface JudgeDeps extends Pick<Base, 'atomically' | 'clock' | 'ids' | 'log' | 'reportFault'> {
  queries: Pick<DepartureQueries, 'findById' | 'noteFailure'>
  ending: Ending
  stop: AbortSignal
}

/** Decides what becomes of a move whose step has failed: it waits, each time longer, or it has failed. */
export function createJudge({ queries, ending, atomically, clock, ids, log, reportFault, stop }: JudgeDeps) {
  return function judge(row: DepartureRow, error: unknown): void {
    if (stop.aborted || error instanceof MoveEnded) return
    const now = queries.findById(row.id)
    // It was cancelled meanwhile, which ended its requests.
    if (!now || (now.phase !== row.phase && now.finishedAt !== null)) return
    const blame = findBlame(error)
    if (blame.on === 'storage') reportFault(blame.failure)
    const words = error instanceof Error ? error.message : String(error)
    const isFinal = error instanceof Refusal && !error.isPassing
    const isSilent = clock.now() - row.advancedAt >= SILENT_MS_MAX
    if (row.finishedAt === null && (isFinal || isSilent)) {
      const reason = isFinal ? words : `The other node has taken nothing for a day: ${words}`
      ending.end(row, row.phase as RunningPhase, 'failed', { error: reason })
      return
    }
    const waitMs = backoff(row.tries, Number(`0x${ids.uuid().slice(-4)}`) / 0xffff)
    atomically(() => queries.noteFailure(row.id, words, clock.now() + waitMs))
    log.warn(
      { err: error, move_id: row.id, store_id: row.storeId, wait_ms: waitMs },
      'the move of a store waits',
    )
  }
}
