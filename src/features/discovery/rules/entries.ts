import { stemmer } from 'stemmer'
import { LIMITS } from '../../../core/limits.ts'

/** Splits a text into its different words, folded, in their order and up to a number. */
export type ListWords = (text: string, max: number) => string[]

/** An entry of a rule's words. */
export interface Entry {
  stems: readonly string[]
  /** Whether it must be the whole query. */
  isWhole: boolean
}

/** Pairs of quotation marks of eight languages, with which people also close what they have not opened so. */
const QUOTED = /^\s*["“”„«»](.*)["“”„«»]\s*$/su

/** Words of a query that are compared. */
const QUERY_WORDS_MAX = 64

/** Words that the English stemmer knows how to take apart, as in the index of products. */
const STEMMED = /^[a-z]{3,}$/

/** A shorter stem keeps its ending. */
const PLURAL_UNITS_MIN = 5

/**
 * The stem of a folded word: as in the index of products, and without the -n of German and Dutch plurals ("Tassen", "schoenen"),
 * which that stemmer leaves. A form that has another stem takes an entry of its own.
 */
function stemOf(word: string): string {
  if (!STEMMED.test(word)) return word
  let stem = stemmer(word)
  while (stem.length >= PLURAL_UNITS_MIN && stem.endsWith('n')) stem = stem.replace(/e?n$/, '')
  return stem
}

export const listStems = (listWords: ListWords, text: string, max = QUERY_WORDS_MAX): string[] => [
  ...new Set(listWords(text, max).map(stemOf)),
]

/** Reads an entry. @returns undefined for one without words, or with too many. */
export function readEntry(listWords: ListWords, text: string): Entry | undefined {
  const quoted = QUOTED.exec(text)?.[1]
  const words = listWords(quoted ?? text, LIMITS.ruleEntryWordsMax + 1)
  if (words.length === 0 || words.length > LIMITS.ruleEntryWordsMax) return undefined
  return { stems: [...new Set(words.map(stemOf))], isWhole: quoted !== undefined }
}
