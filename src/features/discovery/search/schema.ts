import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { SAMPLE_PICTURE } from '../../../core/sample-picture.ts'
import { sizeInWords } from '../../../core/text.ts'
import { ANY_KEY, named } from '../../../http/openapi/named.ts'
import { oneOf, type UploadedFile, upload } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'

/** The answers of searches, for the features whose answers are made of them. */
export { SearchResponse, SearchResult, TogetherResponse } from './answer-schema.ts'

/** How the warning of words begins that nobody knows, for programs. */
export const UNKNOWN_WORDS = 'unknown_words: '

/** The parameters that every search takes. */
export const common = {
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
    t.Number({ minimum: 0, maximum: 1, description: 'Minimum similarity_score, as it is answered.' }),
  ),
  category: t.Optional(
    text({
      maxLength: LIMITS.filterTextCharsMax,
      description:
        'Only this category, or what is below a level of this name or path (`Clothing > Hoodies`); case and accents are ignored.',
    }),
  ),
  price_min: t.Optional(t.Number({ description: 'Only products for which at least this is paid.' })),
  price_max: t.Optional(t.Number()),
  color: t.Optional(
    text({
      maxLength: 100,
      description:
        'Only this colour: a word in any of twelve languages, held against color_name or, for a product without one, against its first picture; or a hex, held against the first picture.',
    }),
  ),
  filters: t.Optional(
    Type.Unknown({
      description:
        'Only products that fit: `[{field, operator, value}]`, or an object with `must`, `should` and `must_not`. In a form as JSON text.',
    }),
  ),
  facets: t.Optional(
    t.Array(text({ maxLength: 200 }), {
      maxItems: 10,
      description: 'Fields whose values are counted over all products that pass the filters.',
    }),
  ),
  group_by: t.Optional(
    text({ maxLength: 200, description: 'A field; only the best result of each of its values stays.' }),
  ),
  diversity: t.Optional(
    t.Number({
      minimum: 0,
      maximum: 1,
      default: 0,
      description: 'How much likeness to the results above counts against a result.',
    }),
  ),
  cutoff: t.Optional(
    t.Union([t.Literal('none'), t.Literal('auto')], {
      description:
        '`auto` ends the list where the scores drop. By default as the store says, otherwise `none`.',
    }),
  ),
  category_boost: t.Optional(
    t.Number({
      minimum: 0,
      maximum: 0.5,
      description:
        'Weight of all steering by category: 0 switches it off, 0.1 is the measured weight, 0.2 twice that. By default as the store says, otherwise 0.1.',
    }),
  ),
  second_look: t.Optional(
    t.Boolean({
      description:
        'Let the first results vote: products lose that lack the words which these have in common, and in a search by words alone those that look otherwise. By default as the store says, otherwise true.',
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
  session_id: t.Optional(
    text({ maxLength: 64, description: 'The shopper’s session, for analytics; any text of your choice.' }),
  ),
  analytics: t.Optional(t.Boolean({ default: true, description: 'Count this search in analytics.' })),
  tags: t.Optional(
    t.Array(text({ maxLength: 100 }), { maxItems: 10, description: 'Stored with the search.' }),
  ),
  sold_out: t.Optional(
    t.Union([t.Literal('last'), t.Literal('hide'), t.Literal('keep')], {
      description:
        'Where products stand that are sold out: behind all others (`last`), nowhere (`hide`), or like all others (`keep`). Scores do not change. By default as the store says, otherwise `keep`, and `last` in widgets.',
    }),
  ),
  rules: t.Optional(
    t.Boolean({ default: true, description: 'Let the store’s rules pin, hide and move products.' }),
  ),
  interpret: t.Optional(
    t.Boolean({
      default: true,
      description:
        'Understand prices, “without” and colours in the words of the query, and translate them for the model. The answer says in `interpreted` what was understood.',
    }),
  ),
}

const CommonSearch = t.Object(common)
export type CommonSearch = typeof CommonSearch.static

/** Unknown fields are reported in `warnings`, not refused. */
const open = { additionalProperties: true }

const query = text({
  minLength: 1,
  maxLength: LIMITS.queryCharsMax,
  pattern: '\\S',
  description: 'at least one word',
  examples: ['red mug'],
})

const crop = {
  crop: t.Optional(
    named(
      'Crop',
      t.Object(
        {
          x: t.Number(),
          y: t.Number(),
          width: t.Number({ minimum: 0 }),
          height: t.Number({ minimum: 0 }),
          unit: t.Optional(oneOf(['relative', 'pixel'] as const)),
        },
        {
          description:
            'The part of the picture to search with, from its top left corner after EXIF rotation: shares of its width and height (`relative`, the default) or pixels.',
        },
      ),
    ),
  ),
  box: t.Optional(
    t.Array(t.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'The same as `[x1, y1, x2, y2]`: shares where none exceeds 1, otherwise pixels.',
    }),
  ),
  padding: t.Optional(
    t.Number({ minimum: 0, maximum: 0.5, description: 'Share of the part that is added on each side.' }),
  ),
}
const CropFields = t.Object(crop)
export type CropFields = typeof CropFields.static

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
  ...crop,
}
const JsonSource = t.Object(source)
/** Exactly one picture, and the part of it to search with. */
export type PictureSource = Omit<typeof JsonSource.static, 'image'> & { image?: string | UploadedFile }

/** In a form the picture is a file. */
const formSource = {
  ...source,
  image: t.Optional(upload(`JPEG, PNG, WebP, AVIF or GIF, at most ${sizeInWords(LIMITS.pictureBytesMax)}.`)),
}

/** POST /v1/search/text. */
export const TextSearch = named('TextSearch', t.Object({ query, ...common }, open), {
  query: 'red mug',
  limit: 5,
})
export type TextSearch = typeof TextSearch.static

/** POST /v1/search/url: exactly one picture source. */
export const UrlSearch = named('UrlSearch', t.Object({ ...source, ...common }, open), {
  image_url: SAMPLE_PICTURE,
  limit: 5,
})
export type UrlSearch = typeof UrlSearch.static

/** POST /v1/search: a multipart upload; numbers and JSON are sent as text. */
export const UploadSearch = named('UploadSearch', t.Object({ ...formSource, ...common }, open), { limit: 5 })
export type UploadSearch = typeof UploadSearch.static

/** POST /v1/search/crop, as JSON and as a form. */
export const CropBody = Type.Union([
  named('CropSearch', UrlSearch, {
    image_url: SAMPLE_PICTURE,
    crop: { x: 0.1, y: 0.1, width: 0.8, height: 0.8 },
    limit: 5,
  }),
  UploadSearch,
])

/** POST /v1/search/hybrid. */
export const HybridSearch = named(
  'HybridSearch',
  t.Object(
    {
      ...source,
      query: t.Optional(query),
      colors: t.Optional(
        t.Array(text({ maxLength: 20 }), {
          maxItems: 5,
          description: 'Hex colours that products should have. Those without them lose.',
        }),
      ),
      metadata_filters: t.Optional(Type.Unknown({ description: 'The same as `filters`; both apply.' })),
      visual_weight: t.Optional(
        t.Number({
          minimum: 0,
          maximum: 1,
          default: 0.5,
          description: 'Weight of the picture; the words have the rest.',
        }),
      ),
      ...common,
    },
    open,
  ),
  { query: 'red mug', image_url: SAMPLE_PICTURE, visual_weight: 0.5, limit: 5 },
)
export type HybridSearch = typeof HybridSearch.static

/** POST /v1/search/fusion. */
export const FusionSearch = named(
  'FusionSearch',
  t.Object(
    {
      ...source,
      query,
      image_weight: t.Optional(
        t.Number({
          minimum: 0,
          maximum: 1,
          default: 0.5,
          description: 'Weight of the picture in the vector.',
        }),
      ),
      ...common,
    },
    open,
  ),
  { query: 'red mug', image_url: SAMPLE_PICTURE, image_weight: 0.7, limit: 5 },
)
export type FusionSearch = typeof FusionSearch.static

/** POST /v1/search/filtered. */
export const FilteredSearch = named(
  'FilteredSearch',
  t.Object(
    {
      ...source,
      query: t.Optional(query),
      sort: t.Optional(
        oneOf(
          ['popularity', 'newest', 'price_asc', 'price_desc'] as const,
          'Without picture and query: the order of all products that fit, `newest` by default. Otherwise: the order of the best 1,000.',
        ),
      ),
      ...common,
    },
    open,
  ),
  { filters: [{ field: 'price', operator: 'lte', value: 50 }], sort: 'price_asc', limit: 5 },
)
export type FilteredSearch = typeof FilteredSearch.static

const weight = t.Optional(t.Number({ minimum: 0, maximum: 1, default: 1 }))
const reference = named('PictureReference', t.Object({ ...source, weight }))

const manyPictures = {
  image_urls: t.Optional(
    t.Array(t.String(), { maxItems: 10, description: 'Short form: pictures of equal weight.' }),
  ),
  negative: t.Optional(
    t.Array(reference, { maxItems: 10, description: 'Pictures that results should not be like.' }),
  ),
  aggregation: t.Optional(
    oneOf(
      ['average', 'best', 'union'] as const,
      '`average` (the default) searches with the mean picture, `best` scores each product by the reference that it is nearest to, `union` takes turns between the lists of all references.',
    ),
  ),
}

/** POST /v1/search/multi-image. */
export const MultiImageSearch = named(
  'MultiImageSearch',
  t.Object(
    {
      images: t.Optional(t.Array(reference, { maxItems: 10, description: '2 to 10 references.' })),
      ...manyPictures,
      ...common,
    },
    open,
  ),
  {
    images: [
      { image_url: SAMPLE_PICTURE },
      { image_url: SAMPLE_PICTURE, padding: 0.1, crop: { x: 0.2, y: 0.2, width: 0.6, height: 0.6 } },
    ],
    limit: 5,
  },
)
export type MultiImageSearch = typeof MultiImageSearch.static

/** The same as a form: the file `images` is repeated. */
export const MultiImageForm = named(
  'MultiImageForm',
  t.Object(
    {
      images: t.Optional(t.Array(upload('A picture; repeat the field.'), { maxItems: 10 })),
      ...manyPictures,
      ...common,
    },
    open,
  ),
  { aggregation: 'best', limit: 5 },
)
export type MultiImageForm = typeof MultiImageForm.static
/** The form comes first: as an object without fields, a file would pass for a reference. */
export const MultiImageBody = Type.Union([MultiImageForm, MultiImageSearch])

export const BATCH_TYPES = ['text', 'url', 'hybrid', 'fusion', 'filtered', 'multi-image', 'crop'] as const
export type BatchType = (typeof BATCH_TYPES)[number]

/** The parameters of every search without their defaults, which would come before what a batch says itself. */
const undecided = Object.fromEntries(
  Object.entries(common).map(([name, { default: _, ...schema }]) => [name, schema]),
) as typeof common

/** POST /v1/search/batch. Each entry is checked apart, so that a bad one fails alone. */
export const BatchSearch = named(
  'BatchSearch',
  t.Object(
    {
      queries: t.Array(
        t.Object(
          { id: t.Optional(t.Unknown()), type: t.Optional(t.Unknown()) },
          { ...ANY_KEY, description: `A search with its \`type\`: ${BATCH_TYPES.join(', ')}.` },
        ),
        { minItems: 1, description: `At most ${LIMITS.batchQueriesMax}.` },
      ),
      defaults: t.Optional(
        t.Object({}, { ...ANY_KEY, description: 'Fields of every entry that does not name them itself.' }),
      ),
      ...undecided,
    },
    open,
  ),
  {
    queries: [
      { id: 'words', type: 'text', query: 'red mug' },
      { id: 'picture', type: 'url', image_url: SAMPLE_PICTURE },
    ],
    defaults: { limit: 3 },
  },
)
export type BatchSearch = typeof BatchSearch.static
