import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { formBody, jsonBody, jsonOrFormBody } from '../../../http/body.ts'
import {
  FOR_STORE,
  FORM_BODY,
  failures,
  JSON_BODY,
  PICTURE_URL,
  READING,
  WRITING,
} from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { BatchResponse, SearchResponse, TogetherResponse, TrendingResponse } from './answer-schema.ts'
import {
  BatchSearch,
  CropBody,
  FilteredSearch,
  FusionSearch,
  HybridSearch,
  MultiImageBody,
  MultiImageForm,
  TextSearch,
  UploadSearch,
  UrlSearch,
} from './schema.ts'
import type { SearchService } from './service.ts'
import { SimilarParams, SimilarQuery } from './similar.ts'
import { TrendingQuery } from './trending.ts'

const FILTERS = ['filter_operator_unknown', 'filter_type_mismatch'] as const

/** Failures of every search. */
const SEARCH = [...FOR_STORE, ...WRITING, ...JSON_BODY, ...FILTERS, 'model_not_ready'] as const

/** Failures of a search with a picture. */
const WITH_PICTURE = [
  ...SEARCH,
  ...PICTURE_URL,
  'crop_too_small',
  ['not_found', 'The named product or picture does not exist.'],
] as const

const CAN = { can: 'search:execute' } as const
const jsonWithPicture = jsonBody(LIMITS.pictureJsonBytesMax, 'search')

/** Contract 3.1: the nine searches. */
function searches(
  { forStoreSearch, spendMore }: Pick<Guards, 'forStoreSearch' | 'spendMore'>,
  search: SearchService,
) {
  return new Elysia({ name: 'search.routes', prefix: '/v1/search', tags: ['Search'] })
    .use(forStoreSearch)
    .post('/text', ({ actor, body }) => search.byText(actor, body), {
      ...CAN,
      parse: jsonBody(),
      body: TextSearch,
      response: { 200: SearchResponse, ...failures(...SEARCH) },
      detail: {
        operationId: 'searchByText',
        summary: 'Find products by text',
        description:
          'Compares the words with the pictures, and with names, categories, brands, colours, tags and SKUs. Results come best first; `similarity_score` is 0 to 1, and about 0.5 is a plausible match. Narrow the search with `category`, `price_min`, `price_max`, `color` or `filters`; `fields` picks the metadata that comes back. Unknown fields are reported in `warnings`.',
      },
    })
    .post('', ({ actor, body }) => search.byUpload(actor, body), {
      ...CAN,
      parse: formBody(UploadSearch, 'search', {
        hint: 'or send JSON to POST /v1/search/url, with the picture as `image_url` or, in base64, as `image`',
      }),
      body: UploadSearch,
      response: { 200: SearchResponse, ...failures(...WITH_PICTURE, ...FORM_BODY) },
      detail: {
        operationId: 'searchByUpload',
        summary: 'Find products similar to an uploaded picture',
        description:
          'Send the picture as the file `image`, everything else as fields of the form. `similarity_score` tells how alike a product is, from 0 to 1: about 0.5 is plausible, 0.8 clearly alike, 0.97 the same picture. `image_id` in the answer names the picture for 15 minutes: for the next page, or for another crop.',
      },
    })
    .post('/url', ({ actor, body }) => search.byUrl(actor, body), {
      ...CAN,
      parse: jsonWithPicture,
      body: UrlSearch,
      response: { 200: SearchResponse, ...failures(...WITH_PICTURE) },
      detail: {
        operationId: 'searchByUrl',
        summary: 'Find products similar to the picture at a URL, or to another product',
        description:
          'Send exactly one of `image_url` (also a `data:` URI), `image` (base64), `product_id`, `image_id` or `vector`. Takes the same filters and gives the same answer as a search by words.',
      },
    })
    .post('/hybrid', ({ actor, body }) => search.byHybrid(actor, body), {
      ...CAN,
      parse: jsonWithPicture,
      body: HybridSearch,
      response: { 200: SearchResponse, ...failures(...WITH_PICTURE) },
      detail: {
        operationId: 'searchHybrid',
        summary: 'Find products by picture, words and colours, each scored apart',
        description:
          'Each side gives a score of its own, and `visual_weight` weighs the picture against the words. Any of the three may be absent.',
      },
    })
    .post('/multi-image', ({ actor, body }) => search.byPictures(actor, body), {
      ...CAN,
      parse: jsonOrFormBody(LIMITS.pictureJsonBytesMax, MultiImageForm, 'search'),
      body: MultiImageBody,
      response: { 200: SearchResponse, ...failures(...WITH_PICTURE) },
      detail: {
        operationId: 'searchByPictures',
        summary: 'Find products by several pictures',
        description:
          'Send 2 to 10 pictures in `images`, or their addresses in `image_urls`. `aggregation` tells how they count together; results may be kept away from the pictures in `negative`.',
      },
    })
    .post('/crop', ({ actor, body }) => search.byCrop(actor, body), {
      ...CAN,
      parse: jsonOrFormBody(LIMITS.pictureJsonBytesMax, UploadSearch, 'search'),
      body: CropBody,
      response: { 200: SearchResponse, ...failures(...WITH_PICTURE) },
      detail: {
        operationId: 'searchByCrop',
        summary: 'Find products similar to a part of a picture',
        description:
          'Send a picture and a `crop` or a `box`. After a first search, `image_id` saves sending the picture again.',
      },
    })
    .post('/filtered', ({ actor, body }) => search.byFilter(actor, body), {
      ...CAN,
      parse: jsonWithPicture,
      body: FilteredSearch,
      response: { 200: SearchResponse, ...failures(...WITH_PICTURE) },
      detail: {
        operationId: 'searchFiltered',
        summary: 'Find or list the products that fit a filter, with a picture, words or neither',
        description:
          'Without a picture and without words it lists every product that fits, in the order of `sort`. With one of them the best 1,000 are sorted.',
      },
    })
    .post('/fusion', ({ actor, body }) => search.byFusion(actor, body), {
      ...CAN,
      parse: jsonWithPicture,
      body: FusionSearch,
      response: { 200: SearchResponse, ...failures(...WITH_PICTURE) },
      detail: {
        operationId: 'searchFusion',
        summary: 'Find products by one vector made of a picture and words',
        description:
          'Mixes both vectors before it compares, so that the words change what the picture means: a picture of a red bag and the words “in blue” find blue bags. `image_weight` weighs them.',
      },
    })
    .post(
      '/batch',
      ({ actor, body, set }) => search.byBatch(actor, body, (units) => spendMore({ actor, set }, units)),
      {
        ...CAN,
        parse: jsonWithPicture,
        body: BatchSearch,
        response: {
          200: BatchResponse,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, 'too_many_queries'),
        },
        detail: {
          operationId: 'searchBatch',
          summary: 'Run up to 20 searches; each counts as a request and fails alone',
          description:
            'Each entry is a search with its `type`; `defaults` holds the fields that all of them share. Answers come in the order of the entries, each with a status of its own.',
        },
      },
    )
}

/** Contract 3.1: the products that are similar to one. */
function similar({ forStoreSearch }: Pick<Guards, 'forStoreSearch'>, search: SearchService) {
  return new Elysia({ name: 'search.similar', prefix: '/v1/products', tags: ['Search'] })
    .use(forStoreSearch)
    .get(
      '/:product_id/similar',
      ({ actor, params, query }) => search.byProduct(actor, params.product_id, query),
      {
        ...CAN,
        params: SimilarParams,
        query: SimilarQuery,
        response: {
          200: SearchResponse,
          ...failures(
            ...FOR_STORE,
            ...READING,
            ...FILTERS,
            'validation_error',
            'not_found',
            'model_not_ready',
          ),
        },
        detail: {
          operationId: 'findSimilarProducts',
          summary: 'Find products similar to another one',
          description:
            'Searches with the first picture of the product, which the results leave out. Lists, filters and switches are sent as text.',
        },
      },
    )
}

/** Contract 3.18: lists that come from what shoppers did. */
function shoppersLists({ forStoreSearch }: Pick<Guards, 'forStoreSearch'>, search: SearchService) {
  const codes = [...FOR_STORE, ...READING, ...FILTERS, 'validation_error', 'model_not_ready'] as const
  return new Elysia({ name: 'search.lists', tags: ['Search'] })
    .use(forStoreSearch)
    .get(
      '/v1/products/:product_id/together',
      ({ actor, params, query }) => search.byTogether(actor, params.product_id, query),
      {
        ...CAN,
        params: SimilarParams,
        query: SimilarQuery,
        response: { 200: TogetherResponse, ...failures(...codes, 'not_found') },
        detail: {
          operationId: 'findProductsTogether',
          summary: 'Find products that shoppers take together with another one',
          description:
            'Counted every night from purchases and clicks; `basis` says from which. Here `similarity_score` says how closely two products belong together, from 0 to 1: 1 if nobody takes one without the other. With too little data the list is that of similar products.',
        },
      },
    )
    .get('/v1/search/trending', ({ actor, query }) => search.byTrend(actor, query), {
      ...CAN,
      query: TrendingQuery,
      response: { 200: TrendingResponse, ...failures(...codes) },
      detail: {
        operationId: 'listTrendingProducts',
        summary: 'List products that shoppers click and buy more than before',
        description:
          'Weighs the clicks and purchases of the last `days` and how much more they are than in as many days before. Here `similarity_score` is a share of the strongest trend. `basis` is `newest` where there is no feedback yet.',
      },
    })
}

export const searchRoutes = (guards: Pick<Guards, 'forStoreSearch' | 'spendMore'>, search: SearchService) =>
  new Elysia({ name: 'search' })
    .use(searches(guards, search))
    .use(similar(guards, search))
    .use(shoppersLists(guards, search))
