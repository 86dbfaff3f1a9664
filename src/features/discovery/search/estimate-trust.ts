import { createBackoff } from '../../../core/backoff.ts'
import type { Segment } from '../../../platform/vectors/arena.ts'

/** Searches in a row whose estimates left too many in question, after which a store goes without. */
const FAILURES_MAX = 2

/** Searches that a store then goes without estimates; twice as many each time that the next one fails, too. */
const pauseAfter = createBackoff({ first: 16, factor: 2, longest: 256 })

interface Record {
  /** Searches in a row whose estimates were no answer. */
  failures: number
  /** Searches to go without estimates. */
  pause: number
}

/**
 * Remembers of each store whether estimates answer its searches. Where they don't, both the estimates and the full scan are
 * paid for; so after two such searches the store is scanned at once, and estimates are tried again now and then.
 */
export function createEstimateTrust() {
  /** It leaves with the segment, so with the store. */
  const records = new WeakMap<Pick<Segment, 'slots'>, Record>()

  return {
    /** Asked once for each search that may estimate. */
    mayTry(segment: Pick<Segment, 'slots'>): boolean {
      const record = records.get(segment)
      if (!record || record.pause === 0) return true
      record.pause--
      return false
    },

    /** Says whether the estimates of a search were an answer. */
    note(segment: Pick<Segment, 'slots'>, isAnswer: boolean): void {
      if (isAnswer) {
        records.delete(segment)
        return
      }
      const failures = (records.get(segment)?.failures ?? 0) + 1
      const pause = failures < FAILURES_MAX ? 0 : pauseAfter(failures - FAILURES_MAX)
      records.set(segment, { failures, pause })
    },
  }
}
