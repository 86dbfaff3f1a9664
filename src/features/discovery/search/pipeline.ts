import { isBrokenHex } from '../../../core/colours/colours.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import { validationError } from '../../../http/validation.ts'
import type { Calibration } from '../../../platform/embedder/embedder.ts'
import type { Facet } from '../../catalogue/filters/facets.ts'
import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Base } from '../../module.ts'
import { createAnswers } from './answer.ts'
import type { SearchResponse, SearchResult } from './answer-schema.ts'
import { browse, type Places, type Sort, sortHits, toHit } from './browse.ts'
import type { CategoryNames } from './category-names.ts'
import { type Condition, intersect, listRows, passesAny } from './condition.ts'
import { type GroupedHit, groupHits } from './groups.ts'
import type { SearchHistory } from './history.ts'
import { type QueryPicture, wrongModel } from './picture-source.ts'
import type { SearchKind, SearchQueries } from './queries.ts'
import type { Plan, PlanContext } from './query.ts'
import { type Hit, type Ranking, type RankingRequest, rank } from './ranking.ts'
import type { CommonSearch } from './schema.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'
import type { QueryWords } from './sides.ts'
import { takeTurns } from './union.ts'
import { warnOfUnknownWords } from './unknown-words.ts'
import { warnOfUnknownFields, warnOfUnknownValues } from './warnings.ts'

export interface PipelineDeps extends Pick<Base, 'clock' | 'ids'> {
  queries: SearchQueries
  findStore(storeId: string): SearchedStore | undefined
  history: Pick<SearchHistory, 'add'>
  names: Pick<CategoryNames, 'look'>
  calibration: Calibration
  filters: Pick<FilterService, 'parse' | 'resolve' | 'facets'>
  toPublicUrl(url: string): string
  /** Products of a store that wait for a vector of the model in use; searches miss them. */
  countWaiting(storeId: string): number
  /** What a search of the store takes where the request says nothing; null for the default of the service. */
  readDefaults(storeId: string): SearchDefaults
  /** What fills in of results what the store has said once for all its products; undefined where it has said nothing. */
  findFillFacts(storeId: string): FillFacts | undefined
  /** Ids of the products that shoppers clicked and bought, best first. */
  listPopular(storeId: string): Promise<readonly string[]>
}

/** @param fields the only keys that are asked for; undefined for all. */
export type FillFacts = (
  productId: string,
  metadata: Record<string, unknown>,
  fields?: readonly string[],
) => Record<string, unknown>

type ParsedFilter = ReturnType<FilterService['parse']>

export type SearchDefaults = {
  readonly [Name in 'threshold' | 'cutoff' | 'category_boost']: Exclude<CommonSearch[Name], undefined> | null
}

/** A search whose source has been read. */
export interface Query {
  kind: SearchKind
  /** Monotonic ms. */
  startedAt: number
  text?: string | undefined
  /** What the model says of the words. */
  spoken?: QueryWords | undefined
  /** The query picture that the answer names. */
  picture?: QueryPicture | undefined
  /** Pictures of the store itself that the query names; their products are left out. */
  ownPictureIds?: readonly number[]
  /** Vectors of the references that results are matched with. */
  references?: readonly Float32Array[]
  warnings?: readonly string[]
  sort?: Sort | undefined
  /** What the body asks for in the filter language. */
  filters: readonly ParsedFilter[]
  /** What to rank by; undefined lists the products without comparing. */
  plan?: ((context: PlanContext) => Plan) | undefined
}

/** What is known of a search before its answer is written. */
export interface Found {
  hits: readonly GroupedHit[]
  ranking: Ranking
  plan: Plan | undefined
  facets: Record<string, Facet> | undefined
  warnings: readonly string[]
}

/** The way of every search: source → legs → fusion → filter → answer. A verb reads the source and says what to rank by. */
export function createPipeline(deps: PipelineDeps) {
  const { queries, findStore, names, calibration, filters, readDefaults } = deps
  const { answer: write, listHits } = createAnswers(deps)

  /** Slots of the first pictures of some products, as far as the store has them. */
  function listSlots(storeId: string, { segment }: SearchedStore, productIds: readonly string[]): number[] {
    const pictures = productIds.map((productId) => queries.findFirstPicture(storeId, productId)?.pictureId)
    return pictures.flatMap((pictureId) => segment.findSlot(pictureId ?? -1) ?? [])
  }

  /** Ranks the store as it is in this tick; again where its index was made anew during the scan. */
  async function rankStore(
    storeId: string,
    query: Query,
    wanted: CommonSearch,
    condition: Condition,
    depth: number,
    popular: readonly string[],
  ): Promise<{ ranking: Ranking; plan: Plan | undefined; warnings: string[] }> {
    const store = findStore(storeId)
    if (!store && queries.hasProducts(storeId)) throw wrongModel()
    const guesses = query.spoken ? warnOfUnknownWords(store, query.spoken) : []
    if (!store) return { ranking: NOTHING, plan: undefined, warnings: guesses }
    const warnings = [...guesses, ...(query.text !== undefined && !store.hasAllWords ? [UNREAD] : [])]
    const places: Places = new Map(
      listSlots(storeId, store, popular).map((slot, place) => [store.columns.productAt(slot), place]),
    )
    if (!query.plan) {
      const ranking = browse(store, condition, query.sort ?? 'newest', depth, places)
      return { ranking, plan: undefined, warnings }
    }
    const steering = { boost: wanted.category_boost, isInOne: condition.fields.category !== undefined }
    const plan = query.plan({ storeId, store, calibration, steering, look: names.look })
    const request: Omit<RankingRequest, 'fusion'> = {
      condition,
      ownPictureIds: query.ownPictureIds,
      threshold: wanted.threshold ?? 0,
      depth,
      isExact: wanted.exact,
      isCut: wanted.cutoff === 'auto',
      diversity: wanted.diversity,
      isExplained: wanted.explain,
      references: query.references,
    }
    const rankings: Ranking[] = []
    for (const [n, fusion] of plan.fusions.entries()) {
      if (n > 0) await turn()
      const isPresent = n === 0 || findStore(storeId)?.segment === store.segment
      const ranked = isPresent ? rank(store, { ...request, fusion }) : undefined
      const ranking = ranked instanceof Promise ? await ranked : ranked
      if (!ranking) return rankStore(storeId, query, wanted, condition, depth, popular)
      rankings.push(ranking)
    }
    const ranking = rankings.length === 1 ? (rankings[0] as Ranking) : takeTurns(rankings, depth)
    const hits = query.sort ? sortHits(store, ranking.hits, query.sort, places) : ranking.hits
    return { ranking: { ...ranking, hits }, plan, warnings }
  }

  /**
   * Reads filters in the filter language.
   *
   * @param asked by the field of the body that holds them.
   * @throws ApiError `validation_error` and the codes of filters.
   */
  function readFilters(asked: Readonly<Record<string, unknown>>): ParsedFilter[] {
    const given = Object.entries(asked).filter(([, filter]) => filter !== undefined && filter !== '')
    return given.map(([name, filter]) => filters.parse(readJson(filter, `/${name}`), `/${name}`))
  }

  /** The products that filters let pass; undefined where nothing is asked. */
  async function resolveFilters(
    storeId: string,
    asked: readonly ParsedFilter[],
  ): Promise<{ rows: RowSet | undefined; warnings: string[] }> {
    const sets: RowSet[] = []
    const warnings: string[] = []
    for (const filter of asked) {
      const found = await filters.resolve(storeId, filter)
      sets.push(found.rows)
      warnings.push(...found.warnings)
    }
    return { rows: intersect(sets), warnings }
  }

  /** A plan that names only categories of which the searcher may find a product. */
  function withinReach(storeId: string, plan: Plan | undefined, rows: RowSet | undefined): Plan | undefined {
    const store = findStore(storeId)
    if (!plan?.categories || !rows || !store) return plan
    const categories = plan.categories.filter(({ name }) =>
      passesAny(store, { fields: { category: name }, rows }),
    )
    return { ...plan, categories }
  }

  async function countFacets(
    storeId: string,
    fields: readonly string[],
    condition: Condition,
  ): Promise<Record<string, Facet>> {
    const store = findStore(storeId)
    if (!store) return {}
    const isPlain = Object.values(condition.fields).every((wanted) => wanted === undefined)
    const rows = isPlain ? condition.rows : listRows(store, condition)
    return filters.facets(storeId, fields, rows)
  }

  return {
    readFilters,

    /** Answers a search, and writes it to the history. */
    async answer(searcher: Searcher, query: Query, asked: CommonSearch): Promise<SearchResponse> {
      const { storeId, forcedFilters } = searcher
      const wanted = withDefaults(asked, readDefaults(storeId))
      const { limit = LIMITS.searchLimitDefault, offset = 0, group_by, facets } = wanted
      const field = group_by ?? searcher.groupBy
      const forced = readFilters({ forced_filters: forcedFilters })
      const resolved = await resolveFilters(storeId, [...query.filters, ...forced])
      const condition = { fields: readFields(wanted), rows: resolved.rows }
      // What depends on the whole list that a shopper could page through needs it.
      const isWhole = wanted.cutoff === 'auto' || Boolean(group_by) || query.sort !== undefined
      const last = offset + limit
      const depth = isWhole ? LIMITS.searchDepthMax : field ? Math.min(4 * last, LIMITS.searchDepthMax) : last
      const known = findStore(storeId)
      const unknown = known ? await warnOfUnknownValues(known, condition.fields) : []
      const popular = query.sort === 'popularity' ? await deps.listPopular(storeId) : []
      const rankTo = async (depth: number) => {
        const ranked = await rankStore(storeId, query, wanted, condition, depth, popular)
        const { hits } = ranked.ranking
        return { ...ranked, hits: field ? await groupHits(queries, hits, field) : hits }
      }
      let ranked = await rankTo(depth)
      // Where the groups are large, the page may need more products than were asked for.
      const isShort = ranked.hits.length < last && ranked.ranking.hits.length >= depth
      if (isShort && depth < LIMITS.searchDepthMax) ranked = await rankTo(LIMITS.searchDepthMax)
      const { ranking, plan, warnings, hits } = ranked
      const found: Found = {
        hits: hits.slice(offset, offset + limit),
        ranking,
        plan: forcedFilters === undefined ? plan : withinReach(storeId, plan, resolved.rows),
        facets: facets?.length ? await countFacets(storeId, facets, condition) : undefined,
        warnings: [
          ...(query.warnings ?? []),
          ...resolved.warnings,
          ...unknown,
          ...warnings,
          ...warnOfWaiting(deps.countWaiting(storeId)),
        ],
      }
      return write(searcher, query, wanted, found)
    },

    /** Whether the searcher's own filter lets a product of the store pass. */
    async reaches({ storeId, forcedFilters }: Searcher, productId: string): Promise<boolean> {
      if (forcedFilters === undefined) return true
      const { rows } = await resolveFilters(storeId, readFilters({ forced_filters: forcedFilters }))
      const store = findStore(storeId)
      const slot = store?.segment.findSlot(queries.findFirstPicture(storeId, productId)?.pictureId ?? -1)
      return store !== undefined && slot !== undefined && Boolean(rows?.has(toHit(store, slot).product))
    },

    /**
     * Lists products that are in stock, as far as the searcher may find them: first those of a list, then the newest.
     *
     * @param productIds best first.
     */
    async listInStock(
      { storeId, forcedFilters }: Searcher,
      productIds: readonly string[],
      limit: number,
    ): Promise<SearchResult[]> {
      const asked = readFilters({ in_stock: IN_STOCK, forced_filters: forcedFilters })
      const { rows } = await resolveFilters(storeId, asked)
      const store = findStore(storeId)
      if (!store || !rows) return []
      const found = listSlots(storeId, store, productIds).map((slot) => toHit(store, slot))
      const wanted = found.filter(({ product }) => rows.has(product))
      const newest = browse(store, { fields: {}, rows }, 'newest', limit).hits
      const chosen = new Map<number, Hit>()
      for (const hit of [...wanted, ...newest]) if (!chosen.has(hit.product)) chosen.set(hit.product, hit)
      return listHits(storeId, [...chosen.values()].slice(0, limit))
    },
  }
}

const warnOfWaiting = (products: number): string[] =>
  products > 0 ? [`${products} products are missing: their pictures are being embedded for a new model`] : []

/** A product that does not say so is in stock. */
const IN_STOCK = [{ field: 'in_stock', operator: 'ne', value: false }]

const UNREAD =
  'the service has just started and still reads the words of the products; some are not found by name yet'

const NOTHING: Ranking = { hits: [], candidates: 0, cut: 0, isExact: true }

/** The pre-filters of a search. An empty field of a form is no filter. */
const readFields = ({ category, color, price_min, price_max }: CommonSearch) => ({
  category: category?.trim() || undefined,
  color: color?.trim() || undefined,
  priceMin: price_min,
  priceMax: price_max,
})

/** Characters of a filter that is sent as text: it is read in one step. */
const FILTER_TEXT_CHARS_MAX = 1024 * 1024

/** Reads a filter that a form carries as text. */
function readJson(value: unknown, pointer: string): unknown {
  if (typeof value !== 'string') return value
  if (value.length > FILTER_TEXT_CHARS_MAX) {
    const message = `must have at most ${FILTER_TEXT_CHARS_MAX} characters`
    throw validationError([{ in: 'body', pointer, code: 'max_length', message }])
  }
  try {
    return JSON.parse(value)
  } catch {
    throw validationError([{ in: 'body', pointer, code: 'json', message: 'must be JSON' }])
  }
}

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
export function checkBody(body: CommonSearch, kind: SearchKind): string[] {
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
