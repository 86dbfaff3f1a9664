import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { sizeInWords } from '../../../core/text.ts'
import { upload } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'

/** The parameters that every search takes. */
const common = {
  limit: t.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.searchLimitMax, default: LIMITS.searchLimitDefault }),
  ),
  offset: t.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.searchDepthMax,
      default: 0,
      description: `Results to skip; offset + limit is at most ${LIMITS.searchDepthMax}.`,
    }),
  ),
  threshold: t.Optional(
    t.Number({ minimum: 0, maximum: 1, description: 'Minimum similarity, before any category boost.' }),
  ),
  category: t.Optional(
    text({ maxLength: 200, description: 'Only this category; case and accents are ignored.' }),
  ),
  price_min: t.Optional(t.Number({ description: 'Only products with a price of at least this.' })),
  price_max: t.Optional(t.Number()),
  color: t.Optional(
    text({
      maxLength: 100,
      description:
        'Only this colour: a word in any of twelve languages, held against color_name or, for a product without one, against its first picture; or a hex, held against the first picture.',
    }),
  ),
  cutoff: t.Optional(
    t.Union([t.Literal('none'), t.Literal('auto')], {
      default: 'none',
      description: '`auto` ends the list where the scores drop.',
    }),
  ),
  category_boost: t.Optional(
    t.Number({
      minimum: 0,
      maximum: 0.5,
      default: 0.1,
      description:
        'Boost w for products in the category of the query: the score becomes (1 − w) · score + w.',
    }),
  ),
  fields: t.Optional(
    t.Array(text({ maxLength: 200 }), {
      maxItems: 100,
      description: 'Metadata keys to return; all by default.',
    }),
  ),
  explain: t.Optional(t.Boolean({ default: false, description: 'Explain each score.' })),
  exact: t.Optional(
    t.Boolean({
      default: false,
      description:
        'Compare with every product, also where more than 250,000 pictures pass the filters. By default such a search is faster and finds at least 99 of 100 of the nearest products.',
    }),
  ),
  analytics: t.Optional(t.Boolean({ default: true, description: 'Count this search in analytics.' })),
  tags: t.Optional(
    t.Array(text({ maxLength: 100 }), { maxItems: 10, description: 'Stored with the search.' }),
  ),
}

/** Unknown fields are reported in `warnings`, not refused. */
const open = { additionalProperties: true }

/** POST /v1/search/text. */
export const TextSearch = t.Object(
  {
    query: text({
      minLength: 1,
      maxLength: LIMITS.queryCharsMax,
      pattern: '\\S',
      description: 'at least one word',
      examples: ['red mug'],
    }),
    ...common,
  },
  open,
)
export type TextSearch = typeof TextSearch.static

const source = {
  image_url: t.Optional(t.String({ description: 'An http(s) URL or a `data:` URI.' })),
  image: t.Optional(t.String({ description: 'The picture as base64 or as a `data:` URI.' })),
  product_id: t.Optional(
    t.String({
      description: 'The first picture of a product in this store; the results leave out the product itself.',
    }),
  ),
  image_id: t.Optional(t.String({ description: 'A recent query picture, from an earlier answer.' })),
  vector: t.Optional(t.Array(t.Number(), { maxItems: 4096, description: 'A vector of the current model.' })),
}

/** POST /v1/search/url: exactly one picture source. */
export const UrlSearch = t.Object({ ...source, ...common }, open)
export type UrlSearch = typeof UrlSearch.static

/** POST /v1/search: a multipart upload, the only picture source of this route; numbers are sent as text. */
export const UploadSearch = t.Object(
  {
    image: t.Optional(
      upload(`JPEG, PNG, WebP, AVIF or GIF, at most ${sizeInWords(LIMITS.pictureBytesMax)}.`),
    ),
    ...common,
  },
  open,
)
export type UploadSearch = typeof UploadSearch.static

export type CommonSearch = Omit<TextSearch, 'query'>

const Explanation = t.Object({
  cosine: t.Number({ minimum: -1, maximum: 1, description: 'Raw cosine of the two vectors.' }),
  similarity: t.Number({ description: 'Calibrated score before the boost.' }),
  category_boost: t.Number({ description: 'The amount added by the boost.' }),
})

export const SearchResult = t.Object({
  product_id: t.String(),
  similarity_score: t.Number({
    description: '0 to 1: about 0.5 is a plausible match, 0.8 clearly similar, 0.97 the same picture.',
  }),
  metadata: t.Record(t.String(), t.Unknown()),
  image_url: t.String(),
  matched_image: t.String({ description: 'The best matching picture of the product.' }),
  explain: t.Optional(Explanation),
})
export type SearchResult = typeof SearchResult.static

export const SearchResponse = t.Object({
  query_time_ms: t.Number(),
  count: Type.Integer({ description: 'Results on this page.' }),
  results: t.Array(SearchResult, { description: 'Best first.' }),
  search_id: t.String({ format: 'uuid' }),
  total_candidates: Type.Integer({
    description: 'Products that were compared, which are those that pass the filters.',
  }),
  exact: t.Boolean({
    description:
      'Whether every product that passes the filters was compared in full. Always true for smaller stores.',
  }),
  image_id: t.Optional(t.String({ description: 'Identifies the query picture, for the next page.' })),
  boosted_category: t.Optional(
    t.String({ description: 'The category of the query, as detected (with `explain`).' }),
  ),
  warnings: t.Optional(t.Array(t.String())),
})
export type SearchResponse = typeof SearchResponse.static
