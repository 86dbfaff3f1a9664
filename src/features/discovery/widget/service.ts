import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { LIMITS } from '../../../core/limits.ts'
import { paidAt, readPrices } from '../../../core/sale.ts'
import { isSoldOut } from '../../../core/sold-out.ts'
import { readSpellings } from '../../../core/spelling.ts'
import type { Widget } from '../../../http/widget-guard.ts'
import type { FeedbackAnswer } from '../feedback/schema.ts'
import type { SearchResponse, SearchResult } from '../search/answer-schema.ts'
import { type CommonSearch, UNKNOWN_WORDS } from '../search/schema.ts'
import type { Searcher } from '../search/searcher.ts'
import type { SearchService } from '../search/service.ts'
import { fillFacets, readCommon, readSort } from './asked.ts'
import { createPrivacy, type Privacy } from './privacy.ts'
import type {
  WidgetAnswer,
  WidgetHit,
  WidgetRow,
  WidgetSuggest,
  WidgetSuggestions,
  WidgetText,
  WidgetTogether,
  WidgetUpload,
  WidgetUrl,
} from './schema.ts'

export interface WidgetDeps {
  search: Pick<
    SearchService,
    'byText' | 'byUpload' | 'byUrl' | 'byHybrid' | 'bySimilar' | 'byTogetherWith' | 'listInStock' | 'complete'
  >
  listPrivateKeys(storeId: string): readonly string[]
  /** Ids of the products that shoppers of a store like, best first; a few more than are shown. */
  listPopular(storeId: string): Promise<readonly string[]>
  clock: Pick<Clock, 'now'>
  ids: Pick<Ids, 'uuid'>
  /** Notes that a page of a key was seen to search. */
  see(keyId: string, origin: string, sight: 'search'): void
}

export type WidgetService = ReturnType<typeof widgetService>

/** Searches for a shop's own pages: with fewer parameters, and without a store's private data. */
export function widgetService({ search, listPrivateKeys, listPopular, clock, ids, see }: WidgetDeps) {
  const readPrivacy = (storeId: string) => createPrivacy(listPrivateKeys(storeId))

  async function findPopular(searcher: Searcher, privacy: Privacy): Promise<WidgetHit[]> {
    const popular = await listPopular(searcher.storeId)
    const products = await search.listInStock(searcher, popular, LIMITS.widgetPopularMax)
    return products.map((product) => toResult(product, privacy, clock.now()))
  }

  /** Searches for a widget, and leaves out of the answer all that is not meant for shoppers. */
  async function answer(
    { storeId, keyId, origin, forcedFilters, previewer }: Widget,
    body: Omit<WidgetText, 'query'> | WidgetUrl,
    find: (searcher: Searcher, common: CommonSearch) => Promise<SearchResponse>,
  ): Promise<WidgetAnswer> {
    const privacy = readPrivacy(storeId)
    const searcher: Searcher = {
      ...seeAs(storeId, privacy, forcedFilters),
      owner: previewer ? `${keyId} ${previewer.userId}` : keyId,
      ...(!previewer && { searchSource: { keyId, origin } }),
      sort: readSort(body, privacy),
    }
    const common = readCommon(body, privacy)
    const found = await find(searcher, previewer ? ofNoShopper(common) : common)
    if (!previewer) see(keyId, origin, 'search')
    // The words that a store knows would reveal products and fields that the page must not see.
    const seesWords = forcedFilters === null && !privacy.hidesWords && !privacy.hides('color_name')
    const warnings = seesWords ? (found.warnings ?? []).filter(isForShoppers) : []
    const { did_you_mean, interpreted } = found
    const shown = toAnswer(found, privacy, clock.now())
    const query_words = spellWords(found.query_words ?? [], shown.results)
    return {
      ...shown,
      ...(warnings.length > 0 && { warnings }),
      ...(seesWords && query_words.length > 0 && { query_words }),
      ...(seesWords && interpreted && { interpreted }),
      ...(seesWords && did_you_mean !== undefined && { did_you_mean }),
      ...(body.facets && { facets: fillFacets(body.facets, found.facets) }),
      // Beyond the last page nothing is missing.
      ...(found.count === 0 && !common.offset && { popular: await findPopular(searcher, privacy) }),
    }
  }

  return {
    /** Answers feedback of a preview as if it were recorded, so that the widget goes on, and records nothing. */
    answerPreview(body: Record<string, unknown>): FeedbackAnswer {
      const describe = () => ({
        status: 'recorded' as const,
        feedback_id: ids.uuid(),
        attributed: false,
        position: null,
        warnings: ['A preview records nothing'],
      })
      const { events } = body
      if (!Array.isArray(events) || events.length > LIMITS.feedbackEventsMax) return describe()
      return { status: 'recorded', count: 0, results: events.map((_, index) => ({ index, ...describe() })) }
    },

    /** POST /v1/widget/search/suggestions. Nothing of it is written anywhere. */
    async suggest(
      { storeId, keyId, forcedFilters }: Widget,
      { query, limit = 6 }: WidgetSuggest,
    ): Promise<WidgetSuggestions> {
      const { hidesWords, shows } = readPrivacy(storeId)
      const searcher: Searcher = { storeId, owner: keyId, ...(forcedFilters !== null && { forcedFilters }) }
      const names = SUGGESTED.filter(shows)
      return { suggestions: await search.complete(searcher, query, { names, isAll: !hidesWords }, limit) }
    },
    /** A searcher who finds what a page with a key does. @param forcedFilters those of the key. */
    seeAs: (storeId: string, forcedFilters: unknown): Searcher =>
      seeAs(storeId, readPrivacy(storeId), forcedFilters),

    /** POST /v1/widget/search/text. */
    byText: (widget: Widget, body: WidgetText): Promise<WidgetAnswer> =>
      answer(widget, body, (searcher, common) => search.byText(searcher, { ...common, query: body.query })),

    /** POST /v1/widget/search/upload. @throws ApiError `image_source_invalid` without a picture, and those of the picture. */
    byUpload: (widget: Widget, body: WidgetUpload): Promise<WidgetAnswer> =>
      answer(widget, body, (searcher, common) => {
        const { image, crop, query } = body
        if (!image) throw notOnePicture([], ['image'])
        const picture = { ...common, image, ...(crop && { crop }) }
        return query === undefined
          ? search.byUpload(searcher, picture)
          : search.byHybrid(searcher, { ...picture, query })
      }),

    /** GET /v1/widget/similar. @throws ApiError `not_found` for a product that the key does not find. */
    bySimilar: (widget: Widget, { product_id, ...row }: WidgetRow): Promise<WidgetAnswer> =>
      answer(widget, { ...FULL, ...row }, (searcher, common) =>
        search.bySimilar(searcher, product_id, common),
      ),

    /** GET /v1/widget/together. @throws ApiError `not_found` for a product that the key does not find. */
    async byTogether(widget: Widget, { product_id, ...row }: WidgetRow): Promise<WidgetTogether> {
      let basis: WidgetTogether['basis'] = 'similar'
      const answered = await answer(widget, { ...FULL, ...row }, async (searcher, common) => {
        const found = await search.byTogetherWith(searcher, product_id, common)
        basis = found.basis
        return found
      })
      return { ...answered, basis }
    },

    /**
     * POST /v1/widget/search/url.
     *
     * @throws ApiError `image_source_invalid` for none or both, `not_found` for a picture that did not come with this key or
     * is forgotten and for a product that the key does not find, and those of the picture.
     */
    byUrl: (widget: Widget, body: WidgetUrl): Promise<WidgetAnswer> =>
      answer(widget, body, (searcher, common) => {
        const { image_url, image_id, product_id, crop, query } = body
        const given = { image_url, image_id }
        const names = PICTURES.filter((name) => given[name] !== undefined)
        // A picture takes precedence over a product: the shopper looks at it.
        const isProduct = names.length === 0 && product_id !== undefined
        if (isProduct && !crop && query === undefined) return search.bySimilar(searcher, product_id, common)
        if (names.length !== 1 && !isProduct) throw notOnePicture(names, PICTURES)
        const source = {
          ...(image_url !== undefined && { image_url }),
          ...(image_id !== undefined && { image_id }),
          ...(isProduct && { product_id }),
        }
        const picture = { ...common, ...source, ...(crop && { crop }) }
        return query === undefined
          ? search.byUrl(searcher, picture)
          : search.byHybrid(searcher, { ...picture, query })
      }),
  }
}

/** A row on a product page has a place to fill. Its end comes with its limit, and not where scores drop. */
const FULL = { cutoff: 'none' } as const

/** The texts of products that suggestions are made of. */
const SUGGESTED = ['name', 'category', 'brand', 'color_name'] as const

/** A searcher who finds what a page with a key's filters does. */
function seeAs(storeId: string, privacy: Privacy, forcedFilters: unknown): Searcher {
  return {
    storeId,
    isShopper: true,
    isWithoutWords: privacy.hidesWords,
    isWithoutPrices: !privacy.shows('price'),
    // Shoppers see a shirt once, not once in each size.
    ...(!privacy.hides('variant_group') && { groupBy: 'variant_group' }),
    ...(forcedFilters !== null && { forcedFilters }),
  }
}

const PICTURES = ['image_url', 'image_id'] as const

const isForShoppers = (warning: string): boolean => warning.startsWith(UNKNOWN_WORDS)

const notOnePicture = (given: readonly string[], allowed: readonly string[]) =>
  new ApiError(
    'image_source_invalid',
    given.length === 0
      ? 'The picture to search with is missing'
      : `Send one picture, not ${given.join(' and ')}`,
    { details: { given, allowed, pointer: '' } },
  )

/** What somebody tries in a preview is no search of a shopper. */
const ofNoShopper = ({ session_id: _, ...common }: CommonSearch): CommonSearch => ({
  ...common,
  analytics: false,
})

/** Words as the first of the results that has one spells it, because they are compared without accents and capitals. */
function spellWords<Word extends { word: string }>(
  words: readonly Word[],
  results: readonly WidgetHit[],
): Word[] {
  const texts = results
    .slice(0, SPELLING_RESULTS)
    .flatMap(({ metadata: { name, category, brand } }) => [name, category, brand])
  const spelt = readSpellings(texts)
  return words.map((said) => ({ ...said, word: spelt.get(said.word) ?? said.word }))
}

/** The first hits, which voted for the words. */
const SPELLING_RESULTS = 10

/** A card shows a sale's price beside the struck one, so a sale that does not hold is left out. */
function withoutOldSale(metadata: Record<string, unknown>, now: number): Record<string, unknown> {
  const prices = readPrices(metadata)
  if (metadata['sale_price'] === undefined || (prices.sale !== null && paidAt(prices, now) === prices.sale))
    return metadata
  const { sale_price: _, ...others } = metadata
  return others
}

function toResult(result: SearchResult, { strip }: Privacy, now: number): WidgetHit {
  const { product_id, similarity_score, metadata, image_url, matched_image, matched_variant } = result
  const { variants: [shown] = [] } = strip({ variants: [matched_variant] }) as {
    variants?: SearchResult['matched_variant'][]
  }
  const seen = strip(withoutOldSale(metadata, now))
  return {
    product_id,
    similarity_score,
    image_url,
    matched_image,
    metadata: seen,
    ...(isSoldOut(seen) && { sold_out: true as const }),
    ...(shown && { matched_variant: shown }),
  }
}

/** Names each field that a widget gets, so that a field that searches answer later stays hidden from shoppers by default. */
function toAnswer(found: SearchResponse, privacy: Privacy, now: number): WidgetAnswer {
  const { query_time_ms, count, search_id, total_candidates, exact } = found
  const { image_id, query_image, regions, query_categories, redirect_url } = found
  const isNamed = !privacy.hides('category')
  return {
    query_time_ms,
    count,
    search_id,
    total_candidates,
    exact,
    results: found.results.map((result) => toResult(result, privacy, now)),
    ...(image_id !== undefined && { image_id }),
    ...(query_image && { query_image }),
    ...(regions && {
      regions: isNamed ? regions : regions.map((region) => ({ ...region, category: null })),
    }),
    ...(query_categories && isNamed && { query_categories }),
    ...(redirect_url !== undefined && { redirect_url }),
  }
}
