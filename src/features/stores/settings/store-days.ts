import { BoundedMap } from '../../../core/bounded-map.ts'
import { DAY_MS } from '../../../core/clock.ts'
import { localDayOf } from '../../../core/local-days.ts'
import { validationError } from '../../../http/validation.ts'
import type { SettingsQueries } from './queries.ts'

/** Stores whose zones are kept in memory. */
const KNOWN_MAX = 1_000

/** Changes that a store may have in the days that anything is counted. */
const CHANGES_MAX = 100
const KEPT_MS = 400 * DAY_MS

export interface StoreDaysDeps {
  queries: Pick<SettingsQueries, 'listZones' | 'addZone' | 'removeZones'>
}

/** Tells on which day of a store a moment falls. A change of the setting moves no moment that came before it. */
export function createStoreDays({ queries }: StoreDaysDeps) {
  const known = new BoundedMap<string, ReturnType<typeof queries.listZones>>(KNOWN_MAX)

  function findZone(storeId: string, ms: number): string {
    const zones = known.get(storeId) ?? queries.listZones(storeId)
    known.set(storeId, zones)
    // Newest first: nearly every moment is after the last change.
    for (const { after, timeZone } of zones) if (ms > after) return timeZone
    return 'UTC'
  }

  return {
    /** The day of a store, as a number of dates since 1970. @param ms Unix ms. */
    dayOf: (storeId: string, ms: number): number => localDayOf(ms, findZone(storeId, ms)),

    /**
     * Notes that another zone holds after a moment, in the transaction that changes the setting.
     *
     * @throws ApiError `validation_error` for too many changes.
     */
    change(storeId: string, timeZone: string, now: number): void {
      queries.removeZones(storeId, now - KEPT_MS)
      if (queries.listZones(storeId).length >= CHANGES_MAX) throw tooMany()
      queries.addZone(storeId, now, timeZone)
    },

    forgetStore: (storeId: string): void => void known.delete(storeId),
  }
}

const tooMany = () =>
  validationError([
    {
      ...{ in: 'body', pointer: '/time_zone', code: 'too_many_changes' },
      message: `was changed ${CHANGES_MAX} times in 400 days, and stays as it is`,
    },
  ])
