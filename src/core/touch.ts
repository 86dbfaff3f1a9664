import type { Clock } from './clock.ts'

/** "Last used" times are accurate to this; a failed write is not tried again any sooner. */
const PAUSE_MS = 60_000

/** A use of something that stores when it was last used. */
export interface Use {
  /** The stored time in Unix ms; null if never used. */
  lastAt: number | null
  /** Stores the use. @param now Unix ms. */
  write(now: number): void
}

export interface TouchDeps {
  clock: Clock
  /** Runs a write that does not wait for the disk. */
  withoutFsync(write: () => void): void
  log: { warn(fields: { err: unknown }, message: string): void }
  /** Names the used thing in the log: "an API key". */
  name: string
}

/** Creates a function that stores uses, each at most once a minute. A failed write must not fail the request. */
export function createTouch({ clock, withoutFsync, log, name }: TouchDeps) {
  let pausedUntil = Number.NEGATIVE_INFINITY

  return (...uses: readonly Use[]): void => {
    const now = clock.now()
    const due = uses.filter(({ lastAt }) => lastAt === null || now - lastAt >= PAUSE_MS)
    if (due.length === 0 || clock.monotonic() < pausedUntil) return
    try {
      withoutFsync(() => {
        for (const use of due) use.write(now)
      })
    } catch (err) {
      pausedUntil = clock.monotonic() + PAUSE_MS
      log.warn({ err }, `the use of ${name} could not be stored`)
    }
  }
}
