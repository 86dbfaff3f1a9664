import type { Clock } from '../../../core/clock.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 60_000

/** A pause of one job, while something that all of its items need is missing. */
export interface Hold {
  isOn(): boolean
  /** Begins a pause, twice as long as the last one: 1 s to a minute. During a pause this does nothing. */
  begin(): void
  /** Ends it, because something succeeded. */
  end(): void
}

export function createHold(clock: Pick<Clock, 'monotonic'>): Hold {
  let until = Number.NEGATIVE_INFINITY
  let nextMs = FIRST_MS
  const isOn = () => clock.monotonic() < until
  return {
    isOn,
    begin() {
      if (isOn()) return
      until = clock.monotonic() + nextMs
      nextMs = Math.min(2 * nextMs, LONGEST_MS)
    },
    end() {
      until = Number.NEGATIVE_INFINITY
      nextMs = FIRST_MS
    },
  }
}
