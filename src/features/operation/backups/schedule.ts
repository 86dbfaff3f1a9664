import { type Clock, HOUR_MS, isoTime, MINUTE_MS } from '../../../core/clock.ts'
import type { BackupQueries } from './queries.ts'

export interface ScheduleDeps {
  queries: Pick<BackupQueries, 'findNewest'>
  clock: Clock
  /** 0 switches the schedule off. */
  everyMs: number
}

/** A service that was started just now has other work. */
const CALM_MS = 15 * MINUTE_MS
/** After a failure the next try comes earlier. */
const RETRY_MS = HOUR_MS

export function createSchedule({ queries, clock, everyMs }: ScheduleDeps) {
  const startedAt = clock.now()

  return {
    /** When the schedule makes the next one; undefined without a schedule. */
    findDue(): number | undefined {
      if (everyMs === 0) return undefined
      const last = queries.findNewest()
      const wait = last?.state === 'completed' ? everyMs : Math.min(RETRY_MS, everyMs)
      return Math.max(last ? last.startedAt + wait : 0, startedAt + CALM_MS)
    },

    /** What is wrong with the backups, in one sentence that everyone may read. */
    findWarning(): string | undefined {
      if (everyMs === 0) return undefined
      const good = queries.findNewest('completed')
      if (queries.findNewest()?.state === 'failed') return 'the last backup failed'
      const since = good?.madeAt ?? startedAt
      if (clock.now() - since <= 2 * everyMs + HOUR_MS) return undefined
      return good ? `the last good backup is of ${isoTime(since)}` : 'there is no good backup'
    },
  }
}
