import { stemmer } from 'stemmer'

/** Letters that Unicode does not take apart, as people type them on other keyboards. */
export const SPELLINGS: readonly (readonly [letter: string, spelling: string])[] = [
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ı', 'i'],
]

const spellingOf = new Map(SPELLINGS)
const LETTERS = new RegExp(`[${SPELLINGS.map(([letter]) => letter).join('')}]`, 'g')
/** Words that the stemmer knows how to take apart. */
export const STEMMED = /^[a-z]{3,}$/

/** A folded word as any keyboard writes it. */
export const spellPlainly = (word: string): string =>
  word.replace(LETTERS, (letter) => spellingOf.get(letter) as string)

/** What two folded words have in common that count as the same word: "sofas" and "sofa". */
export function keyOfWord(word: string): string {
  const plain = spellPlainly(word)
  return STEMMED.test(plain) ? stemmer(plain) : plain
}
