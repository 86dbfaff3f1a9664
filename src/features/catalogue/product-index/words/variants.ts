import { type QueryText, readStandIns, type StandIn } from './asked.ts'
import { findPhrase, type Phrase } from './phrases.ts'
import type { PostingList, Postings } from './postings.ts'
import { listWords } from './tokens.ts'
import { unitsOf, type Vocabulary } from './vocabulary.ts'

/** Shares of the score of a full match. */
export const FACTORS = {
  /** Another form of the same stem: "mugs" for "mug". */
  stem: 0.8,
  /** A word that begins with the last word of the query, which may not be complete. */
  lastBeginning: 0.4,
  /** A word that begins or ends with the query's: "Ledertasche" for "tasche". */
  part: 0.3,
  typo: 0.6,
} as const

const LAST_BEGINNING_UNITS_MIN = 2
const PART_UNITS_MIN = 4
/** A compound has this many letters more than its end. */
const ENDING_ADDS_MIN = 3
const TYPO_UNITS_MIN = 4
const TYPO_UNITS_MAX = 20

/** The words that a part of a word may stand for: those that most products have. */
const PARTS_MAX = 64
/** Words that are looked at for that, at either end of all words of a query together: some 7 ms of work. */
const LOOKED_AT_MAX = 20_000
/** The same for all that stands for words of the query. */
const OTHERS_LOOKED_AT_MAX = 5_000
/** Postings of the rarest words of phrases that one query looks at: some 10 ms of work. Phrases beyond are left out. */
const PHRASES_LOOKED_AT_MAX = 100_000

/** A word of the store that stands for one of the query, or several that do so where a product has them all. */
export interface Variant {
  /** 0 for several. */
  word: number
  phrase?: Phrase
  /** Of the score of a full match with the rarity of `documents`. */
  factor: number
  /** The number of products that decides how rare the match is. */
  documents: number
}

export interface Variants {
  variants: Variant[]
  /** The best kind of match. */
  kind: 'full' | 'part' | 'typo' | 'none'
  /** Products that have a word of this kind; one that has two of them may count twice. */
  documents: number
  /** Postings of all variants. */
  cost: number
}

/** A word of a query. */
export interface AskedWord extends Variants {
  word: string
}

/** Different words of a query that are looked for. */
export const QUERY_WORDS_MAX = 32
/** Unknown words of a query that are taken for typos. */
const TYPOS_MAX = 4

/** The different words of a query, with those of the store that stand for them. */
export function findAllVariants(
  vocabulary: Vocabulary,
  postings: Postings,
  { text, standIns }: Pick<QueryText, 'text' | 'standIns'>,
): AskedWord[] {
  const spoken = listWords(text, QUERY_WORDS_MAX)
  const others = readStandIns(spoken, standIns)
  const othersCount = [...others.values()].reduce((sum, { length }) => sum + length, 0)
  const [share, shareOfOthers] = [1 / spoken.length, 1 / othersCount]
  const phrases = { looksLeft: PHRASES_LOOKED_AT_MAX }
  let typos = 0
  const mayBeTypo = () => typos++ < TYPOS_MAX
  return spoken.map((word, n) => {
    const isLast = n === spoken.length - 1
    const standIns = others.get(word) ?? []
    return {
      ...findVariants(vocabulary, postings, word, {
        ...{ isLast, share, mayBeTypo },
        ...{ standIns, shareOfOthers, phrases },
      }),
      word,
    }
  })
}

interface Search {
  isLast: boolean
  /** The share of the query's work that this word may take. */
  share: number
  /** Whether to look for typos. It is asked only for a word that nothing else fits. */
  mayBeTypo(): boolean
  standIns: readonly StandIn[]
  /** The share of the same work that each stand-in may take. */
  shareOfOthers: number
  /** Postings that phrases may still look at. */
  phrases: { looksLeft: number }
}

function findVariants(
  vocabulary: Vocabulary,
  postings: Postings,
  text: string,
  { isLast, share, mayBeTypo, standIns, shareOfOthers, phrases }: Search,
): Variants {
  const key = unitsOf(text)
  const taken = new Set<number>()
  const variants: Variant[] = []
  let cost = 0

  const count = (words: readonly number[]): number =>
    words.reduce((sum, word) => sum + postings.count(word), 0)
  function take(words: readonly number[], documents: number, factorOf: (word: number) => number): void {
    for (const word of words) {
      if (taken.has(word)) continue
      taken.add(word)
      variants.push({ word, factor: factorOf(word), documents })
      cost += postings.count(word)
    }
  }
  const alike = (form: string): number[] => {
    const own = vocabulary.find(unitsOf(form))
    return [...new Set([...(own > 0 ? [own] : []), ...vocabulary.listStemmed(form)])]
  }

  const others = standIns.flatMap(([only = '', ...more]) => (more.length === 0 ? [only] : []))
  const found = standIns.flatMap((words) => {
    const phrase = words.length > 1 ? findPhrase(postings, words.map(alike), phrases) : undefined
    return phrase ? [phrase] : []
  })
  const spelt = new Set([text, ...others].map((form) => vocabulary.find(unitsOf(form))))
  const full = [...new Set([text, ...others].flatMap(alike))]
  // All that stands for the word is as rare as all of it together, so it counts the same whichever of it a product says.
  const fullDocuments = count(full) + found.reduce((sum, { items }) => sum + items.length, 0)
  take(full, fullDocuments, (word) => (spelt.has(word) ? 1 : FACTORS.stem))
  for (const phrase of found) {
    variants.push({ word: 0, phrase, factor: 1, documents: fullDocuments })
    cost += phrase.items.length
  }

  const looksMax = Math.ceil(share * LOOKED_AT_MAX)
  const beginning = isLast ? LAST_BEGINNING_UNITS_MIN : PART_UNITS_MIN
  const begins =
    key.length >= beginning ? findMost(postings, taken, vocabulary.visitBeginning, key, looksMax) : []
  const findCompounds = (key: Uint16Array, looks: number) =>
    key.length < PART_UNITS_MIN
      ? []
      : findMost(postings, taken, vocabulary.visitEnding, key, looks).filter(
          (word) => vocabulary.lengthOf(word) >= key.length + ENDING_ADDS_MIN,
        )
  const looksOfOthers = Math.ceil(shareOfOthers * OTHERS_LOOKED_AT_MAX)
  const ends = [
    ...findCompounds(key, looksMax),
    ...others.flatMap((other) => findCompounds(unitsOf(other), looksOfOthers)),
  ]
  const partDocuments = count(begins) + count(ends)
  // A part of a word is never rarer than the word itself, or rare words would come before what was asked for.
  const rarity = Math.max(fullDocuments, partDocuments)
  take(begins, rarity, () => (isLast ? FACTORS.lastBeginning : FACTORS.part))
  take(ends, rarity, () => FACTORS.part)

  if (fullDocuments > 0) return { variants, kind: 'full', documents: fullDocuments, cost }
  if (variants.length > 0) return { variants, kind: 'part', documents: partDocuments, cost }
  const isWord = standIns.length > 0
  const mayHaveTypo = key.length >= TYPO_UNITS_MIN && key.length <= TYPO_UNITS_MAX && !/\d/.test(text)
  if (isWord || !mayHaveTypo || !mayBeTypo()) return { variants, kind: 'none', documents: 0, cost }
  const meant = vocabulary.listWithinOneEdit(key)
  const documents = count(meant)
  take(meant, documents, () => FACTORS.typo)
  return { variants, kind: meant.length > 0 ? 'typo' : 'none', documents, cost }
}

/** The products of a variant. Valid until the next change. */
export const readVariant = (postings: Pick<Postings, 'read'>, { word, phrase }: Variant): PostingList =>
  phrase ? { items: phrase.items, start: 0, end: phrase.items.length } : postings.read(word)

/** Those words that begin or end with a key, are not taken yet, and have the most products. */
function findMost(
  postings: Postings,
  taken: ReadonlySet<number>,
  visitAll: (key: Uint16Array, looksMax: number, visit: (word: number) => void) => void,
  key: Uint16Array,
  looksMax: number,
): number[] {
  const words: number[] = []
  /** The fewest products of a word that is worth keeping. */
  let least = 0
  const most = (a: number, b: number) => postings.count(b) - postings.count(a) || a - b
  visitAll(key, looksMax, (word) => {
    if (!taken.has(word) && postings.count(word) > least) words.push(word)
    if (words.length === 4 * PARTS_MAX) {
      words.sort(most).length = PARTS_MAX
      least = postings.count(words.at(-1) as number)
    }
  })
  return words.sort(most).slice(0, PARTS_MAX)
}
