import { distance } from 'fastest-levenshtein'
import { stemmer } from 'stemmer'
import { fold } from '../../../core/text.ts'
import type { Walks } from './walk.ts'

/** Nobody means a longer one, and taking stems of long words takes long. */
export const CANDIDATE_CHARS_MAX = 100

/** Characters that two words must share at their beginning to be taken for forms of one. */
const PREFIX_CHARS_MIN = 3

/**
 * Looks for the word that was probably meant: another form of the same word first, then one of its parts, then the fewest
 * wrong letters, at most one in three.
 */
function createNearestWord(word: string) {
  const wanted = fold(word)
  const stem = stemmer(wanted)
  let best: { candidate: string; cost: number } | undefined

  /** Undefined for words that have nothing in common. */
  function computeCost(candidate: string): number | undefined {
    const whole = fold(candidate)
    if (whole === wanted) return 0
    if (stemmer(whole) === stem) return 0.25
    const costs = [costOfLetters(wanted, whole), costOfPrefix(wanted, whole)]
    const parts = splitParts(candidate)
    if (parts.length > 1) {
      for (const part of parts) {
        if (part.length < PREFIX_CHARS_MIN) continue
        if (stemmer(part) === stem) costs.push(0.75)
        const cost = costOfLetters(wanted, part)
        if (cost !== undefined) costs.push(cost + 0.5)
      }
    }
    const found = costs.filter((cost) => cost !== undefined)
    return found.length === 0 ? undefined : Math.min(...found)
  }

  return {
    /** Takes one more candidate, of at most {@link CANDIDATE_CHARS_MAX} characters. */
    consider(candidate: string): void {
      const cost = computeCost(candidate)
      if (cost !== undefined && (!best || cost < best.cost)) best = { candidate, cost }
    },
    /** The best candidate so far. */
    get: (): string | undefined => best?.candidate,
  }
}

/** The candidate that is nearest to a word, found in steps; undefined where none is near enough. */
export async function findNearestWord(
  walks: Pick<Walks, 'alongItems'>,
  word: string,
  candidates: Iterable<unknown>,
): Promise<string | undefined> {
  if (word.length > CANDIDATE_CHARS_MAX) return undefined
  const nearest = createNearestWord(word)
  await walks.alongItems(candidates, (candidate) => {
    if (typeof candidate === 'string') nearest.consider(candidate)
  })
  return nearest.get()
}

function costOfLetters(wanted: string, word: string): number | undefined {
  const allowed = Math.floor(Math.max(wanted.length, word.length) / 3)
  if (Math.abs(wanted.length - word.length) > allowed) return undefined
  const wrong = distance(wanted, word)
  return wrong <= allowed ? wrong : undefined
}

function costOfPrefix(wanted: string, word: string): number | undefined {
  const [short, long] = wanted.length < word.length ? [wanted, word] : [word, wanted]
  return short.length >= PREFIX_CHARS_MIN && long.startsWith(short) ? 1.5 : undefined
}

/** `colorName`, `color_name` and `attributes.color` are two words each. */
const splitParts = (name: string): string[] =>
  fold(name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')).split(/[^\p{L}\p{N}]+/u)

/** Characters of a name or a value that a warning repeats. */
const QUOTE_CHARS_MAX = 100

/** A client's text as a warning repeats it. */
export const quote = (text: string): string =>
  `'${text.length > QUOTE_CHARS_MAX ? `${text.slice(0, QUOTE_CHARS_MAX).toWellFormed()}…` : text}'`
