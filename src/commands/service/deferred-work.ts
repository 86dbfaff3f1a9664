import type { Logger } from 'pino'

type Work = () => unknown

/** Runs work on timers. Errors are logged, and no deferred work is lost when the program ends. */
export interface DeferredWork {
  /** Runs work once, after `delayMs`. */
  defer(work: Work, delayMs: number): void
  /** Runs work now and then periodically, even after a failure. @param what names the work in the log. */
  every(periodMs: number, what: string, work: Work): void
  /**
   * Stops periodic work, runs deferred work at once, and resolves when all of it is done. Work that defers itself again
   * and again is given up.
   */
  finish(): Promise<void>
}

/** How often `finish` looks for work that other work has deferred meanwhile. */
const ROUNDS_MAX = 5

export function createDeferredWork(log: Pick<Logger, 'error'>): DeferredWork {
  const waiting = new Map<Timer, Work>()
  const repeated = new Set<Timer>()
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
      repeated.add(setInterval(() => run(work, what), periodMs))
    },

    async finish() {
      for (const timer of repeated) clearInterval(timer)
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
