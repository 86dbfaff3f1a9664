import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { ThumbnailUrl } from '../../catalogue/products/schema.ts'

/** Entries of each list of the analytics. */
export const LISTED_MAX = 20

const format = t.Optional(oneOf(['json', 'csv'], '`csv` answers a table for spreadsheets.'))

const days = (count: number) =>
  t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 365,
      default: count,
      description: 'Days of the period, in the time zone of the store; today is the last of them.',
    }),
  )

export const PopularQuery = t.Object({
  days: days(30),
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 100, default: 10 })),
  format,
})
export type PopularQuery = typeof PopularQuery.static

const date = (description: string) =>
  t.Optional(text({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description, examples: ['2030-01-31'] }))

export const AnalyticsQuery = t.Object({
  days: t.Optional(
    t.Integer({ minimum: 1, maximum: 365, description: '7 by default; today is the last of them.' }),
  ),
  from: date('First day of the period, instead of `days`; 365 days at most.'),
  to: date('Last day of the period; today by default.'),
  compare: t.Optional(oneOf(['previous'], 'Adds `previous`: the period of the same length before.')),
  key_id: t.Optional(text({ maxLength: 64, description: 'Only what pages with this widget key did.' })),
  origin: t.Optional(text({ maxLength: 300, description: 'Only what pages of this origin did.' })),
  lists: t.Optional(
    t.Integer({
      minimum: 0,
      maximum: LISTED_MAX,
      default: LISTED_MAX,
      description:
        'Entries of `top_queries`, `zero_result_queries` and `top_products`. 0 leaves them empty and answers in a quarter of the time.',
    }),
  ),
  format,
})
export type AnalyticsQuery = typeof AnalyticsQuery.static

export const SuggestionsQuery = t.Object({
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 50, default: 10 })),
  q: t.Optional(text({ maxLength: 500, description: 'What the shopper has typed so far.' })),
  format,
})
export type SuggestionsQuery = typeof SuggestionsQuery.static

export const UnmetQuery = t.Object({
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 50, default: 20 })),
})
export type UnmetQuery = typeof UnmetQuery.static

const count = (description?: string) => Type.Integer(description === undefined ? {} : { description })
const rate = (description: string) => t.Union([t.Number(), t.Null()], { description })
const average = (description: string) => t.Union([t.Number(), t.Null()], { description })

/** GET /v1/search/feedback/popular. */
export const PopularProducts = named(
  'PopularProducts',
  t.Object({
    days: count(),
    products: t.Array(
      t.Object({
        product_id: t.String(),
        thumbnail_url: ThumbnailUrl,
        score: t.Number({
          description: '1 a click, 3 a product in the cart, 5 a purchase; half of it after 7 days.',
        }),
        clicks: count(),
        add_to_cart: count(),
        purchases: count(),
        revenue: t.Array(t.Object({ currency: t.String(), amount: t.Number() })),
        metadata: t.Union([t.Record(t.String(), t.Unknown()), t.Null()], {
          description: 'null for a product that the store no longer has.',
        }),
      }),
      { description: 'Greatest score first.' },
    ),
  }),
)
export type PopularProducts = typeof PopularProducts.static

const tracking = (statuses: string) =>
  t.Object({
    status: t.String({ description: `${statuses}; later versions may add more.` }),
    message: t.String({ description: 'The same for people; may change.' }),
  })

const moment = (description: string) =>
  t.Union([t.String({ format: 'date-time' }), t.Null()], { description })

const Source = named(
  'SearchSource',
  t.Object({
    source: t.String({ description: '`api`, or `widget` for a page with a widget key.' }),
    key_id: t.Union([t.String({ format: 'uuid' }), t.Null()], { description: 'Of the widget key.' }),
    key_name: t.Union([t.String(), t.Null()], { description: 'null also for a key that was revoked.' }),
    origin: t.Union([t.String(), t.Null()], { description: 'Of the page.' }),
    searches: count(),
    zero_results: count(),
    searches_with_click: count('Searches of this source with a click, whoever told of it.'),
    ctr: rate('As in `engagement`, of the searches of this source.'),
    add_to_cart_rate: rate('Likewise.'),
    conversion_rate: rate('Likewise.'),
    clicks: count('Events that this source told of.'),
    add_to_cart: count(),
    purchases: count(),
    last_search_at: moment('Also before the period; null for `api`.'),
    last_event_at: moment('Also before the period; null for `api`.'),
    tracking: tracking('`ok`, `no_searches`, `no_clicks`, `unattributed`'),
  }),
)

const countOrNull = (description: string) => t.Union([Type.Integer(), t.Null()], { description })

const Period = named(
  'AnalyticsPeriod',
  t.Object({
    days: count(),
    from: t.String({ format: 'date' }),
    to: t.String({ format: 'date' }),
    timezone: t.String({ description: 'The time zone of the days.' }),
  }),
)

const Searches = named(
  'AnalyticsSearches',
  t.Object({
    total: count('Tracked searches. Keystrokes of one session count as one search.'),
    by_type: t.Record(t.String(), Type.Integer()),
    sessions: countOrNull(
      'Different `session_id`; an estimate within 2 % where there are more than 10,000 a day or 20,000 in all.',
    ),
    zero_results: count('Searches without results.'),
    zero_result_rate: rate('null without searches, like all rates.'),
    low_confidence: countOrNull('Searches whose best result scores below 0.5.'),
  }),
)

const Engagement = named(
  'AnalyticsEngagement',
  t.Object({
    searches_with_click: count(),
    ctr: rate('Searches with a click / searches.'),
    avg_click_position: average('From 1; null without clicks on results.'),
    click_positions: t.Array(
      t.Object({
        from: count(),
        to: t.Union([Type.Integer(), t.Null()], { description: 'null: and all after.' }),
        clicks: count(),
      }),
    ),
    add_to_cart_rate: rate('Searches with a product in the cart / searches.'),
    conversion_rate: rate('Searches with a purchase / searches.'),
  }),
)

const Revenue = t.Array(
  named(
    'AnalyticsRevenue',
    t.Object({
      currency: t.String(),
      total: t.Number(),
      attributed: t.Number({ description: 'Of purchases that name a search of the store.' }),
      unattributed: t.Number(),
      orders: count(),
      per_search: rate('Attributed revenue / searches.'),
    }),
  ),
)

/** GET /v1/search/analytics. */
export const Analytics = named(
  'Analytics',
  t.Object({
    period: Period,
    tracking: tracking('`ok`, `no_searches`, `no_clicks`, `unattributed`, `partial`, `no_purchases`'),
    searches: Searches,
    engagement: Engagement,
    by_source: t.Array(Source, {
      description: 'The backend, then at most 100 pages with widget keys, most searches first.',
    }),
    revenue: Revenue,
    latency_ms: t.Object({
      p50: average('Within 2 %, like p95; null without searches.'),
      p95: average('null without searches.'),
    }),
    top_queries: t.Array(
      t.Object({ query: t.String(), searches: count(), ctr: t.Number(), avg_results: t.Number() }),
    ),
    zero_result_queries: t.Array(
      t.Object({
        query: t.String(),
        searches: count(),
        suggested_words: t.Optional(
          t.Array(t.String(), {
            description:
              'At most 5 words of the store’s products that may have been meant: those spelt nearly so, then those of the products that come nearest. Only for the first 10 queries, and absent where none was found within a second. `POST /v1/store/words/synonyms` makes one a synonym.',
          }),
        ),
      }),
    ),
    top_products: t.Array(
      t.Object({
        product_id: t.String(),
        thumbnail_url: ThumbnailUrl,
        impressions: count(),
        clicks: count(),
      }),
    ),
    timeseries: t.Array(
      t.Object({
        date: t.String({ format: 'date' }),
        searches: count(),
        ctr: rate('null for a day without searches.'),
        conversion_rate: rate('null for a day without searches.'),
        zero_result_rate: rate('null for a day without searches.'),
        clicks: count('Of this day; what a page and the backend both reported is one.'),
        orders: countOrNull('Of this day, in all currencies.'),
        revenue: t.Array(t.Object({ currency: t.String(), amount: t.Number() }), {
          description: 'Of this day, whether or not a search belongs to it.',
        }),
      }),
    ),
    previous: t.Optional(
      t.Object(
        { period: Period, searches: Searches, engagement: Engagement, revenue: Revenue },
        { description: 'With `compare=previous`.' },
      ),
    ),
    not_counted: t.Optional(
      t.Array(t.String(), {
        description:
          'With `key_id` or `origin`: what is not counted by page, and therefore null or empty in this answer.',
      }),
    ),
  }),
)
export type Analytics = typeof Analytics.static

/** GET /v1/search/suggestions. */
export const Suggestions = named(
  'Suggestions',
  t.Object({
    suggestions: t.Array(
      t.Object({
        query: t.String(),
        count: count('Searches for it in the last 90 days.'),
        results_count: count(
          'Results that they had, on average; for `catalog` products that have the text, at most 1,000.',
        ),
        source: t.String({ description: '`history` or `catalog`.' }),
      }),
    ),
  }),
)
export type Suggestions = typeof Suggestions.static

/** GET /v1/search/analytics/unmet. */
export const UnmetDemand = named(
  'UnmetDemand',
  t.Object({
    computed_at: t.Union([t.String({ format: 'date-time' }), t.Null()], {
      description: 'null until the first night.',
    }),
    searches: count('Picture searches without a plausible result that the map is made of.'),
    clusters: t.Array(
      t.Object({
        searches: count(),
        mean_best_score: t.Number({ description: 'The mean of their best scores.' }),
        best_score: t.Number({ description: 'The same as `mean_best_score`, its older name.' }),
        shows: t.Array(
          t.Object({
            name: t.String(),
            source: t.String({ description: '`category` of the store, or `word` of a small vocabulary.' }),
            cosine: t.Number(),
          }),
          { description: 'What the model’s words say that the pictures show, best first.' },
        ),
        example_search_ids: t.Array(t.String({ format: 'uuid' })),
        example_thumbnails: t.Array(t.String(), {
          description:
            'Where pictures of these searches lie, below the address of the service; none unless the store’s `unmatched_thumbnails` is on.',
        }),
        last_searched_at: t.String({ format: 'date-time' }),
      }),
      { description: 'Most searches first.' },
    ),
  }),
)
export type UnmetDemand = typeof UnmetDemand.static
