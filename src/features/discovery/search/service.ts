import type { Clock } from '../../../core/clock.ts'
import { decodeBase64 } from '../../../core/data-uri.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { LIMITS } from '../../../core/limits.ts'
import { validationError } from '../../../http/validation.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { SearchHistory } from './history.ts'
import type { ProductIndex } from './product-index.ts'
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
import { autoCutoff } from './score.ts'
import { unknownFields } from './unknown-fields.ts'

export interface SearchDeps {
  queries: SearchQueries
  index: Pick<ProductIndex, 'store' | 'vectorOf'>
  history: Pick<SearchHistory, 'add'>
  recent: RecentPictures
  embedder: Pick<Embedder, 'model' | 'calibration' | 'embedText' | 'embedPicture'>
  /** Uses the bytes behind an address, a `data:` URI or one of the store's own kept pictures. */
  withPicture<Result>(
    storeId: string,
    url: string,
    use: (bytes: Uint8Array) => Promise<Result>,
  ): Promise<Result>
  /** The public form of a picture's address. */
  publicUrl(url: string): string
  clock: Clock
  ids: Ids
}

/** A query on its way: what was asked, and the vector that stands for it. */
interface Query {
  type: SearchRow['type']
  text?: string
  vector: Float32Array
  warnings: string[]
  imageId?: string
  /** First picture of the product that was asked with. */
  pictureId?: number | undefined
}

const IMAGE_SOURCES = ['image_url', 'image', 'product_id', 'image_id', 'vector'] as const

export type SearchService = ReturnType<typeof searchService>

export function searchService(deps: SearchDeps) {
  const { queries, index, history, recent, embedder, clock, ids } = deps

  function respond(storeId: string, startedAt: number, query: Query, wanted: CommonSearch): SearchResponse {
    const { limit = LIMITS.searchLimitDefault, offset = 0 } = wanted
    const ranking = rankIn(storeId, query, wanted, offset + limit)
    const cut =
      wanted.cutoff === 'auto' ? autoCutoff(ranking.hits.map(({ score }) => score)) : ranking.hits.length
    const hits = ranking.hits.slice(0, cut).slice(offset, offset + limit)
    const rows = queries.hits(hits.map(({ pictureId }) => pictureId))
    const results = hits.flatMap((hit) => show(hit, rows.get(hit.pictureId), wanted))
    const search_id = ids.uuid()
    const query_time_ms = Math.round((clock.monotonic() - startedAt) * 100) / 100
    history.add({
      id: search_id,
      storeId,
      type: query.type,
      query: query.text ?? null,
      parameters: parametersOf(wanted),
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
      ...(query.imageId && { image_id: query.imageId }),
      ...(wanted.explain && ranking.boostedCategory && { boosted_category: ranking.boostedCategory }),
      ...(query.warnings.length > 0 && { warnings: query.warnings }),
    }
  }

  function rankIn(storeId: string, query: Query, wanted: CommonSearch, depth: number): Ranking {
    const store = index.store(storeId)
    if (!store) {
      if (queries.hasProducts(storeId)) throw otherModel()
      return { hits: [], candidates: 0, boostedCategory: undefined }
    }
    const { image_image, text_image } = embedder.calibration
    return rank(store, {
      vector: query.vector,
      text: query.text,
      ownPictureId: query.pictureId,
      filter: {
        // A form's empty field asks for nothing.
        category: wanted.category?.trim() || undefined,
        color: wanted.color?.trim() || undefined,
        priceMin: wanted.price_min,
        priceMax: wanted.price_max,
      },
      map: query.type === 'text' ? text_image : image_image,
      threshold: wanted.threshold ?? 0,
      categoryBoost: wanted.category_boost ?? CATEGORY_BOOST,
      // An edge is looked for in the whole list that a shopper could page through.
      depth: wanted.cutoff === 'auto' ? LIMITS.searchDepthMax : depth,
    })
  }

  function show(hit: Hit, row: HitRow | undefined, { fields, explain }: CommonSearch): SearchResult[] {
    if (!row) return []
    return [
      {
        product_id: row.productId,
        similarity_score: rounded(hit.score),
        metadata: fields ? picked(row.metadata, fields) : row.metadata,
        image_url: deps.publicUrl(row.imageUrl),
        matched_image: deps.publicUrl(row.matchedImageUrl),
        ...(explain && {
          explain: {
            // Rounding in the vectors can carry equal ones just beyond 1.
            cosine: Math.max(-1, Math.min(1, rounded(hit.cosine))),
            similarity: rounded(hit.similarity),
            category_boost: rounded(hit.score - hit.similarity),
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

  /** @throws ApiError `image_source_invalid` for none or several sources, and what the source's own door throws. */
  async function vectorOfSource(
    storeId: string,
    body: UrlSearch,
  ): Promise<Pick<Query, 'vector' | 'imageId' | 'pictureId'>> {
    const given = IMAGE_SOURCES.filter((name) => body[name] !== undefined)
    if (given.length !== 1) throw oneSource(given)
    if (body.vector) return { vector: unit(body.vector, embedder.model.dimension) }
    if (body.image_id !== undefined) {
      const vector = recent.recall(storeId, body.image_id)
      if (!vector) throw notFound('image')
      return { vector, imageId: body.image_id }
    }
    if (body.product_id !== undefined) {
      const product = queries.firstPicture(storeId, body.product_id)
      if (!product) throw notFound('product')
      const pictureId = product.pictureId ?? undefined
      const vector = pictureId === undefined ? undefined : index.vectorOf(storeId, pictureId)
      if (!vector) throw otherModel()
      return { vector, pictureId }
    }
    const { image, image_url = '' } = body
    const isBase64 = image !== undefined && !/^data:/i.test(image)
    return isBase64
      ? embedPicture(storeId, await decodeBase64(image, LIMITS.pictureBytesMax))
      : deps.withPicture(storeId, image ?? image_url, (bytes) => embedPicture(storeId, bytes))
  }

  return {
    /** POST /v1/search/text. */
    async byText(storeId: string, body: TextSearch): Promise<SearchResponse> {
      const startedAt = clock.monotonic()
      const warnings = checkPage(body, 'text')
      const text = body.query.trim()
      const { vector, isTruncated, isUnknown } = await embedder.embedText(text, 'search')
      if (isUnknown) warnings.push('the model knows none of these words; the results are guesses')
      if (isTruncated) warnings.push('the query is longer than the model reads; its end was left out')
      return respond(storeId, startedAt, { type: 'text', text, vector, warnings }, body)
    },

    /** POST /v1/search/url. */
    async byUrl(storeId: string, body: UrlSearch): Promise<SearchResponse> {
      const startedAt = clock.monotonic()
      const warnings = checkPage(body, 'url')
      const source = await vectorOfSource(storeId, body)
      return respond(storeId, startedAt, { type: 'url', warnings, ...source }, body)
    },

    /** POST /v1/search. */
    async byUpload(storeId: string, body: UploadSearch & Record<string, unknown>): Promise<SearchResponse> {
      const startedAt = clock.monotonic()
      // A form's empty field asks for nothing.
      const given = IMAGE_SOURCES.filter((name) => body[name] !== undefined && body[name] !== '')
      if (given.length !== 1 || !body.image) throw notOneUpload(given)
      const warnings = checkPage(body, 'upload')
      const picture = await embedPicture(storeId, await body.image.bytes())
      return respond(storeId, startedAt, { type: 'upload', warnings, ...picture }, body)
    },
  }
}

const CATEGORY_BOOST = 0.1

/** Checks what the schema cannot say, and returns warnings about fields that mean nothing here. */
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
  return unknownFields(body, kind)
}

const oneSource = (given: readonly string[]) =>
  new ApiError(
    'image_source_invalid',
    given.length === 0
      ? 'The picture to search with is missing'
      : `Send one picture, not ${given.join(' and ')}`,
    { details: { given, allowed: IMAGE_SOURCES } },
  )

const otherModel = () =>
  new ApiError('model_not_ready', 'The products were indexed with another model', {
    details: { hint: 'Index them again, or start with the model that they were indexed with (MODEL_DIR)' },
    retryAfterSeconds: 60,
  })

/** The upload endpoint takes a file and nothing else, and says where the other sources are taken. */
const notOneUpload = (given: readonly string[]) => {
  const [other] = given.filter((name) => name !== 'image')
  const elsewhere = other === undefined ? '' : `; ${other} is taken by POST /v1/search/url`
  return new ApiError(
    'image_source_invalid',
    given.length > 1
      ? `Send one picture, not ${given.join(' and ')}${elsewhere}`
      : `Send the picture to search with as the file image${elsewhere}`,
    { details: { given, allowed: ['image'] } },
  )
}

/** The vector with length 1. @throws ApiError `validation_error` for one of another dimension or without a direction. */
function unit(numbers: number[], dimension: number): Float32Array {
  const refused = (code: string, message: string) =>
    validationError([{ in: 'body', pointer: '/vector', code, message }])
  if (numbers.length !== dimension) throw refused('length', `must hold ${dimension} numbers`)
  // Divided by the largest first, so that no square leaves the range of doubles.
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
  if (largest === 0) throw refused('length', 'must hold a number that is not 0')
  const scaled = numbers.map((number) => number / largest)
  const length = Math.hypot(...scaled)
  return Float32Array.from(scaled, (number) => number / length)
}

function picked(metadata: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((key) => (Object.hasOwn(metadata, key) ? [[key, metadata[key]]] : [])),
  )
}

/** What the history keeps of the request: everything but the picture. */
function parametersOf(wanted: CommonSearch & Record<string, unknown>): Record<string, unknown> {
  const { limit, offset, threshold, category, price_min, price_max, color, cutoff, category_boost, tags } =
    wanted
  return { limit, offset, threshold, category, price_min, price_max, color, cutoff, category_boost, tags }
}

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6
