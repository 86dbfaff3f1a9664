import { addText, endPrint, newPrint, type Print } from './tokens.ts'
import type { ProductWords } from './words.ts'

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
