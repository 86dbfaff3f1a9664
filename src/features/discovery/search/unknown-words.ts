import { UNKNOWN_WORDS } from './schema.ts'
import type { SearchedStore } from './searched-store.ts'
import type { QueryWords } from './sides.ts'

/** Words that the warning names, and their longest. */
const NAMED_MAX = 10
const NAMED_CHARS_MAX = 40

/**
 * Warns of the words of a query that neither the model has seen nor a product of the store has, where they are at least half
 * of the query: what such a search finds, it finds by chance.
 *
 * @param store undefined for a store without products.
 */
export function warnOfUnknownWords(
  store: Pick<SearchedStore, 'words' | 'hasAllWords'> | undefined,
  { text, isUnknown = false, unknownWords = [], words = 0 }: Omit<QueryWords, 'vector'>,
): string[] {
  // Numbers and single letters are no words for the model, but they may be all that a query has.
  const asked = unknownWords.length > 0 ? unknownWords : isUnknown ? listParts(text) : []
  if (asked.length === 0 || store?.hasAllWords === false) return []
  const unknown = store ? store.words.listUnheld(text, asked) : asked
  if (unknown.length === 0 || 2 * unknown.length < Math.max(words, asked.length)) return []
  const named = unknown.slice(0, NAMED_MAX).map((word) => word.slice(0, NAMED_CHARS_MAX))
  const more = unknown.length - named.length
  return [`${UNKNOWN_WORDS}${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`]
}

const listParts = (text: string): string[] => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))]
