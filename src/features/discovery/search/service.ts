import { inOneModelEach } from '../../../core/switched.ts'
import { validationError } from '../../../http/validation.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { ProductIndex } from '../../catalogue/product-index/product-index.ts'
import type { BatchResponse, SearchResponse, SearchResult } from './answer-schema.ts'
import { answerBatch, type BatchDeps, type SpendMore } from './batch.ts'
import { type CompletionsDeps, complete, type ShownTexts, type Suggestion } from './completions.ts'
import { createFilterReader, type FilterReaderDeps, withPrices } from './filters.ts'
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
import type { RankBy } from './query.ts'
import type { QueryPictures } from './query-pictures.ts'
import {
  createQueryReader,
  type PendingQuery,
  type QueryReaderDeps,
  type ReadWords,
  readColours,
} from './query-reader.ts'
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
import { createShoppersLists, type ShoppersListDeps } from './shoppers-lists.ts'
import { readSimilar, type SimilarQuery } from './similar.ts'

export interface SearchDeps
  extends Omit<PipelineDeps, 'findStore' | 'names' | 'filters' | 'countFacets'>,
    Pick<PictureReaderDeps, 'withPicture' | 'keepsUnmatched'>,
    Pick<
      QueryReaderDeps,
      'words' | 'readDefaults' | 'readStoreWords' | 'readShop' | 'getDictionary' | 'findPriors'
    >,
    Pick<CompletionsDeps, 'shopperQueries' | 'completionQueries'>,
    Pick<BatchDeps, 'reportFault'>,
    Pick<ShoppersListDeps, 'findTogether' | 'findTrending'> {
  /** @throws ApiError of the storage when the index could not be loaded. */
  getIndex(): Pick<ProductIndex, 'findStore' | 'findVector'>
  pictures: Pick<QueryPictures, 'remember' | 'recall'>
  names: PipelineDeps['names'] & QueryReaderDeps['names']
  models: Pick<ModelSet, 'of'>
  filters: Pick<FilterService, 'parse' | 'resolve' | 'facets'>
}

/** A search of several parts; the picture may be a file. */
type Parts = Omit<HybridSearch & FilteredSearch, 'image'> & PictureSource

export type SearchService = ReturnType<typeof searchService>

/** The nine searches, and the products that are similar to one. Each reads its picture and words, and says what to rank by. */
export function searchService(deps: SearchDeps) {
  const { getIndex } = deps
  const findStore: FilterReaderDeps['findStore'] = (storeId) => getIndex().findStore(storeId)
  const filters = createFilterReader({ ...deps, findStore })
  const answer = createPipeline({
    ...deps,
    findStore,
    filters,
    countFacets: deps.filters.facets,
  })
  const { begin, readPicture, readWords } = createQueryReader({
    ...deps,
    findStore,
    filters,
    readPicture: createPictureReader({
      ...deps,
      findVector: (storeId, pictureId) => getIndex().findVector(storeId, pictureId),
    }),
  })

  /** Answers a search whose picture and words have been read. */
  const finish = (
    begun: PendingQuery,
    rankBy: RankBy,
    { warnings, understood }: Partial<Pick<ReadWords, 'warnings' | 'understood'>> = {},
  ): Promise<SearchResponse> =>
    answer({
      ...begun,
      ...{ rankBy, understood },
      filters: understood ? withPrices(begun.filters, understood) : begun.filters,
      warnings: [...begun.warnings, ...(warnings ?? [])],
    })

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
    const words = read?.words
    if (!picture && !words && colours.length === 0) return finish(begun, { kind: 'nothing' }, read)
    return finish(begun, { kind: 'sides', picture, words, colours, visualWeight: body.visual_weight }, read)
  }

  const verbs = inOneModelEach({
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

    /** POST /v1/search/text. */
    async byText(searcher: Searcher, body: TextSearch): Promise<SearchResponse> {
      const begun = begin(searcher, body, 'text')
      const read = await readWords(begun, body.query)
      const { words } = read
      return finish(begun, words ? { kind: 'sides', words } : { kind: 'nothing' }, read)
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
      const [picture, read] = await Promise.all([readPicture(begun, body), readWords(begun, body.query)])
      const pictureWeight = body.image_weight ?? 0.5
      const { words } = read
      const rankBy: RankBy = words
        ? { kind: 'mixed', picture, words, pictureWeight }
        : { kind: 'sides', picture }
      return finish(begun, rankBy, read)
    },

    /** POST /v1/search/multi-image. */
    async byPictures(searcher: Searcher, body: MultiImageSearch | MultiImageForm): Promise<SearchResponse> {
      const begun = begin(searcher, body, 'multi-image')
      return finish(
        begun,
        await readReferences(body, (source, pointer) => readPicture(begun, source, pointer)),
      )
    },
  })

  return {
    ...verbs,
    ...inOneModelEach(createShoppersLists({ ...deps, findStore, filters, begin, finish, byPicture })),

    /** POST /v1/search/batch. */
    byBatch: (searcher: Searcher, body: BatchSearch, spendMore: SpendMore): Promise<BatchResponse> =>
      answerBatch({ ...deps, verbs }, searcher, body, spendMore),

    /** Completes what somebody types. */
    complete: (searcher: Searcher, text: string, shown: ShownTexts, limit: number): Promise<Suggestion[]> =>
      complete({ ...deps, findStore, filters }, searcher, text, shown, limit),

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
