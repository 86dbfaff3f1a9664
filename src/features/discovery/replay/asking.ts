import { LIMITS } from '../../../core/limits.ts'
import { StoreSettings } from '../../stores/settings/schema.ts'
import type { Priors } from '../search/legs/clicks.ts'
import type { SearchDefaults } from '../search/query-reader.ts'
import type { CommonSearch } from '../search/schema.ts'
import type { Searcher } from '../search/searcher.ts'
import type { SearchService } from '../search/service.ts'
import type { LoggedSearch } from './queries.ts'
import type { TriedSettings } from './schema.ts'

export interface AskingDeps {
  search: Pick<SearchService, 'byText' | 'bySimilar'>
  /** Whoever searches with a widget key; without one, the store itself. */
  findSearcher(storeId: string, keyId: string | null, origin: string | null): Searcher
}

/** What a search of the log asked for, besides what it named of the settings. */
const KEPT = [
  'category',
  'price_min',
  'price_max',
  'color',
  'filters',
  'group_by',
  'diversity',
  'exact',
] as const

/** The names of the store's search defaults. */
const DEFAULTS: ReadonlySet<string> = new Set(
  Object.keys(StoreSettings.properties.search_defaults.properties),
)

/** Creates what makes a search of the log again. */
export function createAsking({ search, findSearcher }: AskingDeps) {
  /**
   * Makes a search of the log again, as it was asked, and as nobody's: it leaves no trace.
   *
   * @param tried settings in place of the store's, where the search named none itself.
   * @param learned what products gain by clicks, in place of what the store has learned.
   * @returns ids of products, best first.
   */
  return async function ask(
    storeId: string,
    { query, parameters, keyId, origin }: LoggedSearch,
    tried: TriedSettings = {},
    learned?: Priors,
  ): Promise<string[]> {
    const { defaults, others } = split(tried)
    const searcher = {
      ...findSearcher(storeId, keyId, origin),
      ...{ isUnlogged: true, isPatient: true, defaults, learned },
    }
    const body: CommonSearch = {
      ...Object.fromEntries(KEPT.map((name) => [name, parameters[name]])),
      ...others,
      ...(parameters['asked'] as object | undefined),
      ...{ limit: LIMITS.searchLimitMax, fields: [], analytics: false },
    }
    const productId = parameters['product_id']
    const { results } =
      typeof productId === 'string'
        ? await search.bySimilar(searcher, productId, body)
        : await search.byText(searcher, { ...body, query: query ?? '' })
    return results.map(({ product_id }) => product_id)
  }
}

/** Whether the settings let the store learn. */
export const triesLearning = (tried: TriedSettings): boolean => split(tried).defaults.learn === true

/** Parts settings in those that have a place in the store's search defaults, and parameters of a search. */
function split({ search_defaults, ...named }: TriedSettings): {
  defaults: Partial<SearchDefaults>
  others: Record<string, unknown>
} {
  const all = Object.entries({ ...search_defaults, ...named })
  return {
    defaults: Object.fromEntries(all.filter(([name]) => DEFAULTS.has(name))),
    others: Object.fromEntries(all.filter(([name, value]) => !DEFAULTS.has(name) && value !== null)),
  }
}
