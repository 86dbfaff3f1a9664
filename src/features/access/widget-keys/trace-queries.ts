import type { Db } from '../../../platform/db/open.ts'

/** What a page can be seen to do with a widget key. */
export const SIGHTS = ['search', 'click', 'cart', 'purchase'] as const
export type Sight = (typeof SIGHTS)[number]

/** When each was last seen, in Unix ms; absent for never. */
export type Sightings = Partial<Record<Sight, number>>

interface TraceRow {
  keyId: string
  origin: string
  search: number | null
  click: number | null
  cart: number | null
  purchase: number | null
}

export type TraceQueries = ReturnType<typeof traceQueries>

const COLUMNS: Readonly<Record<Sight, string>> = {
  search: 'last_search_at',
  click: 'last_click_at',
  cart: 'last_cart_at',
  purchase: 'last_purchase_at',
}

/** All SQL about what was seen of widget keys, and about what was refused to them. */
export function traceQueries(db: Db) {
  // A key that was deleted meanwhile gets no row.
  const noteColumn = (column: string) =>
    db.prepare<{ keyId: string; origin: string; at: number }>(`
      INSERT INTO widget_traces (key_id, origin, store_id, ${column})
      SELECT id, @origin, store_id, @at FROM public_keys WHERE id = @keyId
      ON CONFLICT DO UPDATE SET ${column} = max(coalesce(${column}, 0), excluded.${column})`)
  const note = {
    search: noteColumn(COLUMNS.search),
    click: noteColumn(COLUMNS.click),
    cart: noteColumn(COLUMNS.cart),
    purchase: noteColumn(COLUMNS.purchase),
  } as const
  const ofStore = db.prepare<[storeId: string], TraceRow>(`
    SELECT key_id AS keyId, origin, last_search_at AS search, last_click_at AS click, last_cart_at AS cart,
      last_purchase_at AS purchase
    FROM widget_traces WHERE store_id = ?`)
  const forgetUnlisted = db.prepare<[keyId: string, origins: string]>(
    'DELETE FROM widget_traces WHERE key_id = ? AND origin NOT IN (SELECT value FROM json_each(?))',
  )
  const addRefusals = db.prepare<{ keyId: string; day: number; count: number }>(`
    UPDATE public_keys SET refused = CASE refused_day WHEN @day THEN refused ELSE 0 END + @count, refused_day = @day
    WHERE id = @keyId AND refused_day <= @day`)

  return {
    /** Notes when something was last seen from a page. */
    note: (keyId: string, origin: string, sight: Sight, at: number): void =>
      void note[sight].run({ keyId, origin, at }),
    listByStore: (storeId: string): TraceRow[] => ofStore.all(storeId),
    /** Forgets the pages that a key does not list any more. */
    forgetUnlisted: (keyId: string, origins: readonly string[]): void =>
      void forgetUnlisted.run(keyId, JSON.stringify(origins)),
    /** Counts refused requests of a day; those of an earlier day are forgotten. */
    addRefusals: (keyId: string, day: number, count: number): void =>
      void addRefusals.run({ keyId, day, count }),
  }
}
