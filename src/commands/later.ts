import type { Logger } from 'pino'

type Work = () => unknown

/** Work that runs by a timer. None of it throws out of its timer, and none is lost when the program ends. */
export interface Later {
  /** Calls back once, after so many milliseconds. */
  schedule(callback: Work, delayMs: number): void
  /** Calls back now, and then again and again; a call that fails does not stop the next one. @param what for the log. */
  every(periodMs: number, what: string, work: Work): void
  /** Ends what is repeated, calls back at once what waits, and resolves when all of it is done. */
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
      // What runs may postpone more.
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
