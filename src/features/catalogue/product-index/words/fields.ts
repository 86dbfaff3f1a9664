import { readIndexedText } from '../../../../core/html-text.ts'
import { addText, endPrint, newPrint, type Print } from './tokens.ts'
import type { ProductWords } from './words.ts'

/** More tags of one product are not read; the words of a product are bounded in any case. */
const TAGS_MAX = 256
/** Characters of a description that are read, without its HTML. */
const DESCRIPTION_CHARS_MAX = 500

/** The texts of a product's metadata that words are looked for in; values of other types are left out. */
export function readWords(productId: string, metadata: Record<string, unknown>): ProductWords {
  const { name, brand, category, color_name: color, tags, sku, gtin, description } = metadata
  return {
    productId,
    name: textOf(name),
    brand: textOf(brand),
    category: textOf(category),
    color: textOf(color),
    tags: Array.isArray(tags) ? tags.slice(0, TAGS_MAX).filter((tag) => typeof tag === 'string') : undefined,
    sku: codeOf(sku),
    gtin: codeOf(gtin),
    description:
      typeof description === 'string' ? readIndexedText(description, DESCRIPTION_CHARS_MAX) : undefined,
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Shops often write numbers of articles as numbers. */
const codeOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : textOf(value)

/** A print of all that words are read from; the lengths keep apart what stands in different fields. */
export function printWords(words: ProductWords): Print {
  const { productId, name, brand, category, color, tags, sku, gtin, description } = words
  const print = newPrint()
  const add = (text: string | undefined) => {
    print.hash ^= (text?.length ?? -1) + 1
    if (text) addText(print, text, false)
  }
  for (const text of [productId, name, brand, category, color, sku, gtin, description]) add(text)
  if (tags) for (const tag of tags) add(tag)
  return endPrint(print)
}
