import { LIMITS } from '../../../core/limits.ts'
import { splitWords } from '../../../core/text.ts'
import type { Facet } from '../../catalogue/filters/facets.ts'
import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Meters } from '../../operation/metrics/meters.ts'
import { type AnswerDeps, type PlacedHit, writeAnswer } from './answer.ts'
import type { Interpreted, SearchResponse } from './answer-schema.ts'
import type { Arrange, Arrangement } from './arrangement.ts'
import { type Arranged, type Pinned, placePinned } from './arranging.ts'
import { type Condition, listRows, passesAny, rowSet } from './condition.ts'
import type { FilterReader } from './filters.ts'
import { groupHits } from './groups.ts'
import { describeUnderstood } from './meaning/interpreted.ts'
import type { Understood } from './meaning/understanding.ts'
import type { Plan } from './plan.ts'
import type { SearchQueries } from './queries.ts'
import { type Query, wordsOf } from './query.ts'
import { createRanker, type Ranked, type RankerDeps } from './ranker.ts'
import type { Hit } from './ranking.ts'
import { readWordsOf } from './sides.ts'
import { coloursOf } from './wanted-colours.ts'
import { warnOfUnknownValues } from './warnings.ts'

export interface PipelineDeps extends AnswerDeps, RankerDeps {
  /** What the store's rules do to a search; undefined where the install has none. */
  arrange?: Arrange | undefined
  queries: SearchQueries
  filters: Pick<FilterReader, 'resolve'>
  countFacets: FilterService['facets']
  /** Products of a store that wait for a vector of its model; pictures do not find them. */
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
  async function rankPage(
    query: Query,
    condition: Condition,
    arranged: Arranged | undefined,
  ): Promise<Ranked & { hits: PlacedHit[] }> {
    const { searcher, wanted, sort } = query
    const { limit = LIMITS.searchLimitDefault, offset = 0, group_by, cutoff } = wanted
    const field = group_by ?? searcher.groupBy
    const isCutToGuesses = searcher.isShopper && cutoff === 'auto'
    const last = offset + limit
    // A cut, a group and an order depend on the whole list that a shopper could page through.
    const isWhole = cutoff === 'auto' || Boolean(group_by) || sort !== undefined
    const depth = isWhole ? LIMITS.searchDepthMax : field ? Math.min(4 * last, LIMITS.searchDepthMax) : last
    const popular = sort === 'popularity' ? await deps.listPopular(searcher.storeId) : []
    const rankTo = async (depth: number) => {
      const ranked = await rankStore(query, { condition, depth, popular, arranged })
      const { hits: all, pinned } = ranked.ranking
      const hits = isCutToGuesses && ranked.plan?.isGuess ? all.slice(0, GUESSES_MAX) : all
      return { ...ranked, hits: await placeHits(hits, pinned, field) }
    }
    const ranked = await rankTo(depth)
    // Where the groups are large, the page may need more products than were asked for.
    const isShort = ranked.hits.length < last && ranked.ranking.hits.length >= depth
    return isShort && depth < LIMITS.searchDepthMax ? rankTo(LIMITS.searchDepthMax) : ranked
  }

  /** Groups hits and puts pinned ones at their places. A pinned product stands for its group. */
  async function placeHits(
    hits: readonly Hit[],
    pinned: readonly Pinned<Hit>[],
    field: string | undefined,
  ): Promise<PlacedHit[]> {
    if (pinned.length === 0) return field ? groupHits(queries, hits, field) : [...hits]
    const pins = new Map(pinned.map(({ pin, hit }) => [hit.product, pin]))
    const all = [...pinned.map(({ hit }) => hit), ...hits]
    const grouped: PlacedHit[] = field ? await groupHits(queries, all, field) : all
    return placePinned(
      grouped.filter(({ product }) => !pins.has(product)),
      grouped.flatMap((hit) => {
        const pin = pins.get(hit.product)
        return pin ? [{ pin, hit: { ...hit, pinnedBy: pin.rule } }] : []
      }),
    )
  }

  /** How the list of a search is arranged; undefined for the best first. */
  function arrangeList(
    { wanted }: Query,
    condition: Condition,
    { hidings, pins, shifts }: Arrangement,
  ): Arranged | undefined {
    const soldOut = wanted.sold_out ?? 'keep'
    const isInStock = soldOut === 'hide'
    const hides = hidings.length > 0 || isInStock
    if (!hides && soldOut === 'keep' && pins.length === 0 && shifts.length === 0) return undefined
    const hidden = hidings.map(({ rows }) => rows)
    return { pins, shifts, soldOut, shown: hides ? { ...condition, hidden, isInStock } : condition }
  }

  /** Finds what tells the words of a query that a product has; undefined where nobody asks, or words do not count. */
  function findMatcher({ wanted, rankBy, searcher }: Query) {
    const words = wanted.explain ? wordsOf(rankBy) : undefined
    if (!words || words.isByModelOnly) return undefined
    return findStore(searcher.storeId)?.words.matcher(readWordsOf(words))
  }

  /** Says what was understood, as the store's words are now. */
  function interpret({ rankBy, searcher }: Query, understood: Understood): Interpreted {
    const words = wordsOf(rankBy)
    const store = words && findStore(searcher.storeId)
    if (!store) return describeUnderstood(understood, words, { colours: [], isHeld: () => false })
    const read = readWordsOf(words)
    const asked = splitWords(read.text)
    const unheld = new Set(words.isByModelOnly ? asked : store.words.listUnheld(read, asked))
    return describeUnderstood(understood, words, {
      colours: coloursOf(words, store),
      isHeld: (word) => asked.includes(word) && !unheld.has(word),
    })
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
    const { fields: wanted, hidden, isInStock } = condition
    const isPlain = Object.values(wanted).every((one) => one === undefined) && !hidden && !isInStock
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
    const arrangement = wanted.rules === false ? undefined : await deps.arrange?.(query)
    const arranged = arrangeList(query, condition, arrangement ?? NO_RULES)
    const { ranking, plan, hits, warnings, meant } = await rankPage(query, condition, arranged)
    const rankedAt = clock.monotonic()
    const answer = writeAnswer(deps, query, {
      hits: hits.slice(offset, offset + limit),
      ranking,
      meant: query.filters.forced ? undefined : meant,
      plan: query.filters.forced ? withinReach(storeId, plan, condition.rows) : plan,
      facets: facets?.length
        ? await countFacets(storeId, facets, findCounted(query, arranged?.shown ?? condition, hits))
        : undefined,
      interpreted: query.understood && interpret(query, query.understood),
      matchWords: findMatcher(query),
      // Nothing is moved in an order that was asked for.
      arrangement: arrangement && query.sort ? { ...arrangement, shifts: [] } : arrangement,
      warnings: [
        ...query.warnings,
        ...hints,
        ...unknown,
        ...warnings,
        ...warnOfWaiting(deps.countWaiting(storeId)),
      ],
    })
    if (searcher.isPatient) return answer
    deps.timeSearch(kind, 'read', readAt - startedAt)
    deps.timeSearch(kind, 'rank', rankedAt - readAt)
    deps.timeSearch(kind, 'total', clock.monotonic() - startedAt)
    return answer
  }
}

/** Facets count all products that pass the filters. Where the list of a shopper is cut, they count the products in it. */
function findCounted({ searcher, wanted }: Query, shown: Condition, hits: readonly PlacedHit[]): Condition {
  if (!searcher.isShopper || wanted.cutoff !== 'auto') return shown
  return { fields: {}, rows: rowSet(new Set(hits.map(({ product }) => product))) }
}

/** Hits that shoppers see where no word of a query is known: all of them are there by chance. */
const GUESSES_MAX = 3

const NO_RULES: Arrangement = { hidings: [], pins: [], shifts: [] }

const warnOfWaiting = (products: number): string[] =>
  products > 0
    ? [
        `${products} products are found by their words alone: their pictures are being embedded for a new model`,
      ]
    : []
