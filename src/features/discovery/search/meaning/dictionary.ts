import { COMPOUNDS, type Language, stemOf } from './languages.ts'
import type { Words } from './word-table.ts'

/** What the words of one language are in English. */
export interface Column {
  /** By the stems of a word or of the words of a phrase. */
  stems: Words
  /** Words whose stem is that of another one, and all short ones, whose stems many have. */
  others: Words
  /** The stems with which phrases begin. */
  beginnings: Pick<Words, 'has'>
}

/** What a dictionary holds. */
export interface DictionaryTable {
  english: Pick<Words, 'has'>
  columns: ReadonlyMap<Language, Column>
}

export type Dictionary = ReturnType<typeof createDictionary>

/** Words of the longest phrase that is looked up. */
export const PHRASE_WORDS_MAX = 5

/** Words of so many letters have stems that others have as well: the Dutch "mok" and the Spanish "moka". */
export const SHORT_CHARS_MAX = 4

/** The parts of a compound. */
const PARTS_MAX = 3
const PART_CHARS_MIN = 3
/** The shortest end of a word that says what it is, where nobody knows its beginning. */
const HEAD_CHARS_MIN = 4
const COMPOUND_CHARS_MAX = 40
/** Letters between the parts of a compound. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er', 'e'] as const

const NOTHING: Words = new Map()
const EMPTY: Column = { stems: NOTHING, others: NOTHING, beginnings: NOTHING }

/** Creates a dictionary of several languages, which is empty without a table. */
export function createDictionary(table?: DictionaryTable) {
  const { english, columns } = table ?? { english: NOTHING, columns: new Map<Language, Column>() }
  const columnOf = (language: Language): Column => columns.get(language) ?? EMPTY

  /** What words mean together, in the form that they have or another one. */
  function find(language: Language, phrase: string): string | undefined {
    const { stems, others } = columnOf(language)
    return others.get(phrase) ?? stems.get(stemAll(phrase, language))
  }

  /** What a word means that is made of several. `isWhole` says whether all of them are known, and not the last one alone. */
  function findCompound(
    language: Language,
    word: string,
    parts = PARTS_MAX,
  ): { meaning: string; isWhole: boolean } | undefined {
    if (!COMPOUNDS.has(language) || word.length > COMPOUND_CHARS_MAX) return undefined
    let head: string | undefined
    for (let at = PART_CHARS_MIN; at <= word.length - PART_CHARS_MIN; at++) {
      const end = find(language, word.slice(at))
      if (end === undefined) continue
      const before = findBeginning(language, word.slice(0, at), parts - 1)
      if (before !== undefined) return { meaning: `${before} ${end}`, isWhole: true }
      if (word.length - at >= HEAD_CHARS_MIN) head ??= end
    }
    return head === undefined ? undefined : { meaning: head, isWhole: false }
  }

  /** What the first part of a compound means, without what links it to the next one. */
  function findBeginning(language: Language, beginning: string, parts: number): string | undefined {
    for (const link of LINKS) {
      if (!beginning.endsWith(link)) continue
      const found = find(language, beginning.slice(0, beginning.length - link.length))
      if (found !== undefined) return found
    }
    return parts > 1 ? findCompound(language, beginning, parts)?.meaning : undefined
  }

  return {
    find,
    findCompound,
    /** Whether a word is too short to be known by its stem, and no word of a language as it is. */
    isDoubtful: (language: Language, word: string): boolean =>
      word.length <= SHORT_CHARS_MAX && !columnOf(language).others.has(word),
    /** Whether a phrase of several words may begin with a word. */
    beginsPhrase: (language: Language, word: string): boolean =>
      columnOf(language).beginnings.has(stemOf(word, language)),
    /** Whether a word is the English one of a concept. */
    isEnglish: (word: string): boolean => english.has(word) || english.has(singularOf(word)),
  }
}

export const singularOf = (word: string): string =>
  word.endsWith('s') && word.length > 3 ? word.slice(0, -1) : word

/** The stems of the words of a phrase. */
export const stemAll = (phrase: string, language: Language): string =>
  phrase.includes(' ')
    ? phrase
        .split(' ')
        .map((word) => stemOf(word, language))
        .join(' ')
    : stemOf(phrase, language)
