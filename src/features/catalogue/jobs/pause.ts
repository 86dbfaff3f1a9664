import { createBackoff } from '../../../core/backoff.ts'
import type { Clock } from '../../../core/clock.ts'

const backoff = createBackoff({ first: 1_000, factor: 2, longest: 60_000 })

/** A pause of one job, while something that all of its items need is missing. */
export interface JobPause {
  isOn(): boolean
  /** Begins a pause, twice as long as the last one: 1 s to a minute. During a pause this does nothing. */
  begin(): void
  /** Ends it, because something succeeded. */
  end(): void
}

export function createJobPause(clock: Pick<Clock, 'monotonic'>): JobPause {
  let until = Number.NEGATIVE_INFINITY
  let pauses = 0
  const isOn = () => clock.monotonic() < until
  return {
    isOn,
    begin() {
      if (isOn()) return
      until = clock.monotonic() + backoff(pauses++)
    },
    end() {
      until = Number.NEGATIVE_INFINITY
      pauses = 0
    },
  }
}
