import type { Db } from '../../../platform/db/open.ts'
import type { WidgetPage } from '../search/queries.ts'
import type { FeedbackAction } from './schema.ts'

/** One event, as it is kept. */
export interface FeedbackRow {
  id: string
  storeId: string
  searchId: string | null
  productId: string
  action: FeedbackAction
  position: number | null
  isAttributed: boolean
  orderId: string | null
  orderValue: number | null
  currency: string | null
  quantity: number
  sessionId: string | null
  repeatKey: string | null
  /** The page that told of it; null for a backend. */
  page: WidgetPage | null
  /** Unix ms. */
  occurredAt: number
  createdAt: number
}

/** How many events one step has erased. */
export interface Erased {
  removed: number
  unlinked: number
}

/** What makes an event the same as one that came with its key before. */
export type Repeatable = Pick<
  FeedbackRow,
  'storeId' | 'searchId' | 'productId' | 'action' | 'orderId' | 'orderValue' | 'currency' | 'quantity'
> & { repeatKey: string }

/** What is answered again about an event that came twice. */
export type KnownEvent = Pick<FeedbackRow, 'id' | 'isAttributed' | 'position'>
type KnownRow = Omit<KnownEvent, 'isAttributed'> & { attributed: 0 | 1 }

export type FeedbackQueries = ReturnType<typeof feedbackQueries>

/** All SQL about feedback. No call opens a transaction. */
export function feedbackQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO feedback_events (id, store_id, search_id, product_id, action, position, is_attributed, order_id, order_value,
      currency, quantity, session_id, repeat_key, origin, widget_key_id, page_origin, occurred_at, created_at)
    VALUES (@id, @storeId, @searchId, @productId, @action, @position, @attributed, @orderId, @orderValue,
      @currency, @quantity, @sessionId, @repeatKey, @origin, @keyId, @pageOrigin, @occurredAt, @createdAt)`)
  const known = 'SELECT id, is_attributed AS attributed, position FROM feedback_events'
  const byOrder = db.prepare<Partial<FeedbackRow>, KnownRow>(
    `${known} WHERE store_id = @storeId AND order_id = @orderId AND action = @action AND product_id = @productId LIMIT 1`,
  )
  const byKey = db.prepare<Repeatable & { since: number }, KnownRow & { isSame: 0 | 1 }>(`
    SELECT id, is_attributed AS attributed, position, search_id IS @searchId AND product_id = @productId
      AND action = @action AND order_id IS @orderId AND order_value IS @orderValue AND currency IS @currency
      AND quantity = @quantity AS isSame
    FROM feedback_events WHERE store_id = @storeId AND repeat_key = @repeatKey AND +created_at > @since LIMIT 1`)
  const clickNear = db.prepare<
    { storeId: string; searchId: string; productId: string; from: number; to: number },
    KnownRow
  >(`
    ${known} WHERE store_id = @storeId AND search_id = @searchId
      AND product_id = @productId AND action = 'click' AND occurred_at > @from AND occurred_at < @to LIMIT 1`)
  const orderLine = db.prepare<{ storeId: string; orderId: string; currency: string }, { found: 1 }>(`
    SELECT 1 AS found FROM feedback_events WHERE store_id = @storeId AND order_id = @orderId
      AND action = 'purchase' AND currency = @currency LIMIT 1`)
  const products = db
    .prepare<{ storeId: string; ids: string }, string>(`
    SELECT product_id FROM json_each(@ids) CROSS JOIN products ON store_id = @storeId AND product_id = value`)
    .pluck()
  const forgetOld = db.prepare(
    'DELETE FROM feedback_events WHERE rowid IN (SELECT rowid FROM feedback_events WHERE created_at < ? LIMIT ?)',
  )
  const newest = db.prepare<[], number | null>('SELECT max(rowid) FROM feedback_events').pluck()
  // An order is known by its number alone, so that it never counts twice.
  const unlink = 'UPDATE feedback_events SET session_id = NULL, search_id = NULL, repeat_key = NULL'
  const erase = (rows: string) => ({
    remove: db.prepare(
      `DELETE FROM feedback_events WHERE rowid IN (SELECT rowid FROM ${rows} AND order_id IS NULL LIMIT @limit)`,
    ),
    unlink: db.prepare(
      `${unlink} WHERE rowid IN (SELECT rowid FROM ${rows} AND order_id IS NOT NULL LIMIT @limit)`,
    ),
  })
  const eraseSession = erase(
    'feedback_events WHERE store_id = @storeId AND session_id = @sessionId AND rowid <= @upTo',
  )
  const eraseOfSearches = erase(
    'feedback_events WHERE store_id = @storeId AND search_id IN (SELECT value FROM json_each(@ids))',
  )
  const run = ({ remove, unlink: detach }: ReturnType<typeof erase>, values: object): Erased => ({
    removed: remove.run(values).changes,
    unlinked: detach.run(values).changes,
  })
  const toKnown = ({ id, position, attributed }: KnownRow): KnownEvent => ({
    ...{ id, position },
    isAttributed: attributed === 1,
  })
  const toKnownOrNone = (row: KnownRow | undefined) => row && toKnown(row)

  return {
    add: ({ isAttributed, page, ...row }: FeedbackRow): void =>
      void insert.run({
        ...row,
        attributed: isAttributed ? 1 : 0,
        origin: page ? 'widget' : 'api',
        keyId: page?.keyId ?? null,
        pageOrigin: page?.origin ?? null,
      }),
    /** The same product of the same order. */
    findOfOrder: (storeId: string, orderId: string, action: FeedbackAction, productId: string) =>
      toKnownOrNone(byOrder.get({ storeId, orderId, action, productId })),
    /** The event that came with the same key, and whether it is the same. @param since Unix ms. */
    findOfKey({ storeId, repeatKey, ...event }: Repeatable, since: number) {
      const { searchId, productId, action, orderId, orderValue, currency, quantity } = event
      const said = { searchId, productId, action, orderId, orderValue, currency, quantity }
      const row = byKey.get({ storeId, repeatKey, since, ...said })
      return row && { event: toKnown(row), isSame: row.isSame === 1 }
    },
    /** A click on the product after one moment and before another, in the results of the same search. */
    findClick: (click: { storeId: string; searchId: string; productId: string; from: number; to: number }) =>
      toKnownOrNone(clickNear.get(click)),
    /** Whether a purchase of the order in this currency is known. */
    hasOrder: (storeId: string, orderId: string, currency: string): boolean =>
      orderLine.get({ storeId, orderId, currency }) !== undefined,
    /** Those of some product ids that the store has. */
    findProducts: (storeId: string, ids: readonly string[]): Set<string> =>
      new Set(products.all({ storeId, ids: JSON.stringify(ids) })),
    /** Where the events end now, for {@link eraseSession}. */
    findEnd: (): number => newest.get() ?? 0,
    /**
     * Erases some events of a shopper's session that were written before an end. Events with an order number stay without
     * session and search.
     */
    eraseSession: (storeId: string, sessionId: string, upTo: number, limit: number): Erased =>
      run(eraseSession, { storeId, sessionId, upTo, limit: BigInt(limit) }),
    /** The same for some events about some searches. */
    eraseOfSearches: (storeId: string, ids: readonly string[], limit: number): Erased =>
      run(eraseOfSearches, { storeId, ids: JSON.stringify(ids), limit: BigInt(limit) }),
    /** Deletes some of the events that came before a moment. @returns how many. */
    forgetBefore: (before: number, limit: number): number =>
      forgetOld.run(BigInt(before), BigInt(limit)).changes,
  }
}
