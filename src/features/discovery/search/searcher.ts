import type { Sort } from './browse.ts'
import type { Priors } from './legs/clicks.ts'
import type { SearchSource } from './queries.ts'
import type { SearchDefaults } from './query-reader.ts'

/** A store that searches, or one of its widget keys. */
export interface Searcher {
  storeId: string
  /** Names a widget key. It reaches only the pictures that came with it; the store itself reaches all of its own. */
  owner?: string | undefined
  /** The key and the page that searches with it; undefined for a backend. */
  searchSource?: SearchSource | undefined
  /** Whether a shopper sees what is found; false for a backend. */
  isShopper?: boolean | undefined
  /** A filter that every product must pass to be found by the searcher; undefined for none. */
  forcedFilters?: unknown
  /** Whether the words of products are kept from the searcher: then its queries are compared with pictures alone. */
  isWithoutWords?: boolean | undefined
  /** Whether prices are kept from the searcher: then its queries are not read for them, or words would find them out. */
  isWithoutPrices?: boolean | undefined
  /** Whether its searches leave no row in the history, and so no count anywhere. */
  isUnlogged?: boolean | undefined
  /** Whether nobody waits for the answer: its words wait behind those of others, and nobody learns how long it took. */
  isPatient?: boolean | undefined
  /** Values that hold in place of the store's own search defaults. */
  defaults?: Partial<SearchDefaults> | undefined
  /** What products gain by clicks, in place of what the store has learned. */
  learned?: Priors | undefined
  /** A field by which results are grouped unless the search says by which. */
  groupBy?: string | undefined
  /** The order of the best results, where it is not that of their scores. */
  sort?: Sort | undefined
}
