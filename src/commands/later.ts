import type { Logger } from 'pino'

type Work = () => unknown

/** Runs work on timers. Errors are logged, and no scheduled work is lost when the program ends. */
export interface Later {
  /** Calls back once, after `delayMs`. */
  schedule(callback: Work, delayMs: number): void
  /** Calls back now and then periodically, even after a failure. @param what names the work in the log. */
  every(periodMs: number, what: string, work: Work): void
  /** Stops periodic work, runs scheduled work at once, and resolves when all of it is done. */
  finish(): Promise<void>
}

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
    schedule(callback, delayMs) {
      const timer = setTimeout(() => {
        waiting.delete(timer)
        run(callback, 'postponed work')
      }, delayMs)
      waiting.set(timer, callback)
    },

    every(periodMs, what, work) {
      run(work, what)
      repeated.add(setInterval(() => run(work, what), periodMs))
    },

    async finish() {
      for (const timer of repeated) clearInterval(timer)
      repeated.clear()
      // Running work may schedule more.
      while (waiting.size + underway.size > 0) {
        for (const [timer, callback] of waiting) {
          clearTimeout(timer)
          waiting.delete(timer)
          run(callback, 'postponed work')
        }
        await Promise.all(underway)
      }
    },
  }
}
