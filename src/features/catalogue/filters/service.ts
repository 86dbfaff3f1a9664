import { createHash } from 'node:crypto'
import { BoundedMap } from '../../../core/bounded-map.ts'
import { foldLevel } from '../../../core/category-path.ts'
import type { Clock } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createFacetCounter, type Facet } from './facets.ts'
import { createFailures } from './failures.ts'
import { EVERYTHING, type Filter, listRequired } from './filter.ts'
import type { Hints } from './hints.ts'
import type { KeptRows, Resolved } from './kept.ts'
import { parseFilters } from './parse.ts'
import type { FilterQueries } from './queries.ts'
import { createRowSet, type RowSet } from './rows.ts'
import type { Scope, Stretch } from './stretch-queries.ts'
import { isPrice } from './value-queries.ts'
import type { Walks } from './walk.ts'

export interface FilterDeps {
  queries: Pick<FilterQueries, 'prepareFilter' | 'listByIds' | 'prepareValues' | 'hasLevel' | 'hasDatedSales'>
  walks: Walks
  hints: Hints
  kept: KeptRows
  clock: Pick<Clock, 'now'>
  /** Changes with every change of the store's products. */
  readVersion(storeId: string): string
}

export type FilterService = ReturnType<typeof filterService>

/** Finds the products that filters let pass, and counts the values of their fields. */
export function filterService({ queries, walks, hints, kept, readVersion, clock }: FilterDeps) {
  // One walk of a store at a time: its others wait, and may then find what they look for.
  const locked = createKeyedLock()
  const counted = new WeakMap<RowSet, Map<string, Facet>>()

  /** A category's name may also be that of a level above others. */
  function widen(storeId: string, scope: Scope): Scope {
    if (scope.of !== 'category') return scope
    const path = foldLevel(scope.value)
    return queries.hasLevel(storeId, path) ? { of: 'level', value: scope.value, path } : scope
  }

  async function listRows(storeId: string, { root, conditions }: Filter): Promise<number[]> {
    const ids = findIds(root)
    if (ids) return queries.listByIds(storeId, root, ids)
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
   * Finds every product of a store that passes a filter, in steps between which others are served. A product that changes
   * meanwhile is judged as it was before or as it is after. Repeated filters are answered from memory until a product of
   * the store changes.
   */
  function resolve(storeId: string, filter: Filter): Promise<Resolved> {
    const key = createHash('sha256').update(JSON.stringify(filter)).digest('base64')
    const known = kept.find(storeId, key, readVersion(storeId))
    if (known) return Promise.resolve(known)
    return locked(storeId, async () => {
      const version = readVersion(storeId)
      const found = kept.find(storeId, key, version)
      if (found) return found
      const rows = createRowSet(await listRows(storeId, filter))
      const resolved = { rows, warnings: await hints.list(storeId, filter, rows.size) }
      // Otherwise some products may have been read before a change and others after it.
      if (readVersion(storeId) === version) kept.keep(storeId, key, version, resolved)
      return resolved
    })
  }

  async function countValues(
    storeId: string,
    fields: readonly string[],
    rows: RowSet,
  ): Promise<Map<string, Facet>> {
    const read = queries.prepareValues(fields, clock.now())
    const counters = fields.map(createFacetCounter)
    await walks.alongRows(rows, (some) => {
      for (const values of read(storeId, some)) {
        for (const [n, counter] of counters.entries()) counter.add(values[n] ?? null)
      }
    })
    return new Map(fields.map((field, n) => [field, (counters[n] as (typeof counters)[number]).finish()]))
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

    /**
     * Counts the values of fields, for the products of a row set, or for all of a store.
     *
     * @param fields at most 10 names, as in filters.
     * @throws ApiError `validation_error` for more fields, or a name that no filter takes.
     */
    async facets(
      storeId: string,
      fields: readonly string[],
      rows?: RowSet | undefined,
    ): Promise<Record<string, Facet>> {
      checkFields(fields)
      const set = rows ?? (await resolve(storeId, EVERYTHING)).rows
      return locked(storeId, async () => {
        const known = counted.get(set) ?? new BoundedMap<string, Facet>(LIMITS.facetFieldsMax)
        const missing = [...new Set(fields)].filter((field) => !known.has(`${storeId}/${field}`))
        const fresh = missing.length === 0 ? [] : await countValues(storeId, missing, set)
        const all = new Map([
          ...known,
          ...[...fresh].map(([field, facet]) => [`${storeId}/${field}`, facet] as const),
        ])
        // The price that is paid changes with time where sales begin or end.
        const isKept = (field: string) => !isPrice(field) || !queries.hasDatedSales(storeId)
        for (const [field, facet] of fresh) if (isKept(field)) known.set(`${storeId}/${field}`, facet)
        counted.set(set, known)
        return Object.fromEntries(fields.map((field) => [field, all.get(`${storeId}/${field}`) as Facet]))
      })
    },
  }
}

/** The only product ids that can pass the filter; undefined if it does not limit them. */
function findIds(root: Filter['root']): readonly string[] | undefined {
  for (const condition of listRequired(root)) {
    if ('near' in condition || condition.test.op !== 'equals') continue
    if (condition.field.kind === 'own' && condition.field.name === 'product_id') return condition.test.texts
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

/** @throws ApiError `validation_error` */
function checkFields(fields: readonly string[]): void {
  const fail = createFailures()
  if (fields.length > LIMITS.facetFieldsMax) {
    throw fail.invalid('/facets', 'max_items', `must have at most ${LIMITS.facetFieldsMax} items`)
  }
  for (const [n, field] of fields.entries()) {
    if (field === '' || field.length > LIMITS.filterTextCharsMax || field.includes('\0')) {
      throw fail.invalid(`/facets/${n}`, 'format', 'must be the name of a field')
    }
  }
}
