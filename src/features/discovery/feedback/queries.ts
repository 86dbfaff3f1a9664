import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { SearchSource } from '../search/queries.ts'
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
  page: SearchSource | null
  /** Unix ms. */
  occurredAt: number
  createdAt: number
}

/** Whether an event counts; the numbers stand in the database. */
export const STANDING = {
  counted: 0,
  /** A page told it, and the backend tells of the same itself. */
  replaced: 1,
  /** A page told it, and it counts nowhere. */
  unbelieved: 2,
} as const
export type Standing = (typeof STANDING)[keyof typeof STANDING]

/** What an event has counted. */
export interface Counting {
  standing: Standing
  isProductCounted: boolean
}

/** An event that a page has told, with what it has counted. */
export type Claim = Pick<FeedbackRow, 'action' | 'productId' | 'isAttributed' | 'orderValue' | 'currency'> & {
  key: number
  isProductCounted: boolean
  occurredAt: number
  createdAt: number
}
type ClaimRow = Omit<Claim, 'isAttributed' | 'isProductCounted'> & {
  isAttributed: 0 | 1
  isProductCounted: 0 | 1
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

/** Who has told of an event. */
export type Teller = 'api' | 'widget'
export const originOf = (page: SearchSource | null): Teller => (page ? 'widget' : 'api')

export type OrderLine = Pick<FeedbackRow, 'storeId' | 'action' | 'productId'> & { orderId: string }
type Line = OrderLine & { origin: Teller; unbelieved: 0 | 1 }

/** Clicks on a result between two moments, in Unix ms. */
export interface Click {
  storeId: string
  searchId: string
  productId: string
  from: number
  to: number
}
type ClickTime = Click & { origin: Teller }

export type FeedbackQueries = ReturnType<typeof feedbackQueries>

/** All SQL about feedback. No call opens a transaction. */
export function feedbackQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO feedback_events (id, store_id, search_id, product_id, action, position, is_attributed, order_id, order_value,
      currency, quantity, session_id, repeat_key, origin, widget_key_id, page_origin, occurred_at, created_at,
      standing, is_product_counted)
    VALUES (@id, @storeId, @searchId, @productId, @action, @position, @attributed, @orderId, @orderValue,
      @currency, @quantity, @sessionId, @repeatKey, @origin, @keyId, @pageOrigin, @occurredAt, @createdAt,
      @standing, @productCounted)`)
  const known = 'SELECT id, is_attributed AS attributed, position FROM feedback_events'
  // Of one teller no line of an order is there twice, except one that nobody believes.
  const ofLine = `WHERE store_id = @storeId AND order_id = @orderId AND action = @action AND product_id = @productId
    AND origin = @origin`
  const byOrder = db.prepare<Line, KnownRow>(
    `${known} ${ofLine} AND (standing = ${STANDING.unbelieved}) = @unbelieved LIMIT 1`,
  )
  const byKey = db.prepare<Repeatable & { since: number }, KnownRow & { isSame: 0 | 1 }>(`
    SELECT id, is_attributed AS attributed, position, search_id IS @searchId AND product_id = @productId
      AND action = @action AND order_id IS @orderId AND order_value IS @orderValue AND currency IS @currency
      AND quantity = @quantity AS isSame
    FROM feedback_events WHERE store_id = @storeId AND repeat_key = @repeatKey AND +created_at > @since LIMIT 1`)
  const nearClick = `WHERE store_id = @storeId AND search_id = @searchId AND product_id = @productId
    AND action = 'click' AND occurred_at > @from AND occurred_at < @to AND origin = @origin`
  const clickNear = db.prepare<ClickTime, KnownRow>(`${known} ${nearClick} LIMIT 1`)
  const claim = `rowid AS key, action, product_id AS productId, is_attributed AS isAttributed, order_value AS orderValue,
    currency, is_product_counted AS isProductCounted, occurred_at AS occurredAt, created_at AS createdAt`
  const ofOrder = `FROM feedback_events WHERE store_id = @storeId AND order_id = @orderId AND action = 'purchase'
    AND standing = ${STANDING.counted}`
  const claimsOfOrder = db.prepare<{ storeId: string; orderId: string }, ClaimRow>(
    `SELECT ${claim} ${ofOrder} AND origin = 'widget' ORDER BY rowid`,
  )
  const claimsOfLine = db.prepare<Omit<Line, 'unbelieved'>, ClaimRow>(
    `SELECT ${claim} FROM feedback_events ${ofLine} AND standing = ${STANDING.counted}`,
  )
  const claimsOfClick = db.prepare<ClickTime, ClaimRow>(
    `SELECT ${claim} FROM feedback_events ${nearClick} AND standing = ${STANDING.counted}`,
  )
  const setStanding = db.prepare('UPDATE feedback_events SET standing = ? WHERE rowid = ?')
  const orderLine = db.prepare<{ storeId: string; orderId: string; currency: string }, { found: 1 }>(
    `SELECT 1 AS found ${ofOrder} AND origin IN ('api', 'widget') AND currency = @currency LIMIT 1`,
  )
  const toldOrder = db.prepare<{ storeId: string; orderId: string }, { found: 1 }>(
    `SELECT 1 AS found ${ofOrder} AND origin = 'api' LIMIT 1`,
  )
  const countClaims = db
    .prepare<{ storeId: string; orderId: string; max: bigint }, number>(
      `SELECT count(*) FROM (SELECT 1 ${ofOrder} AND origin = 'widget' LIMIT @max)`,
    )
    .pluck()
  const dearest = db
    .prepare<{ storeId: string }, number | null>(`
    SELECT price FROM products INDEXED BY products_price_down WHERE store_id = @storeId ORDER BY price_down DESC LIMIT 1`)
    .pluck()
  const products = db
    .prepare<{ storeId: string; ids: string }, string>(`
    SELECT product_id FROM json_each(@ids) CROSS JOIN products ON store_id = @storeId AND product_id = value`)
    .pluck()
  const forgetOld = db.prepare(
    'DELETE FROM feedback_events WHERE rowid IN (SELECT rowid FROM feedback_events WHERE created_at < ? LIMIT ?)',
  )
  const countUp = db
    .prepare<{ storeId: string; origin: Teller }, number>(`
    INSERT INTO feedback_counts (store_id, origin, events) VALUES (@storeId, @origin, 1)
    ON CONFLICT DO UPDATE SET events = events + 1 RETURNING events`)
    .pluck()
  const planOf = db.prepare<[storeId: string], PlanName>('SELECT plan FROM stores WHERE id = ?').pluck()
  const forgetFirst = db.prepare(`
    DELETE FROM feedback_events WHERE rowid IN (SELECT rowid FROM feedback_events INDEXED BY feedback_events_store
      WHERE store_id = @storeId AND origin = @origin ORDER BY created_at LIMIT @limit)`)
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
  const toClaim = ({ isAttributed, isProductCounted, ...row }: ClaimRow): Claim => ({
    ...row,
    isAttributed: isAttributed === 1,
    isProductCounted: isProductCounted === 1,
  })
  const toKnownOrNone = (row: KnownRow | undefined) => row && toKnown(row)

  return {
    /** Adds an event, in a transaction. @returns how many events of its teller the store keeps. */
    add({ isAttributed, page, ...row }: FeedbackRow, { standing, isProductCounted }: Counting): number {
      insert.run({
        ...row,
        standing,
        attributed: isAttributed ? 1 : 0,
        productCounted: isProductCounted ? 1 : 0,
        origin: originOf(page),
        keyId: page?.keyId ?? null,
        pageOrigin: page?.origin ?? null,
      })
      return countUp.all({ storeId: row.storeId, origin: originOf(page) })[0] ?? 0
    },
    /** The same product of the same order, from the same teller. */
    findOfOrder: (line: OrderLine, teller: Teller, standing: Standing) =>
      toKnownOrNone(
        byOrder.get({ ...line, origin: teller, unbelieved: standing === STANDING.unbelieved ? 1 : 0 }),
      ),
    /** The event that came with the same key, and whether it is the same. @param since Unix ms. */
    findOfKey({ storeId, repeatKey, ...event }: Repeatable, since: number) {
      const { searchId, productId, action, orderId, orderValue, currency, quantity } = event
      const said = { searchId, productId, action, orderId, orderValue, currency, quantity }
      const row = byKey.get({ storeId, repeatKey, since, ...said })
      return row && { event: toKnown(row), isSame: row.isSame === 1 }
    },
    /** A click on the product after one moment and before another, in the results of the same search. */
    findClick: (click: Click, teller: Teller) => toKnownOrNone(clickNear.get({ ...click, origin: teller })),
    /** Whether a purchase of the order in this currency counts. */
    hasOrder: (storeId: string, orderId: string, currency: string): boolean =>
      orderLine.get({ storeId, orderId, currency }) !== undefined,
    /** Whether the backend has told of a purchase of the order. */
    isTold: (storeId: string, orderId: string): boolean => toldOrder.get({ storeId, orderId }) !== undefined,
    /** How many lines of an order count that pages have told, up to a number. */
    countClaims: (storeId: string, orderId: string, max: number): number =>
      countClaims.get({ storeId, orderId, max: BigInt(max) }) ?? 0,
    /** The purchases of an order that count and that pages have told, in the order in which they came. */
    listClaimsOfOrder: (storeId: string, orderId: string): Claim[] =>
      claimsOfOrder.all({ storeId, orderId }).map(toClaim),
    /** The same for one line of an order, whatever its action. */
    listClaimsOfLine: (line: OrderLine): Claim[] =>
      claimsOfLine.all({ ...line, origin: 'widget' }).map(toClaim),
    /** The same for clicks. */
    listClaimsOfClick: (click: Click): Claim[] =>
      claimsOfClick.all({ ...click, origin: 'widget' }).map(toClaim),
    setReplaced: (key: number): void => void setStanding.run(BigInt(STANDING.replaced), BigInt(key)),
    /** The highest price of the store's products; null without any. */
    findDearest: (storeId: string): number | null => dearest.get({ storeId }) ?? null,
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
    findPlan: (storeId: string): PlanName | undefined => planOf.get(storeId),
    /** Deletes the first events of a store that are kept of a teller. */
    forgetFirst: (storeId: string, teller: Teller, limit: number): void =>
      void forgetFirst.run({ storeId, origin: teller, limit: BigInt(limit) }),
    /** Deletes some of the events that came before a moment. @returns how many. */
    forgetBefore: (before: number, limit: number): number =>
      forgetOld.run(BigInt(before), BigInt(limit)).changes,
  }
}
