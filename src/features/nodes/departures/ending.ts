import { type AuditAction, describeOperation, type Operator } from '../../../core/audit.ts'
import type { Base } from '../../module.ts'
import type { MailOwners } from '../../stores/people/owner-mails.ts'
import { movedMail } from './mails.ts'
import type { DepartureQueries, DepartureRow, EndPhase, RunningPhase } from './queries.ts'
import type { MoveCapture, MoveDigest, MoveGate, MoveReader, StoreMoveState } from './world.ts'

export interface EndingDeps extends Pick<Base, 'atomically' | 'clock' | 'log' | 'record' | 'baseUrl'> {
  queries: Pick<DepartureQueries, 'end'>
  capture: Pick<MoveCapture, 'end'>
  digest: Pick<MoveDigest, 'forget'>
  reader: Pick<MoveReader, 'forget'>
  gate: Pick<MoveGate, 'resume'>
  setMoveState(storeId: string, state: StoreMoveState | null, movedTo?: string): void
  mailOwners: MailOwners
  /** Drops what memory holds about a store that is served elsewhere from now on. */
  leaveStore(storeId: string): void
  countMove(outcome: EndPhase, pauseMs: number | null): void
}

const ACTS: Readonly<Record<EndPhase, AuditAction>> = {
  moved: 'store.moved',
  cancelled: 'store.move_cancelled',
  failed: 'store.move_failed',
}

export type Ending = ReturnType<typeof createEnding>

/** Ends moves: each end is one transaction, in which the store is the target's from then on, or stays. */
export function createEnding(deps: EndingDeps) {
  const { queries, capture, gate, setMoveState, atomically, clock, log, record } = deps

  /** @returns false if the move had left the phase already. */
  function end(
    row: DepartureRow,
    from: RunningPhase,
    to: EndPhase,
    { by = null, error = null, pauseMs = null, newUrl = row.newUrl }: EndFacts = {},
  ): boolean {
    const { id, storeId, slug, url } = row
    const hasEnded = atomically(() => {
      if (!queries.end(id, from, to, { now: clock.now(), error, pauseMs, newUrl })) return false
      // A store that has moved is hidden, with its people.
      if (to === 'moved')
        deps.mailOwners(storeId, (mailTo) => movedMail(mailTo, { slug, from: deps.baseUrl(), to: newUrl }))
      setMoveState(storeId, to === 'moved' ? 'moved' : null, to === 'moved' ? newUrl : undefined)
      capture.end(storeId)
      const details = { move_id: id, to: to === 'moved' ? newUrl : url, ...(error !== null && { error }) }
      record(describeOperation(by, storeId, ACTS[to], details))
      return true
    })
    if (!hasEnded) return false
    deps.digest.forget(storeId)
    deps.reader.forget(storeId)
    deps.countMove(to, pauseMs)
    const facts = {
      move_id: id,
      store_id: storeId,
      slug,
      to: newUrl,
      rows: row.rowsSent,
      bytes: row.bytesSent,
      pause_ms: pauseMs,
    }
    if (to === 'failed')
      log.error({ ...facts, reason: error }, 'the move of a store to another node failed; the store stays')
    else if (to === 'cancelled')
      log.info(facts, 'the move of a store to another node was cancelled; the store stays')
    else log.info(facts, 'a store has moved to another node')
    if (to === 'moved') deps.leaveStore(storeId)
    // Those that wait are judged anew.
    gate.resume(storeId)
    return true
  }

  return { end }
}

interface EndFacts {
  by?: Operator
  error?: string | null
  pauseMs?: number | null
  /** Where the target says that the store is served. */
  newUrl?: string
}
