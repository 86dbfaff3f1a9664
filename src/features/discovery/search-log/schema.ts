import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment, moment, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { ThumbnailUrl } from '../../catalogue/products/schema.ts'
import { FEEDBACK_ACTIONS } from '../feedback/schema.ts'
import type { SearchKind } from '../search/queries.ts'

/** The types that the log lists: a batch shows as its entries. */
export const LISTED_TYPES = [
  ...['text', 'upload', 'url', 'hybrid', 'crop', 'filtered', 'fusion', 'multi-image', 'similar'],
  ...['together', 'trending'],
] as Exclude<SearchKind, 'batch'>[]

export const SOURCES = ['api', 'widget'] as const

export const LOG_PAGE = { default: 20, maximum: 50 }

export const SearchLogQuery = t.Object({
  ...pageQuery(LOG_PAGE),
  type: t.Optional(oneOf(LISTED_TYPES, 'Only searches of this type.')),
  source: t.Optional(oneOf(SOURCES, '`widget` for searches with a widget key, `api` for all others.')),
  zero_results: t.Optional(
    oneOf(
      ['true', 'false'],
      '`true` for searches that found nothing, `false` for all others. A later page without results is one of the others.',
    ),
  ),
  session_id: t.Optional(
    text({
      minLength: 1,
      maxLength: 64,
      description: 'Only searches of this session of a shopper, as the searches named it.',
    }),
  ),
  session_of: t.Optional(
    text({ maxLength: 64, description: 'Only searches of the same session as this `search_id`.' }),
  ),
  q: t.Optional(
    text({
      minLength: 1,
      maxLength: 200,
      description: 'Only searches whose words contain this text; case and accents do not matter.',
    }),
  ),
  since: t.Optional(moment('ISO 8601 with an offset from UTC, or a date; searches at that moment or later')),
  until: t.Optional(moment('ISO 8601 with an offset from UTC, or a date; searches before that moment')),
})
export type SearchLogQuery = typeof SearchLogQuery.static

export const LoggedSearchParams = t.Object({ search_id: t.String() })

const textOrNull = (description: string) => t.Union([t.String(), t.Null()], { description })

const LoggedProduct = named(
  'LoggedProduct',
  t.Object({
    product_id: t.String(),
    name: textOrNull('null also for a product that the store no longer has.'),
    image_url: textOrNull('null for a product that the store no longer has.'),
    thumbnail_url: ThumbnailUrl,
  }),
)
export type LoggedProduct = typeof LoggedProduct.static

const ROW = {
  search_id: t.String({ format: 'uuid' }),
  created_at: Moment,
  type: oneOf(LISTED_TYPES),
  source: oneOf(SOURCES),
  key_id: textOrNull('The widget key; null for `api`.'),
  origin: textOrNull('The page that used it; null for `api`.'),
  session: textOrNull(
    'Stands for the session of the shopper: equal for equal sessions, and not the `session_id` itself. null without one.',
  ),
  query: textOrNull('The words; null without any.'),
  count: Type.Integer({ description: 'Results on the page that was answered.' }),
  top_score: t.Union([t.Number(), t.Null()], {
    description: '`similarity_score` of the first result; null without one, and where nothing was compared.',
  }),
  query_time_ms: t.Number(),
  first: t.Union([LoggedProduct, t.Null()], { description: 'The first result, as the product is now.' }),
  clicks: Type.Integer({
    description: 'Clicks on its results. What a page and the backend both reported is one.',
  }),
}

export const LoggedSearch = named('LoggedSearch', t.Object(ROW))
export type LoggedSearch = typeof LoggedSearch.static

/** GET /v1/search/history. */
export const SearchLog = named(
  'SearchLog',
  t.Object({
    searches: t.Array(LoggedSearch, { description: 'Newest first.' }),
    count: Type.Integer({ description: 'Searches on this page.' }),
    ...PAGE_END,
  }),
)
export type SearchLog = typeof SearchLog.static

const LoggedFeedback = named(
  'LoggedFeedback',
  t.Object({
    feedback_id: t.String({ format: 'uuid' }),
    action: oneOf(FEEDBACK_ACTIONS),
    product_id: t.String(),
    position: t.Union([Type.Integer(), t.Null()]),
    source: oneOf(SOURCES),
    order_value: t.Union([t.Number(), t.Null()]),
    currency: t.Union([t.String(), t.Null()]),
    quantity: Type.Integer(),
    counts: t.Boolean({
      description: 'false for what a page reported and the backend reported too, or nobody believes.',
    }),
    occurred_at: Moment,
  }),
)
export type LoggedFeedback = typeof LoggedFeedback.static

/** GET /v1/search/history/{search_id}. */
export const SearchLogEntry = named(
  'SearchLogEntry',
  t.Object({
    ...ROW,
    is_tracked: t.Boolean({ description: 'false for `analytics: false`: the list leaves it out.' }),
    replaced_by: t.Union([t.String({ format: 'uuid' }), t.Null()], {
      description: 'The search that counts in place of this keystroke; the list leaves it out.',
    }),
    parameters: t.Record(t.String(), t.Unknown(), {
      description: 'As they were sent, without picture and words; a very long filter is left out.',
    }),
    results: t.Array(LoggedProduct, { description: 'Best first.' }),
    feedback: t.Array(LoggedFeedback, { description: 'Oldest first, at most 200.' }),
  }),
)
export type SearchLogEntry = typeof SearchLogEntry.static
