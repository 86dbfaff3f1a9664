import {
  SHORT_CHARS_MAX,
  singularOf,
  stemAll,
} from '../../../src/features/discovery/search/meaning/dictionary.ts'
import { LANGUAGES } from '../../../src/features/discovery/search/meaning/languages.ts'
import type { Part } from '../../../src/features/discovery/search/meaning/table-file.ts'
import type { Concept } from './concepts.ts'

/** Meanings have numbers of two bytes. */
const MEANINGS_MAX = 2 ** 16

/** Sorts the words of all concepts into the parts of the dictionary's file. Of two meanings of a stem the first counts. */
export function createParts(concepts: readonly Concept[]): Part[] {
  const meanings = [...new Set(concepts.map(({ meaning }) => meaning))]
  if (meanings.length > MEANINGS_MAX) throw new Error(`The dictionary has more than ${MEANINGS_MAX} meanings`)
  const numbers = new Map(meanings.map((meaning, n) => [meaning, n]))
  const english = new Set(concepts.flatMap(({ cells: [words = []] }) => [...words, ...words.map(singularOf)]))
  return [
    { words: Buffer.from(meanings.join('\n')), meanings: new Uint16Array() },
    packWords(english),
    ...LANGUAGES.flatMap((language, at) => {
      const stems = new Map<string, number>()
      const others = new Map<string, number>()
      for (const { meaning, cells } of concepts) {
        const number = numbers.get(meaning) as number
        for (const phrase of cells[at + 1] ?? []) {
          const stem = stemAll(phrase, language)
          const known = stems.get(stem)
          if (known === undefined) stems.set(stem, number)
          const isOther = known !== undefined && known !== number
          if ((isOther || phrase.length <= SHORT_CHARS_MAX) && !others.has(phrase)) others.set(phrase, number)
        }
      }
      const phrases = [...stems.keys()].filter((stem) => stem.indexOf(' ') > 0)
      const beginnings = new Set(phrases.map((stem) => stem.slice(0, stem.indexOf(' '))))
      return [packNumbered(stems), packNumbered(others), packWords(beginnings)]
    }),
  ]
}

const packNumbered = (words: ReadonlyMap<string, number>): Part => {
  const sorted = [...words.keys()].sort()
  return { ...packWords(sorted), meanings: Uint16Array.from(sorted, (word) => words.get(word) as number) }
}

/** @throws Error for a word that has another letter when it is folded: the program looks for ASCII alone. */
function packWords(words: Iterable<string>): Part {
  const sorted = [...words].sort()
  for (const word of sorted)
    if (!/^[ -~]+$/.test(word)) throw new Error(`The dictionary cannot hold ${JSON.stringify(word)}`)
  return { words: Buffer.from(sorted.map((word) => `${word}\n`).join('')), meanings: new Uint16Array() }
}
