import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { SAMPLE_PICTURE } from '../../../core/sample-picture.ts'
import { sizeInWords } from '../../../core/text.ts'
import { named } from '../../../http/openapi/named.ts'
import { upload } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import {
  FilteredSearch,
  SearchResponse,
  SearchResult,
  TextSearch,
  TogetherResponse,
  UrlSearch,
} from '../search/schema.ts'

/** The fields of any search of a widget. Other fields are ignored. */
const { category, price_min, price_max, color, session_id, crop, interpret } = UrlSearch.properties
const { offset, threshold, cutoff } = UrlSearch.properties
const { sort } = FilteredSearch.properties
const { image_url, image_id, product_id } = UrlSearch.properties
const { query } = TextSearch.properties

const noNul = '^[^\\u0000]+$'
const FacetField = text({ minLength: 1, maxLength: 200, pattern: noNul })
const FacetValue = t.Union([
  text({ maxLength: LIMITS.filterTextCharsMax, pattern: noNul }),
  t.Number(),
  t.Boolean(),
])

const common = {
  limit: t.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.widgetLimitMax, default: LIMITS.searchLimitDefault }),
  ),
  category,
  price_min,
  price_max,
  color,
  session_id,
  offset,
  threshold,
  cutoff: t.Optional({
    ...cutoff,
    description:
      '`auto` ends the list where the scores drop, and after three results where no word of the query is known. By default as the store says, otherwise `auto`.',
  }),
  facets: t.Optional(
    t.Array(FacetField, {
      maxItems: LIMITS.facetFieldsMax,
      description: 'Fields of the metadata whose values are counted. A private field has none.',
    }),
  ),
  facet_values: t.Optional(
    t.Record(t.String(), t.Array(FacetValue, { minItems: 1, maxItems: LIMITS.facetValuesShown }), {
      maxProperties: LIMITS.facetFieldsMax,
      description:
        'Only products that have one of the values in each of these fields: `{"brand": ["Acme", "Zed"]}`. In a form as JSON text.',
    }),
  ),
  sort,
  interpret,
}

/** Words beside a picture: both count the same. */
const refined = { ...common, query: t.Optional(query), crop }

/** POST /v1/widget/search/text. */
export const WidgetText = named(
  'WidgetTextSearch',
  t.Object({ query, ...common }, { additionalProperties: true }),
  { query: 'red mug', limit: 5 },
)
export type WidgetText = typeof WidgetText.static

/** POST /v1/widget/search/upload: a form. */
export const WidgetUpload = named(
  'WidgetUploadSearch',
  t.Object(
    {
      image: t.Optional(
        upload(
          `JPEG, PNG, WebP, AVIF or GIF; the form has at most ${sizeInWords(LIMITS.widgetPictureBytesMax)}.`,
        ),
      ),
      ...refined,
    },
    { additionalProperties: true },
  ),
  { limit: 5 },
)
export type WidgetUpload = typeof WidgetUpload.static

/** POST /v1/widget/search/url: one of two pictures; without them a product of the store, whose picture it is then. */
export const WidgetUrl = named(
  'WidgetUrlSearch',
  t.Object({ image_url, image_id, product_id, ...refined }, { additionalProperties: true }),
  { image_url: SAMPLE_PICTURE, limit: 5 },
)
export type WidgetUrl = typeof WidgetUrl.static

/** POST /v1/widget/search/suggestions. */
export const WidgetSuggest = named(
  'WidgetSuggestionsQuery',
  t.Object(
    {
      query: text({ maxLength: LIMITS.queryCharsMax, description: 'What is typed so far.' }),
      limit: t.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.widgetSuggestionsMax, default: 6 })),
    },
    { additionalProperties: true },
  ),
  { query: 're' },
)
export type WidgetSuggest = typeof WidgetSuggest.static

export const WidgetSuggestions = named(
  'WidgetSuggestions',
  t.Object({
    suggestions: t.Array(
      t.Object({
        query: t.String(),
        count: Type.Integer({
          description: 'How often shoppers searched for it in 90 days; 0 for `catalog`.',
        }),
        results_count: Type.Integer({ description: 'About how many products it finds.' }),
        source: t.Union([t.Literal('history'), t.Literal('catalog')]),
        image_url: t.Optional(t.String({ description: 'The picture of a product that it finds.' })),
      }),
    ),
  }),
)
export type WidgetSuggestions = typeof WidgetSuggestions.static

/** GET /v1/widget/similar and /v1/widget/together: a row for a product page. */
export const WidgetRow = t.Object(
  {
    product_id: text({
      minLength: 1,
      maxLength: LIMITS.productIdCharsMax,
      description: 'The product that the page shows.',
      examples: ['demo-mug-red'],
    }),
    limit: t.Optional(
      t.Integer({ minimum: 1, maximum: LIMITS.widgetLimitMax, default: LIMITS.searchLimitDefault }),
    ),
    category,
    price_min: t.Optional(t.Numeric()),
    price_max: t.Optional(t.Numeric()),
    color,
    session_id,
    threshold: t.Optional(t.Numeric({ minimum: 0, maximum: 1 })),
    cutoff: t.Optional({
      ...cutoff,
      description: '`auto` ends the row where the scores drop.',
      default: 'none',
    }),
  },
  { additionalProperties: true },
)
export type WidgetRow = typeof WidgetRow.static

const { query_time_ms, count, search_id, total_candidates, exact } = SearchResponse.properties
const { query_image, regions, query_categories, query_words, did_you_mean, redirect_url, interpreted } =
  SearchResponse.properties
const { facets: counts } = SearchResponse.properties

/** A result for a shop's page. Thumbnails are for the people of the store. */
const WidgetHit = named(
  'WidgetHit',
  t.Composite([
    t.Omit(SearchResult, ['thumbnail_url']),
    t.Object({
      sold_out: t.Optional(
        t.Literal(true, { description: 'Its metadata, as far as they are public, say so.' }),
      ),
    }),
  ]),
)
export type WidgetHit = typeof WidgetHit.static

/** The answer to a widget's search: a search response without what only a backend needs. */
export const WidgetAnswer = named(
  'WidgetSearchResponse',
  t.Object({
    query_time_ms,
    count,
    results: t.Array(WidgetHit),
    search_id,
    total_candidates,
    exact,
    image_id: SearchResponse.properties.image_id,
    query_image,
    regions,
    query_categories,
    query_words,
    did_you_mean,
    facets: counts,
    interpreted,
    redirect_url,
    warnings: t.Optional(
      t.Array(t.String(), {
        description:
          'Only `unknown_words: …`: the words of the query that are known neither to the model nor to a product.',
      }),
    ),
    popular: t.Optional(
      t.Array(WidgetHit, {
        description: `Only where nothing was found: at most ${LIMITS.widgetPopularMax} products that shoppers like or that are new, all in stock.`,
      }),
    ),
  }),
)
export type WidgetAnswer = typeof WidgetAnswer.static

/** The same for products that shoppers take together. */
export const WidgetTogether = named(
  'WidgetTogetherResponse',
  t.Object({ ...WidgetAnswer.properties, basis: TogetherResponse.properties.basis }),
)
export type WidgetTogether = typeof WidgetTogether.static
