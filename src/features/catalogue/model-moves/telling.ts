import { type Clock, DAY_MS, isoTime, MINUTE_MS } from '../../../core/clock.ts'
import type { Base } from '../../module.ts'
import { type Controller, tell } from './controller.ts'
import type { RunningMove } from './move.ts'
import type { ModelMoveQueries, MoveCounts, MoveRow } from './queries.ts'
import type { ModelsStatus, MoveStatus } from './schema.ts'
import { TRIES_MAX } from './switching.ts'

export interface TellingDeps extends Pick<Base, 'log'> {
  clock: Clock
  queries: Pick<ModelMoveQueries, 'findLast' | 'findState' | 'listFailed'>
  moves: Pick<Controller, 'current' | 'pace'>
  /** Why nothing is embedded. */
  findProblem(): string | undefined
  nameInUse(): string
}

/** A move that has ended is told for this time. */
const TOLD_MS = DAY_MS
/** A shorter rest is not worth a word. */
const REST_MS_MIN = 10_000
/** Counts are used again for this time. */
const COUNT_MS = 1_000

/** Tells operators how far a move has come: in answers, and every minute in the log. */
export function createTelling({ queries, moves, clock, log, findProblem, nameInUse }: TellingDeps) {
  let counted: { running: RunningMove; counts: MoveCounts; at: number } | undefined
  let loggedAt = clock.monotonic()

  function count(running: RunningMove): MoveCounts {
    const at = clock.monotonic()
    if (counted?.running !== running || at - counted.at >= COUNT_MS)
      counted = { running, counts: running.count(), at }
    return counted.counts
  }

  function estimate({ products, productsDone }: MoveCounts, restMs: number): number | null {
    const seconds = moves.pace.estimate(products - productsDone)
    return seconds === null ? null : Math.max(seconds, Math.ceil(restMs / 1_000))
  }

  function explainRest(restMs: number): string | undefined {
    if (restMs < REST_MS_MIN) return undefined
    return `The rest could not be embedded, mostly because pictures could not be had, and is tried again at ${isoTime(clock.now() + restMs)}`
  }

  function describe(row: MoveRow, running: RunningMove | undefined): MoveStatus {
    const counts = running ? count(running) : row
    const restMs = Math.max(0, (running?.findRest() ?? 0) - clock.now())
    const problem = running && (running.findProblem() ?? findProblem() ?? explainRest(restMs))
    return {
      ...{ id: row.id, kind: row.kind, from: row.fromName, to: row.toName, state: row.state },
      ...{ stores: counts.stores, stores_done: counts.storesDone },
      ...{ products: counts.products, products_done: counts.productsDone, failed: counts.failed },
      failures: counts.failed === 0 ? [] : queries.listFailed(row.isReturning ? row.from : row.to, TRIES_MAX),
      eta_seconds: running ? estimate(counts, restMs) : null,
      is_returning: row.isReturning,
      problem: problem ?? null,
      started_at: isoTime(row.startedAt),
      finished_at: row.finishedAt === null ? null : isoTime(row.finishedAt),
    }
  }

  function findMove(): MoveStatus | null {
    const running = moves.current
    const row = running?.row ?? queries.findLast()
    if (!row || (row.finishedAt !== null && clock.now() - row.finishedAt > TOLD_MS)) return null
    return describe(row, running)
  }

  return {
    /** @throws Error without a move. */
    demandMove(): MoveStatus {
      const move = findMove()
      if (!move) throw new Error('The move is gone')
      return move
    },

    status(): ModelsStatus {
      const { formerName = null, formerUntil = null } = queries.findState() ?? {}
      return {
        in_use: nameInUse(),
        move: findMove(),
        former:
          formerName === null || formerUntil === null
            ? null
            : { name: formerName, until: isoTime(formerUntil) },
      }
    },

    /** Writes a line into the log once a minute. */
    logProgress(running: RunningMove): void {
      if (clock.monotonic() - loggedAt < MINUTE_MS) return
      loggedAt = clock.monotonic()
      const { eta_seconds, problem } = describe(running.row, running)
      const progress = {
        ...tell(running.row, count(running)),
        eta_seconds,
        ...(problem !== null && { problem }),
      }
      log.info(progress, 'the catalogue moves to another model')
    },

    /** Counts anew. */
    forgetCounts(): void {
      counted = undefined
    },
  }
}
