/** The fields of a product that a column can fill. */
export const FIELDS = [
  'product_id',
  'image_url',
  'additional_image_urls',
  'name',
  'category',
  'brand',
  'price',
  'sale_price',
  'currency',
  'color_name',
  'tags',
  'in_stock',
  'variant_group',
  'sku',
  'gtin',
  'url',
  'rating',
] as const
export type Field = (typeof FIELDS)[number]

/** A field, or any other key of the metadata. */
export type Target = Field | `metadata.${string}`

/**
 * Says which columns fill which field. The first column with a value counts; of the pictures and the tags all count, in
 * this order.
 */
export type Mapping = Readonly<Partial<Record<Target, readonly string[]>>>

export type Platform = 'shopify' | 'woocommerce' | 'google' | 'plain'

/** How to read the products of one file. */
export interface Plan {
  platform: Platform
  mapping: Mapping
  /** The column by which consecutive rows belong together: the handle of Shopify. */
  groupBy?: string | undefined
  /** Each variant becomes a product of its own, because the ids are those of variants. */
  perVariant: boolean
  /** The columns that nothing reads. */
  unmapped: string[]
}
