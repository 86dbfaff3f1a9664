import type { Db } from '../../../platform/db/open.ts'

/** Counts of the searches of one day and type. */
export interface SearchCounts {
  searches: number
  zero: number
  low: number
  clicked: number
  carted: number
  purchased: number
}

export type SearchDayRow = SearchCounts & { day: number; type: string }

/** A keystroke, with the search that counts in its place. */
export interface KeystrokeRow {
  searchId: string
  storeId: string
  intoId: string
  /** The day of the search that counts. */
  intoDay: number
  intoQuery: string | null
  /** The number of its search source; null for a backend. */
  intoSource: number | null
  day: number
}

export interface RevenueRow {
  currency: string
  total: number
  attributed: number
  orders: number
}

/** What was sold in one currency on one day. */
export interface RevenueDay {
  day: number
  currency: string
  amount: number
  orders: number
}

/** Reported events, and those of them that count only for their page. */
export interface EventCount {
  events: number
  attributed: number
  replaced: number
}

/** The day of a store on which a moment falls, in Unix ms: a date of its time zone. */
export type StoreDay = (storeId: string, ms: number) => number

/** The days of a period, both ends included. */
export interface Days {
  storeId: string
  from: number
  to: number
}

export type DayQueries = ReturnType<typeof dayQueries>

/** A sum of money that was taken back entirely may differ from 0 by an error of rounding. */
const isLeft = (sum: string): string => `abs(${sum}) >= 0.00005`

/** All SQL about the totals of days. No call opens a transaction. */
export function dayQueries(db: Db) {
  const addSearches = db.prepare(`
    INSERT INTO search_days (store_id, day, type, searches, zero, low, clicked, carted, purchased)
    VALUES (@storeId, @day, @type, @searches, @zero, @low, @clicked, @carted, @purchased)
    ON CONFLICT DO UPDATE SET searches = searches + excluded.searches, zero = zero + excluded.zero, low = low + excluded.low,
      clicked = clicked + excluded.clicked, carted = carted + excluded.carted, purchased = purchased + excluded.purchased`)
  const addPosition = db.prepare(`
    INSERT INTO click_positions (store_id, day, bucket, clicks, sum) VALUES (@storeId, @day, @bucket, 1, @position)
    ON CONFLICT DO UPDATE SET clicks = clicks + 1, sum = sum + excluded.sum`)
  const addEvent = db.prepare(`
    INSERT INTO event_days (store_id, day, action, events, attributed, replaced)
    VALUES (@storeId, @day, @action, @events, @attributed, @replaced)
    ON CONFLICT DO UPDATE SET events = events + excluded.events, attributed = attributed + excluded.attributed,
      replaced = replaced + excluded.replaced`)
  const addRevenue = db.prepare(`
    INSERT INTO revenue_days (store_id, day, currency, total, attributed, orders)
    VALUES (@storeId, @day, @currency, @total, @attributed, @orders)
    ON CONFLICT DO UPDATE SET total = total + excluded.total, attributed = attributed + excluded.attributed,
      orders = orders + excluded.orders`)
  const addProductRevenue = db.prepare(`
    INSERT INTO product_revenue (store_id, product, day, currency, amount)
    VALUES (@storeId, @product, @day, @currency, @amount) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount`)
  const findActions = db
    .prepare<[string], number>('SELECT actions FROM engaged_searches WHERE search_id = ?')
    .pluck()
  const setActions = db.prepare(`
    INSERT INTO engaged_searches (search_id, store_id, actions, day) VALUES (@searchId, @storeId, @actions, @day)
    ON CONFLICT DO UPDATE SET actions = excluded.actions`)
  const addKeystroke = db.prepare(`
    INSERT INTO burst_searches (search_id, store_id, into_id, into_day, into_query, into_page, day)
    VALUES (@searchId, @storeId, @intoId, @intoDay, @intoQuery, @intoSource, @day) ON CONFLICT DO NOTHING`)
  const findKeystroke = db.prepare<[string], Omit<KeystrokeRow, 'searchId' | 'storeId' | 'day'>>(
    `SELECT into_id AS intoId, into_day AS intoDay, into_query AS intoQuery, into_page AS intoSource
    FROM burst_searches WHERE search_id = ?`,
  )
  const redirectKeystrokes = db.prepare(`
    UPDATE burst_searches SET into_id = @intoId, into_day = @intoDay, into_query = @intoQuery, into_page = @intoSource
    WHERE search_id IN (SELECT value FROM json_each(@ids))`)
  const some = 'store_id = ? AND search_id IN (SELECT value FROM json_each(?))'
  const removeOfSearches = [
    db.prepare(`DELETE FROM engaged_searches WHERE ${some}`),
    db.prepare(`DELETE FROM burst_searches WHERE ${some}`),
  ]
  const searches = db.prepare<Days, SearchDayRow>(`
    SELECT day, type, searches, zero, low, clicked, carted, purchased FROM search_days
    WHERE store_id = @storeId AND day >= @from AND day <= @to`)
  const positions = db.prepare<Days, { bucket: number; clicks: number; sum: number }>(`
    SELECT bucket, sum(clicks) AS clicks, sum(sum) AS sum FROM click_positions
    WHERE store_id = @storeId AND day >= @from AND day <= @to GROUP BY bucket ORDER BY bucket`)
  const events = db.prepare<Days, EventCount & { action: string }>(`
    SELECT action, sum(events) AS events, sum(attributed) AS attributed, sum(replaced) AS replaced FROM event_days
    WHERE store_id = @storeId AND day >= @from AND day <= @to GROUP BY action`)
  const revenue = db.prepare<Days, RevenueRow>(`
    SELECT currency, sum(total) AS total, sum(attributed) AS attributed, sum(orders) AS orders FROM revenue_days
    WHERE store_id = @storeId AND day >= @from AND day <= @to GROUP BY currency HAVING ${isLeft('sum(total)')} OR sum(orders) > 0 ORDER BY total DESC, currency`)
  const clickDays = db
    .prepare<Days, [day: number, clicks: number]>(`
    SELECT day, events - replaced FROM event_days
    WHERE store_id = @storeId AND day >= @from AND day <= @to AND action = 'click'`)
    .raw()
  const revenueDays = db.prepare<Days, RevenueDay>(`
    SELECT day, currency, total AS amount, orders FROM revenue_days
    WHERE store_id = @storeId AND day >= @from AND day <= @to AND (${isLeft('total')} OR orders > 0)
    ORDER BY day, total DESC, currency`)
  const productRevenue = db.prepare<
    Days & { products: string },
    { product: number; currency: string; amount: number }
  >(`
    SELECT product, currency, sum(amount) AS amount FROM json_each(@products) CROSS JOIN product_revenue
      ON store_id = @storeId AND product = value AND day >= @from AND day <= @to
    GROUP BY product, currency HAVING ${isLeft('sum(amount)')} ORDER BY product, amount DESC, currency`)

  return {
    addSearches: (row: { storeId: string; day: number; type: string } & Partial<SearchCounts>): void =>
      void addSearches.run({ searches: 0, zero: 0, low: 0, clicked: 0, carted: 0, purchased: 0, ...row }),
    addPosition: (row: { storeId: string; day: number; bucket: number; position: number }): void =>
      void addPosition.run(row),
    addEvent: (row: { storeId: string; day: number; action: string } & EventCount): void =>
      void addEvent.run(row),
    addRevenue: (row: { storeId: string; day: number } & RevenueRow): void => void addRevenue.run(row),
    addProductRevenue: (row: {
      storeId: string
      product: number
      day: number
      currency: string
      amount: number
    }): void => void addProductRevenue.run(row),
    /** The actions that a search has led to, a bit each. */
    findActions: (searchId: string): number => findActions.get(searchId) ?? 0,
    setActions: (row: { searchId: string; storeId: string; actions: number; day: number }): void =>
      void setActions.run(row),
    addKeystroke: (row: KeystrokeRow): void => void addKeystroke.run(row),
    /** Finds the search that counts in place of this one. */
    findKeystroke: (searchId: string) => findKeystroke.get(searchId),
    /** Names the search that counts in place of some replaced ones. */
    redirectKeystrokes: (
      ids: readonly string[],
      into: Omit<KeystrokeRow, 'searchId' | 'storeId' | 'day'>,
    ): void => void redirectKeystrokes.run({ ids: JSON.stringify(ids), ...into }),

    /** Deletes the rows about some searches. Their counts stay. */
    removeOfSearches(storeId: string, ids: readonly string[]): void {
      for (const statement of removeOfSearches) statement.run(storeId, JSON.stringify(ids))
    },

    listSearches: (days: Days): SearchDayRow[] => searches.all(days),
    listPositions: (days: Days) => positions.all(days),
    listEvents: (days: Days) => events.all(days),
    /** The clicks of each day. */
    listClickDays: (days: Days): Map<number, number> => new Map(clickDays.all(days)),
    listRevenueDays: (days: Days): RevenueDay[] => revenueDays.all(days),
    listRevenue: (days: Days): RevenueRow[] => revenue.all(days),
    listProductRevenue: (days: Days, products: readonly number[]) =>
      productRevenue.all({ ...days, products: JSON.stringify(products) }),
  }
}
