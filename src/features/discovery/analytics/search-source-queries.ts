import type { Db } from '../../../platform/db/open.ts'
import type { SearchSource } from '../search/queries.ts'
import type { Days } from './day-queries.ts'

/** Counts of one search source and day. */
export interface SourceCounts {
  searches: number
  zero: number
  clicked: number
  carted: number
  purchased: number
  clicks: number
  carts: number
  purchases: number
}

export const SOURCE_COUNTS = [
  'searches',
  'zero',
  'clicked',
  'carted',
  'purchased',
  'clicks',
  'carts',
  'purchases',
] as const satisfies readonly (keyof SourceCounts)[]

/** A search source with its sums of a period. */
export interface SourceRow extends SourceCounts, SearchSource {
  /** null for a key that was revoked. */
  keyName: string | null
  /** Unix ms, like `lastEventAt`; of any day. */
  lastSearchAt: number | null
  lastEventAt: number | null
}

/** Search sources by their key, their origin, or both. */
export interface SourceFilter {
  keyId: string | null
  origin: string | null
}

export const NO_COUNTS: SourceCounts = {
  searches: 0,
  zero: 0,
  clicked: 0,
  carted: 0,
  purchased: 0,
  clicks: 0,
  carts: 0,
  purchases: 0,
}

export type SearchSourceQueries = ReturnType<typeof searchSourceQueries>

/** All SQL about the search sources with widget keys. No call opens a transaction. */
export function searchSourceQueries(db: Db) {
  const latest = (column: string) => `${column} = max(coalesce(${column}, 0), excluded.${column})`
  const see = (column: string) =>
    db
      .prepare<{ storeId: string; keyId: string; origin: string; at: number }, number>(`
      INSERT INTO widget_pages (store_id, key_id, origin, ${column}) VALUES (@storeId, @keyId, @origin, @at)
      ON CONFLICT (store_id, key_id, origin) DO UPDATE SET ${latest(column)} RETURNING id`)
      .pluck()
  const seeSearch = see('last_search_at')
  const seeEvent = see('last_event_at')
  const find = db
    .prepare<{ storeId: string } & SearchSource, number>(
      'SELECT id FROM widget_pages WHERE store_id = @storeId AND key_id = @keyId AND origin = @origin',
    )
    .pluck()
  const count = db.prepare(`
    INSERT INTO widget_page_days (store_id, day, page, ${SOURCE_COUNTS.join(', ')})
    VALUES (@storeId, @day, @source, ${SOURCE_COUNTS.map((name) => `@${name}`).join(', ')})
    ON CONFLICT DO UPDATE SET ${SOURCE_COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`)
  const list = db.prepare<Days, SourceRow>(`
    SELECT key_id AS keyId, origin, last_search_at AS lastSearchAt, last_event_at AS lastEventAt,
      (SELECT name FROM public_keys WHERE public_keys.id = key_id AND public_keys.store_id = @storeId) AS keyName,
      ${SOURCE_COUNTS.map((name) => `sum(${name}) AS ${name}`).join(', ')}
    FROM widget_page_days JOIN widget_pages ON widget_pages.id = page AND widget_pages.store_id = @storeId
    WHERE widget_page_days.store_id = @storeId AND day >= @from AND day <= @to
    GROUP BY page ORDER BY searches DESC, clicks DESC, origin, keyId`)

  const listDays = db.prepare<Days & SourceFilter, SourceCounts & { day: number }>(`
    SELECT day, ${SOURCE_COUNTS.map((name) => `sum(${name}) AS ${name}`).join(', ')}
    FROM widget_page_days JOIN widget_pages ON widget_pages.id = page AND widget_pages.store_id = @storeId
    WHERE widget_page_days.store_id = @storeId AND day >= @from AND day <= @to
      AND (@keyId IS NULL OR key_id = @keyId) AND (@origin IS NULL OR origin = @origin)
    GROUP BY day`)

  return {
    /** Records that a source has searched. Call it in a transaction. @returns its number. */
    seeSearch: (source: { storeId: string; at: number } & SearchSource): number =>
      seeSearch.get(source) as number,
    /** Records that a source has reported an event. Call it in a transaction. @returns its number. */
    seeEvent: (source: { storeId: string; at: number } & SearchSource): number =>
      seeEvent.get(source) as number,
    /** The number of a source; null for one that is gone. */
    find: (storeId: string, source: SearchSource): number | null => find.get({ storeId, ...source }) ?? null,
    /** Adds to the counts of a day. */
    count: (row: { storeId: string; day: number; source: number } & Partial<SourceCounts>): void =>
      void count.run({ ...NO_COUNTS, ...row }),
    /** The sources that did something in a period, most searches first. */
    list: (days: Days): SourceRow[] => list.all(days),
    /** The counts of each day of the sources that a filter names. */
    listDays: (days: Days, filter: SourceFilter): (SourceCounts & { day: number })[] =>
      listDays.all({ ...days, ...filter }),
  }
}
