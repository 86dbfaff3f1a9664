import { closest, distance } from 'fastest-levenshtein'

/** Longest word that is compared; nobody misspells a longer one. */
const CHARS_MAX = 60

/**
 * Finds the known word that a misspelt one probably means.
 *
 * @returns undefined if none is close: more than two edits, and more than a third of its letters, apart.
 */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const shown = word.slice(0, CHARS_MAX)
  const near = closest(shown, known)
  return distance(shown, near) <= Math.max(2, near.length / 3) ? near : undefined
}
