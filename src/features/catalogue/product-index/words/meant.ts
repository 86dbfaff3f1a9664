import type { Postings } from './postings.ts'
import { listWords } from './tokens.ts'
import type { AskedWord } from './variants.ts'
import { unitsOf, type Vocabulary } from './vocabulary.ts'

/** Words of one query that are looked for. */
const WORDS_MAX = 4
/** A shorter word has too many neighbours, and nobody types a longer one. */
const UNITS_MIN = 4
const UNITS_MAX = 20
/** From this length on two edits are a slip of the hand, and not another word. */
const TWO_EDITS_UNITS_MIN = 6
/** Words of the store that each word is compared with: some 1 ms of work. */
const LOOKED_AT_MAX = 5_000

/**
 * Writes a query as it was probably meant: each of some words becomes the store's own word that is fewest edits away, and of
 * several the one that most products have.
 *
 * @param words those of the query that no product has.
 * @returns undefined where the store has no near word for any of them.
 */
export function correct(
  vocabulary: Vocabulary,
  postings: Pick<Postings, 'count'>,
  query: string,
  words: readonly AskedWord[],
): string | undefined {
  const meant = new Map<string, string>()
  for (const asked of words.filter(({ word }) => isTypable(word)).slice(0, WORDS_MAX)) {
    const { word } = asked
    const number = findNear(vocabulary, postings, asked)
    const near = number > 0 ? vocabulary.spell(number) : ''
    // With an ending more it is another form of the word: "Schalen" of "Schale".
    if (near !== '' && !word.startsWith(near)) meant.set(word, near.normalize('NFC'))
  }
  if (meant.size === 0) return undefined
  return query.replace(/[\p{L}\p{M}\p{N}]+/gu, (written) => {
    const [word = '', ...others] = listWords(written, 2)
    return (others.length === 0 && meant.get(word)) || written
  })
}

/** Numbers are no typos of each other. In scripts without spaces a word is a pair of signs, whose neighbours mean something else. */
const isTypable = (word: string): boolean =>
  word.length >= UNITS_MIN && word.length <= UNITS_MAX && /^[\p{L}\p{M}]+$/u.test(word)

/** The nearest word without digits; 0 for none. */
function findNear(
  vocabulary: Vocabulary,
  postings: Pick<Postings, 'count'>,
  { word, kind, variants }: AskedWord,
): number {
  const key = unitsOf(word)
  let best = { word: 0, edits: key.length < TWO_EDITS_UNITS_MIN ? 1 : 2, products: 0 }
  const consider = (word: number) => {
    const edits = vocabulary.countEdits(word, key, best.edits)
    const products = postings.count(word)
    if (edits > best.edits || (edits === best.edits && products <= best.products)) return
    if (!vocabulary.hasDigit(word)) best = { word, edits, products }
  }
  // The search has taken it for these, which are one edit away.
  if (kind === 'typo') for (const variant of variants) consider(variant.word)
  if (best.word === 0) vocabulary.visitNeighbours(key, LOOKED_AT_MAX, consider)
  return best.word
}
