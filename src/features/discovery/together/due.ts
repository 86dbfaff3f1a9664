import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import type { Base } from '../../module.ts'
import type { Run, TogetherQueries } from './queries.ts'

export interface DueDeps extends Pick<Base, 'clock'> {
  queries: Pick<TogetherQueries, 'findLastEvent'>
  /** The day of a moment in the zone of a store. */
  dayOf(storeId: string, ms: number): number
}

/** In the zone of the store its night's count begins at three o'clock. */
const NIGHT_BEGINS_MS = 3 * HOUR_MS
/**
 * A count of fewer baskets takes well below a second, and is made again by day when there is something new. It rests so long that
 * the counts of a store take some thousandth of a core at most.
 */
const FEW_BASKETS = 2_000
const REST_OF_BASKET_MS = 2_000
/** Old events end, so the lists of a store where nothing happens are counted again now and then. */
const STALE_MS = 7 * DAY_MS

/** Creates the test whether a store is to be counted. */
export function createDueTest({ queries, clock, dayOf }: DueDeps) {
  /** The day of a store, which begins when its night's count may be made. */
  const nightOf = (storeId: string, ms: number): number => dayOf(storeId, ms - NIGHT_BEGINS_MS)

  return function isDue(storeId: string, run: Run | undefined): boolean {
    if (run && run.begunAt !== null) return true
    const now = clock.now()
    const lastEvent = queries.findLastEvent(storeId)
    const madeAt = run?.madeAt ?? null
    if (madeAt === null) return lastEvent !== null || run !== undefined
    const isNew = run?.isOutdated === 1 || (lastEvent !== null && lastEvent >= madeAt)
    const baskets = (run?.orders ?? 0) + (run?.visitors ?? 0)
    const isRested = now - madeAt >= MINUTE_MS + REST_OF_BASKET_MS * baskets
    if (isNew && baskets < FEW_BASKETS && isRested) return true
    return nightOf(storeId, madeAt) < nightOf(storeId, now) && (isNew || now - madeAt >= STALE_MS)
  }
}
