import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { SearchSource } from '../search/queries.ts'
import type { FeedbackAction } from './schema.ts'

/** One event, as it is stored. */
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
  /** The page that reported it; null for a backend. */
  searchSource: SearchSource | null
  /** Unix ms. */
  occurredAt: number
  createdAt: number
}

/** Whether an event counts. The numbers stand in the database. */
export const STANDING = {
  counted: 0,
  /** A page reported it, and the backend reported the same. */
  replaced: 1,
  /** A page reported it, and it counts nowhere. */
  unbelieved: 2,
} as const
export type Standing = (typeof STANDING)[keyof typeof STANDING]

/** Where an event counts. */
export interface Counting {
  standing: Standing
  isProductCounted: boolean
}

/** An event that a page reported, and where it counts. */
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

/** Two events with one key are the same if they agree in these fields. */
export type Repeatable = Pick<
  FeedbackRow,
  'storeId' | 'searchId' | 'productId' | 'action' | 'orderId' | 'orderValue' | 'currency' | 'quantity'
> & { repeatKey: string }

/** The parts of a stored event that are answered again when it is repeated. */
export type KnownEvent = Pick<FeedbackRow, 'id' | 'isAttributed' | 'position'>
type KnownRow = Omit<KnownEvent, 'isAttributed'> & { attributed: 0 | 1 }

/** The kind of client that reported an event. */
export type Reporter = 'api' | 'widget'
export const originOf = (searchSource: SearchSource | null): Reporter => (searchSource ? 'widget' : 'api')

export type OrderLine = Pick<FeedbackRow, 'storeId' | 'action' | 'productId'> & { orderId: string }
type Line = OrderLine & { origin: Reporter; unbelieved: 0 | 1 }

/** Clicks on a result between two moments, in Unix ms. */
export interface Click {
  storeId: string
  searchId: string
  productId: string
  from: number
  to: number
}
type ClickTime = Click & { origin: Reporter }

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
  // No reporter has a line of an order twice, except one that is not believed.
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
  const reportedOrder = db.prepare<{ storeId: string; orderId: string }, { found: 1 }>(
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
  const countUp = db
    .prepare<{ storeId: string; origin: Reporter }, number>(`
    INSERT INTO feedback_counts (store_id, origin, events) VALUES (@storeId, @origin, 1)
    ON CONFLICT DO UPDATE SET events = events + 1 RETURNING events`)
    .pluck()
  const planOf = db.prepare<[storeId: string], PlanName>('SELECT plan FROM stores WHERE id = ?').pluck()
  const toKnown = ({ id, position, attributed }: KnownRow): KnownEvent => ({
    id,
    position,
    isAttributed: attributed === 1,
  })
  const toClaim = ({ isAttributed, isProductCounted, ...row }: ClaimRow): Claim => ({
    ...row,
    isAttributed: isAttributed === 1,
    isProductCounted: isProductCounted === 1,
  })
  const toKnownOrNone = (row: KnownRow | undefined) => row && toKnown(row)

  return {
    /** Adds an event. Call it in a transaction. @returns how many events of its reporter the store keeps. */
    add(
      { isAttributed, searchSource, ...row }: FeedbackRow,
      { standing, isProductCounted }: Counting,
    ): number {
      insert.run({
        ...row,
        standing,
        attributed: isAttributed ? 1 : 0,
        productCounted: isProductCounted ? 1 : 0,
        origin: originOf(searchSource),
        keyId: searchSource?.keyId ?? null,
        pageOrigin: searchSource?.origin ?? null,
      })
      return countUp.all({ storeId: row.storeId, origin: originOf(searchSource) })[0] ?? 0
    },
    /** Finds the same line of an order by the same reporter. */
    findOfOrder: (line: OrderLine, reporter: Reporter, standing: Standing) =>
      toKnownOrNone(
        byOrder.get({ ...line, origin: reporter, unbelieved: standing === STANDING.unbelieved ? 1 : 0 }),
      ),
    /** Finds the event with the same key, and whether it is the same event. @param since Unix ms. */
    findOfKey({ storeId, repeatKey, ...event }: Repeatable, since: number) {
      const { searchId, productId, action, orderId, orderValue, currency, quantity } = event
      const said = { searchId, productId, action, orderId, orderValue, currency, quantity }
      const row = byKey.get({ storeId, repeatKey, since, ...said })
      return row && { event: toKnown(row), isSame: row.isSame === 1 }
    },
    /** Finds a click on the product between two moments, in the results of the same search. */
    findClick: (click: Click, reporter: Reporter) =>
      toKnownOrNone(clickNear.get({ ...click, origin: reporter })),
    /** Whether a purchase of the order in this currency counts. */
    hasOrder: (storeId: string, orderId: string, currency: string): boolean =>
      orderLine.get({ storeId, orderId, currency }) !== undefined,
    /** Whether the backend has reported a purchase of the order. */
    isReported: (storeId: string, orderId: string): boolean =>
      reportedOrder.get({ storeId, orderId }) !== undefined,
    /** Counts the lines of an order that pages reported and that count, up to a maximum. */
    countClaims: (storeId: string, orderId: string, max: number): number =>
      countClaims.get({ storeId, orderId, max: BigInt(max) }) ?? 0,
    /** Lists the purchases of an order that pages reported and that count, oldest first. */
    listClaimsOfOrder: (storeId: string, orderId: string): Claim[] =>
      claimsOfOrder.all({ storeId, orderId }).map(toClaim),
    /** Does the same for one line of an order, of any action. */
    listClaimsOfLine: (line: OrderLine): Claim[] =>
      claimsOfLine.all({ ...line, origin: 'widget' }).map(toClaim),
    /** Does the same for clicks. */
    listClaimsOfClick: (click: Click): Claim[] =>
      claimsOfClick.all({ ...click, origin: 'widget' }).map(toClaim),
    setReplaced: (key: number): void => void setStanding.run(BigInt(STANDING.replaced), BigInt(key)),
    /** The highest price of the store's products; null without any. */
    findDearest: (storeId: string): number | null => dearest.get({ storeId }) ?? null,
    /** Filters some product ids for those that the store has. */
    findProducts: (storeId: string, ids: readonly string[]): Set<string> =>
      new Set(products.all({ storeId, ids: JSON.stringify(ids) })),
    findPlan: (storeId: string): PlanName | undefined => planOf.get(storeId),
  }
}
