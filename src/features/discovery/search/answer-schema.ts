import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { ThumbnailUrl } from '../../catalogue/products/schema.ts'

const Explanation = named(
  'ScoreExplanation',
  t.Object({
    cosine: t.Union([t.Number({ minimum: -1, maximum: 1 }), t.Null()], {
      description: 'Raw cosine of the query’s vector and the picture’s; null for a query without a vector.',
    }),
    legs: t.Object(
      {
        image: t.Number(),
        text: t.Number(),
        keyword: t.Number(),
        color: t.Number(),
        category: t.Number(),
        second_look: t.Number(),
        clicks: t.Number(),
      },
      {
        description:
          'What each leg adds to the value that is mapped to the score, in units of a cosine. `second_look` is what the product lost by the vote of the first hits, for words and for looks together. `clicks` is what it gains because shoppers click it more often than others in its places, at most 0.03; 0 unless the store learns (`search_defaults.learn`).',
      },
    ),
    similarity: t.Number({ description: 'The score of their sum.' }),
    cut: t.Number({ description: 'No result with a lower score is in the list.' }),
    matched_words: t.Array(t.Object({ word: t.String(), field: t.String() }), {
      description:
        'The words of the query that the product has, in any form that counts, with the key of the metadata that has it; or the whole query with `product_id` or `gtin`.',
    }),
    rules: t.Array(
      t.Object({
        id: t.String(),
        name: t.String(),
        action: oneOf(['pin', 'boost', 'bury'] as const),
      }),
      { description: 'The rules of the store that gave the result its place or moved it.' },
    ),
  }),
)

export const SearchResult = named(
  'Hit',
  t.Object({
    product_id: t.String(),
    similarity_score: t.Number({
      description:
        '0 to 1: about 0.5 is a plausible match, 0.8 clearly similar, 0.97 the same picture. 1 where nothing was compared.',
    }),
    metadata: t.Record(t.String(), t.Unknown()),
    image_url: t.String(),
    thumbnail_url: ThumbnailUrl,
    matched_image: t.String({ description: 'The best matching picture of the product.' }),
    matched_variant: t.Optional(
      named(
        'MatchedVariant',
        t.Object(
          {
            sku: t.Optional(t.String()),
            name: t.Optional(t.String()),
            url: t.Optional(t.String()),
            price: t.Optional(t.Number()),
          },
          { description: 'The variant of `metadata.variants` that the best matching picture shows.' },
        ),
      ),
    ),
    matched_reference: t.Optional(
      Type.Integer({ description: 'The number of the reference that it matches best, from 0.' }),
    ),
    group: t.Optional(
      t.Object(
        { value: t.Unknown(), count: Type.Integer() },
        { description: 'The value of `group_by`, and how many results of the best 1,000 have it.' },
      ),
    ),
    explain: t.Optional(Explanation),
  }),
)
export type SearchResult = typeof SearchResult.static

const Box = named(
  'Box',
  t.Object(
    { x: t.Number(), y: t.Number(), width: t.Number(), height: t.Number() },
    { description: 'Shares of the picture’s width and height.' },
  ),
)

const Facet = named(
  'Facet',
  t.Union([
    t.Array(t.Object({ value: t.Union([t.String(), t.Number(), t.Boolean()]), count: Type.Integer() })),
    t.Object({ min: t.Union([t.Number(), t.String()]), max: t.Union([t.Number(), t.String()]) }),
  ]),
)

const Interpreted = named(
  'Interpreted',
  t.Object(
    {
      price_min: t.Optional(t.Number({ description: 'What the words ask for, as `price_min` would.' })),
      price_max: t.Optional(t.Number()),
      colors: t.Optional(t.Array(t.String(), { description: 'Colours that the words name, in English.' })),
      without: t.Optional(
        t.Array(t.String(), { description: 'What products should not have. Those lose that say it.' }),
      ),
      words: t.Array(
        t.Object({
          word: t.String({ description: 'A word of the query, or several that mean one thing.' }),
          known: t.Union([t.Literal('picture'), t.Literal('name'), t.Literal('colour'), t.Literal('no')], {
            description:
              'Who knows it: the words of a product (`name`), the colours, otherwise the model (`picture`), or nobody.',
          }),
          as: t.Optional(t.String({ description: 'Its English, with which the model was asked.' })),
        }),
      ),
    },
    {
      description:
        'What was understood of the words of the query. `words` are those that are left without prices and what is unwanted.',
    },
  ),
)
export type Interpreted = typeof Interpreted.static

export const SearchResponse = named(
  'SearchResponse',
  t.Object({
    query_time_ms: t.Number(),
    count: Type.Integer({ description: 'Results on this page.' }),
    results: t.Array(SearchResult, { description: 'Best first.' }),
    search_id: t.String({ format: 'uuid' }),
    total_candidates: Type.Integer({ description: 'Products that pass the filters.' }),
    exact: t.Boolean({
      description:
        'Whether every product that passes the filters was compared in full. Always true for smaller stores.',
    }),
    image_id: t.Optional(
      t.String({
        description: 'Names the query picture for 15 minutes: for the next page, or another crop.',
      }),
    ),
    query_image: t.Optional(
      named(
        'QueryImage',
        t.Object({
          image_id: t.String(),
          width: Type.Integer({ description: 'Pixels of the whole picture.' }),
          height: Type.Integer(),
          crop: t.Union([Box, t.Null()], { description: 'The part that was searched with.' }),
        }),
      ),
    ),
    regions: t.Optional(
      t.Array(
        named(
          'Region',
          t.Object({
            box: Box,
            score: t.Number({
              description: 'Share of all that stands on the picture’s background; 1 for a single object.',
            }),
            category: t.Union([t.String(), t.Null()]),
          }),
        ),
        { description: 'Parts of the query picture worth searching with.' },
      ),
    ),
    query_categories: t.Optional(
      t.Array(named('QueryCategory', t.Object({ name: t.String(), score: t.Number() })), {
        description: 'Categories of the store that the query picture seems to show, best first; at most 5.',
      }),
    ),
    query_words: t.Optional(
      t.Array(
        named(
          'QueryWord',
          t.Object({
            word: t.String({ description: 'As words are compared: lower case, without accents.' }),
            weight: t.Number({ description: '0 to 1, as a share of the strongest.' }),
          }),
        ),
        {
          description:
            'Words that the first results have in common and most products lack, the strongest first; at most 5, without numbers and single characters. Other products without them lost by it.',
        },
      ),
    ),
    did_you_mean: t.Optional(
      t.String({
        description:
          'The query with words of the store’s products in the place of typos, to search with again. Only where no product has a word as it was written.',
      }),
    ),
    interpreted: t.Optional(Interpreted),
    redirect_url: t.Optional(
      t.String({
        description:
          'Where the shop leads this query to: an address with http or https, or a path of its own. Only for words alone, where they are all of a redirect of the store.',
      }),
    ),
    facets: t.Optional(t.Record(t.String(), Facet)),
    boosted_category: t.Optional(
      t.String({ description: 'The category that the search steers towards (with `explain`).' }),
    ),
    warnings: t.Optional(t.Array(t.String())),
  }),
)
export type SearchResponse = typeof SearchResponse.static

export const TogetherResponse = named(
  'TogetherResponse',
  t.Object({
    ...SearchResponse.properties,
    basis: oneOf(
      ['purchases', 'clicks', 'similar'] as const,
      'What the list is made of: what shoppers bought together, what they looked at in one visit, or, with too little of both, likeness.',
    ),
  }),
)
export type TogetherResponse = typeof TogetherResponse.static

export const TrendingResponse = named(
  'TrendingResponse',
  t.Object({
    ...SearchResponse.properties,
    basis: oneOf(
      ['purchases', 'clicks', 'newest'] as const,
      'What most of the scores come from; without clicks and purchases the newest products.',
    ),
  }),
)
export type TrendingResponse = typeof TrendingResponse.static

/** The answer to one entry of a batch: its search, or why it failed. */
const BatchEntry = named(
  'BatchEntry',
  t.Object(
    {
      id: t.Union([t.String(), t.Number(), t.Null()]),
      index: Type.Integer(),
      status: Type.Integer({ description: 'What the search would have answered alone, such as 200 or 422.' }),
      query_time_ms: t.Optional(t.Number()),
      count: t.Optional(Type.Integer()),
      results: t.Optional(t.Array(SearchResult)),
      search_id: t.Optional(t.String({ format: 'uuid' })),
      error: t.Optional(t.String()),
      message: t.Optional(t.String()),
      details: t.Optional(t.Record(t.String(), t.Unknown())),
    },
    {
      additionalProperties: true,
      description: 'A search response, or an error, beside id, index and status.',
    },
  ),
)

export const BatchResponse = named(
  'BatchResponse',
  t.Object({
    query_time_ms: t.Number(),
    count: Type.Integer({ description: 'Entries that were answered.' }),
    search_id: t.String({
      format: 'uuid',
      description: 'Names the batch; each entry has a search_id of its own.',
    }),
    results: t.Array(BatchEntry, { description: 'In the order of the entries.' }),
  }),
)
export type BatchResponse = typeof BatchResponse.static
