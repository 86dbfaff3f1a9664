import { validationError } from '../../../http/validation.ts'
import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { SearchFilter } from '../../catalogue/product-index/mask.ts'
import { type Condition, intersect } from './condition.ts'
import type { SearchQueries } from './queries.ts'
import type { CommonSearch } from './schema.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'

type PreFilters = Pick<CommonSearch, 'category' | 'color' | 'price_min' | 'price_max'>

type ParsedFilter = ReturnType<FilterService['parse']>

/** The filters of one search. */
export interface SearchFilters {
  /** The pre-filters. */
  fields: SearchFilter
  /** Those of the request in the filter language. */
  own: readonly ParsedFilter[]
  /** The one that the searcher cannot leave out; undefined for none. */
  forced: ParsedFilter | undefined
}

export interface FilterReaderDeps {
  filters: Pick<FilterService, 'parse' | 'resolve'>
  queries: Pick<SearchQueries, 'findFirstPicture'>
  findStore(storeId: string): SearchedStore | undefined
}

export type FilterReader = ReturnType<typeof createFilterReader>

/** Creates the one place where searches read filters and learn which products pass. */
export function createFilterReader({ filters, queries, findStore }: FilterReaderDeps) {
  async function resolve(
    storeId: string,
    { fields, own, forced }: SearchFilters,
  ): Promise<{ condition: Condition; warnings: string[] }> {
    const sets: RowSet[] = []
    const warnings: string[] = []
    for (const filter of forced ? [...own, forced] : own) {
      const found = await filters.resolve(storeId, filter)
      sets.push(found.rows)
      warnings.push(...found.warnings)
    }
    return { condition: { fields, rows: intersect(sets) }, warnings }
  }

  return {
    /**
     * @param own in the filter language, by the field of the body that holds them.
     * @param body its pre-filters.
     * @throws ApiError `validation_error` and the codes of filters.
     */
    parse(
      { forcedFilters }: Searcher,
      own: Readonly<Record<string, unknown>>,
      body: PreFilters = {},
    ): SearchFilters {
      const read = (name: string, filter: unknown): ParsedFilter | undefined =>
        filter === undefined || filter === ''
          ? undefined
          : filters.parse(readJson(filter, `/${name}`), `/${name}`)
      return {
        fields: readFields(body),
        own: Object.entries(own).flatMap(([name, filter]) => read(name, filter) ?? []),
        forced: read('forced_filters', forcedFilters),
      }
    },

    resolve,

    /** Whether the forced filter lets a product of the store pass. */
    async reaches(storeId: string, { forced }: SearchFilters, productId: string): Promise<boolean> {
      if (!forced) return true
      const { condition } = await resolve(storeId, { fields: {}, own: [], forced })
      const store = findStore(storeId)
      const slot = store?.segment.findSlot(queries.findFirstPicture(storeId, productId)?.pictureId ?? -1)
      return (
        store !== undefined &&
        slot !== undefined &&
        Boolean(condition.rows?.has(store.columns.productAt(slot)))
      )
    },
  }
}

/** The pre-filters of a search. An empty field of a form is no filter. */
const readFields = ({ category, color, price_min, price_max }: PreFilters): SearchFilter => ({
  category: category?.trim() || undefined,
  color: color?.trim() || undefined,
  priceMin: price_min,
  priceMax: price_max,
})

/** Filters that also ask for prices; of two bounds the narrower one counts. */
export function withPrices(
  filters: SearchFilters,
  { priceMin, priceMax }: Pick<SearchFilter, 'priceMin' | 'priceMax'>,
): SearchFilters {
  if (priceMin === undefined && priceMax === undefined) return filters
  const { fields } = filters
  const narrow = (pick: (...all: number[]) => number, ...bounds: (number | undefined)[]) => {
    const given = bounds.filter((bound) => bound !== undefined)
    return given.length > 0 ? pick(...given) : undefined
  }
  return {
    ...filters,
    fields: {
      ...fields,
      priceMin: narrow(Math.max, fields.priceMin, priceMin),
      priceMax: narrow(Math.min, fields.priceMax, priceMax),
    },
  }
}

/** Characters of a filter that is sent as text: it is read in one step. */
const FILTER_TEXT_CHARS_MAX = 1024 * 1024

/** Reads a filter that a form carries as text. */
function readJson(value: unknown, pointer: string): unknown {
  if (typeof value !== 'string') return value
  if (value.length > FILTER_TEXT_CHARS_MAX) {
    const message = `must have at most ${FILTER_TEXT_CHARS_MAX} characters`
    throw validationError([{ in: 'body', pointer, code: 'max_length', message }])
  }
  try {
    return JSON.parse(value)
  } catch {
    throw validationError([{ in: 'body', pointer, code: 'json', message: 'must be JSON' }])
  }
}
