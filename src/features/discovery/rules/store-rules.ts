import type { StoreState } from '../../catalogue/filters/kept.ts'
import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Arrangement } from '../search/arrangement.ts'
import type { ListWords } from './entries.ts'
import { compileRules, type RuleMatcher } from './matching.ts'
import type { RuleQueries } from './queries.ts'
import type { RuleAction } from './schema.ts'

export type Rows = Pick<RowSet, 'has' | 'size'>

/** A filter of rules. Rules with the same one share it. */
export interface KnownFilter {
  /** Undefined for one that cannot be read any more. */
  filter: ReturnType<FilterService['parse']> | undefined
  /** What it lets pass, in which state of the store. */
  found: { rows: Rows; bytes: number; state: StoreState } | undefined
  isReported: boolean
}

/** An action with its filter. */
export interface ReadAction {
  action: RuleAction
  filter: KnownFilter | undefined
}

interface KeptArrangement {
  state: StoreState
  arrangement: Promise<Arrangement | undefined>
}

/** The rules of a store in memory. */
export interface StoreRules extends RuleMatcher {
  /** By place in `rules`; a rule is read when it first acts. */
  read: (ReadAction[] | undefined)[]
  /** By their JSON. */
  filters: Map<string, KnownFilter>
  /** By the rules that act. */
  arrangements: Map<string, KeptArrangement>
  /** Of the JSON of the rules. */
  bytes: number
  /** Of what their filters let pass. */
  rowBytes: number
}

/** Of all stores together; the store that has waited longest for a search goes first. */
const BYTES_MAX = 64 * 1024 * 1024
/** A store whose filters let pass more than this finds them anew. */
const ROW_BYTES_MAX = 16 * 1024 * 1024
/** What a rule takes besides its JSON. */
const RULE_BYTES = 1_000

/** Keeps the rules of stores that search, within a bound. A store without rules is kept, too, and takes next to nothing. */
export function createStoreRules({ listActive }: Pick<RuleQueries, 'listActive'>, listWords: ListWords) {
  /** The least recently used first. */
  const stores = new Map<string, StoreRules>()

  function load(storeId: string): StoreRules {
    const rows = listActive(storeId)
    const bytes = rows.reduce(
      (sum, { actions, conditions }) => sum + actions.length + JSON.stringify(conditions).length + RULE_BYTES,
      RULE_BYTES,
    )
    const matcher = compileRules(rows, listWords)
    return { ...matcher, read: [], filters: new Map(), arrangements: new Map(), bytes, rowBytes: 0 }
  }

  /** Lets other stores go where all hold too much. */
  function evict(kept: string): void {
    let held = 0
    for (const { bytes, rowBytes } of stores.values()) held += bytes + rowBytes
    for (const [storeId, { bytes, rowBytes }] of stores) {
      if (held <= BYTES_MAX || storeId === kept) break
      stores.delete(storeId)
      held -= bytes + rowBytes
    }
  }

  return {
    find(storeId: string): StoreRules {
      const known = stores.get(storeId)
      const store = known ?? load(storeId)
      stores.delete(storeId)
      stores.set(storeId, store)
      if (!known) evict(storeId)
      return store
    },

    /** Called when the filters of a store's rules have been looked up. */
    bound(storeId: string, store: StoreRules): void {
      if (store.rowBytes > ROW_BYTES_MAX) forgetRows(store)
      if (stores.get(storeId) === store) evict(storeId)
    },

    forget: (storeId: string): void => void stores.delete(storeId),
  }
}

function forgetRows(store: StoreRules): void {
  for (const filter of store.filters.values()) filter.found = undefined
  store.arrangements.clear()
  store.rowBytes = 0
}
