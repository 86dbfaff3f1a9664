/**
 * The moments at which work runs that may wait for a second. Waking up costs an idle program far more than most of what it
 * then does, so all such work wakes it once.
 */
export const BEAT_MS = 1_000

/** Timers fire up to a millisecond early, and that must not count as the beat before. */
const LEEWAY = 0.25

/** The time until the next beat, or until the one after it if that comes at once. @param now of a monotonic clock, in ms. */
export function untilBeat(now: number, beatMs: number = BEAT_MS): number {
  const ms = beatMs - (now % beatMs)
  return Math.ceil(ms < LEEWAY * beatMs ? ms + beatMs : ms)
}
