import type { Clock } from '../../../core/clock.ts'
import { isBrokenHex } from '../../../core/colours/colours.ts'
import { decodeBase64 } from '../../../core/data-uri.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { LIMITS } from '../../../core/limits.ts'
import { validationError } from '../../../http/validation.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { ProductIndex } from '../../catalogue/product-index/product-index.ts'
import type { SearchHistory } from './history.ts'
import type { KnownWords } from './known-words.ts'
import type { HitRow, SearchQueries, SearchRow } from './queries.ts'
import { type Hit, type Ranking, rank } from './ranking.ts'
import type { RecentPictures } from './recent-pictures.ts'
import type {
  CommonSearch,
  SearchResponse,
  SearchResult,
  TextSearch,
  UploadSearch,
  UrlSearch,
} from './schema.ts'
import { findCutoff } from './score.ts'
import { warnOfUnknownFields } from './unknown-fields.ts'

export interface SearchDeps {
  queries: SearchQueries
  /** @throws ApiError of the storage when the index could not be loaded. */
  getIndex(): Pick<ProductIndex, 'findStore' | 'findVector'>
  history: Pick<SearchHistory, 'add'>
  recent: RecentPictures
  words: Pick<KnownWords, 'embed'>
  embedder: Pick<Embedder, 'model' | 'calibration' | 'embedPicture'>
  /** Reads and uses the picture at an address, in a `data:` URI, or at the address of a picture that the store keeps. */
  withPicture<Result>(
    storeId: string,
    url: string,
    use: (bytes: Uint8Array) => Promise<Result>,
  ): Promise<Result>
  /** The public form of a saved address. */
  toPublicUrl(url: string): string
  /** What a search of the store takes where the request says nothing; null for the default of the service. */
  readDefaults(storeId: string): SearchDefaults
  clock: Clock
  ids: Ids
}

type SearchDefaults = {
  readonly [Name in 'threshold' | 'cutoff' | 'category_boost']: Exclude<CommonSearch[Name], undefined> | null
}

/** A query with its vector. */
interface Query {
  type: SearchRow['type']
  text?: string
  vector: Float32Array
  warnings: string[]
  imageId?: string
  /** The first picture of the product that the query names. */
  pictureId?: number | undefined
}

const IMAGE_SOURCES = ['image_url', 'image', 'product_id', 'image_id', 'vector'] as const

export type SearchService = ReturnType<typeof searchService>

export function searchService(deps: SearchDeps) {
  const { queries, getIndex, history, recent, words, embedder, withPicture, toPublicUrl } = deps
  const { readDefaults, clock, ids } = deps

  async function respond(
    storeId: string,
    startedAt: number,
    query: Query,
    asked: CommonSearch,
  ): Promise<SearchResponse> {
    const wanted = withDefaults(asked, readDefaults(storeId))
    const { limit = LIMITS.searchLimitDefault, offset = 0 } = wanted
    const ranking = await rankProducts(storeId, query, wanted, offset + limit)
    const cut =
      wanted.cutoff === 'auto' ? findCutoff(ranking.hits.map(({ score }) => score)) : ranking.hits.length
    const hits = ranking.hits.slice(0, cut).slice(offset, offset + limit)
    const rows = queries.findHits(hits.map(({ pictureId }) => pictureId))
    const results = hits.flatMap((hit) => toResults(hit, rows.get(hit.pictureId), wanted))
    const search_id = ids.uuid()
    const query_time_ms = Math.round((clock.monotonic() - startedAt) * 100) / 100
    history.add({
      id: search_id,
      storeId,
      type: query.type,
      query: query.text ?? null,
      parameters: pickParameters(wanted),
      results: results.map(({ product_id }) => product_id),
      topScore: results[0]?.similarity_score ?? null,
      durationMs: query_time_ms,
      isTracked: wanted.analytics ?? true,
      createdAt: clock.now(),
    })
    return {
      query_time_ms,
      count: results.length,
      results,
      search_id,
      total_candidates: ranking.candidates,
      exact: ranking.isExact,
      ...(query.imageId && { image_id: query.imageId }),
      ...(wanted.explain && ranking.boostedCategory && { boosted_category: ranking.boostedCategory }),
      ...(query.warnings.length > 0 && { warnings: query.warnings }),
    }
  }

  /** Not a promise where the answer is at hand. @throws ApiError `overloaded` when too many searches wait. */
  function rankProducts(
    storeId: string,
    query: Query,
    wanted: CommonSearch,
    depth: number,
  ): Ranking | Promise<Ranking> {
    const store = getIndex().findStore(storeId)
    if (!store) {
      if (queries.hasProducts(storeId)) throw wrongModel()
      return { hits: [], candidates: 0, boostedCategory: undefined, isExact: true }
    }
    const { image_image, text_image } = embedder.calibration
    const ranking = rank(store, {
      vector: query.vector,
      text: query.text,
      ownPictureId: query.pictureId,
      filter: {
        // An empty field of a form is no filter.
        category: wanted.category?.trim() || undefined,
        color: wanted.color?.trim() || undefined,
        priceMin: wanted.price_min,
        priceMax: wanted.price_max,
      },
      map: query.type === 'text' ? text_image : image_image,
      threshold: wanted.threshold ?? 0,
      categoryBoost: wanted.category_boost ?? CATEGORY_BOOST,
      // The cutoff depends on the whole list that a shopper could page through.
      depth: wanted.cutoff === 'auto' ? LIMITS.searchDepthMax : depth,
      isExact: wanted.exact,
    })
    if (!(ranking instanceof Promise)) return ranking
    // The store's index was made anew during the scan.
    return ranking.then((found) => found ?? rankProducts(storeId, query, wanted, depth))
  }

  /** One result, or none for a product that is gone. */
  function toResults(hit: Hit, row: HitRow | undefined, { fields, explain }: CommonSearch): SearchResult[] {
    if (!row) return []
    return [
      {
        product_id: row.productId,
        similarity_score: round(hit.score),
        metadata: fields ? pickFields(row.metadata, fields) : row.metadata,
        image_url: toPublicUrl(row.imageUrl),
        matched_image: toPublicUrl(row.matchedImageUrl),
        ...(explain && {
          explain: {
            // Rounding can make the cosine of equal vectors exceed 1.
            cosine: Math.max(-1, Math.min(1, round(hit.cosine))),
            similarity: round(hit.similarity),
            category_boost: round(hit.score - hit.similarity),
          },
        }),
      },
    ]
  }

  async function embedPicture(
    storeId: string,
    bytes: Uint8Array,
  ): Promise<{ vector: Float32Array; imageId: string }> {
    const { vector } = await embedder.embedPicture(bytes, { priority: 'search', storeId })
    return { vector, imageId: recent.remember(storeId, vector) }
  }

  /** @throws ApiError `image_source_invalid` for none or several sources, `not_found`, and the codes of the picture. */
  async function readSource(
    storeId: string,
    body: UrlSearch,
  ): Promise<Pick<Query, 'vector' | 'imageId' | 'pictureId'>> {
    const given = IMAGE_SOURCES.filter((name) => body[name] !== undefined)
    if (given.length !== 1) throw notOneSource(given)
    if (body.vector) return { vector: normalize(body.vector, embedder.model.dimension) }
    if (body.image_id !== undefined) {
      const vector = recent.recall(storeId, body.image_id)
      if (!vector) throw notFound('image')
      return { vector, imageId: body.image_id }
    }
    if (body.product_id !== undefined) {
      const product = queries.findFirstPicture(storeId, body.product_id)
      if (!product) throw notFound('product')
      const pictureId = product.pictureId ?? undefined
      const vector = pictureId === undefined ? undefined : getIndex().findVector(storeId, pictureId)
      if (!vector) throw wrongModel()
      return { vector, pictureId }
    }
    const { image, image_url = '' } = body
    const isBase64 = image !== undefined && !/^data:/i.test(image)
    return isBase64
      ? embedPicture(storeId, await decodeBase64(image, LIMITS.pictureBytesMax))
      : withPicture(storeId, image ?? image_url, (bytes) => embedPicture(storeId, bytes))
  }

  return {
    /** POST /v1/search/text. */
    async byText(storeId: string, body: TextSearch): Promise<SearchResponse> {
      const startedAt = clock.monotonic()
      const warnings = checkPage(body, 'text')
      const text = body.query.trim()
      const { vector, isTruncated, isUnknown } = await words.embed(storeId, text)
      if (isUnknown) warnings.push('the model knows none of these words; the results are guesses')
      if (isTruncated) warnings.push('the query is longer than the model reads; its end was ignored')
      return respond(storeId, startedAt, { type: 'text', text, vector, warnings }, body)
    },

    /** POST /v1/search/url. */
    async byUrl(storeId: string, body: UrlSearch): Promise<SearchResponse> {
      const startedAt = clock.monotonic()
      const warnings = checkPage(body, 'url')
      const source = await readSource(storeId, body)
      return respond(storeId, startedAt, { type: 'url', warnings, ...source }, body)
    },

    /** POST /v1/search. */
    async byUpload(storeId: string, body: UploadSearch & Record<string, unknown>): Promise<SearchResponse> {
      const startedAt = clock.monotonic()
      // An empty field of a form is no source.
      const given = IMAGE_SOURCES.filter((name) => body[name] !== undefined && body[name] !== '')
      if (given.length !== 1 || !body.image) throw notOneUpload(given)
      const warnings = checkPage(body, 'upload')
      const picture = await embedPicture(storeId, await body.image.bytes())
      return respond(storeId, startedAt, { type: 'upload', warnings, ...picture }, body)
    },
  }
}

const CATEGORY_BOOST = 0.1

function withDefaults(asked: CommonSearch, defaults: SearchDefaults): CommonSearch {
  const threshold = asked.threshold ?? defaults.threshold
  const cutoff = asked.cutoff ?? defaults.cutoff
  const category_boost = asked.category_boost ?? defaults.category_boost
  return {
    ...asked,
    ...(threshold !== null && { threshold }),
    ...(cutoff !== null && { cutoff }),
    ...(category_boost !== null && { category_boost }),
  }
}

/** Checks the rules that no schema can state. @returns warnings about unknown fields. @throws ApiError `validation_error`. */
function checkPage(body: CommonSearch & Record<string, unknown>, kind: SearchRow['type']): string[] {
  const { limit = LIMITS.searchLimitDefault, offset = 0, price_min, price_max } = body
  if (offset + limit > LIMITS.searchDepthMax) {
    const message = `plus limit must be at most ${LIMITS.searchDepthMax}`
    throw validationError([{ in: 'body', pointer: '/offset', code: 'max', message }])
  }
  if (price_min !== undefined && price_max !== undefined && price_min > price_max) {
    throw validationError([
      { in: 'body', pointer: '/price_max', code: 'min', message: 'must not be below price_min' },
    ])
  }
  if (body.color !== undefined && isBrokenHex(body.color)) {
    const message = 'must be a hex such as #1a2b3c, or a word'
    throw validationError([{ in: 'body', pointer: '/color', code: 'pattern', message }])
  }
  return warnOfUnknownFields(body, kind)
}

const notOneSource = (given: readonly string[]) =>
  new ApiError(
    'image_source_invalid',
    given.length === 0
      ? 'The picture to search with is missing'
      : `Send one picture, not ${given.join(' and ')}`,
    { details: { given, allowed: IMAGE_SOURCES } },
  )

const wrongModel = () =>
  new ApiError('model_not_ready', 'The products were indexed with another model', {
    details: { hint: 'Index them again, or start with the model that they were indexed with (MODEL_DIR)' },
    retryAfterSeconds: 60,
  })

/** The upload endpoint takes a file and nothing else, and names the endpoint that takes the other sources. */
const notOneUpload = (given: readonly string[]) => {
  const [other] = given.filter((name) => name !== 'image')
  const elsewhere = other === undefined ? '' : `; send ${other} to POST /v1/search/url`
  return new ApiError(
    'image_source_invalid',
    given.length > 1
      ? `Send one picture, not ${given.join(' and ')}${elsewhere}`
      : `Send the picture to search with as the file image${elsewhere}`,
    { details: { given, allowed: ['image'] } },
  )
}

/** Scales a vector to length 1. @throws ApiError `validation_error` for another dimension, or without a direction. */
function normalize(numbers: number[], dimension: number): Float32Array {
  const problem = (code: string, message: string) =>
    validationError([{ in: 'body', pointer: '/vector', code, message }])
  if (numbers.length !== dimension) throw problem('length', `must hold ${dimension} numbers`)
  // Dividing by the largest number first keeps every square in the range of doubles.
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
  if (largest === 0) throw problem('length', 'must hold a number that is not 0')
  const scaled = numbers.map((number) => number / largest)
  const length = Math.hypot(...scaled)
  return Float32Array.from(scaled, (number) => number / length)
}

function pickFields(metadata: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((key) => (Object.hasOwn(metadata, key) ? [[key, metadata[key]]] : [])),
  )
}

/** The parameters of a request that the history keeps: all except the picture. */
function pickParameters(wanted: CommonSearch & Record<string, unknown>): Record<string, unknown> {
  const { limit, offset, threshold, category, price_min, price_max, color, cutoff, category_boost } = wanted
  const { exact, tags } = wanted
  return {
    ...{ limit, offset, threshold, category, price_min, price_max, color, cutoff, category_boost },
    ...{ exact, tags },
  }
}

const round = (score: number): number => Math.round(score * 1e6) / 1e6
