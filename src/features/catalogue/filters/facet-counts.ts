import { BoundedMap } from '../../../core/bounded-map.ts'
import type { Clock } from '../../../core/clock.ts'
import type { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createFacetCounter, type Facet } from './facets.ts'
import { createFailures } from './failures.ts'
import type { Resolved } from './kept.ts'
import type { FilterQueries } from './queries.ts'
import type { RowSet } from './rows.ts'
import { isPrice } from './value-queries.ts'
import type { Walks } from './walk.ts'

export interface FacetCountsDeps {
  queries: Pick<FilterQueries, 'prepareValues' | 'hasDatedSales'>
  walks: Pick<Walks, 'alongRows'>
  clock: Pick<Clock, 'now'>
  /** One walk of a store at a time. */
  locked: ReturnType<typeof createKeyedLock>
  /** All products of a store. */
  resolveAll(storeId: string): Promise<Resolved>
}

/** Creates the count of facets, which keeps what it counted as long as the row set lives. */
export function createFacetCounts({ queries, walks, clock, locked, resolveAll }: FacetCountsDeps) {
  const counted = new WeakMap<RowSet, Map<string, Facet>>()

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

  /**
   * Counts the values of fields, for the products of a row set, or for all of a store.
   *
   * @param fields at most 10 names, as in filters.
   * @throws ApiError `validation_error` for more fields, or a name that no filter takes.
   */
  return async function countFacets(
    storeId: string,
    fields: readonly string[],
    rows?: RowSet | undefined,
  ): Promise<Record<string, Facet>> {
    checkFields(fields)
    const set = rows ?? (await resolveAll(storeId)).rows
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
  }
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
