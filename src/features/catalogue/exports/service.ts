import type { Problem } from '../../../core/problem.ts'
import { validationError } from '../../../http/validation.ts'
import type { FieldsService } from '../filters/fields/service.ts'
import type { FilterService } from '../filters/service.ts'
import type { LineOptions } from './product-lines.ts'
import { type ExportQuery, type ProductColumn, REST_COLUMN, toColumn } from './schema.ts'

export interface ExportDeps {
  filters: Pick<FilterService, 'parse' | 'resolve'>
  readFields: FieldsService['read']
}

/** The columns of one table; metadata has at most 200 keys. */
const COLUMNS_MAX = 250

export type ExportService = ReturnType<typeof exportService>

/** Reads what an export is asked for (contract 2.13). */
export function exportService({ filters, readFields }: ExportDeps) {
  /** Keys that came after the count, or beyond its bound, stand in the column of the rest. */
  async function listAllColumns(storeId: string): Promise<ProductColumn[]> {
    const { fields } = await readFields(storeId)
    // A name with dots may be a key or a way into an object.
    const keys = fields.flatMap(({ field }) => (field.includes('.') ? [] : [`metadata.${field}`]))
    return [
      ...(['product_id', 'image_url', 'additional_image_urls'] as const),
      ...keys.flatMap((key) => toColumn(key) ?? []),
      REST_COLUMN,
    ]
  }

  return {
    /**
     * Reads a query; the selection is that of this moment.
     *
     * @throws ApiError `validation_error`, and the codes of filters.
     */
    async read(storeId: string, query: ExportQuery): Promise<LineOptions> {
      const isTable = query.format === 'csv'
      if (!isTable && query.fields !== undefined) throw misplaced('fields', 'goes with format=csv alone')
      if (isTable && query.vectors === 'true') throw misplaced('vectors', 'does not go with format=csv')
      if (query.thumbnails === 'true' && query.vectors !== 'true') {
        throw misplaced('thumbnails', 'goes with vectors=true alone')
      }
      const wanted = query.fields === undefined ? undefined : readColumns(query.fields)
      const filter =
        query.filters === undefined ? undefined : filters.parse(readJson(query.filters), '/filters')
      return {
        rows: filter && (await filters.resolve(storeId, filter)).rows,
        columns: isTable ? (wanted ?? (await listAllColumns(storeId))) : undefined,
        hasVectors: query.vectors === 'true',
        hasThumbnails: query.thumbnails === 'true',
      }
    },
  }
}

/** @throws ApiError `validation_error` for a name that no column can have. */
function readColumns(list: string): ProductColumn[] {
  const names = new Set(
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  if (names.size === 0) throw misplaced('fields', 'must name a column')
  if (names.size > COLUMNS_MAX) throw misplaced('fields', `must name at most ${COLUMNS_MAX} columns`)
  const columns = [...names].map((name) => {
    const column = toColumn(name)
    if (column === undefined) {
      throw misplaced(
        'fields',
        'must name keys of letters, digits, blanks, _, - and dots; `metadata` has the others',
      )
    }
    return column
  })
  return [...new Set(columns)]
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw misplaced('filters', 'must be JSON')
  }
}

const misplaced = (name: string, message: string) =>
  validationError([{ in: 'query', pointer: `/${name}`, code: 'format', message } satisfies Problem])
