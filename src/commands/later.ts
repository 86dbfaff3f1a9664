import type { Logger } from 'pino'

type Work = () => unknown

/** Runs work on timers. Errors are logged, and no scheduled work is lost when the program ends. */
export interface Later {
  /** Runs work once, after `delayMs`. */
  defer(work: Work, delayMs: number): void
  /** Calls back now and then periodically, even after a failure. @param what names the work in the log. */
  every(periodMs: number, what: string, work: Work): void
  /**
   * Stops periodic work, runs scheduled work at once, and resolves when all of it is done. Work that schedules itself
   * again and again is given up.
   */
  finish(): Promise<void>
}

/** How often the end looks for work that running work has scheduled. */
const ROUNDS_MAX = 5

export function createLater(log: Pick<Logger, 'error'>): Later {
  const waiting = new Map<Timer, Work>()
  const repeated = new Set<Timer>()
  const underway = new Set<Promise<void>>()

  function run(work: Work, what: string): void {
    const done = Promise.try(work).then(
      () => void underway.delete(done),
      (err) => {
        underway.delete(done)
        log.error({ err }, `${what} failed`)
      },
    )
    underway.add(done)
  }

  return {
    defer(work, delayMs) {
      const timer = setTimeout(() => {
        waiting.delete(timer)
        run(work, 'postponed work')
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
      // Running work may schedule more, and work that cannot be done schedules itself again.
      for (let round = 0; round < ROUNDS_MAX && waiting.size + underway.size > 0; round++) {
        for (const [timer, callback] of [...waiting]) {
          clearTimeout(timer)
          waiting.delete(timer)
          run(callback, 'postponed work')
        }
        await Promise.all(underway)
      }
      for (const timer of waiting.keys()) clearTimeout(timer)
      if (waiting.size > 0) log.error({ lost: waiting.size }, 'postponed work was given up')
      waiting.clear()
    },
  }
}
