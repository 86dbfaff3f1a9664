import { validationError } from '../../../http/validation.ts'
import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import { intersect } from './condition.ts'
import type { SearchQueries } from './queries.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'

type ParsedFilter = ReturnType<FilterService['parse']>

/** The filters of one search, in the filter language. */
export interface SearchFilters {
  /** Those that the request asks for. */
  own: readonly ParsedFilter[]
  /** The one that the searcher cannot leave out; undefined for none. */
  forced: ParsedFilter | undefined
}

/** The products that filters let pass. */
interface Passing {
  /** Undefined where nothing is asked. */
  rows: RowSet | undefined
  warnings: string[]
}

export interface FilterReaderDeps {
  filters: Pick<FilterService, 'parse' | 'resolve'>
  queries: Pick<SearchQueries, 'findFirstPicture'>
  findStore(storeId: string): SearchedStore | undefined
}

export type FilterReader = ReturnType<typeof createFilterReader>

/** Creates the one place where searches read filters and learn which products pass. */
export function createFilterReader({ filters, queries, findStore }: FilterReaderDeps) {
  async function resolve(storeId: string, { own, forced }: SearchFilters): Promise<Passing> {
    const sets: RowSet[] = []
    const warnings: string[] = []
    for (const filter of forced ? [...own, forced] : own) {
      const found = await filters.resolve(storeId, filter)
      sets.push(found.rows)
      warnings.push(...found.warnings)
    }
    return { rows: intersect(sets), warnings }
  }

  return {
    /**
     * @param own by the field of the body that holds them.
     * @throws ApiError `validation_error` and the codes of filters.
     */
    parse({ forcedFilters }: Searcher, own: Readonly<Record<string, unknown>>): SearchFilters {
      const read = (name: string, filter: unknown): ParsedFilter | undefined =>
        filter === undefined || filter === ''
          ? undefined
          : filters.parse(readJson(filter, `/${name}`), `/${name}`)
      return {
        own: Object.entries(own).flatMap(([name, filter]) => read(name, filter) ?? []),
        forced: read('forced_filters', forcedFilters),
      }
    },

    resolve,

    /** Whether the forced filter lets a product of the store pass. */
    async reaches(storeId: string, { forced }: SearchFilters, productId: string): Promise<boolean> {
      if (!forced) return true
      const { rows } = await resolve(storeId, { own: [], forced })
      const store = findStore(storeId)
      const slot = store?.segment.findSlot(queries.findFirstPicture(storeId, productId)?.pictureId ?? -1)
      return store !== undefined && slot !== undefined && Boolean(rows?.has(store.columns.productAt(slot)))
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
