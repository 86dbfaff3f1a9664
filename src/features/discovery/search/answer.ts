import { LIMITS } from '../../../core/limits.ts'
import type { SearchResponse, SearchResult } from './answer-schema.ts'
import type { GroupedHit } from './groups.ts'
import type { FillFacts, Found, PipelineDeps, Query } from './pipeline.ts'
import type { HitRow } from './queries.ts'
import type { Hit } from './ranking.ts'
import type { CommonSearch } from './schema.ts'
import { roundScore } from './score.ts'
import type { Searcher } from './searcher.ts'

/** Creates what writes results, and the answer of a search with its row of the history. */
export function createAnswers({
  queries,
  history,
  toPublicUrl,
  findFillFacts,
  clock,
  ids,
}: Pick<PipelineDeps, 'queries' | 'history' | 'toPublicUrl' | 'findFillFacts' | 'clock' | 'ids'>) {
  /** One result, or none for a product that is gone. */
  function toResults(
    hit: GroupedHit,
    row: HitRow | undefined,
    { fields, explain }: CommonSearch,
    cut: number,
    fillFacts: FillFacts | undefined,
  ): SearchResult[] {
    if (!row) return []
    const metadata = fillFacts ? fillFacts(row.productId, row.metadata, fields) : row.metadata
    return [
      {
        product_id: row.productId,
        similarity_score: hit.score,
        metadata: fields ? pickFields(metadata, fields) : metadata,
        image_url: toPublicUrl(row.imageUrl),
        matched_image: toPublicUrl(row.matchedImageUrl),
        ...describeVariant(row),
        ...(hit.reference !== undefined && { matched_reference: hit.reference }),
        ...(hit.group && { group: hit.group }),
        ...(explain && { explain: describe(hit, cut) }),
      },
    ]
  }

  function describeHits(
    storeId: string,
    hits: readonly GroupedHit[],
    wanted: CommonSearch,
    cut: number,
  ): SearchResult[] {
    const rows = queries.findHits(hits.map(({ pictureId }) => pictureId))
    const fillFacts = findFillFacts(storeId)
    return hits.flatMap((hit) => toResults(hit, rows.get(hit.pictureId), wanted, cut, fillFacts))
  }

  function answer(
    { storeId, searchSource }: Searcher,
    query: Query,
    wanted: CommonSearch,
    { hits, ranking, plan, facets, warnings }: Found,
  ): SearchResponse {
    const results = describeHits(storeId, hits, wanted, ranking.cut)
    const search_id = ids.uuid()
    const query_time_ms = Math.round((clock.monotonic() - query.startedAt) * 100) / 100
    history.add({
      id: search_id,
      storeId,
      type: query.kind,
      query: query.text ?? null,
      parameters: pickParameters(wanted),
      results: results.map(({ product_id }) => product_id),
      topScore: (query.plan && results[0]?.similarity_score) ?? null,
      durationMs: query_time_ms,
      isTracked: wanted.analytics ?? true,
      sessionId: wanted.session_id || null,
      searchSource: searchSource ?? null,
      createdAt: clock.now(),
      vector: query.picture?.vector,
    })
    return {
      query_time_ms,
      count: results.length,
      results,
      search_id,
      total_candidates: ranking.candidates,
      exact: ranking.isExact,
      ...describePicture(query, plan?.categories),
      ...(plan?.categories && { query_categories: plan.categories }),
      ...(facets && { facets }),
      ...(wanted.explain && plan?.steersTo !== undefined && { boosted_category: plan.steersTo }),
      ...(warnings.length > 0 && { warnings: [...warnings] }),
    }
  }

  return {
    answer,
    listHits: (storeId: string, hits: readonly Hit[]): SearchResult[] => describeHits(storeId, hits, {}, 0),
  }
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

/** What an answer says about the query picture. */
function describePicture(
  { picture }: Query,
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
    },
    similarity: score,
    cut,
  }
}

const NO_LEGS = { image: 0, text: 0, keyword: 0, color: 0, category: 0 }

function pickFields(metadata: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((key) => (Object.hasOwn(metadata, key) ? [[key, metadata[key]]] : [])),
  )
}

/** The parameters of a request that the history keeps: all except the source. */
function pickParameters(wanted: CommonSearch & Record<string, unknown>): Record<string, unknown> {
  const { limit, offset, threshold, category, price_min, price_max, color, filters, facets } = wanted
  const { group_by, diversity, cutoff, category_boost, exact, tags } = wanted
  return {
    ...{ limit, offset, threshold, category, price_min, price_max, color, facets },
    ...{ group_by, cutoff, category_boost, exact, tags },
    ...(diversity !== 0 && { diversity }),
    ...(JSON.stringify(filters ?? '').length <= FILTER_CHARS_MAX && { filters }),
  }
}

/** A longer filter is not kept. */
const FILTER_CHARS_MAX = 4_000
