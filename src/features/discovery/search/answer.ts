import { LIMITS } from '../../../core/limits.ts'
import { readSpellings } from '../../../core/spelling.ts'
import type { Facet } from '../../catalogue/filters/facets.ts'
import type { MatchWords } from '../../catalogue/product-index/words/matches.ts'
import type { Base } from '../../module.ts'
import { listActed, listActing } from './acting.ts'
import type { Interpreted, SearchResponse, SearchResult } from './answer-schema.ts'
import type { ActingRule, Arrangement, NoteActed } from './arrangement.ts'
import type { GroupedHit } from './groups.ts'
import type { SearchHistory } from './history.ts'
import type { QueryPicture } from './picture-source.ts'
import type { Plan } from './plan.ts'
import type { HitRow, SearchQueries } from './queries.ts'
import { pictureOf, type Query, type RankBy, wordsOf } from './query.ts'
import type { Ranking } from './ranking.ts'
import type { CommonSearch } from './schema.ts'
import { roundScore } from './score.ts'
import type { VotedWord } from './second-look.ts'

export interface AnswerDeps extends Pick<Base, 'clock' | 'ids'> {
  queries: Pick<SearchQueries, 'findHits'>
  history: Pick<SearchHistory, 'add'>
  toPublicUrl(url: string): string
  /** The address of a product's thumbnail; null without one. */
  findThumbnailUrl(storeId: string, thumbnail: HitRow['thumbnail']): string | null
  /** Learns which rules acted on a page that counts. */
  noteActed?: NoteActed | undefined
  /** Fills in what the store has said once for all its products; undefined where it has said nothing. */
  findFillFacts(storeId: string): FillFacts | undefined
}

/** @param fields the only keys that are asked for; undefined for all. */
export type FillFacts = (
  productId: string,
  metadata: Record<string, unknown>,
  fields?: readonly string[],
) => Record<string, unknown>

/** A hit in its place. */
export interface PlacedHit extends GroupedHit {
  /** The rule that put it there. */
  pinnedBy?: ActingRule | undefined
}

/** The findings of a search, before they are written out. */
export interface Found {
  /** Those of the page that is asked for. */
  hits: readonly PlacedHit[]
  ranking: Ranking
  /** Undefined where nothing was compared. */
  plan: Plan | undefined
  facets: Record<string, Facet> | undefined
  /** The query without its typos. */
  meant: string | undefined
  warnings: readonly string[]
  /** What was understood of the words; undefined without words. */
  interpreted?: Interpreted | undefined
  /** For an explanation; undefined for a query without words that count. */
  matchWords?: MatchWords | undefined
  /** What rules did to the list. */
  arrangement: Arrangement | undefined
}

/** Writes the answer of a search, and its row of the history. */
export function writeAnswer(deps: AnswerDeps, query: Query, found: Found): SearchResponse {
  const { history, ids, clock } = deps
  const { searcher, wanted, rankBy } = query
  const { hits, ranking, plan, facets, meant, warnings, matchWords, interpreted, arrangement } = found
  const { storeId, searchSource } = searcher
  const picture = pictureOf(rankBy)
  const rows = deps.queries.findHits(hits.map(({ pictureId }) => pictureId))
  const results = writeResults(deps, storeId, hits, wanted, {
    cut: ranking.cut,
    ...{ matchWords, rows, arrangement },
  })
  const search_id = ids.uuid()
  const query_time_ms = Math.round((clock.monotonic() - query.startedAt) * 100) / 100
  const answered = {
    id: search_id,
    storeId,
    type: query.kind,
    query: wordsOf(rankBy)?.text ?? query.understood?.typed ?? null,
    parameters: { ...pickParameters(wanted), ...query.noted },
    results: results.map(({ product_id }) => product_id),
    topScore: rankBy.kind === 'nothing' || rankBy.kind === 'given' ? null : findTopScore(results),
    durationMs: query_time_ms,
    isTracked: wanted.analytics ?? true,
    sessionId: wanted.session_id || null,
    searchSource: searchSource ?? null,
    createdAt: clock.now(),
    // A row of a product page says nothing of what a shopper misses.
    vector: query.kind === 'together' ? undefined : picture?.vector,
    model: query.model.row,
    thumbnail: picture?.thumbnail,
  }
  if (!searcher.isUnlogged) history.add(answered)
  if (arrangement && answered.isTracked && !searcher.isUnlogged) {
    const shown = hits.flatMap((hit) => {
      const row = rows.get(hit.pictureId)
      return row ? [{ ...hit, productId: row.productId }] : []
    })
    deps.noteActed?.(storeId, search_id, listActed(arrangement, shown))
  }
  return {
    query_time_ms,
    count: results.length,
    results,
    search_id,
    total_candidates: ranking.candidates,
    exact: ranking.isExact,
    ...describePicture(picture, plan?.categories),
    ...(plan?.categories && { query_categories: plan.categories }),
    ...(ranking.words.length > 0 && { query_words: ranking.words.map(describeWord) }),
    ...(meant !== undefined && { did_you_mean: spell(meant, rows.values()) }),
    ...(interpreted && { interpreted }),
    ...describeRedirect(rankBy),
    ...(facets && { facets }),
    ...(wanted.explain && plan?.steersTo !== undefined && { boosted_category: plan.steersTo }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  }
}

/** The page that words lead to, where nothing else is searched with. */
function describeRedirect(rankBy: RankBy): Pick<SearchResponse, 'redirect_url'> {
  if (rankBy.kind !== 'sides' || rankBy.picture || rankBy.colours?.length) return {}
  const url = rankBy.words?.redirectUrl
  return url === undefined ? {} : { redirect_url: url }
}

/** The best score of a page, wherever rules and stock put it; null for none. */
const findTopScore = (results: readonly SearchResult[]): number | null =>
  results.reduce<number | null>(
    (top, { similarity_score: score }) => (top === null || score > top ? score : top),
    null,
  )

/** Gives the words of a query that were corrected, which are folded, the accents that the results write. */
function spell(meant: string, rows: Iterable<HitRow>): string {
  const texts = Array.from(rows, ({ metadata: { name, category, brand } }) => [name, category, brand])
  const spelt = readSpellings(texts.flat())
  return meant.replace(
    /[\p{L}\p{M}\p{N}]+/gu,
    (word) => spelt.get(word)?.normalize('NFC').toLowerCase() ?? word,
  )
}

/** The results of some hits; a product that is gone has none. @param cut no product with a lower score is in the list. */
export function writeResults(
  {
    queries,
    toPublicUrl,
    findThumbnailUrl,
    findFillFacts,
  }: Pick<AnswerDeps, 'queries' | 'toPublicUrl' | 'findThumbnailUrl' | 'findFillFacts'>,
  storeId: string,
  hits: readonly PlacedHit[],
  { fields, explain }: Pick<CommonSearch, 'fields' | 'explain'> = {},
  {
    cut = 0,
    matchWords,
    arrangement,
    rows = queries.findHits(hits.map(({ pictureId }) => pictureId)),
  }: {
    cut?: number
    matchWords?: MatchWords | undefined
    arrangement?: Arrangement | undefined
    rows?: ReadonlyMap<number, HitRow>
  } = {},
): SearchResult[] {
  const fillFacts = findFillFacts(storeId)
  return hits.flatMap((hit): SearchResult[] => {
    const row = rows.get(hit.pictureId)
    if (!row) return []
    const metadata = fillFacts ? fillFacts(row.productId, row.metadata, fields) : row.metadata
    return [
      {
        product_id: row.productId,
        similarity_score: hit.score,
        metadata: fields ? pickFields(metadata, fields) : metadata,
        image_url: toPublicUrl(row.imageUrl),
        thumbnail_url: findThumbnailUrl(storeId, row.thumbnail),
        matched_image: toPublicUrl(row.matchedImageUrl),
        ...describeVariant(row),
        ...(hit.reference !== undefined && { matched_reference: hit.reference }),
        ...(hit.group && { group: hit.group }),
        ...(explain && {
          explain: {
            ...describe(hit, cut),
            matched_words: matchWords?.(row.productId, row.metadata) ?? [],
            rules: arrangement
              ? listActing(arrangement, hit).map(({ rule: { id, name }, action }) => ({ id, name, action }))
              : [],
          },
        }),
      },
    ]
  })
}

/** The variant that the best picture shows, one in stock before others; nothing where none has that picture. */
function describeVariant({ metadata, matchedImageUrl }: HitRow): Pick<SearchResult, 'matched_variant'> {
  const { variants } = metadata
  if (!Array.isArray(variants)) return {}
  const shown = variants.slice(0, LIMITS.variantsMax).filter((one) => one?.image_url === matchedImageUrl)
  const variant = shown.find((one) => one.in_stock !== false) ?? shown[0]
  if (!variant) return {}
  const { sku, name, url, price } = variant
  return {
    matched_variant: {
      ...(typeof sku === 'string' && { sku }),
      ...(typeof name === 'string' && { name }),
      ...(typeof url === 'string' && { url }),
      ...(typeof price === 'number' && { price }),
    },
  }
}

/** The part of an answer that is about the query picture. */
function describePicture(
  picture: QueryPicture | undefined,
  categories: { name: string; score: number }[] | undefined,
): Pick<SearchResponse, 'image_id' | 'query_image' | 'regions'> {
  if (picture?.imageId === undefined) return {}
  const { imageId, view } = picture
  const [best] = categories ?? []
  return {
    image_id: imageId,
    ...(view && {
      query_image: { image_id: imageId, width: view.width, height: view.height, crop: view.crop },
      // The categories are those of the picture as a whole.
      regions: view.regions.map(({ box, score }) => ({
        box,
        score,
        category: (view.regions.length === 1 && best?.name) || null,
      })),
    }),
  }
}

const describe = ({ explanation, score }: GroupedHit, cut: number) => {
  const { cosine, legs } = explanation ?? { cosine: null, legs: NO_LEGS }
  return {
    // Rounding can make the cosine of equal vectors exceed 1.
    cosine: cosine === null ? null : Math.max(-1, Math.min(1, roundScore(cosine))),
    legs: {
      image: roundScore(legs.image),
      text: roundScore(legs.text),
      keyword: roundScore(legs.keyword),
      color: roundScore(legs.color),
      category: roundScore(legs.category),
      second_look: roundScore(legs.second_look),
      clicks: roundScore(legs.clicks),
    },
    similarity: score,
    cut,
  }
}

const NO_LEGS = { image: 0, text: 0, keyword: 0, color: 0, category: 0, second_look: 0, clicks: 0 }

const describeWord = ({ word, weight }: VotedWord) => ({ word, weight: Math.round(1_000 * weight) / 1_000 })

function pickFields(metadata: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((key) => (Object.hasOwn(metadata, key) ? [[key, metadata[key]]] : [])),
  )
}

/** The parameters of a request that the history keeps: all except the source. */
function pickParameters(wanted: CommonSearch & Record<string, unknown>): Record<string, unknown> {
  const { limit, offset, threshold, category, price_min, price_max, color, filters, facets } = wanted
  const { group_by, diversity, cutoff, category_boost, second_look, exact, tags, sold_out } = wanted
  return {
    limit,
    offset,
    threshold,
    category,
    price_min,
    price_max,
    color,
    facets,
    group_by,
    cutoff,
    category_boost,
    second_look,
    exact,
    tags,
    ...(sold_out !== 'keep' && { sold_out }),
    ...(wanted.rules === false && { rules: false }),
    ...(wanted.interpret === false && { interpret: false }),
    ...(diversity !== 0 && { diversity }),
    ...(JSON.stringify(filters ?? '').length <= FILTER_CHARS_MAX && { filters }),
  }
}

/** A longer filter is not kept. */
const FILTER_CHARS_MAX = 4_000
