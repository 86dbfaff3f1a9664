import { fold } from '../../../../core/text.ts'
import { readWords } from './fields.ts'
import { splitInto } from './tokens.ts'
import type { Variants } from './variants.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { ProductWords } from './words.ts'

/** A word of a query that a product has, and the key of its metadata that has it, or `product_id`. */
export interface WordMatch {
  word: string
  field: string
}

/** Finds the words of a query in a product. */
export type MatchWords = (productId: string, metadata: Record<string, unknown>) => WordMatch[]

/** Fields whose words are compared, by the keys of the metadata. */
const FIELDS = [
  ['name', 'name'],
  ['brand', 'brand'],
  ['category', 'category'],
  ['color_name', 'color'],
  ['tags', 'tags'],
  ['sku', 'sku'],
  ['description', 'description'],
] as const satisfies readonly (readonly [field: string, name: keyof ProductWords])[]

/** Fields that count only where they are the whole query. */
const WHOLE = [
  ['product_id', 'productId'],
  ['gtin', 'gtin'],
] as const satisfies readonly (readonly [field: string, name: keyof ProductWords])[]

/**
 * Creates what finds the words of a query in a product, as the score counts them: with their other forms, parts and typos.
 *
 * @param asked the words of the query, with those of the store that stand for them. Valid for one tick.
 */
export function createMatcher(
  query: string,
  asked: readonly (Pick<Variants, 'variants'> & { word: string })[],
  find: Vocabulary['find'],
): MatchWords {
  const wordsOf = new Map<number, string[]>()
  for (const { word, variants } of asked)
    for (const variant of variants) wordsOf.set(variant.word, [...(wordsOf.get(variant.word) ?? []), word])
  const whole = fold(query.trim())

  function listWordsIn(texts: readonly string[]): Set<string> {
    const found = new Set<string>()
    for (const text of texts)
      splitInto(text, (units, start, end) => {
        for (const word of wordsOf.get(find(units.subarray(start, end))) ?? []) found.add(word)
      })
    return found
  }

  return (productId, metadata) => {
    const words = readWords(productId, metadata)
    const matches = FIELDS.flatMap(([field, name]) => {
      const text = words[name]
      return [...listWordsIn(text === undefined ? [] : [text].flat())].map((word) => ({ word, field }))
    })
    const names = WHOLE.filter(([, name]) => whole !== '' && fold(words[name] ?? '') === whole)
    return [...matches, ...names.map(([field]) => ({ word: query.trim(), field }))]
  }
}
