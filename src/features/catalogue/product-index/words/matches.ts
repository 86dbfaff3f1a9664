import { fold } from '../../../../core/text.ts'
import { readWords } from './fields.ts'
import type { Phrase } from './phrases.ts'
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
 * @param query as it is typed, then as it is read.
 * @param asked the words of the query, with those of the store that stand for them. Valid for one tick.
 */
export function createMatcher(
  [query = '', ...others]: readonly string[],
  asked: readonly (Pick<Variants, 'variants'> & { word: string })[],
  find: Vocabulary['find'],
): MatchWords {
  const wordsOf = new Map<number, string[]>()
  const phrases: { word: string; forms: Phrase['forms'] }[] = []
  for (const { word, variants } of asked)
    for (const { phrase, word: number } of variants) {
      if (phrase) phrases.push({ word, forms: phrase.forms })
      else wordsOf.set(number, [...(wordsOf.get(number) ?? []), word])
    }
  const inPhrases = new Set(phrases.flatMap(({ forms }) => forms.flat()))
  const wholes = new Set([query, ...others].map((name) => fold(name)).filter((name) => name !== ''))

  /** The numbers of a field's words that stand for a word of the query, alone or with others. */
  function listNumbersIn(texts: readonly string[]): Set<number> {
    const found = new Set<number>()
    for (const text of texts)
      splitInto(text, (units, start, end) => {
        const number = find(units.subarray(start, end))
        if (wordsOf.has(number) || inPhrases.has(number)) found.add(number)
      })
    return found
  }

  return (productId, metadata) => {
    const words = readWords(productId, metadata)
    const fields = FIELDS.map(([field, name]) => {
      const text = words[name]
      return { field, numbers: listNumbersIn(text === undefined ? [] : [text].flat()) }
    })
    const hasAny = (forms: readonly number[]) =>
      fields.some(({ numbers }) => forms.some((n) => numbers.has(n)))
    const found = phrases.filter(({ forms }) => forms.every(hasAny))
    const matches = fields.flatMap(({ field, numbers }) => {
      const alone = [...numbers].flatMap((number) => wordsOf.get(number) ?? [])
      const together = found.filter(({ forms }) => forms.flat().some((n) => numbers.has(n)))
      return [...new Set([...alone, ...together.map(({ word }) => word)])].map((word) => ({ word, field }))
    })
    const names = WHOLE.filter(([, name]) => wholes.has(fold(words[name] ?? '')))
    return [...matches, ...names.map(([field]) => ({ word: query.trim(), field }))]
  }
}
