/** Follows how fast something comes in. */
export interface Pace {
  count(bytes: number): void
  /** Time that was not the sender's. */
  excuse(ms: number): void
  /** Whether it is behind the pace. */
  isSlow(): boolean
}

/** How far a sender may be behind or ahead of the pace: a burst does not pay for a long silence. */
const LEEWAY_MS = 2_000

/**
 * Compares a stream of bytes with a pace. It is slow once it is two seconds behind: at the start, after a burst, or little by
 * little.
 *
 * @param monotonic time in ms.
 */
export function createPace(bytesPerSecond: number, monotonic: () => number): Pace {
  /** Until when the bytes that are here suffice. */
  let fedUntil = monotonic() + LEEWAY_MS
  return {
    count(bytes) {
      fedUntil = Math.min(fedUntil + (bytes / bytesPerSecond) * 1_000, monotonic() + LEEWAY_MS)
    },
    excuse(ms) {
      fedUntil += ms
    },
    isSlow: () => monotonic() > fedUntil,
  }
}
