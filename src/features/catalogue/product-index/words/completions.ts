import { type Postings, WEIGHT_MAX } from './postings.ts'
import { splitInto } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A word that completes the last one of a text. */
export interface Completion {
  /** Folded, as words are compared. */
  word: string
  /** Products that have it; fewer have it together with the words before. */
  documents: number
  /** Rows of some products that have it together with the words before. */
  products: number[]
}

/** Words that are looked at, those whose products are looked at, and the products of each: a bound for any store. */
const LOOKS_MAX = 2_000
const TRIED_MAX = 32
const DOCUMENTS_MAX = 200

/**
 * Completes the last word of a text by words of the products, those of most products first.
 *
 * @param options.max words, and `each` the products of each.
 * @param options.accepts whether a row may be found.
 */
export function complete(
  { vocabulary, postings, productOf, weightAbove }: CompletionDeps,
  text: string,
  { max, each, accepts }: CompletionOptions,
): Completion[] {
  const asked: Uint16Array[] = []
  splitInto(text, (units, start, end) => asked.push(units.slice(start, end)))
  const last = asked.pop()
  // One letter begins too many words to say anything.
  if (!last || last.length < 2) return []
  const before = asked.map(vocabulary.find)
  if (before.includes(0)) return []
  const words: number[] = []
  vocabulary.visitBeginning(last, LOOKS_MAX, (word) => words.push(word))
  words.sort((a, b) => postings.count(b) - postings.count(a) || a - b)

  function listProducts(word: number): number[] {
    const { items, start, end } = postings.read(word)
    const products: number[] = []
    for (let n = start; n < Math.min(end, start + DOCUMENTS_MAX) && products.length < each; n++) {
      const posting = items[n] as number
      const document = posting >>> 8
      if ((posting & WEIGHT_MAX) <= weightAbove || !accepts(productOf(document))) continue
      if (before.every((one) => postings.weightOf(one, document) > weightAbove))
        products.push(productOf(document))
    }
    return products
  }

  const found: Completion[] = []
  for (const word of words.slice(0, TRIED_MAX)) {
    if (found.length === max) break
    const products = listProducts(word)
    if (products.length > 0)
      found.push({ word: vocabulary.spell(word), documents: postings.count(word), products })
  }
  return found
}

export interface CompletionDeps {
  vocabulary: Pick<Vocabulary, 'find' | 'spell' | 'visitBeginning'>
  postings: Pick<Postings, 'read' | 'count' | 'weightOf'>
  productOf(document: number): number
  /** Words that weigh no more in a product do not count. */
  weightAbove: number
}

export interface CompletionOptions {
  max: number
  each: number
  accepts(product: number): boolean
}
