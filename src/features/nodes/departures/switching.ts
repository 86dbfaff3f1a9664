import { createBackoff } from '../../../core/backoff.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import type { Base } from '../../module.ts'
import type { Ending } from './ending.ts'
import { findDifferences, type Proof } from './proof.ts'
import type { DepartureQueries, DepartureRow } from './queries.ts'
import { MoveEnded, type Sending } from './sending.ts'
import type { Session } from './session.ts'
import { Refusal, type Target } from './target.ts'
import type { Digest, MoveDigest, MoveGate, StoreMoveState } from './world.ts'

/** Pauses that are given up before the move fails, and the waits between them. */
export const PAUSES_MAX = 6
const pauseWait = createBackoff({ waits: [10_000, 30_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] })
/** Walks over what differed before the move fails. */
const REPAIRS_MAX = 1

export interface SwitchingDeps extends Pick<Base, 'atomically' | 'clock' | 'log'> {
  queries: Pick<DepartureQueries, 'setPhase' | 'giveUpPause' | 'dropPause' | 'beginRepair' | 'advance'>
  digest: Pick<MoveDigest, 'read'>
  gate: MoveGate
  sending: Sending
  proof: Proof
  ending: Ending
  setMoveState(storeId: string, state: StoreMoveState | null): void
  /** Writes down what waits in memory for the store. */
  drain(storeId: string): void
  stop: AbortSignal
  /** The longest pause of writes before the target is asked to open the store. */
  pauseMsMax: number
}

/** What each part of a pause took, in milliseconds. */
type Laps = Record<string, number>
type Lap = (name: 'gate' | 'rest' | 'digest' | 'searches') => void

/** What the target holds is not what is here. */
class Different extends Error {
  readonly tables: readonly string[]

  constructor(message: string, tables: readonly string[] = []) {
    super(message)
    this.tables = tables
  }
}

/** Settles once the signal aborts, whatever the work does. */
function within<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Pauses the writes of a store, and holds both sides against each other. */
export function createSwitching(deps: SwitchingDeps) {
  const { queries, digest, gate, sending, proof, ending, setMoveState, atomically, clock, log } = deps

  /** Takes the next phase, and tells the store's row. @throws MoveEnded */
  function enter(
    row: DepartureRow,
    from: Parameters<DepartureQueries['setPhase']>[1],
    to: 'paused' | 'verifying' | 'switching',
  ) {
    atomically(() => {
      if (!queries.setPhase(row.id, from, to)) throw new MoveEnded()
      if (to !== 'verifying') setMoveState(row.storeId, to)
    })
  }

  /** Sends what is left. @returns the sums of the rows as the target has them now. */
  async function sendRest(target: Target, row: DepartureRow): Promise<Digest> {
    for (;;) {
      deps.drain(row.storeId)
      const rows = sending.takeCaptured(row.storeId)
      // In the same turn: nothing is written between the last row and its sum.
      if (rows.length === 0) return digest.read(row.storeId)
      const sent = await sending.sendCaptured(target, row, rows)
      if (!atomically(() => queries.advance(row.id, sent, null, clock.now()))) throw new MoveEnded()
    }
  }

  /** @throws Different */
  async function verify(target: Target, row: DepartureRow, here: Digest, lap: Lap): Promise<void> {
    const tables = findDifferences(here, await target.digest())
    lap('digest')
    if (tables.length > 0)
      throw new Different(`The rows of ${tables.join(', ')} differ on the other node`, tables)
    // Another model gives other scores.
    if (row.reembeds) return
    const searches = await proof.findDifferentSearches(target, row.storeId)
    lap('searches')
    if (searches.length > 0)
      throw new Different(`These searches answer otherwise on the other node: ${searches.join(', ')}`)
  }

  const pauseOf = (session: Session): number =>
    session.pausedAt === undefined ? 0 : clock.monotonic() - session.pausedAt

  /** Writes go on. What had gone wrong is tried again later, or is the end of the move. */
  function goBack(session: Session, row: DepartureRow, error: unknown, laps: Laps): void {
    const pauseMs = pauseOf(session)
    session.pausedAt = undefined
    if (deps.stop.aborted) {
      // The next start goes on, and this pause counts as none.
      atomically(() => {
        queries.dropPause(row.id)
        setMoveState(row.storeId, 'moving')
      })
      gate.resume(row.storeId)
      return
    }
    const words = error instanceof Error ? error.message : String(error)
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    const problem = isTimeout ? `The pause of writes was given up after ${deps.pauseMsMax / 1000} s` : words
    const isDifferent = error instanceof Different
    const isFinal = error instanceof Refusal && !error.isPassing
    if (isFinal || (isDifferent && row.repairs >= REPAIRS_MAX)) {
      fail(row, isDifferent ? `${problem}, also after they were sent once more` : problem, pauseMs)
      return
    }
    if (!isDifferent && row.pauses + 1 >= PAUSES_MAX) {
      fail(
        row,
        `Writes were paused ${PAUSES_MAX} times, and the store could not be handed over: ${problem}`,
        pauseMs,
      )
      return
    }
    const isOn = atomically(() => {
      const hasLeft = isDifferent ? repair(row, error, pauseMs) : later(row, problem, pauseMs)
      if (hasLeft) setMoveState(row.storeId, 'moving')
      return hasLeft
    })
    if (isDifferent) session.isIndexLoaded = false
    gate.resume(row.storeId)
    if (isOn)
      log.warn(
        { move_id: row.id, store_id: row.storeId, pause_ms: Math.round(pauseMs), laps_ms: laps, problem },
        'writes of a store that moves go on',
      )
  }

  const later = (row: DepartureRow, problem: string, pauseMs: number): boolean =>
    queries.giveUpPause(row.id, problem, clock.now() + pauseWait(row.pauses), pauseMs)

  function repair(row: DepartureRow, { tables, message }: Different, pauseMs: number): boolean {
    const cursor = tables.length > 0 ? JSON.stringify({ at: 'rows', tables }) : null
    return queries.beginRepair(row.id, cursor === null ? 'catching_up' : 'copying', {
      cursor,
      problem: message,
      pauseMs,
    })
  }

  function fail(row: DepartureRow, error: string, pauseMs: number): void {
    for (const from of ['paused', 'verifying'] as const)
      if (ending.end(row, from, 'failed', { error, pauseMs })) return
    gate.resume(row.storeId)
  }

  return {
    /** Pauses the writes, sends the rest, verifies, and writes down that the target may be asked to open. */
    async pause(session: Session, row: DepartureRow): Promise<void> {
      const signal = AbortSignal.any([deps.stop, session.cancel.signal, AbortSignal.timeout(deps.pauseMsMax)])
      const target = session.openTarget(signal)
      session.pausedAt = clock.monotonic()
      const laps: Laps = {}
      let lapAt = session.pausedAt
      const lap: Lap = (name) => {
        const now = clock.monotonic()
        laps[name] = Math.round(now - lapAt)
        lapAt = now
      }
      try {
        enter(row, 'catching_up', 'paused')
        await within(signal, gate.pause(row.storeId))
        lap('gate')
        const here = await within(signal, sendRest(target, row))
        lap('rest')
        enter(row, 'paused', 'verifying')
        await within(signal, verify(target, row, here, lap))
        signal.throwIfAborted()
        enter(row, 'verifying', 'switching')
        log.info({ move_id: row.id, store_id: row.storeId, laps_ms: laps }, 'a store that moves was verified')
      } catch (error) {
        goBack(session, row, error, laps)
      }
    },
  }
}
