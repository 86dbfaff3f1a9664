import { LIMITS } from '../../../core/limits.ts'
import type { Facet } from '../../catalogue/filters/facets.ts'
import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Meters } from '../../operation/metrics/meters.ts'
import { type AnswerDeps, writeAnswer } from './answer.ts'
import type { SearchResponse } from './answer-schema.ts'
import { type Condition, listRows, passesAny } from './condition.ts'
import type { FilterReader } from './filters.ts'
import { type GroupedHit, groupHits } from './groups.ts'
import type { Plan } from './plan.ts'
import type { SearchQueries } from './queries.ts'
import { type Query, wordsOf } from './query.ts'
import { createRanker, type Ranked, type RankerDeps } from './ranker.ts'
import { warnOfUnknownValues } from './warnings.ts'

export interface PipelineDeps extends AnswerDeps, RankerDeps {
  queries: SearchQueries
  filters: Pick<FilterReader, 'resolve'>
  countFacets: FilterService['facets']
  /** Products of a store that wait for a vector of the model in use; searches miss them. */
  countWaiting(storeId: string): number
  /** Ids of the products that shoppers clicked and bought, best first. */
  listPopular(storeId: string): Promise<readonly string[]>
  /** Learns how long the parts of a search took. */
  timeSearch: Meters['timeSearch']
}

/**
 * Creates the way of every search, from a query to its answer: filters (which products may be found) → ranking (the best of
 * them, see `ranker.ts`) → groups (one hit for each) → the page that is asked for → answer and history.
 */
export function createPipeline(deps: PipelineDeps) {
  const { queries, findStore, filters, clock } = deps
  const rankStore = createRanker(deps)

  /** Ranks and groups until the asked page is full. */
  async function rankPage(query: Query, condition: Condition): Promise<Ranked & { hits: GroupedHit[] }> {
    const { searcher, wanted, sort } = query
    const { limit = LIMITS.searchLimitDefault, offset = 0, group_by, cutoff } = wanted
    const field = group_by ?? searcher.groupBy
    const isCutToGuesses = searcher.isForShoppers && cutoff === 'auto'
    const last = offset + limit
    // A cut, a group and an order depend on the whole list that a shopper could page through.
    const isWhole = cutoff === 'auto' || Boolean(group_by) || sort !== undefined
    const depth = isWhole ? LIMITS.searchDepthMax : field ? Math.min(4 * last, LIMITS.searchDepthMax) : last
    const popular = sort === 'popularity' ? await deps.listPopular(searcher.storeId) : []
    const rankTo = async (depth: number) => {
      const ranked = await rankStore(query, { condition, depth, popular })
      const { hits: all } = ranked.ranking
      const hits = isCutToGuesses && ranked.plan?.isGuess ? all.slice(0, GUESSES_MAX) : all
      return { ...ranked, hits: field ? await groupHits(queries, hits, field) : hits }
    }
    const ranked = await rankTo(depth)
    // Where the groups are large, the page may need more products than were asked for.
    const isShort = ranked.hits.length < last && ranked.ranking.hits.length >= depth
    return isShort && depth < LIMITS.searchDepthMax ? rankTo(LIMITS.searchDepthMax) : ranked
  }

  /** Finds what tells the words of a query that a product has; undefined where nobody asks, or words do not count. */
  function findMatcher({ wanted, rankBy, searcher }: Query) {
    const words = wanted.explain ? wordsOf(rankBy) : undefined
    return words && !words.isByModelOnly ? findStore(searcher.storeId)?.words.matcher(words.text) : undefined
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
    return deps.countFacets(storeId, fields, rows)
  }

  /** Answers a search, and writes it to the history. */
  return async function answer(query: Query): Promise<SearchResponse> {
    const { searcher, wanted, kind, startedAt } = query
    const { storeId } = searcher
    const readAt = clock.monotonic()
    const { limit = LIMITS.searchLimitDefault, offset = 0, facets } = wanted
    const { condition, warnings: hints } = await filters.resolve(storeId, query.filters)
    const store = findStore(storeId)
    const unknown = store ? await warnOfUnknownValues(store, condition) : []
    const { ranking, plan, hits, warnings, meant } = await rankPage(query, condition)
    const rankedAt = clock.monotonic()
    const answer = writeAnswer(deps, query, {
      hits: hits.slice(offset, offset + limit),
      ranking,
      meant: query.filters.forced ? undefined : meant,
      plan: query.filters.forced ? withinReach(storeId, plan, condition.rows) : plan,
      facets: facets?.length ? await countFacets(storeId, facets, condition) : undefined,
      matchWords: findMatcher(query),
      warnings: [
        ...query.warnings,
        ...hints,
        ...unknown,
        ...warnings,
        ...warnOfWaiting(deps.countWaiting(storeId)),
      ],
    })
    deps.timeSearch(kind, 'read', readAt - startedAt)
    deps.timeSearch(kind, 'rank', rankedAt - readAt)
    deps.timeSearch(kind, 'total', clock.monotonic() - startedAt)
    return answer
  }
}

/** Hits that shoppers see where no word of a query is known: all of them are there by chance. */
const GUESSES_MAX = 3

const warnOfWaiting = (products: number): string[] =>
  products > 0 ? [`${products} products are missing: their pictures are being embedded for a new model`] : []
