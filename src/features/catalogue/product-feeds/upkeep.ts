import { MINUTE_MS } from '../../../core/clock.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { FeedProductQueries } from './product-queries.ts'
import type { FeedQueries } from './queries.ts'
import { computeLongestWait } from './run-times.ts'

export interface FeedUpkeepDeps extends Pick<Base, 'clock' | 'withoutFsync'> {
  queries: Pick<FeedQueries, 'listWaitingUntilAfter' | 'reschedule' | 'listDeleted' | 'removeDeleted'>
  products: Pick<FeedProductQueries, 'forgetAll'>
  isStopping(): boolean
}

/** Feeds whose times are corrected in one call. */
const CORRECTED_MAX = 200
/** Rows that are deleted in one transaction. */
const STEP = 250

/** The work on feeds that repeats every hour. */
export function createFeedUpkeep({ queries, products, isStopping, withoutFsync, clock }: FeedUpkeepDeps) {
  let isClearing = false

  return {
    /** Brings forward the feeds that would wait too long, because the clock was set back. */
    correctTimes(): void {
      const now = clock.now()
      for (const feed of queries.listWaitingUntilAfter(now + computeLongestWait(0), CORRECTED_MAX)) {
        const longest = computeLongestWait(feed.intervalMinutes * MINUTE_MS)
        if (feed.nextRunAt > now + longest) queries.reschedule(feed.id, now)
      }
    },

    /** Deletes the rows that deleted feeds have left, in small steps. */
    async clear(): Promise<void> {
      if (isClearing) return
      isClearing = true
      try {
        for (let ids = queries.listDeleted(STEP); ids.length > 0; ids = queries.listDeleted(STEP)) {
          for (const id of ids) {
            while (withoutFsync(() => products.forgetAll(id, STEP)) > 0) {
              await turn()
              if (isStopping()) return
            }
            queries.removeDeleted(id)
          }
        }
      } finally {
        isClearing = false
      }
    },
  }
}
