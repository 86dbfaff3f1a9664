/** The only source of time in this program. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number
  /** Milliseconds with fractions since an arbitrary start; never decreases. For durations. */
  monotonic(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** ISO 8601 in UTC with milliseconds and `Z`, the wire form of every timestamp. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** The same for a time that may not be. */
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
