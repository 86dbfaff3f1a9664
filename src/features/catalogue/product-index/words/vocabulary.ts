import { stemmer } from 'stemmer'
import { STEMMED } from '../../../../core/word-keys.ts'
import { createDictionary, createGroups, type Groups, isDigit } from './dictionary.ts'
import { WORD_UNITS_MAX } from './tokens.ts'

export type Vocabulary = ReturnType<typeof createVocabulary>

/** The words of a store, with what makes two of them alike. */
export function createVocabulary() {
  const words = createDictionary()
  const stems = createGroups()
  /** Words by their first four letters, and these by their first two. */
  const beginnings = createGroups()
  const beginningsOfTwo = createGroups()
  /** Words of letters that may be compounds, by their last four. */
  const endings = createGroups()
  const isLetter = new Uint8Array(ALPHABET_END)
  const alphabet: number[] = []

  // The word that is being added: one closure for all words costs less than one for each.
  const added = { units: new Uint16Array(0) as Uint16Array, start: 0, end: 0 }
  const openBeginning = (group: number): void => {
    const { units, start, end } = added
    if (end - start >= SHORT_SIDE) beginningsOfTwo.add(group, units, start, start + SHORT_SIDE)
  }

  function add(word: number): void {
    const { units, start, end } = added
    beginnings.add(word, units, start, Math.min(end, start + SIDE), openBeginning)
    let isPlain = end - start >= STEMMED_UNITS_MIN
    for (let n = start; n < end; n++) {
      const unit = units[n] as number
      if (isDigit(unit)) return
      isPlain &&= unit >= 97 && unit <= 122
      if (unit < ALPHABET_END && !isLetter[unit] && alphabet.length < ALPHABET_MAX) {
        isLetter[unit] = 1
        alphabet.push(unit)
      }
    }
    if (end - start >= COMPOUND_UNITS_MIN) endings.add(word, units, end - SIDE, end)
    if (!isPlain) return
    const length = toUnits(stemmer(words.spell(word)), stemUnits)
    stems.add(word, stemUnits, 0, length)
  }

  /** Visits the words whose first two letters are those of a key, in the groups of their first four. */
  function visitSections(
    key: Uint16Array,
    looksMax: number,
    isWanted: (group: number) => boolean,
    visit: (word: number) => void,
  ): void {
    let looks = looksMax
    let group = beginningsOfTwo.first(beginningsOfTwo.keys.find(key, 0, SHORT_SIDE))
    for (; group > 0 && looks > 0; group = beginningsOfTwo.next(group))
      if (isWanted(group)) looks = visitMembers(beginnings, group, looks, visit)
  }

  return {
    intern(units: Uint16Array, start: number, end: number): number {
      added.units = units
      added.start = start
      added.end = end
      return words.intern(units, start, end, add)
    },

    /** Forgets a word that no product has. */
    remove(word: number): void {
      stems.remove(word)
      endings.remove(word)
      beginnings.remove(word, (group) => beginningsOfTwo.remove(group))
      words.remove(word)
    },

    find: (key: Uint16Array): number => words.find(key, 0, key.length),
    lengthOf: words.lengthOf,
    spell: words.spell,

    /**
     * Visits words that begin with a key, itself included, in no order.
     *
     * @param key of {@link SHORT_SIDE} units or more.
     * @param looksMax words that are looked at for that.
     */
    visitBeginning(key: Uint16Array, looksMax: number, visit: (word: number) => void): void {
      const look = (word: number) => {
        if (words.hasAt(word, 0, key)) visit(word)
      }
      if (key.length >= SIDE) {
        visitMembers(beginnings, beginnings.keys.find(key, 0, SIDE), looksMax, look)
        return
      }
      visitSections(key, looksMax, (group) => beginnings.keys.hasAt(group, 0, key), look)
    },

    /**
     * Visits words of {@link COMPOUND_UNITS_MIN} letters or more that end with a key, in no order.
     *
     * @param key of {@link SIDE} units or more.
     * @param looksMax words that are looked at for that.
     */
    visitEnding(key: Uint16Array, looksMax: number, visit: (word: number) => void): void {
      visitMembers(endings, endings.keys.find(key, key.length - SIDE, key.length), looksMax, (word) => {
        if (words.hasAt(word, words.lengthOf(word) - key.length, key)) visit(word)
      })
    },

    /** The words with the stem of a text, in no order. English; in other languages few words share one. */
    listStemmed(text: string): number[] {
      if (!STEMMED.test(text)) return []
      const key = unitsOf(stemmer(text))
      const found: number[] = []
      for (let word = stems.first(stems.keys.find(key, 0, key.length)); word > 0; word = stems.next(word))
        found.push(word)
      return found
    },

    /** The words that one letter more, less or another, or two changed places make of a key. */
    listWithinOneEdit(key: Uint16Array): number[] {
      const found = new Set<number>()
      visitEdits(key, alphabet, (edited, end) => {
        const word = words.find(edited, 0, end)
        if (word > 0) found.add(word)
      })
      found.delete(words.find(key, 0, key.length))
      return [...found]
    },

    countEdits: words.countEdits,
    /** Whether a word has one of 0 to 9. */
    hasDigit: words.hasDigit,

    /**
     * Visits words that begin like a key or end like it, the likeliest first; some of them twice.
     *
     * @param key of {@link SIDE} units or more.
     * @param looksMax words that are looked at.
     */
    visitNeighbours(key: Uint16Array, looksMax: number, visit: (word: number) => void): void {
      const begun = visitMembers(beginnings, beginnings.keys.find(key, 0, SIDE), looksMax, visit)
      const ending = endings.keys.find(key, key.length - SIDE, key.length)
      const ended = visitMembers(endings, ending, begun, visit)
      visitSections(key, ended, () => true, visit)
    },

    bytes: (): number =>
      [words, stems, beginnings, beginningsOfTwo, endings].reduce((sum, part) => sum + part.bytes(), 0),
  }
}

/** Visits the words of a group. @returns how many looks are left. */
function visitMembers(
  { first, next }: Groups,
  group: number,
  looksMax: number,
  visit: (word: number) => void,
): number {
  let looks = looksMax
  for (let word = first(group); word > 0 && looks > 0; word = next(word)) {
    visit(word)
    looks--
  }
  return looks
}

/** Visits what one letter more, less or another, or two changed places make of a key: the units before `end`, valid during the call. */
function visitEdits(
  key: Uint16Array,
  alphabet: readonly number[],
  visit: (edited: Uint16Array, end: number) => void,
): void {
  const { length } = key
  const edited = new Uint16Array(length + 1)
  for (let n = 0; n < length; n++) {
    edited.set(key.subarray(0, n))
    edited.set(key.subarray(n + 1), n)
    visit(edited, length - 1)
    edited.set(key)
    for (const unit of alphabet) {
      edited[n] = unit
      visit(edited, length)
    }
    if (n === 0) continue
    edited.set(key)
    edited[n] = key[n - 1] as number
    edited[n - 1] = key[n] as number
    visit(edited, length)
  }
  for (let n = 0; n <= length; n++) {
    edited.set(key.subarray(0, n))
    edited.set(key.subarray(n), n + 1)
    for (const unit of alphabet) {
      edited[n] = unit
      visit(edited, length + 1)
    }
  }
}

/** Units at the beginning or the end of words by which they are found. */
const SIDE = 4
const SHORT_SIDE = 2
/** Shorter words are no compounds. */
const COMPOUND_UNITS_MIN = 7

const STEMMED_UNITS_MIN = 3
/** A stem is never longer than its word by more than a letter. */
const stemUnits = new Uint16Array(2 * WORD_UNITS_MAX)

/** Letters beyond are syllables and signs, of which a script has thousands. */
const ALPHABET_END = 0x0e80
const ALPHABET_MAX = 96

/** Writes a text into an array. @returns its length. */
function toUnits(text: string, into: Uint16Array): number {
  for (let n = 0; n < text.length; n++) into[n] = text.charCodeAt(n)
  return text.length
}

export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length)
  toUnits(text, units)
  return units
}
