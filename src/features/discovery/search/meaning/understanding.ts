import type { Shade } from '../../../../core/colours/shades.ts'
import { placeWords, splitWords } from '../../../../core/text.ts'
import type { Stretch } from '../../../catalogue/product-index/words/asked.ts'
import type { Alternative } from '../alternatives.ts'
import type { Dictionary } from './dictionary.ts'
import { type Meaning, readMeaning } from './reader.ts'
import { type Translated, type Translation, translate } from './translation.ts'

/** What a store says of its shop. */
export interface ShopFacts {
  /** A code of ISO 4217; null for none. */
  currency: string | null
  /** A language, maybe with a country; null for none. */
  locale: string | null
}

/** What is understood of a query. */
export interface Understood extends Meaning {
  /** The query as it was typed. */
  typed: string
  translation?: Translation | undefined
}

export interface Reader {
  shop: ShopFacts
  dictionary: Dictionary
  /** Whether prices may not be read: the searcher must not learn of them. */
  keepsPrices: boolean
  /** Whether a product is named so; no price is read into its name. */
  isName(text: string): boolean
}

/** Takes what a query says of prices and of what is unwanted out of it. */
export function understand(
  typed: string,
  { shop, keepsPrices, isName }: Omit<Reader, 'dictionary'>,
): Understood {
  const { currency } = shop
  const meaning = readMeaning(typed, { currency, keepsPrices })
  const saysPrice = meaning.priceMin !== undefined || meaning.priceMax !== undefined
  const read = saysPrice && isName(typed) ? readMeaning(typed, { currency, keepsPrices: true }) : meaning
  return { ...read, typed }
}

/** What a translation gives to a search. */
export interface ForeignWords {
  translation: Translation
  /** Read by the model in place of the query. */
  alternatives: readonly Alternative[]
  /** The stretches that were understood, for which nothing is a typo. */
  explained: readonly Alternative[]
  /** Words that were split to be understood. They may still be typos. */
  uncertain: readonly string[]
  /** What counts in products as if they had said the words. */
  standIns: readonly Stretch[]
  colours: ReadonlyMap<string, Shade>
}

/** @param text what is searched for. @param taken stretches that the store itself has given a meaning. */
export function readForeignWords(
  text: string,
  taken: readonly Alternative[],
  {
    shop,
    dictionary,
    languages = ['en'],
    listUnheld,
  }: Pick<Reader, 'shop' | 'dictionary'> & {
    languages?: readonly string[] | undefined
    /** Those of the words of a text that no product has; absent where nobody may know. */
    listUnheld?: ((text: string, words: readonly string[]) => readonly string[]) | undefined
  },
): ForeignWords | undefined {
  const isHeld = listUnheld && ((word: string) => listUnheld(word, splitWords(word)).length === 0)
  const translation = translate(dictionary, text, { ...shop, isHeld })
  if (!translation) return undefined
  const words = placeWords(text).map(({ word }) => word)
  const isFree = ({ from, to }: Translated) => taken.every((own) => own.to <= from || own.from >= to)
  const parts = translation.parts.filter(({ kind }) => kind === 'thing' || kind === 'colour').filter(isFree)
  const instead = parts.map(({ from, to, english }): Alternative => {
    return { from, to, instead: [english], for: 'model' }
  })
  const whole: Alternative = { from: 0, to: words.length, instead: [translation.text], for: 'model' }
  const isWhole = taken.length === 0 && translation.parts.at(-1)?.to === words.length
  const isKnown = languages.includes(translation.language)
  const unheld = new Set(listUnheld ? listUnheld(text, words) : words)
  // What the store says of a stretch is what it means here.
  const told = translation.parts.map((part) => (isFree(part) ? part : { ...part, kind: 'other' as const }))
  return {
    translation: { ...translation, parts: told },
    alternatives: isKnown ? [] : isWhole ? [whole] : instead,
    explained: instead.filter((_, n) => parts[n]?.certainty === undefined),
    uncertain: parts.flatMap(({ from, to, certainty }) =>
      certainty === undefined ? [] : words.slice(from, to),
    ),
    standIns: parts
      .filter(({ from, to }) => words.slice(from, to).some((word) => unheld.has(word)))
      .map(({ from, to, english }) => ({ words: words.slice(from, to).join(' '), instead: [english] })),
    colours: new Map(
      translation.parts.flatMap(({ from, shade }) =>
        shade ? [[translation.words[from] as string, shade] as const] : [],
      ),
    ),
  }
}

/** What else says that something is unwanted: "Ärmel" also as "sleeve". */
export function listUnwanted(
  { without }: Pick<Understood, 'without'>,
  dictionary: Dictionary,
  shop: ShopFacts,
): string[][] {
  return without.map((thing) => {
    const english = translate(dictionary, thing, shop)?.text
    return english === undefined ? [thing] : [thing, english]
  })
}
