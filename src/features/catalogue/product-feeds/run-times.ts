import { createBackoff } from '../../../core/backoff.ts'
import { DAY_MS, MINUTE_MS } from '../../../core/clock.ts'

/** The pause after the first failure; each further one is four times as long, up to a day. */
const RETRY_MS = 5 * MINUTE_MS
const RETRY_LONGEST_MS = DAY_MS
/** A pause differs by up to this share, so that feeds that failed together do not come back together. */
const RETRY_JITTER = 0.2
const backoff = createBackoff({ first: RETRY_MS, factor: 4, longest: RETRY_LONGEST_MS }, RETRY_JITTER)
/** The same for regular runs: later only, by at most five minutes. */
const JITTER = 0.05
const JITTER_LONGEST_MS = 5 * MINUTE_MS

export interface RunTimes {
  feedId: string
  runNumber: number
  /** Unix ms. */
  startedAt: number
  intervalMs: number
  /** Failures without a success in between, the last run's included. */
  failures: number
}

/**
 * When a feed runs next: an interval after the last run began, or after a pause that grows with each failure. A time that
 * has passed because the run took long is left out.
 */
export function computeNextRun({ startedAt, intervalMs, failures, ...run }: RunTimes, now: number): number {
  const share = spread(`${run.feedId} ${run.runNumber}`)
  if (failures > 0) return now + backoff(failures - 1, share)
  // A clock that was set back shows a beginning that is still to come.
  const began = Math.min(startedAt, now)
  const passed = Math.max(1, Math.ceil((now - began) / intervalMs))
  return Math.round(began + passed * intervalMs + Math.min(JITTER * intervalMs, JITTER_LONGEST_MS) * share)
}

/** The longest that any feed waits for its next run; a later moment was noted before the clock was set back. */
export const computeLongestWait = (intervalMs: number): number =>
  Math.max(intervalMs * (1 + JITTER), RETRY_LONGEST_MS * (1 + RETRY_JITTER))

/** A number from 0 to 1 that differs from text to text (FNV-1a). */
function spread(text: string): number {
  let hash = 0x811c9dc5
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193)
  return (hash >>> 0) / 0xffffffff
}
