import { t } from 'elysia'
import { oneOf } from '../../../http/schema.ts'
import type { Metadata } from '../products/schema.ts'

export const ExportQuery = t.Object({
  vectors: t.Optional(
    oneOf(
      ['true', 'false'] as const,
      '`true` adds the facts and the vectors of all pictures, and the model that they are of.',
    ),
  ),
})
export type ExportQuery = typeof ExportQuery.static

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
}
