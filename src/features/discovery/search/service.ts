import { notFound } from '../../../core/errors.ts'
import { validationError } from '../../../http/validation.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { ProductIndex } from '../../catalogue/product-index/product-index.ts'
import type {
  BatchResponse,
  SearchResponse,
  SearchResult,
  TogetherResponse,
  TrendingResponse,
} from './answer-schema.ts'
import { answerBatch, type BatchDeps, type SpendMore } from './batch.ts'
import { createFilterReader, type FilterReaderDeps } from './filters.ts'
import { hasAnyOf } from './given-list.ts'
import { listInStock } from './in-stock.ts'
import {
  createPictureReader,
  listSources,
  noPart,
  type PictureReaderDeps,
  withoutEmptyFields,
} from './picture-source.ts'
import { createPipeline, type PipelineDeps } from './pipeline.ts'
import type { SearchKind } from './queries.ts'
import type { GivenProduct, RankBy } from './query.ts'
import type { QueryPictures } from './query-pictures.ts'
import { createQueryReader, type PendingQuery, type QueryReaderDeps, readColours } from './query-reader.ts'
import { readReferences } from './references.ts'
import type {
  BatchSearch,
  CommonSearch,
  FilteredSearch,
  FusionSearch,
  HybridSearch,
  MultiImageForm,
  MultiImageSearch,
  PictureSource,
  TextSearch,
} from './schema.ts'
import type { Searcher } from './searcher.ts'
import { readSimilar, type SimilarQuery } from './similar.ts'
import type { TrendingQuery } from './trending.ts'

export interface SearchDeps
  extends Omit<PipelineDeps, 'findStore' | 'names' | 'calibration' | 'filters' | 'countFacets'>,
    Pick<PictureReaderDeps, 'withPicture' | 'keepsUnmatched'>,
    Pick<QueryReaderDeps, 'words' | 'readDefaults'>,
    Pick<BatchDeps, 'reportFault'> {
  /** @throws ApiError of the storage when the index could not be loaded. */
  getIndex(): Pick<ProductIndex, 'findStore' | 'findVector'>
  pictures: Pick<QueryPictures, 'remember' | 'recall'>
  names: PipelineDeps['names'] & QueryReaderDeps['names']
  embedder: Pick<Embedder, 'model' | 'calibration' | 'embedPicture'>
  filters: Pick<FilterService, 'parse' | 'resolve' | 'facets'>
  /** What shoppers take with a product, best first; undefined where too little is known. */
  findTogether(storeId: string, productId: string): ShoppersList | undefined
  /** What shoppers take more and more of, best first; undefined without clicks and purchases. */
  findTrending(storeId: string, days: number): Promise<ShoppersList | undefined>
}

/** Products in an order that comes from what shoppers did. */
export interface ShoppersList {
  basis: 'purchases' | 'clicks'
  products: readonly GivenProduct[]
}

/** A search of several parts; the picture may be a file. */
type Parts = Omit<HybridSearch & FilteredSearch, 'image'> & PictureSource

export type SearchService = ReturnType<typeof searchService>

/** The nine searches, and the products that are similar to one. Each reads its picture and words, and says what to rank by. */
export function searchService(deps: SearchDeps) {
  const { getIndex, embedder } = deps
  const findStore: FilterReaderDeps['findStore'] = (storeId) => getIndex().findStore(storeId)
  const filters = createFilterReader({ ...deps, findStore })
  const { calibration } = embedder
  const answer = createPipeline({
    ...deps,
    findStore,
    filters,
    calibration,
    countFacets: deps.filters.facets,
  })
  const { begin, readPicture, readWords } = createQueryReader({
    ...deps,
    findStore,
    filters,
    readPicture: createPictureReader({
      ...deps,
      findVector: (storeId, pictureId) => getIndex().findVector(storeId, pictureId),
      embed: (bytes, options) => embedder.embedPicture(bytes, options),
      dimension: embedder.model.dimension,
    }),
  })

  /** Answers a search whose picture and words have been read. */
  const finish = (
    begun: PendingQuery,
    rankBy: RankBy,
    warnings: readonly string[] = [],
  ): Promise<SearchResponse> => answer({ ...begun, rankBy, warnings: [...begun.warnings, ...warnings] })

  /** Searches with one picture. */
  async function byPicture(searcher: Searcher, body: CommonSearch & PictureSource, kind: SearchKind) {
    const begun = begin(searcher, body, kind)
    return finish(begun, { kind: 'sides', picture: await readPicture(begun, body) })
  }

  /** Searches with whichever of a picture, words and colours are there. */
  async function byParts(begun: PendingQuery, body: Parts): Promise<SearchResponse> {
    const colours = readColours(body.colors)
    const [picture, read] = await Promise.all([
      listSources(body).length > 0 ? readPicture(begun, body) : undefined,
      body.query === undefined ? undefined : readWords(begun, body.query),
    ])
    if (!picture && !read && colours.length === 0) return finish(begun, { kind: 'nothing' })
    const visualWeight = body.visual_weight
    return finish(
      begun,
      { kind: 'sides', picture, words: read?.words, colours, visualWeight },
      read?.warnings,
    )
  }

  /**
   * Shows a list that another feature made; undefined where the searcher may find none of its products. The store's defaults
   * for scores concern likeness, so they do not count here.
   */
  async function showGiven(
    begun: PendingQuery,
    products: readonly GivenProduct[],
    { threshold = 0 }: CommonSearch,
  ): Promise<SearchResponse | undefined> {
    const { storeId } = begun.searcher
    const { condition } = await filters.resolve(storeId, begun.filters)
    const store = findStore(storeId)
    const shown = begun.wanted.sold_out === 'hide' ? { ...condition, isInStock: true } : condition
    if (!store || !hasAnyOf({ ...deps, storeId, store, condition: shown }, products)) return undefined
    const wanted = { ...begun.wanted, threshold, cutoff: 'none' as const }
    return finish({ ...begun, wanted }, { kind: 'given', products })
  }

  const verbs = {
    /** POST /v1/search. */
    byUpload: (searcher: Searcher, body: CommonSearch & PictureSource) =>
      byPicture(searcher, withoutEmptyFields(body), 'upload'),

    /** POST /v1/search/url. */
    byUrl: (searcher: Searcher, body: CommonSearch & PictureSource) => byPicture(searcher, body, 'url'),

    /** POST /v1/search/crop. @throws ApiError `validation_error` without a crop. */
    async byCrop(searcher: Searcher, body: CommonSearch & PictureSource): Promise<SearchResponse> {
      if (!body.crop && !body.box) throw required('/crop')
      return byPicture(searcher, body, 'crop')
    },

    /** GET /v1/products/{product_id}/similar. */
    byProduct: (searcher: Searcher, productId: string, asked: SimilarQuery) =>
      byPicture(searcher, { ...readSimilar(asked), product_id: productId }, 'similar'),

    /** The same with a body. */
    bySimilar: (searcher: Searcher, productId: string, asked: CommonSearch) =>
      byPicture(searcher, { ...asked, product_id: productId }, 'similar'),

    /**
     * GET /v1/products/{product_id}/together: what shoppers take with a product, and what is similar to it while nobody knows
     * that.
     */
    byTogether: (searcher: Searcher, productId: string, asked: SimilarQuery) =>
      verbs.byTogetherWith(searcher, productId, readSimilar(asked)),

    /** The same with a body. @throws ApiError `not_found` for a product that the searcher does not reach. */
    async byTogetherWith(
      searcher: Searcher,
      productId: string,
      asked: CommonSearch,
    ): Promise<TogetherResponse> {
      const begun = begin(searcher, asked, 'together')
      const isThere = deps.queries.findFirstPicture(searcher.storeId, productId) !== undefined
      if (!isThere || !(await filters.reaches(searcher.storeId, begun.filters, productId)))
        throw notFound('product')
      const list = deps.findTogether(searcher.storeId, productId)
      const given = list && (await showGiven(begun, list.products, asked))
      if (given) return { ...given, basis: list.basis }
      const similar = await byPicture(searcher, { ...asked, product_id: productId }, 'together')
      return { ...similar, basis: 'similar' }
    },

    /** GET /v1/search/trending. */
    async byTrend(searcher: Searcher, { days = 7, ...query }: TrendingQuery): Promise<TrendingResponse> {
      const asked = readSimilar(query)
      const begun = begin(searcher, asked, 'trending')
      const list = await deps.findTrending(searcher.storeId, days)
      const given = list && (await showGiven(begun, list.products, asked))
      if (given) return { ...given, basis: list.basis }
      return { ...(await finish({ ...begun, sort: 'newest' }, { kind: 'nothing' })), basis: 'newest' }
    },

    /** POST /v1/search/text. */
    async byText(searcher: Searcher, body: TextSearch): Promise<SearchResponse> {
      const begun = begin(searcher, body, 'text')
      const { words, warnings } = await readWords(begun, body.query)
      return finish(begun, { kind: 'sides', words }, warnings)
    },

    /** POST /v1/search/hybrid: the sides are scored apart and added. */
    async byHybrid(searcher: Searcher, body: Parts): Promise<SearchResponse> {
      const begun = begin(searcher, body, 'hybrid', { metadata_filters: body.metadata_filters })
      const hasPart = listSources(body).length > 0 || body.query !== undefined || body.colors?.length
      if (!hasPart) throw noPart()
      return byParts(begun, body)
    },

    /** POST /v1/search/filtered: any source, or none. */
    async byFilter(searcher: Searcher, body: FilteredSearch): Promise<SearchResponse> {
      return byParts({ ...begin(searcher, body, 'filtered'), sort: body.sort }, body)
    },

    /** POST /v1/search/fusion: picture and words become one vector. */
    async byFusion(searcher: Searcher, body: FusionSearch): Promise<SearchResponse> {
      const begun = begin(searcher, body, 'fusion')
      const [picture, { words, warnings }] = await Promise.all([
        readPicture(begun, body),
        readWords(begun, body.query),
      ])
      const pictureWeight = body.image_weight ?? 0.5
      return finish(begun, { kind: 'mixed', picture, words, pictureWeight }, warnings)
    },

    /** POST /v1/search/multi-image. */
    async byPictures(searcher: Searcher, body: MultiImageSearch | MultiImageForm): Promise<SearchResponse> {
      const begun = begin(searcher, body, 'multi-image')
      return finish(
        begun,
        await readReferences(body, (source, pointer) => readPicture(begun, source, pointer)),
      )
    },
  }

  return {
    ...verbs,

    /** POST /v1/search/batch. */
    byBatch: (searcher: Searcher, body: BatchSearch, spendMore: SpendMore): Promise<BatchResponse> =>
      answerBatch({ ...deps, verbs }, searcher, body, spendMore),

    /** Products to show without a query. */
    listInStock: (
      searcher: Searcher,
      productIds: readonly string[],
      limit: number,
    ): Promise<SearchResult[]> => listInStock({ ...deps, findStore, filters }, searcher, productIds, limit),
  }
}

const required = (pointer: string) =>
  validationError([{ in: 'body', pointer, code: 'required', message: 'is required' }])
