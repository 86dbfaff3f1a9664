import { type Lab, parseHex, toLab } from '../../../core/colours/lab.ts'
import { notFound } from '../../../core/errors.ts'
import { validationError } from '../../../http/validation.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { ProductIndex } from '../../catalogue/product-index/product-index.ts'
import type { BatchResponse, SearchResponse } from './answer-schema.ts'
import type { CategoryNames } from './category-names.ts'
import { mixMaps, mixWords } from './early-fusion.ts'
import type { KnownWords } from './known-words.ts'
import {
  createPictureReader,
  listSources,
  noPart,
  type PictureReaderDeps,
  type QueryPicture,
  withoutEmptyFields,
} from './picture-source.ts'
import { checkBody, createPipeline, type PipelineDeps, type Query } from './pipeline.ts'
import type { SearchKind } from './queries.ts'
import { planMixed, planSides } from './query.ts'
import type { QueryPictures } from './query-pictures.ts'
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
import type { QueryWords } from './sides.ts'
import type { SimilarQuery } from './similar-schema.ts'
import { answerBatch, type BatchDeps, type SpendMore } from './verbs/batch.ts'
import { toReferences } from './verbs/multi-image.ts'
import { toCommon } from './verbs/similar.ts'

export interface SearchDeps
  extends Omit<PipelineDeps, 'findStore' | 'names' | 'calibration'>,
    Pick<PictureReaderDeps, 'withPicture'>,
    Pick<BatchDeps, 'noteFault'> {
  /** @throws ApiError of the storage when the index could not be loaded. */
  getIndex(): Pick<ProductIndex, 'findStore' | 'findVector'>
  pictures: Pick<QueryPictures, 'remember' | 'recall'>
  words: Pick<KnownWords, 'embed'>
  names: Pick<CategoryNames, 'ready' | 'look'>
  embedder: Pick<Embedder, 'model' | 'calibration' | 'embedPicture'>
}

/** What a search of several parts may have; the picture may be a file. */
type Parts = Omit<HybridSearch & FilteredSearch, 'image'> & PictureSource

export type SearchService = ReturnType<typeof searchService>

/** The nine searches, and the products that are similar to one. Each reads its source and says what to rank by. */
export function searchService(deps: SearchDeps) {
  const { getIndex, words, names, embedder, clock } = deps
  const { calibration } = embedder
  const findStore: PipelineDeps['findStore'] = (storeId) => getIndex().findStore(storeId)
  const pipeline = createPipeline({ ...deps, findStore, calibration })
  const readPicture = createPictureReader({
    ...deps,
    findVector: (storeId, pictureId) => getIndex().findVector(storeId, pictureId),
    embed: (bytes, options) => embedder.embedPicture(bytes, options),
    dimension: embedder.model.dimension,
  })

  /** Checks a request, its filters included, before anything costly, and starts its clock. */
  const begin = (
    body: CommonSearch,
    kind: SearchKind,
    moreFilters: Readonly<Record<string, unknown>> = {},
  ) => {
    const startedAt = clock.monotonic()
    const warnings = checkBody(body, kind)
    return {
      kind,
      startedAt,
      warnings,
      filters: pipeline.readFilters({ filters: body.filters, ...moreFilters }),
    }
  }

  /** Reads a query picture; beside that the names of the store's categories, which say what it shows. */
  async function see(searcher: Searcher, source: PictureSource, pointer?: string): Promise<QueryPicture> {
    // Whoever may not find a product does not learn of it by its neighbours.
    const { product_id } = source
    if (product_id !== undefined && !(await pipeline.reaches(searcher, product_id))) throw notFound('product')
    const store = findStore(searcher.storeId)
    const [picture] = await Promise.all([
      readPicture(searcher, source, pointer),
      store && names.ready(searcher.storeId, store),
    ])
    return picture
  }

  async function readWords({ storeId, isWithoutWords }: Searcher, query: string) {
    const text = query.trim()
    const embedded = await words.embed(storeId, text)
    const warnings = embedded.isTruncated
      ? ['the query is longer than the model reads; its end was ignored']
      : []
    return {
      words: { ...embedded, text, isByModelOnly: isWithoutWords } satisfies QueryWords,
      text,
      warnings,
    }
  }

  /** Searches with one picture. */
  async function byPicture(
    searcher: Searcher,
    body: CommonSearch & PictureSource,
    kind: SearchKind,
  ): Promise<SearchResponse> {
    const begun = begin(body, kind)
    const picture = await see(searcher, body)
    const query: Query = {
      ...begun,
      picture,
      ownPictureIds: ownOf(picture),
      plan: (context) => planSides(context, { picture }),
    }
    return pipeline.answer(searcher, query, body)
  }

  /** Searches with whichever of a picture, words and colours are there. */
  async function byParts(
    searcher: Searcher,
    body: Parts,
    begun: ReturnType<typeof begin>,
    more: Pick<Query, 'sort'> = {},
  ): Promise<SearchResponse> {
    const colours = readColours(body.colors)
    const [picture, spoken] = await Promise.all([
      listSources(body).length > 0 ? see(searcher, body) : undefined,
      body.query === undefined ? undefined : readWords(searcher, body.query),
    ])
    const parts = { picture, words: spoken?.words, colours, visualWeight: body.visual_weight ?? 0.5 }
    const isBrowse = !picture && !spoken && colours.length === 0
    const query: Query = {
      ...begun,
      ...more,
      text: spoken?.text,
      spoken: spoken?.words,
      picture,
      ownPictureIds: ownOf(picture),
      warnings: [...begun.warnings, ...(spoken?.warnings ?? [])],
      plan: isBrowse ? undefined : (context) => planSides(context, parts),
    }
    return pipeline.answer(searcher, query, body)
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
      byPicture(searcher, { ...toCommon(asked), product_id: productId }, 'similar'),

    /** The same for whoever asks with a body. */
    bySimilar: (searcher: Searcher, productId: string, asked: CommonSearch) =>
      byPicture(searcher, { ...asked, product_id: productId }, 'similar'),

    /** POST /v1/search/text. */
    async byText(searcher: Searcher, body: TextSearch): Promise<SearchResponse> {
      const begun = begin(body, 'text')
      const { words, text, warnings } = await readWords(searcher, body.query)
      const query: Query = {
        ...begun,
        text,
        spoken: words,
        warnings: [...begun.warnings, ...warnings],
        plan: (context) => planSides(context, { words }),
      }
      return pipeline.answer(searcher, query, body)
    },

    /** POST /v1/search/hybrid: the sides are scored apart and added. */
    async byHybrid(searcher: Searcher, body: Parts): Promise<SearchResponse> {
      const begun = begin(body, 'hybrid', { metadata_filters: body.metadata_filters })
      const hasPart = listSources(body).length > 0 || body.query !== undefined || body.colors?.length
      if (!hasPart) throw noPart()
      return byParts(searcher, body, begun)
    },

    /** POST /v1/search/filtered: any source, or none. */
    async byFilter(searcher: Searcher, body: FilteredSearch): Promise<SearchResponse> {
      const begun = begin(body, 'filtered')
      return byParts(searcher, body, begun, { sort: body.sort })
    },

    /** POST /v1/search/fusion: picture and words become one vector. */
    async byFusion(searcher: Searcher, body: FusionSearch): Promise<SearchResponse> {
      const begun = begin(body, 'fusion')
      const weight = body.image_weight ?? 0.5
      const [picture, spoken] = await Promise.all([see(searcher, body), readWords(searcher, body.query)])
      const { vector, isUnknown } = spoken.words
      const mixed = {
        vector: isUnknown ? picture.vector : mixWords(picture.vector, vector, weight),
        map: isUnknown
          ? calibration.image_image
          : mixMaps(calibration.image_image, calibration.text_image, weight),
      }
      const query: Query = {
        ...begun,
        text: spoken.text,
        spoken: spoken.words,
        picture,
        ownPictureIds: ownOf(picture),
        warnings: [...begun.warnings, ...spoken.warnings],
        plan: (context) => planMixed(context, picture, mixed),
      }
      return pipeline.answer(searcher, query, body)
    },

    /** POST /v1/search/multi-image. */
    async byPictures(searcher: Searcher, body: MultiImageSearch | MultiImageForm): Promise<SearchResponse> {
      const begun = begin(body, 'multi-image')
      const references = await toReferences(body, (source, pointer) => see(searcher, source, pointer))
      return pipeline.answer(searcher, { ...begun, ...references }, body)
    },
  }

  return {
    ...verbs,

    /** Products in stock that may be shown without a query, the given ones first. Nothing is written to the history. */
    listInStock: pipeline.listInStock,

    /** POST /v1/search/batch. */
    byBatch: (searcher: Searcher, body: BatchSearch, spendMore: SpendMore): Promise<BatchResponse> =>
      answerBatch({ ...deps, verbs }, searcher, body, spendMore),
  }
}

const ownOf = (picture: QueryPicture | undefined): number[] =>
  picture?.pictureId === undefined ? [] : [picture.pictureId]

const required = (pointer: string) =>
  validationError([{ in: 'body', pointer, code: 'required', message: 'is required' }])

/** @throws ApiError `validation_error` for a colour that is none. */
function readColours(colors: readonly string[] = []): Lab[] {
  const read = colors.map((color) => {
    const rgb = parseHex(color)
    return rgb === undefined ? undefined : toLab(rgb)
  })
  const problems = read.flatMap((lab, n) =>
    lab
      ? []
      : [
          {
            in: 'body' as const,
            pointer: `/colors/${n}`,
            code: 'color',
            message: 'must be a colour such as #cc2200',
          },
        ],
  )
  if (problems.length > 0) throw validationError(problems)
  return read.filter((lab) => lab !== undefined)
}
