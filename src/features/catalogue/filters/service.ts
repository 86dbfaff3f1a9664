import { createHash } from 'node:crypto'
import { foldLevel } from '../../../core/category-path.ts'
import type { Clock } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { createFacetCounts } from './facet-counts.ts'
import { EVERYTHING, type Filter, listRequired } from './filter.ts'
import type { Hints } from './hints.ts'
import type { KeptRows, Resolved, StoreState } from './kept.ts'
import { type MemoryFilter, NAMED_MAX } from './memory-filter.ts'
import { parseFilters } from './parse.ts'
import type { FilterQueries } from './queries.ts'
import { createRowSet, type KeptRowSet } from './rows.ts'
import type { Scope, Stretch } from './stretch-queries.ts'
import type { Walks } from './walk.ts'

export interface FilterDeps {
  queries: Pick<
    FilterQueries,
    | 'prepareFilter'
    | 'listByIds'
    | 'listByNames'
    | 'listByRows'
    | 'prepareValues'
    | 'hasLevel'
    | 'hasDatedSales'
  >
  memory: MemoryFilter
  walks: Walks
  hints: Hints
  kept: KeptRows
  clock: Pick<Clock, 'now'>
  readState(storeId: string): StoreState
  /** Rows of the products that this process changed after a change; undefined where that was too long ago. */
  listChangedSince(storeId: string, change: number): number[] | undefined
}

/** Where a filter is looked up. */
export type FilterSource = 'memory' | 'database'

/** Products that changed, times conditions, that are judged again in one step; more are read with all others. */
const CHANGED_TESTS_MAX = 2_000

export type FilterService = ReturnType<typeof filterService>

/** Finds the products that filters let pass, and counts the values of their fields. */
export function filterService(deps: FilterDeps) {
  const { queries, walks, hints, kept, memory, readState, listChangedSince, clock } = deps
  // One walk of a store at a time: its others wait, and may then find what they look for.
  const locked = createKeyedLock()

  /** A category's name may also be that of a level above others. */
  function widen(storeId: string, scope: Scope): Scope {
    if (scope.of !== 'category') return scope
    const path = foldLevel(scope.value)
    return queries.hasLevel(storeId, path) ? { of: 'level', value: scope.value, path } : scope
  }

  /** The only products that can pass, where the filter names them and they are few. */
  function listNamed(storeId: string, root: Filter['root']): number[] | undefined {
    const names = findTexts(root, 'name')
    if (!names || names.includes('') || names.length > NAMED_MAX) return undefined
    const rows = queries.listByNames(storeId, names, NAMED_MAX + 1)
    return rows.length > NAMED_MAX ? undefined : rows
  }

  async function listRows(storeId: string, { root, conditions }: Filter): Promise<number[]> {
    const ids = findTexts(root, 'product_id')
    if (ids) return queries.listByIds(storeId, root, ids)
    const named = listNamed(storeId, root)
    if (named) return queries.listByRows(storeId, root, named)
    const scope = widen(storeId, findScope(root))
    const read = queries.prepareFilter(root, scope)
    const rows: number[] = []
    const visit = (stretch: Stretch): boolean => {
      for (const row of read(storeId, stretch)) rows.push(row)
      return true
    }
    await walks.alongStore(storeId, scope, visit, conditions)
    return rows
  }

  /**
   * Brings rows that were read from some state on to the present: only the products that changed since then may pass now and
   * not before, or the other way round.
   *
   * @returns undefined where too many changed, or another process changed any.
   */
  function bringUp(storeId: string, { root, conditions }: Filter, rows: KeptRowSet, from: StoreState) {
    const state = readState(storeId)
    const changed = state.others === from.others ? listChangedSince(storeId, from.change) : undefined
    if (!changed || changed.length * Math.max(1, conditions) > CHANGED_TESTS_MAX) return undefined
    if (changed.length === 0) return { state, rows }
    const passing = new Set(queries.listByRows(storeId, root, changed))
    const isTouched = changed.some((row) => passing.has(row) || rows.has(row))
    return { state, rows: isTouched ? rows.replace(changed, passing) : rows }
  }

  const isPresent = (storeId: string, { change, others }: StoreState): boolean => {
    const now = readState(storeId)
    return now.change === change && now.others === others
  }

  async function readRows(storeId: string, filter: Filter, source: FilterSource): Promise<KeptRowSet> {
    const known = source === 'memory' ? await memory.listRows(storeId, filter) : undefined
    return createRowSet(known ?? (await listRows(storeId, filter)))
  }

  /** @param read.state of the rows of the store; undefined for rows of several states, which are not kept. */
  async function keep(
    storeId: string,
    key: string,
    filter: Filter,
    { state, rows }: { state: StoreState | undefined; rows: KeptRowSet },
  ): Promise<Resolved> {
    const resolved = { rows, warnings: await hints.list(storeId, filter, rows.size) }
    if (state) kept.keep(storeId, key, { state, resolved })
    return resolved
  }

  /**
   * Finds every product of a store that passes a filter, in steps between which others are served. A product that changes
   * meanwhile is judged as it was before or as it is after. Repeated filters are answered from memory; what changed since is
   * judged again.
   *
   * @param source `memory` to use the product index, too, where that can tell.
   */
  function resolve(storeId: string, filter: Filter, source: FilterSource = 'memory'): Promise<Resolved> {
    const hash = createHash('sha256').update(JSON.stringify(filter)).digest('base64')
    const key = `${source}/${hash}`
    const known = kept.find(storeId, key)
    if (known && isPresent(storeId, known.state)) return Promise.resolve(known.resolved)
    return locked(storeId, async () => {
      const found = kept.find(storeId, key)
      if (found && isPresent(storeId, found.state)) return found.resolved
      const present = found && bringUp(storeId, filter, found.resolved.rows, found.state)
      if (present) return keep(storeId, key, filter, present)
      const state = readState(storeId)
      const rows = await readRows(storeId, filter, source)
      // Some products may have been read before a change and others after it.
      return keep(storeId, key, filter, bringUp(storeId, filter, rows, state) ?? { state: undefined, rows })
    })
  }

  return {
    /**
     * Checks a filter.
     *
     * @param input as it was sent; undefined lets every product pass.
     * @param pointer the JSON pointer of the input in its request.
     * @throws ApiError `filter_operator_unknown`, `filter_type_mismatch` or `validation_error`.
     */
    parse: parseFilters,

    resolve,

    /** The state of a store's products: what was resolved in it holds as long as it is the same. */
    readState,

    facets: createFacetCounts({
      ...{ queries, walks, clock, locked },
      resolveAll: (storeId) => resolve(storeId, EVERYTHING),
    }),
  }
}

/** The only texts that a product which passes can have in a field; undefined if the filter does not limit them. */
function findTexts(root: Filter['root'], name: 'product_id' | 'name'): readonly string[] | undefined {
  for (const condition of listRequired(root)) {
    if ('near' in condition || condition.test.op !== 'equals') continue
    const { kind, name: own } = condition.field
    // `metadata.product_id` is a key like any other.
    if (own === name && (kind === 'own') === (name === 'product_id')) return condition.test.texts
  }
  return undefined
}

/** The smallest part of a store, by an index, that has every product that passes. */
function findScope(root: Filter['root']): Scope {
  for (const condition of listRequired(root)) {
    if ('near' in condition || condition.field.kind === 'own' || condition.test.op !== 'equals') continue
    const { field, test } = condition
    const [text] = test.texts
    if (test.given.length !== 1 || text === undefined || text === '') continue
    if (field.name === 'category' || field.name === 'brand') return { of: field.name, value: text }
  }
  return { of: 'store' }
}
