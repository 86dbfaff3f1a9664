import type { Finding } from '../schema.ts'

/** The fields of a product that a column can fill. */
export const FIELDS = [
  'product_id',
  'image_url',
  'additional_image_urls',
  'name',
  'description',
  'category',
  'brand',
  'price',
  'sale_price',
  'sale_price_from',
  'sale_price_until',
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

export const PLATFORMS = [
  /** A table that an export of products wrote (contract 2.13). */
  'lookalike',
  'shopify',
  'woocommerce',
  'google',
  'prestashop',
  'opencart',
  'magento',
  'plain',
] as const
export type Platform = (typeof PLATFORMS)[number]

/** The meanings of a platform's column that are not fields of a product. */
export type Role =
  /** The price before a sale, where the price is what is paid (Shopify). */
  | 'compare_at'
  /** The discount of a sale, as an amount and in per cent (PrestaShop). */
  | 'discount_amount'
  | 'discount_percent'
  /** Both dates of a sale: `2026-11-01/2026-11-08` (Google). */
  | 'sale_dates'
  /** Whether pieces are counted at all, whether it can be bought without any, whether it can be bought. */
  | 'tracker'
  | 'backorders'
  | 'orderable'
  /** Whether the shop shows it: yes or no, or a word. */
  | 'published'
  | 'status'
  | 'visibility'
  /** The type of the product, and the product that a variation belongs to. */
  | 'type'
  | 'parent'
  /** The id by which variations may name their parent. */
  | 'id'
  /** The variations that a product lists (Magento). */
  | 'variations'
  /** `color=Red,size=M` */
  | 'attributes'
  /** The picture of a variant. */
  | 'variant_image'
  /** A row of a product in another language. */
  | 'store_view'

export type Roles = Readonly<Partial<Record<Role, readonly string[]>>>

/** How a platform writes categories in one cell. */
export interface CategoryStyle {
  /** Between several categories. */
  list?: RegExp
  /** Between the levels of one. */
  levels: RegExp
  /** Levels that every product has, in small letters. */
  roots?: readonly string[]
  /** Several categories of one depth are listed from the widest to the narrowest. */
  narrowsDown?: boolean
}

/** The two columns of an option of variants (Shopify) or an attribute (WooCommerce). */
export interface Option {
  name: string
  value: string
}

/** How to read the products of one file. */
export interface Plan {
  platform: Platform
  mapping: Mapping
  roles: Roles
  options: readonly Option[]
  categories: CategoryStyle
  /** The column by which consecutive rows belong together: the handle of Shopify. */
  groupBy?: string | undefined
  /** Variations are rows of their own, and take from their parent what they lack. */
  hasFamilies: boolean
  /** Each variant becomes a product of its own, because the ids are those of variants. */
  perVariant: boolean
  /** The columns that nothing reads. */
  unmapped: string[]
  /** Those of them that have values and are not known to be of no use for a search. */
  mayWant: string[]
  /** The column for pictures holds pages instead, such as `example`. */
  pages?: { column: string; example: string } | undefined
  /** What the columns alone tell. */
  findings: Finding[]
}
