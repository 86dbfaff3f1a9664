import { distance } from 'fastest-levenshtein'
import { stemmer } from 'stemmer'
import { fold } from '../../../core/text.ts'

/** Characters that two words must share at their beginning to be taken for forms of one. */
const PREFIX_CHARS_MIN = 3

/**
 * Finds the word that was probably meant: another form of the same word first, then one of its parts, then the fewest
 * wrong letters, at most one in three.
 */
export function findNearestWord(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(word)
  let best: { candidate: string; cost: number } | undefined
  for (const candidate of candidates) {
    const cost = computeCost(wanted, candidate)
    if (cost !== undefined && (!best || cost < best.cost)) best = { candidate, cost }
  }
  return best?.candidate
}

/** Undefined for words that have nothing in common. */
function computeCost(wanted: string, candidate: string): number | undefined {
  const whole = fold(candidate)
  if (whole === wanted) return 0
  if (stemmer(whole) === stemmer(wanted)) return 0.25
  const costs = [costOfLetters(wanted, whole), costOfPrefix(wanted, whole)]
  const parts = splitParts(candidate)
  if (parts.length > 1) {
    for (const part of parts) {
      if (part.length < PREFIX_CHARS_MIN) continue
      if (stemmer(part) === stemmer(wanted)) costs.push(0.75)
      const cost = costOfLetters(wanted, part)
      if (cost !== undefined) costs.push(cost + 0.5)
    }
  }
  const found = costs.filter((cost) => cost !== undefined)
  return found.length === 0 ? undefined : Math.min(...found)
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
