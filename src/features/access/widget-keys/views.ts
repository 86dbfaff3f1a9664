import { isoTime } from '../../../core/clock.ts'
import type { CountedWidgetKey, WidgetKeyRow } from './queries.ts'
import type { SeenPage, WidgetKey } from './schema.ts'
import type { Sightings } from './trace-queries.ts'
import type { WidgetTraces } from './traces.ts'

/** Creates what writes a key for an answer. Of several keys the sightings of their store are read once. */
export const createKeyView =
  (traces: Pick<WidgetTraces, 'readStore' | 'countRefused'>) =>
  (row: CountedWidgetKey, sightingsOf = traces.readStore(row.storeId)): WidgetKey => ({
    ...describeKey(row),
    seen: row.origins.flatMap((origin) => describeSightings(origin, sightingsOf(row.id, origin))),
    refused_today: traces.countRefused(row.id, { day: row.refusedDay, count: row.refused }),
  })

const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms))

function describeSightings(origin: string, { search, click, cart, purchase }: Sightings): SeenPage[] {
  if (!search && !click && !cart && !purchase) return []
  return [
    {
      origin,
      last_search_at: timeOrNull(search),
      last_click_at: timeOrNull(click),
      last_cart_at: timeOrNull(cart),
      last_purchase_at: timeOrNull(purchase),
    },
  ]
}

const describeKey = (row: WidgetKeyRow) => ({
  id: row.id,
  name: row.name,
  key: row.key,
  prefix: row.prefix,
  origins: row.origins,
  rate_per_minute: row.ratePerMinute,
  allowed: row.allowed,
  forced_filters: row.forcedFilters,
  created_at: isoTime(row.createdAt),
})
