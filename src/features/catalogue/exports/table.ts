import { type Cell, toCsvLine } from '../../../http/csv.ts'
import { writeValue } from '../../../http/csv-values.ts'
import { type Metadata, typeOfField } from '../products/schema.ts'
import { type ExportedProduct, FIELD_PREFIX, type ProductColumn, REST_COLUMN } from './schema.ts'

/** Writes products as rows of a table. No value stands twice, and each cell is one that an import reads as the same value. */
export function createProductTable(columns: readonly ProductColumn[]) {
  const keys = new Set(
    columns.flatMap((column) => (column.startsWith(FIELD_PREFIX) ? column.slice(FIELD_PREFIX.length) : [])),
  )

  function writeCell(
    product: ExportedProduct,
    column: ProductColumn,
    fields: ReadonlyMap<string, string>,
  ): Cell {
    if (column === 'product_id' || column === 'image_url') return writeValue(product[column], 'text') ?? null
    if (column === 'additional_image_urls') {
      const { additional_image_urls: urls } = product
      return urls.length > 0 ? (writeValue(urls, 'any') ?? null) : null
    }
    if (column === REST_COLUMN) return writeRest(product.metadata, fields)
    return fields.get(column.slice(FIELD_PREFIX.length)) ?? null
  }

  /** The cells of the keys that have a column. */
  function writeFields(metadata: Metadata): Map<string, string> {
    const cells = new Map<string, string>()
    for (const key in metadata) {
      const cell = keys.has(key) ? writeField(key, metadata[key]) : undefined
      if (cell !== undefined) cells.set(key, cell)
    }
    return cells
  }

  /** What has no cell of its own. */
  function writeRest(metadata: Metadata, fields: ReadonlyMap<string, string>): Cell {
    const rest = Object.entries(metadata).filter(([key]) => !fields.has(key))
    return rest.length > 0 ? (writeValue(Object.fromEntries(rest), 'any') ?? null) : null
  }

  return {
    heading: toCsvLine(columns),
    toLine(product: ExportedProduct): string {
      const fields = writeFields(product.metadata)
      return toCsvLine(columns.map((column) => writeCell(product, column, fields)))
    },
  }
}

/** Undefined for a value that no cell of the field can hold: null in a field of texts, for instance. */
const writeField = (key: string, value: unknown): string | undefined =>
  writeValue(value, typeOfField(key) === 'string' ? 'text' : 'any')
