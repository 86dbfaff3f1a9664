import type { Sort } from './browse.ts'
import type { SearchSource } from './queries.ts'

/** A store that searches, or one of its widget keys. */
export interface Searcher {
  storeId: string
  /** Names a widget key. It reaches only the pictures that came with it; the store itself reaches all of its own. */
  owner?: string | undefined
  /** The key and the page that searches with it; undefined for a backend. */
  searchSource?: SearchSource | undefined
  /** A filter that every product must pass to be found by the searcher; undefined for none. */
  forcedFilters?: unknown
  /** Whether the words of products are kept from the searcher: then its queries are compared with pictures alone. */
  isWithoutWords?: boolean | undefined
  /** Whether its searches leave no row in the history, and so no count anywhere. */
  isUnlogged?: boolean | undefined
  /** A field by which results are grouped unless the search says by which. */
  groupBy?: string | undefined
  /** The order of the best results, where it is not that of their scores. */
  sort?: Sort | undefined
  /** Whether shoppers see the results: then a list ends where its scores drop, and a guess keeps a few, unless something says otherwise. */
  isForShoppers?: boolean | undefined
}
