import { BEAT_MS } from '../../../core/beat.ts'

/** A timer may fire that much before its beat. */
const EARLY_MS = 2

/**
 * Creates work for each beat that tells how late it runs. It costs no timer of its own, because the program wakes for the beat
 * anyway.
 *
 * @param monotonic in ms, the clock of the beat.
 */
export function createLoopWatch(monotonic: () => number, note: (delayMs: number) => void): () => void {
  let last: number | undefined
  return () => {
    const now = monotonic()
    const before = last
    last = now
    // The first run comes at the start, between two beats.
    if (before === undefined) return
    const phase = now % BEAT_MS
    const sinceBeat = phase > BEAT_MS - EARLY_MS ? 0 : phase
    // After a longer stop the beat that was missed counts.
    note(Math.max(sinceBeat, now - before - BEAT_MS - EARLY_MS))
  }
}
