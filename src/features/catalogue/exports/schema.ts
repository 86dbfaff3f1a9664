import { t } from 'elysia'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import type { Metadata } from '../products/schema.ts'

export const ExportQuery = t.Object({
  format: t.Optional(
    oneOf(['ndjson', 'csv'] as const, '`csv` makes a table for spreadsheets; `ndjson` is the default.'),
  ),
  fields: t.Optional(
    text({
      maxLength: 10_000,
      description:
        'Columns of the table in their order, separated by commas: `product_id`, `image_url`, `additional_image_urls`, keys of the metadata with or without `metadata.` before them, and `metadata` for all keys without a column. Without this parameter the table has them all.',
      examples: ['product_id,name,price'],
    }),
  ),
  filters: t.Optional(
    text({
      maxLength: 10_000,
      description: 'A filter as JSON text, as in searches: only products that pass.',
      examples: ['[{"field":"category","operator":"eq","value":"Shoes"}]'],
    }),
  ),
  vectors: t.Optional(
    oneOf(
      ['true', 'false'] as const,
      '`true` adds the facts and the vectors of all pictures, and the model that they are of. NDJSON alone has them.',
    ),
  ),
  thumbnails: t.Optional(
    oneOf(
      ['true', 'false'] as const,
      '`true` also adds the thumbnail of each picture, as base64. It goes with `vectors=true`.',
    ),
  ),
})
export type ExportQuery = typeof ExportQuery.static

/** A key of the metadata is a column with this before it. */
export const FIELD_PREFIX = 'metadata.'
/** The column of all keys that have none of their own. */
export const REST_COLUMN = 'metadata'

const OWN_COLUMNS = ['product_id', 'image_url', 'additional_image_urls'] as const

export type ProductColumn = (typeof OWN_COLUMNS)[number] | typeof REST_COLUMN | `metadata.${string}`

/** A key that a heading can be: other characters might not come back from a spreadsheet as they were. */
const COLUMN_KEY = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_. -]{0,98}[\p{L}\p{N}_])?$/u

/** The column of a field; undefined for a key that can have none. */
export function toColumn(field: string): ProductColumn | undefined {
  if (field === REST_COLUMN || (OWN_COLUMNS as readonly string[]).includes(field))
    return field as ProductColumn
  const key = field.startsWith(FIELD_PREFIX) ? field.slice(FIELD_PREFIX.length) : field
  return COLUMN_KEY.test(key) ? `${FIELD_PREFIX}${key}` : undefined
}

/** Whether a table with these columns is an export: no other program writes exactly them. */
export const isExport = (columns: readonly string[]): boolean =>
  columns.includes('product_id') &&
  columns.includes('image_url') &&
  columns.some((column) => column === REST_COLUMN || column.startsWith(FIELD_PREFIX)) &&
  columns.every((column) => toColumn(column) === column)

/** One line of an export: what indexing takes, so that an import takes it back. */
export interface ExportedProduct {
  product_id: string
  image_url: string
  additional_image_urls: string[]
  metadata: Metadata
  /** Only with vectors. */
  model?: { id: string; hash: string }
  pictures?: ExportedPicture[]
}

export interface ExportedPicture {
  image_url: string
  /** SHA-256 of the bytes, hex. */
  content_hash: string
  content_type: string
  bytes: number
  /** Pixels, after EXIF rotation. */
  width: number
  height: number
  phash: string
  palette: { hex: string; share: number }[]
  /** Base64 of 32-bit floats, the low byte first; null without a vector of the present model. */
  vector: string | null
  /** Only with thumbnails. Base64 of a WebP file; null without one. */
  thumbnail?: string | null
}
