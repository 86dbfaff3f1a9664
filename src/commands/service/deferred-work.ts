import type { Logger } from 'pino'
import { BEAT_MS, untilBeat } from '../../core/beat.ts'
import { systemClock } from '../../core/clock.ts'

type Work = () => unknown

/** Runs work on timers. Errors are logged, and no deferred work is lost when the program ends. */
export interface DeferredWork {
  /** Runs work once, after `delayMs`. */
  defer(work: Work, delayMs: number): void
  /**
   * Runs work now and then periodically, on the beat (`core/beat.ts`), even after a failure.
   *
   * @param periodMs a multiple of the beat.
   * @param what names the work in the log.
   */
  every(periodMs: number, what: string, work: Work): void
  /**
   * Stops periodic work, runs deferred work at once, and resolves when all of it is done. Work that defers itself again
   * and again is given up.
   */
  finish(): Promise<void>
}

/** How often `finish` looks for work that other work has deferred meanwhile. */
const ROUNDS_MAX = 5

interface Repeated {
  work: Work
  what: string
  periodBeats: number
  beatsLeft: number
}

export function createDeferredWork(log: Pick<Logger, 'error'>, beatMs: number = BEAT_MS): DeferredWork {
  const waiting = new Map<Timer, Work>()
  const repeated = new Set<Repeated>()
  let beat: Timer | undefined
  const inFlight = new Set<Promise<void>>()

  function run(work: Work, what: string): void {
    const done = Promise.try(work).then(
      () => void inFlight.delete(done),
      (err) => {
        inFlight.delete(done)
        log.error({ err }, `${what} failed`)
      },
    )
    inFlight.add(done)
  }

  function runDue(): void {
    beat = setTimeout(runDue, untilBeat(systemClock.monotonic(), beatMs))
    for (const each of repeated) {
      each.beatsLeft--
      if (each.beatsLeft > 0) continue
      each.beatsLeft = each.periodBeats
      run(each.work, each.what)
    }
  }

  return {
    defer(work, delayMs) {
      const timer = setTimeout(() => {
        waiting.delete(timer)
        run(work, 'deferred work')
      }, delayMs)
      waiting.set(timer, work)
    },

    every(periodMs, what, work) {
      run(work, what)
      const periodBeats = periodMs / beatMs
      repeated.add({ work, what, periodBeats, beatsLeft: periodBeats })
      beat ??= setTimeout(runDue, untilBeat(systemClock.monotonic(), beatMs))
    },

    async finish() {
      clearTimeout(beat)
      repeated.clear()
      // Work may defer more work, and work that cannot be done defers itself again.
      for (let round = 0; round < ROUNDS_MAX && waiting.size + inFlight.size > 0; round++) {
        for (const [timer, work] of [...waiting]) {
          clearTimeout(timer)
          waiting.delete(timer)
          run(work, 'deferred work')
        }
        await Promise.all(inFlight)
      }
      for (const timer of waiting.keys()) clearTimeout(timer)
      if (waiting.size > 0) log.error({ lost: waiting.size }, 'deferred work was given up')
      waiting.clear()
    },
  }
}
