import { ModelSwitched } from '../../../core/switched.ts'
import { createTurns, turn } from '../../../core/turns.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { Arranged, FoundArranged } from './arranging.ts'
import { browse, findSlots, type Places, sortHits } from './browse.ts'
import type { CategoryNames } from './category-names.ts'
import type { Condition } from './condition.ts'
import type { Fusion } from './fusion.ts'
import { rankGiven } from './given-list.ts'
import { wrongModel } from './picture-source.ts'
import { makePlan, type Plan } from './plan.ts'
import type { SearchQueries } from './queries.ts'
import { ownPicturesOf, type Query, referencesOf, wordsOf } from './query.ts'
import { type Ranking, type RankingRequest, rank } from './ranking.ts'
import type { SearchedStore } from './searched-store.ts'
import { interleave } from './union.ts'
import { suggestQuery, warnOfUnknownWords } from './warnings.ts'

export interface RankerDeps {
  queries: Pick<SearchQueries, 'hasProducts' | 'findFirstPicture' | 'listPictures'>
  findStore(storeId: string): SearchedStore | undefined
  names: Pick<CategoryNames, 'compare'>
  models: Pick<ModelSet, 'of'>
}

/** Which part of a store is ranked, and how far. */
export interface RankingScope {
  condition: Condition
  /** The number of products from the top of the list. */
  depth: number
  /** Ids of the products that come first where a search sorts by popularity. */
  popular: readonly string[]
  /** How the list is arranged; undefined for the best first. */
  arranged?: Arranged | undefined
}

export interface Ranked {
  ranking: Ranking
  /** Undefined where nothing was compared. */
  plan: Plan | undefined
  warnings: string[]
  /** The query without its typos; undefined where it has none that the store's words would cure. */
  meant?: string | undefined
}

/** Creates the ranker of stores, for every kind of `rankBy`. */
export function createRanker({ queries, findStore, names, models }: RankerDeps) {
  /** One list for all fusions of a plan. @returns undefined if the store's index was rebuilt meanwhile. */
  async function rankFusions(
    storeId: string,
    store: SearchedStore,
    fusions: readonly Fusion[],
    request: Omit<RankingRequest, 'fusion'>,
  ): Promise<Ranking | undefined> {
    const rankings: Ranking[] = []
    for (const [n, fusion] of fusions.entries()) {
      if (n > 0) await turn()
      if (n > 0 && findStore(storeId)?.segment !== store.segment) return undefined
      const ranked = rank(store, { ...request, fusion })
      const ranking = ranked instanceof Promise ? await ranked : ranked
      if (!ranking) return undefined
      rankings.push(ranking)
    }
    const [only, ...others] = rankings
    return only && others.length === 0 ? only : interleave(rankings, request.depth)
  }

  /** Finds the pictures of pinned products; one that is gone has none. */
  function findPins(storeId: string, arranged: Arranged): FoundArranged {
    const ids = new Set(arranged.pins.map(({ productId }) => productId))
    const pictures = ids.size > 0 ? queries.listPictures(storeId, [...ids]) : new Map<string, number[]>()
    const pins = arranged.pins.map((pin) => ({ ...pin, pictureIds: pictures.get(pin.productId) ?? [] }))
    return { ...arranged, pins }
  }

  /**
   * Ranks the store as it is in this tick; again if its index was rebuilt during the scan.
   *
   * @throws ModelSwitched when the query was read with another model than the store is on now.
   */
  return async function rankStore(query: Query, scope: RankingScope): Promise<Ranked> {
    await searchTurn()
    const { searcher, wanted, rankBy, sort } = query
    const { condition, depth, popular } = scope
    const { storeId } = searcher
    if (models.of(storeId) !== query.model) throw new ModelSwitched()
    const { calibration } = query.model.embedder
    const arranged = scope.arranged && findPins(storeId, scope.arranged)
    const words = wordsOf(rankBy)
    const store = findStore(storeId)
    if (!store && queries.hasProducts(storeId)) throw wrongModel()
    const guesses = words ? warnOfUnknownWords(store, words) : []
    if (!store) return { ranking: NOTHING, plan: undefined, warnings: guesses }
    const warnings = words && !store.hasAllWords ? [...guesses, UNREAD] : guesses
    const meant = words && suggestQuery(store, words)
    const places: Places = new Map(
      findSlots(queries, storeId, store, popular).map((slot, place) => [
        store.columns.productAt(slot),
        place,
      ]),
    )
    if (rankBy.kind === 'nothing')
      return {
        ranking: browse(store, { condition, sort, depth, places, arranged }),
        plan: undefined,
        warnings,
      }
    if (rankBy.kind === 'given')
      return {
        ranking: rankGiven({ queries, storeId, store, condition }, rankBy.products, {
          ...{ threshold: wanted.threshold, depth, arranged },
        }),
        plan: undefined,
        warnings,
      }
    const steering = { boost: wanted.category_boost, isInOne: condition.fields.category !== undefined }
    const looksTwice = wanted.second_look !== false && !searcher.isWithoutWords
    const plan = makePlan(
      { storeId, store, calibration, steering, looksTwice, compare: names.compare, priors: query.priors },
      rankBy,
    )
    const request: Omit<RankingRequest, 'fusion'> = {
      condition,
      ownPictureIds: ownPicturesOf(rankBy),
      threshold: wanted.threshold ?? 0,
      depth,
      isExact: wanted.exact,
      isCut: wanted.cutoff === 'auto',
      diversity: wanted.diversity,
      isExplained: wanted.explain,
      references: referencesOf(rankBy),
      // Whoever asks for an order gets it.
      arranged: arranged && sort ? { ...arranged, shifts: [] } : arranged,
    }
    const ranking = await rankFusions(storeId, store, plan.fusions, request)
    if (!ranking) return rankStore(query, scope)
    const hits = sort ? sortHits(store, ranking, sort, places) : ranking.hits
    const isVoteless = !store.hasAllWords && plan.fusions.some(({ vote }) => vote !== undefined)
    return {
      ranking: { ...ranking, hits },
      plan,
      warnings: isVoteless ? [...warnings, VOTELESS] : warnings,
      meant,
    }
  }
}

/**
 * Searches that become ready together would hold the event loop for all their time together. They have a queue of their own, so
 * that none waits behind the steps of other work.
 */
const searchTurn = createTurns(setImmediate)

const NOTHING: Ranking = {
  hits: [],
  soldOutFrom: 0,
  pinned: [],
  candidates: 0,
  cut: 0,
  isExact: true,
  words: [],
}

const UNREAD =
  'the service has just started and still reads the words of the products; some are not found by name yet'

const VOTELESS =
  'the service has just started and still reads the words of the products; the first hits do not vote for words yet, so the order may change between two pages'
