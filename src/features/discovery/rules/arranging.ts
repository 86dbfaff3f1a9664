import type { Clock } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createTurns } from '../../../core/turns.ts'
import type { StoreState } from '../../catalogue/filters/kept.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Arrange, Arrangement, Hiding, Pin, Shift } from '../search/arrangement.ts'
import type { Query } from '../search/query.ts'
import type { ListWords } from './entries.ts'
import type { MatchedRule, SearchFacts } from './matching.ts'
import { type RuleQueries, readActions } from './queries.ts'
import type { RuleAction } from './schema.ts'
import {
  createStoreRules,
  type KnownFilter,
  type ReadAction,
  type Rows,
  type StoreRules,
} from './store-rules.ts'

export interface ArrangerDeps {
  queries: Pick<RuleQueries, 'listActive'>
  filters: Pick<FilterService, 'parse' | 'resolve' | 'readState'>
  listWords: ListWords
  clock: Pick<Clock, 'now'>
  log: { warn(fields: object, message: string): void }
}

/** In log-odds, by strength. */
const SHIFTS = [0.75, 1.5, 3] as const
const STRENGTH_DEFAULT = 2

/** Arrangements of a store that are kept. */
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
  const stores = createStoreRules(queries, listWords)

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

  /** Lists what the rules at some places do, within the bounds of one search. */
  async function listActions(
    store: StoreRules,
    acting: readonly number[],
  ): Promise<(ReadAction & { matched: MatchedRule })[]> {
    const listed: (ReadAction & { matched: MatchedRule })[] = []
    const left = { filters: LIMITS.ruleFiltersAtOnce, conditions: LIMITS.ruleConditionsAtOnce }
    let read = 0
    for (const place of acting) {
      if (!store.read[place] && ++read % READ_AT_ONCE === 0) await turn()
      const matched = store.rules[place] as MatchedRule
      for (const done of readRule(store, place)) {
        const conditions = done.filter?.filter?.conditions ?? 0
        if (done.filter && (left.filters < 1 || left.conditions < conditions)) continue
        left.filters -= done.filter ? 1 : 0
        left.conditions -= conditions
        listed.push({ ...done, matched })
      }
    }
    return listed
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
    // After a change of a product all filters are looked up again.
    await turn()
    try {
      const { rows } = await filters.resolve(storeId, known.filter)
      known.isReported = false
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
    let isWhole = true
    for (const { action, filter, matched } of await listActions(store, acting)) {
      const { rule } = matched
      const { product_id, position } = action
      if (product_id !== undefined && position !== undefined)
        pins.push({ rule, productId: product_id, position })
      const rows = filter && (await findRows(storeId, store, filter, matched, state))
      isWhole &&= !filter?.filter || rows !== undefined
      if (!rows || rows.size === 0) continue
      if (action.action === 'hide') hidings.push({ rule, rows })
      else shifts.push({ rule, rows, by: shiftOf(action) })
    }
    stores.bound(storeId, store)
    // A disk that could not be read for a moment must not switch a rule off until the products change.
    if (!isWhole) store.arrangements.delete(keyOf(acting))
    const isEmpty = hidings.length + pins.length + shifts.length === 0
    return isEmpty ? undefined : { hidings, pins, shifts }
  }

  function fail(storeId: string, err: unknown): undefined {
    log.warn({ err, store_id: storeId }, 'the rules of a store could not be read')
  }

  async function arrange(query: Query): Promise<Arrangement | undefined> {
    const { storeId } = query.searcher
    const store = stores.find(storeId)
    if (store.rules.length === 0) return undefined
    const acting = store.match(readFacts(query, clock.now()))
    if (acting.length === 0) return undefined
    const key = keyOf(acting)
    const state = filters.readState(storeId)
    const kept = store.arrangements.get(key)
    if (kept && isSame(kept.state, state)) return kept.arrangement
    if (store.arrangements.size >= ARRANGEMENTS_MAX) store.arrangements.clear()
    const arrangement = make(storeId, store, acting, state).catch((err) => fail(storeId, err))
    store.arrangements.set(key, { state, arrangement })
    return arrangement
  }

  return {
    arrange: (async (query) => {
      try {
        return await arrange(query)
      } catch (err) {
        return fail(query.searcher.storeId, err)
      }
    }) satisfies Arrange,
    forgetStore: stores.forget,
  }
}

function readFacts({ searcher, rankBy, filters }: Query, now: number): SearchFacts {
  return {
    words: 'words' in rankBy ? rankBy.words?.text : undefined,
    hasPicture: rankBy.kind === 'references' || ('picture' in rankBy && rankBy.picture !== undefined),
    category: filters.fields.category,
    // The owner of a preview is the key and the person.
    keyId: searcher.searchSource?.keyId ?? searcher.owner?.split(' ', 1)[0],
    now,
  }
}

const shiftOf = ({ action, strength = STRENGTH_DEFAULT }: RuleAction): number => {
  const by = SHIFTS[strength - 1] as number
  return action === 'bury' ? -by : by
}

/** Names the rules that act together. */
const keyOf = (acting: readonly number[]): string => String.fromCharCode(...acting)

const isSame = (one: StoreState, other: StoreState): boolean =>
  one.change === other.change && one.others === other.others
