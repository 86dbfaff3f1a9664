import { isDeepStrictEqual } from 'node:util'
import type { Product } from '../products/schema.ts'

/** A product as the store has it. */
export interface StoredProduct {
  /** As it is saved; the main picture first. */
  imageUrls: readonly string[]
  metadata: object
  isDemo: boolean
}

export interface ComparisonDeps {
  findStored(storeId: string, productId: string): StoredProduct | undefined
  /** An address as the API shows it. */
  toPublicUrl(url: string): string
  /** Products of the store, those of the demo included. */
  countProducts(storeId: string): number
  countDemo(storeId: string): number
}

/** The effect of an import on the products of a store. */
export interface Difference {
  new: number
  changed: number
  unchanged: number
  /** Products of the store that the file does not name; those of the demo do not count. */
  gone: number
}

/** Holds the products of a file against those of a store, one by one. Of rows with the same id the first counts. */
export function compareWithStore(deps: ComparisonDeps, storeId: string) {
  const { findStored, toPublicUrl, countProducts, countDemo } = deps
  const seen = new Set<string>()
  const counts = { new: 0, changed: 0, unchanged: 0 }
  /** Products of the shop itself that the file names. */
  let own = 0

  /** The rule of the writer (`products/changed-fields.ts`), as far as it can be told without the pictures. */
  const isSame = (
    stored: StoredProduct,
    { image_url, additional_image_urls = [], metadata = {} }: Product,
  ) => {
    const urls = [image_url, ...additional_image_urls]
    return (
      // A product of the shop takes the place of one of the demo, whatever it looks like.
      !stored.isDemo &&
      stored.imageUrls.length === urls.length &&
      urls.every((url, n) => !isAddress(url) || toPublicUrl(stored.imageUrls[n] ?? '') === url) &&
      isDeepStrictEqual(stored.metadata, metadata)
    )
  }

  /** Takes a name that the file has, of a row that may be wrong otherwise. @returns whether it is the first one. */
  function name(productId: string): boolean {
    if (seen.has(productId)) return false
    seen.add(productId)
    return true
  }

  return {
    add(product: Product): void {
      if (!name(product.product_id)) return
      const stored = findStored(storeId, product.product_id)
      if (!stored) counts.new++
      else {
        if (!stored.isDemo) own++
        counts[isSame(stored, product) ? 'unchanged' : 'changed']++
      }
    },
    /** A product whose row is wrong stays as it is. */
    addWrong(productId: string | null): void {
      if (productId === null || !name(productId)) return
      const stored = findStored(storeId, productId)
      if (stored && !stored.isDemo) own++
    },
    end: (): Difference => ({
      ...counts,
      gone: Math.max(0, countProducts(storeId) - countDemo(storeId) - own),
    }),
  }
}

/** A picture that came along has no address to compare, so it counts as the same. */
const isAddress = (url: string): boolean => /^https?:/i.test(url)
