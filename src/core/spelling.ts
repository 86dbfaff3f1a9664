import { fold } from './text.ts'

/** Characters that are read of each text. */
const CHARS_MAX = 500

/** How texts spell their words, by the folded word; the first spelling counts. @param texts what is no string says nothing. */
export function readSpellings(texts: Iterable<unknown>): Map<string, string> {
  const spelt = new Map<string, string>()
  for (const text of texts) {
    if (typeof text !== 'string') continue
    for (const written of text.slice(0, CHARS_MAX).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
      const word = fold(written)
      if (!spelt.has(word)) spelt.set(word, written)
    }
  }
  return spelt
}
