import type { Db } from '../../../platform/db/open.ts'
import type { SearchSource } from '../search/queries.ts'
import type { Days } from './day-queries.ts'

/** What is counted of one page and day. */
export interface PageCounts {
  searches: number
  zero: number
  clicked: number
  carted: number
  purchased: number
  clicks: number
  carts: number
  purchases: number
}

export const PAGE_COUNTS = [
  'searches',
  'zero',
  'clicked',
  'carted',
  'purchased',
  'clicks',
  'carts',
  'purchases',
] as const satisfies readonly (keyof PageCounts)[]

/** A page with its sums of a period. */
export interface PageRow extends PageCounts, SearchSource {
  /** null for a key that was revoked. */
  keyName: string | null
  /** Unix ms, like `lastEventAt`; of any day. */
  lastSearchAt: number | null
  lastEventAt: number | null
}

/** Nothing of a page. */
export const NO_COUNTS: PageCounts = {
  ...{ searches: 0, zero: 0, clicked: 0, carted: 0, purchased: 0 },
  ...{ clicks: 0, carts: 0, purchases: 0 },
}

export type PageQueries = ReturnType<typeof pageQueries>

/** All SQL about the pages that use widget keys. No call opens a transaction. */
export function pageQueries(db: Db) {
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
    INSERT INTO widget_page_days (store_id, day, page, ${PAGE_COUNTS.join(', ')})
    VALUES (@storeId, @day, @page, ${PAGE_COUNTS.map((name) => `@${name}`).join(', ')})
    ON CONFLICT DO UPDATE SET ${PAGE_COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`)
  const list = db.prepare<Days, PageRow>(`
    SELECT key_id AS keyId, origin, last_search_at AS lastSearchAt, last_event_at AS lastEventAt,
      (SELECT name FROM public_keys WHERE public_keys.id = key_id AND public_keys.store_id = @storeId) AS keyName,
      ${PAGE_COUNTS.map((name) => `sum(${name}) AS ${name}`).join(', ')}
    FROM widget_page_days JOIN widget_pages ON widget_pages.id = page AND widget_pages.store_id = @storeId
    WHERE widget_page_days.store_id = @storeId AND day >= @from AND day <= @to
    GROUP BY page ORDER BY searches DESC, clicks DESC, origin, keyId`)

  return {
    /** Notes that a page has searched. To be called in a transaction. @returns its number. */
    seeSearch: (page: { storeId: string; at: number } & SearchSource): number =>
      seeSearch.get(page) as number,
    /** Notes that a page has told of an event. To be called in a transaction. @returns its number. */
    seeEvent: (page: { storeId: string; at: number } & SearchSource): number => seeEvent.get(page) as number,
    /** The number of a page; null for one that is gone. */
    find: (storeId: string, page: SearchSource): number | null => find.get({ storeId, ...page }) ?? null,
    /** Adds to the counts of a day. */
    count: (row: { storeId: string; day: number; page: number } & Partial<PageCounts>): void =>
      void count.run({ ...NO_COUNTS, ...row }),
    /** The pages that did something in a period, most searches first. */
    list: (days: Days): PageRow[] => list.all(days),
  }
}
