import { readValue } from '../../../../http/csv-values.ts'
import { FIELD_PREFIX, isExport, REST_COLUMN, toColumn } from '../../exports/schema.ts'
import { typeOfField } from '../../products/schema.ts'
import type { Cells } from '../formats/record.ts'
import { FIELDS, type Mapping, type Plan, type Target } from './mapping.ts'
import type { MappedProduct } from './products.ts'
import { readNumber, readStock, splitAddresses } from './values.ts'

/** The target of a column: a field of a mapping has no prefix. */
const toTarget = (column: string): Target => {
  const key = column.startsWith(FIELD_PREFIX) ? column.slice(FIELD_PREFIX.length) : column
  const isField = (FIELDS as readonly string[]).includes(key) && toColumn(key) === column
  return (isField ? key : column) as Target
}

/**
 * The plan for a table that an export of products wrote; undefined for any other table, and where the mapping names a
 * column of it.
 */
export function planOwnExport(columns: readonly string[], own: Mapping): Plan | undefined {
  if (!isExport(columns)) return undefined
  if (Object.values(own).some((wanted) => wanted?.some((column) => columns.includes(column))))
    return undefined
  return {
    platform: 'lookalike',
    mapping: Object.fromEntries(
      columns.filter((column) => column !== REST_COLUMN).map((column) => [toTarget(column), [column]]),
    ),
    roles: {},
    options: [],
    categories: { levels: />/ },
    hasFamilies: false,
    perVariant: false,
    unmapped: [],
    mayWant: [],
    findings: [],
  }
}

/** Reads one row of an export: each value has the type with which it was written, and an empty cell is none. */
export function readOwnProduct(cells: Cells): MappedProduct {
  const metadata: [string, unknown][] = []
  const rest = readCell(cells, REST_COLUMN, 'any')
  for (const column of cells.keys()) {
    if (!column.startsWith(FIELD_PREFIX)) continue
    const key = column.slice(FIELD_PREFIX.length)
    const value = readField(key, cells, column)
    if (value !== undefined) metadata.push([key, value])
  }
  const product_id = readCell(cells, 'product_id', 'text')
  const image_url = readCell(cells, 'image_url', 'text')
  const others = readCell(cells, 'additional_image_urls', 'any')
  // Whatever has another type is refused by the check of the product, with its place.
  return {
    ...{ product_id, image_url },
    ...(others !== undefined && {
      additional_image_urls: typeof others === 'string' ? splitAddresses(others) : others,
    }),
    metadata: rest === undefined || isObject(rest) ? { ...rest, ...Object.fromEntries(metadata) } : rest,
  } as MappedProduct
}

const readCell = (cells: Cells, column: string, type: 'text' | 'any'): unknown =>
  readValue(cells.get(column)?.[0] ?? '', type)

/** A spreadsheet writes numbers and yes or no in the language of its user. */
function readField(key: string, cells: Cells, column: string): unknown {
  const type = typeOfField(key)
  const value = readCell(cells, column, type === 'string' ? 'text' : 'any')
  if (typeof value !== 'string') return value
  if (type === 'number') return readNumber(value) ?? value
  return type === 'boolean' ? (readStock(value) ?? value) : value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
