import type { Db } from '../../../platform/db/open.ts'
import type { FeedbackAction } from '../feedback/schema.ts'
import type { SearchKind } from '../search/queries.ts'
import { LISTED_TYPES, SOURCES } from './schema.ts'

export type ListedType = (typeof LISTED_TYPES)[number]
export type Source = (typeof SOURCES)[number]

/** A place in the log, which goes from new to old. */
export interface LogPlace {
  /** Unix ms. */
  at: number
  id: string
}

/** What a walk along the log reads of each search. */
export interface WalkedSearch extends LogPlace {
  type: SearchKind
  query: string | null
  source: Source
  isEmpty: 0 | 1
  isTracked: 0 | 1
  /** A later keystroke counts in its place. */
  isReplaced: 0 | 1
}

/** The part of a store's log that an index has in its order. */
export interface LogPart {
  type?: ListedType | undefined
  source?: Source | undefined
  /** First pages that found nothing; of every type and source. */
  isEmpty?: boolean
  /** Of every type and source. */
  sessionId?: string | undefined
}

/** The bounds of a walk: `before` itself is not in it, what happened at `since` is. */
export interface LogRange {
  storeId: string
  before: LogPlace
  since: number
}

export interface LoggedRow {
  id: string
  type: SearchKind
  query: string | null
  /** JSON. */
  results: string
  parameters: string
  topScore: number | null
  durationMs: number
  isTracked: 0 | 1
  sessionId: string | null
  keyId: string | null
  origin: string | null
  createdAt: number
}

export interface LoggedEvent {
  id: string
  action: FeedbackAction
  productId: string
  position: number | null
  source: Source
  orderValue: number | null
  currency: string | null
  quantity: number
  counts: 0 | 1
  occurredAt: number
}

interface ShownProduct {
  productId: string
  name: string | null
  imageUrl: string
}

type RangeValues = { storeId: string; at: number; id: string; since: number; sessionId?: string }

const IS_WIDGET = '(widget_key_id IS NOT NULL)'
/** As the partial index has it. */
const IS_EMPTY = `results = '[]' AND type <> 'batch' AND coalesce(json_extract(parameters, '$.offset'), 0) = 0`
const WALKED = `created_at AS at, id, type, query, iif(${IS_WIDGET}, 'widget', 'api') AS source,
  (${IS_EMPTY}) AS isEmpty, is_tracked AS isTracked,
  EXISTS (SELECT 1 FROM burst_searches WHERE search_id = searches.id) AS isReplaced`
const EVENTS_MAX = 200

export type SearchLogQueries = ReturnType<typeof searchLogQueries>

/** All SQL of the search log. It only reads. */
export function searchLogQueries(db: Db) {
  const walks = new Map<string, ReturnType<typeof prepareWalk>>()

  function list(index: string, condition: string): string {
    return `SELECT ${WALKED} FROM searches INDEXED BY ${index} WHERE store_id = @storeId AND ${condition}
      AND created_at >= @since AND created_at <= @at AND (created_at < @at OR id < @id)`
  }

  /** SQLite merges the lists as they are read, so a page costs as much as its rows and one step for each list. */
  function writeLists({ type, source, isEmpty, sessionId }: LogPart): string[] {
    if (sessionId !== undefined) return [list('searches_session', 'session_id = @sessionId')]
    if (isEmpty) return [list('searches_empty', IS_EMPTY)]
    const types = type ? [type] : LISTED_TYPES
    const sources = source ? [source] : SOURCES
    return types.flatMap((one) =>
      sources.map((from) =>
        list('searches_kind', `type = '${one}' AND ${IS_WIDGET} = ${from === 'widget' ? 1 : 0}`),
      ),
    )
  }

  const prepareWalk = (part: LogPart) =>
    db.prepare<RangeValues, WalkedSearch>(
      `${writeLists(part)
        .map((one) => `SELECT * FROM (${one} ORDER BY at DESC, id DESC)`)
        .join(' UNION ALL ')} ORDER BY at DESC, id DESC`,
    )

  const rows = db.prepare<{ storeId: string; ids: string }, LoggedRow>(`
    SELECT searches.id, searches.type, query, results, parameters, top_score AS topScore, duration_ms AS durationMs,
      is_tracked AS isTracked, session_id AS sessionId, widget_key_id AS keyId, page_origin AS origin,
      created_at AS createdAt
    FROM json_each(@ids) AS wanted CROSS JOIN searches ON searches.id = wanted.value AND store_id = @storeId`)
  const products = db.prepare<{ storeId: string; ids: string }, ShownProduct>(`
    SELECT product_id AS productId, image_url AS imageUrl,
      iif(json_type(metadata, '$.name') = 'text', metadata ->> '$.name', NULL) AS name
    FROM json_each(@ids) AS wanted CROSS JOIN products ON store_id = @storeId AND product_id = wanted.value`)
  const clicks = db
    .prepare<{ storeId: string; ids: string }, [id: string, clicks: number]>(`
    SELECT wanted.value, count(*) FROM json_each(@ids) AS wanted CROSS JOIN feedback_events
      ON store_id = @storeId AND search_id = wanted.value AND action = 'click' AND standing = 0
    GROUP BY wanted.value`)
    .raw()
  const events = db.prepare<{ storeId: string; id: string }, LoggedEvent>(`
    SELECT id, action, product_id AS productId, position, origin AS source, order_value AS orderValue, currency,
      quantity, standing = 0 AS counts, occurred_at AS occurredAt
    FROM feedback_events WHERE store_id = @storeId AND search_id = @id
    ORDER BY occurred_at, rowid LIMIT ${EVENTS_MAX}`)
  const replacement = db
    .prepare<{ storeId: string; id: string }, string>(
      'SELECT into_id FROM burst_searches WHERE search_id = @id AND store_id = @storeId',
    )
    .pluck()

  return {
    /** Walks along a part of the log, newest first, as far as the caller reads. Nothing may write meanwhile. */
    walk(part: LogPart, { storeId, before: { at, id }, since }: LogRange): IterableIterator<WalkedSearch> {
      const { type, source, isEmpty, sessionId } = part
      const key =
        sessionId !== undefined ? 'session' : isEmpty ? 'empty' : `${type ?? 'every'} ${source ?? 'every'}`
      const statement = walks.get(key) ?? prepareWalk(part)
      walks.set(key, statement)
      return statement.iterate({ storeId, at, id, since, ...(sessionId !== undefined && { sessionId }) })
    },
    /** Searches of the store by id, in no order. */
    findRows: (storeId: string, ids: readonly string[]): LoggedRow[] =>
      rows.all({ storeId, ids: JSON.stringify(ids) }),
    findProducts: (storeId: string, ids: readonly string[]): Map<string, ShownProduct> =>
      new Map(products.all({ storeId, ids: JSON.stringify(ids) }).map((row) => [row.productId, row])),
    /** Clicks that count, by search. */
    countClicks: (storeId: string, ids: readonly string[]): Map<string, number> =>
      new Map(clicks.all({ storeId, ids: JSON.stringify(ids) })),
    listEvents: (storeId: string, id: string): LoggedEvent[] => events.all({ storeId, id }),
    /** The search that counts in place of a keystroke. */
    findReplacement: (storeId: string, id: string): string | undefined => replacement.get({ storeId, id }),
  }
}
