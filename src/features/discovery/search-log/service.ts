import { Type } from '@sinclair/typebox'
import { isoTime } from '../../../core/clock.ts'
import { notFound } from '../../../core/errors.ts'
import { fold } from '../../../core/text.ts'
import { CursorId, createCursors, readMoment } from '../../../http/paging.ts'
import type { Thumbnails } from '../../catalogue/products/thumbnails.ts'
import type { SearchKind } from '../search/queries.ts'
import type {
  ListedType,
  LoggedEvent,
  LoggedRow,
  LogPart,
  LogPlace,
  SearchLogQueries,
  WalkedSearch,
} from './queries.ts'
import {
  LISTED_TYPES,
  LOG_PAGE,
  type LoggedFeedback,
  type LoggedProduct,
  type LoggedSearch,
  type SearchLog,
  type SearchLogEntry,
  type SearchLogQuery,
} from './schema.ts'

export interface SearchLogDeps {
  queries: SearchLogQueries
  /** Writes the queued searches and events of a store. */
  flush(storeId: string): void
  toPublicUrl(url: string): string
  addThumbnailUrls: Thumbnails['addUrls']
  /** Hashes a text of a store with the secret of the install. */
  digest(text: string, context: string): Buffer
}

/** Searches that one page looks at, which takes a millisecond. */
const WALKED_MAX = 300

/** Characters of the text that stands for a session: 96 bits. */
const SESSION_CHARS = 24

/** Later than every search. */
const END: LogPlace = { at: Number.MAX_SAFE_INTEGER, id: '' }

const cursors = createCursors({ list: 'searches' }, { at: Type.Integer(), id: CursorId })

export type SearchLogService = ReturnType<typeof searchLogService>

/** Shows the searches of a store one by one (contract 3.15), as far back as the history goes. */
export function searchLogService(deps: SearchLogDeps) {
  const { queries, flush, toPublicUrl, addThumbnailUrls, digest } = deps

  /** The session that a query asks for; undefined for any, null for one that does not exist. */
  function findSession(
    storeId: string,
    { session_id, session_of }: SearchLogQuery,
  ): string | null | undefined {
    if (session_of === undefined) return session_id
    const [search] = queries.findRows(storeId, [session_of.toLowerCase()])
    const sessionId = search?.sessionId ?? null
    return session_id === undefined || session_id === sessionId ? sessionId : null
  }

  /** Finds one page, and where the next one begins; null at the end of the log. */
  function findPage(storeId: string, query: SearchLogQuery, sessionId: string | undefined) {
    const { limit = LOG_PAGE.default, type, source, zero_results } = query
    const since = query.since === undefined ? 0 : readMoment('since', query.since)
    const until = query.until === undefined ? END : { at: readMoment('until', query.until), id: '' }
    const after = cursors.read(query.cursor)
    const before = after && after.at < until.at ? after : until
    const part: LogPart = { type, source, isEmpty: zero_results === 'true', sessionId }
    const isWanted = createTest(query)
    const found: string[] = []
    let last: LogPlace | undefined
    let walked = 0
    for (const search of queries.walk(part, { storeId, before, since })) {
      if (walked === WALKED_MAX || found.length === limit) return { found, nextCursor: mark(last) }
      walked++
      last = search
      if (isWanted(search)) found.push(search.id)
    }
    return { found, nextCursor: null }
  }

  /** The products with some ids, as they are now, in the same order. */
  function describeProducts(storeId: string, ids: readonly string[]): LoggedProduct[] {
    const products = queries.findProducts(storeId, ids)
    const described = ids.map((product_id) => {
      const product = products.get(product_id)
      const image_url = product ? toPublicUrl(product.imageUrl) : null
      return { product_id, name: product?.name ?? null, image_url }
    })
    return addThumbnailUrls(storeId, described)
  }

  function describe(
    storeId: string,
    row: LoggedRow,
    results: readonly string[],
  ): Omit<LoggedSearch, 'first' | 'clicks'> {
    return {
      search_id: row.id,
      created_at: isoTime(row.createdAt),
      type: row.type as ListedType,
      source: row.keyId === null ? 'api' : 'widget',
      key_id: row.keyId,
      origin: row.origin,
      session: row.sessionId === null ? null : hashSession(storeId, row.sessionId),
      query: row.query,
      count: results.length,
      top_score: row.topScore,
      query_time_ms: row.durationMs,
    }
  }

  const hashSession = (storeId: string, sessionId: string): string =>
    digest(sessionId, `shopper session of ${storeId}`).toString('hex').slice(0, SESSION_CHARS)

  function describeAll(storeId: string, ids: readonly string[]): LoggedSearch[] {
    const rows = new Map(queries.findRows(storeId, ids).map((row) => [row.id, row]))
    const clicks = queries.countClicks(storeId, ids)
    const found = ids.flatMap((id) => {
      const row = rows.get(id)
      return row ? [{ row, results: JSON.parse(row.results) as string[] }] : []
    })
    const firsts = [...new Set(found.flatMap(({ results }) => results.slice(0, 1)))]
    const products = new Map(
      describeProducts(storeId, firsts).map((product) => [product.product_id, product]),
    )
    return found.map(({ row, results }) => ({
      ...describe(storeId, row, results),
      first: (results[0] !== undefined && products.get(results[0])) || null,
      clicks: clicks.get(row.id) ?? 0,
    }))
  }

  return {
    /**
     * GET /v1/search/history: the searches that analytics count, newest first. A page looks at a bounded number of searches,
     * so one with a filter may be short, or empty, and still have a next one.
     *
     * @throws ApiError `invalid_cursor`, `validation_error` for a day or an hour that does not exist.
     */
    list(storeId: string, query: SearchLogQuery): SearchLog {
      flush(storeId)
      const sessionId = findSession(storeId, query)
      if (sessionId === null) return { searches: [], count: 0, next_cursor: null }
      const { found, nextCursor } = findPage(storeId, query, sessionId)
      const searches = describeAll(storeId, found)
      return { searches, count: searches.length, next_cursor: nextCursor }
    },

    /** GET /v1/search/history/{search_id}: any search but a batch. @throws ApiError `not_found`. */
    show(storeId: string, searchId: string): SearchLogEntry {
      flush(storeId)
      const id = searchId.toLowerCase()
      const [row] = queries.findRows(storeId, [id])
      if (!row || !isListed(row.type)) throw notFound('search')
      const results = JSON.parse(row.results) as string[]
      const described = describeProducts(storeId, results)
      return {
        ...describe(storeId, row, results),
        first: described[0] ?? null,
        clicks: queries.countClicks(storeId, [id]).get(id) ?? 0,
        is_tracked: row.isTracked === 1,
        replaced_by: queries.findReplacement(storeId, id) ?? null,
        parameters: JSON.parse(row.parameters) as Record<string, unknown>,
        results: described,
        feedback: queries.listEvents(storeId, id).map(describeEvent),
      }
    },
  }
}

const mark = (place: LogPlace | undefined): string | null =>
  place ? cursors.write({ at: place.at, id: place.id }) : null

const isListed = (type: SearchKind): boolean => (LISTED_TYPES as readonly SearchKind[]).includes(type)

/** Tells whether a page shows a search. */
function createTest({ type, source, zero_results, q }: SearchLogQuery): (search: WalkedSearch) => boolean {
  const words = q === undefined ? '' : fold(q)
  return (search) =>
    search.isTracked === 1 &&
    search.isReplaced === 0 &&
    isListed(search.type) &&
    (type === undefined || search.type === type) &&
    (source === undefined || search.source === source) &&
    (zero_results === undefined || search.isEmpty === (zero_results === 'true' ? 1 : 0)) &&
    (q === undefined || (search.query !== null && fold(search.query).includes(words)))
}

const describeEvent = ({
  id,
  productId,
  orderValue,
  counts,
  occurredAt,
  ...event
}: LoggedEvent): LoggedFeedback => ({
  feedback_id: id,
  action: event.action,
  product_id: productId,
  position: event.position,
  source: event.source,
  order_value: orderValue,
  currency: event.currency,
  quantity: event.quantity,
  counts: counts === 1,
  occurred_at: isoTime(occurredAt),
})
