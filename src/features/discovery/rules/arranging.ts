import type { Clock } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createTurns } from '../../../core/turns.ts'
import type { StoreState } from '../../catalogue/filters/kept.ts'
import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Arrange, Arrangement, Hiding, Pin, Shift } from '../search/arrangement.ts'
import { type Query, wordsOf } from '../search/query.ts'
import type { ListWords } from './entries.ts'
import { compileRules, type MatchedRule, type RuleMatcher, type SearchFacts } from './matching.ts'
import { type RuleQueries, readActions } from './queries.ts'
import type { RuleAction } from './schema.ts'

export interface ArrangerDeps {
  queries: Pick<RuleQueries, 'listActive'>
  filters: Pick<FilterService, 'parse' | 'resolve' | 'readState'>
  listWords: ListWords
  clock: Pick<Clock, 'now'>
  log: { warn(fields: object, message: string): void }
}

type Rows = Pick<RowSet, 'has' | 'size'>

/** A filter of rules. Rules with the same one share it. */
interface KnownFilter {
  /** Undefined for one that cannot be read any more. */
  filter: ReturnType<FilterService['parse']> | undefined
  /** What it lets pass, in which state of the store. */
  found: { rows: Rows; bytes: number; state: StoreState } | undefined
  isReported: boolean
}

/** An action with its filter. */
interface ReadAction {
  action: RuleAction
  filter: KnownFilter | undefined
}

interface KeptArrangement {
  state: StoreState
  arrangement: Promise<Arrangement | undefined>
}

/** The rules of a store in memory. */
interface StoreRules extends RuleMatcher {
  /** By place in `rules`; a rule is read when it first acts. */
  read: (ReadAction[] | undefined)[]
  /** By their JSON. */
  filters: Map<string, KnownFilter>
  /** By the rules that act. */
  arrangements: Map<string, KeptArrangement>
  /** Of the JSON of the rules, and of the rows that their filters let pass. */
  bytes: number
  rowBytes: number
}

/** In log-odds, by strength. */
const SHIFTS = [0.75, 1.5, 3] as const
const STRENGTH_DEFAULT = 2

/** Of all stores together; the store that has waited longest for a search goes first. */
const BYTES_MAX = 64 * 1024 * 1024
/** A store whose filters let pass more than this finds them anew. */
const ROW_BYTES_MAX = 16 * 1024 * 1024
/** What a rule takes besides its JSON. */
const RULE_BYTES = 1_000
const ARRANGEMENTS_MAX = 64
/** Rules that are read in one step. */
const READ_AT_ONCE = 16

/** Rules that act for the first time are read in steps; these have a queue of their own, as searches have. */
const turn = createTurns(setImmediate)

/**
 * Creates what finds out how the rules of a store arrange a search.
 *
 * A store's rules are read once and prepared (`matching.ts`). What their filters let pass is found by the filters of searches and
 * kept as long as the products stay the same; so is the arrangement that the same rules make. No search fails because of a rule:
 * what cannot be read or found is left out, and the log says so once.
 */
export function createArranger({ queries, filters, listWords, clock, log }: ArrangerDeps) {
  /** The least recently used first; without rules for a store that has none. */
  const stores = new Map<string, StoreRules>()

  function load(storeId: string): StoreRules {
    const rows = queries.listActive(storeId)
    const matcher = compileRules(rows, listWords)
    const bytes = rows.reduce(
      (sum, { actions, conditions }) => sum + actions.length + JSON.stringify(conditions).length + RULE_BYTES,
      RULE_BYTES,
    )
    return { ...matcher, read: [], filters: new Map(), arrangements: new Map(), bytes, rowBytes: 0 }
  }

  function find(storeId: string): StoreRules {
    const known = stores.get(storeId)
    const store = known ?? load(storeId)
    stores.delete(storeId)
    stores.set(storeId, store)
    if (!known) evict(storeId)
    return store
  }

  function evict(kept: string): void {
    let held = 0
    for (const { bytes, rowBytes } of stores.values()) held += bytes + rowBytes
    for (const [storeId, { bytes, rowBytes }] of stores) {
      if (held <= BYTES_MAX || storeId === kept) break
      stores.delete(storeId)
      held -= bytes + rowBytes
    }
  }

  function readFilter(store: StoreRules, input: unknown, rule: MatchedRule): KnownFilter {
    const key = JSON.stringify(input)
    const known = store.filters.get(key)
    if (known) return known
    const read: KnownFilter = { filter: undefined, found: undefined, isReported: false }
    try {
      read.filter = filters.parse(input, '/filters')
    } catch (err) {
      report(read, rule, err)
    }
    store.filters.set(key, read)
    return read
  }

  function report(filter: KnownFilter, { rule }: MatchedRule, err: unknown): void {
    if (filter.isReported) return
    filter.isReported = true
    log.warn({ err, rule_id: rule.id }, 'a filter of a rule does nothing')
  }

  function readRule(store: StoreRules, place: number): ReadAction[] {
    const known = store.read[place]
    if (known) return known
    const rule = store.rules[place] as MatchedRule
    const read = readActions(rule.actions).map((action) => ({
      action,
      filter: action.filters === undefined ? undefined : readFilter(store, action.filters, rule),
    }))
    store.read[place] = read
    return read
  }

  /** Finds the rows that a filter lets pass; undefined where it does nothing. */
  async function findRows(
    storeId: string,
    store: StoreRules,
    known: KnownFilter,
    rule: MatchedRule,
    state: StoreState,
  ): Promise<Rows | undefined> {
    if (!known.filter) return undefined
    if (known.found && isSame(known.found.state, state)) return known.found.rows
    try {
      const { rows } = await filters.resolve(storeId, known.filter)
      store.rowBytes += rows.bytes - (known.found?.bytes ?? 0)
      known.found = { rows, bytes: rows.bytes, state }
      return rows
    } catch (err) {
      report(known, rule, err)
      return undefined
    }
  }

  async function make(
    storeId: string,
    store: StoreRules,
    acting: readonly number[],
    state: StoreState,
  ): Promise<Arrangement | undefined> {
    const [hidings, pins, shifts]: [Hiding[], Pin[], Shift[]] = [[], [], []]
    let [filtersLeft, conditionsLeft, read]: [number, number, number] = [
      LIMITS.ruleFiltersAtOnce,
      LIMITS.ruleConditionsAtOnce,
      0,
    ]
    for (const place of acting) {
      const matched = store.rules[place] as MatchedRule
      if (!store.read[place] && ++read % READ_AT_ONCE === 0) await turn()
      for (const { action, filter } of readRule(store, place)) {
        const { rule } = matched
        if (action.action === 'pin') {
          pins.push({ rule, productId: action.product_id as string, position: action.position as number })
          continue
        }
        const conditions = filter?.filter?.conditions ?? 0
        if (!filter || filtersLeft < 1 || conditionsLeft < conditions) continue
        filtersLeft -= 1
        conditionsLeft -= conditions
        const rows = await findRows(storeId, store, filter, matched, state)
        if (!rows || rows.size === 0) continue
        if (action.action === 'hide') hidings.push({ rule, rows })
        else shifts.push({ rule, rows, by: shiftOf(action) })
      }
    }
    if (store.rowBytes > ROW_BYTES_MAX) forgetRows(store)
    if (stores.get(storeId) === store) evict(storeId)
    const isEmpty = hidings.length + pins.length + shifts.length === 0
    return isEmpty ? undefined : { hidings, pins, shifts }
  }

  function arrange(query: Query): Promise<Arrangement | undefined> {
    const { storeId } = query.searcher
    const store = find(storeId)
    if (store.rules.length === 0) return NOTHING
    const acting = store.match(readFacts(query, clock.now()))
    if (acting.length === 0) return NOTHING
    const key = String.fromCharCode(...acting)
    const state = filters.readState(storeId)
    const kept = store.arrangements.get(key)
    if (kept && isSame(kept.state, state)) return kept.arrangement
    if (store.arrangements.size >= ARRANGEMENTS_MAX) store.arrangements.clear()
    const arrangement = make(storeId, store, acting, state)
    store.arrangements.set(key, { state, arrangement })
    return arrangement
  }

  return {
    arrange: (async (query) => {
      try {
        return await arrange(query)
      } catch (err) {
        log.warn({ err, store_id: query.searcher.storeId }, 'the rules of a store could not be read')
        return undefined
      }
    }) satisfies Arrange,
    forgetStore: (storeId: string): void => void stores.delete(storeId),
  }
}

const NOTHING = Promise.resolve(undefined)

function readFacts({ searcher, rankBy, filters }: Query, now: number): SearchFacts {
  return {
    words: wordsOf(rankBy)?.text,
    hasPicture: rankBy.kind === 'references' || ('picture' in rankBy && rankBy.picture !== undefined),
    category: filters.fields.category,
    // The owner of a preview is the key and the person.
    keyId: searcher.searchSource?.keyId ?? searcher.owner?.split(' ', 1)[0],
    now,
  }
}

function forgetRows(store: StoreRules): void {
  for (const filter of store.filters.values()) filter.found = undefined
  store.arrangements.clear()
  store.rowBytes = 0
}

const shiftOf = ({ action, strength = STRENGTH_DEFAULT }: RuleAction): number => {
  const by = SHIFTS[strength - 1] as number
  return action === 'bury' ? -by : by
}

const isSame = (one: StoreState, other: StoreState): boolean =>
  one.change === other.change && one.others === other.others
