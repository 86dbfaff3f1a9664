import { foldColour } from '../../../../core/colours/words.ts'

/** A word, a number or a sign of a text. */
export interface Token {
  kind: 'word' | 'number' | 'sign'
  /** Folded: small letters without accents. */
  text: string
  /** Where it stands in the text, in UTF-16 units. */
  from: number
  to: number
  /** Whether nothing stands between it and the one before. */
  isGlued: boolean
}

/** Each unit is looked at once. Apostrophes are left out: "jusqu'à" is two words. */
const PARTS = /(\p{N}[\p{N}.,'’]*)|([\p{L}\p{M}]+)|[^\s'’]/gu

const PLAIN = /^[a-z]*$/

/** Splits a text into its tokens, in their order. */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = []
  let end = -1
  for (const match of text.matchAll(PARTS)) {
    const [part, number, word] = match
    const kind = number !== undefined ? 'number' : word !== undefined ? 'word' : 'sign'
    const lower = part.toLowerCase()
    const [from, to] = [match.index, match.index + part.length]
    tokens.push({
      ...{ kind, from, to, isGlued: from === end },
      text: kind === 'word' && !PLAIN.test(lower) ? foldColour(lower) : lower,
    })
    end = to
  }
  return tokens
}

/** Phrases with what they mean, by their first word; the longest first. */
export type Phrases<Meaning> = ReadonlyMap<string, readonly { words: readonly string[]; meaning: Meaning }[]>

/** @param lists phrases, folded and separated by commas, by what they mean. */
export function makePhrases<Meaning>(lists: readonly (readonly [Meaning, string])[]): Phrases<Meaning> {
  const phrases = new Map<string, { words: string[]; meaning: Meaning }[]>()
  for (const [meaning, list] of lists) {
    for (const phrase of list.split(',')) {
      const words = phrase.trim().split(' ')
      const first = words[0] as string
      phrases.set(first, [...(phrases.get(first) ?? []), { words, meaning }])
    }
  }
  for (const known of phrases.values()) known.sort((a, b) => b.words.length - a.words.length)
  return phrases
}

/** The longest phrase that begins at a token. @returns undefined for none; `to` is the token behind it. */
export function findPhrase<Meaning>(
  tokens: readonly Token[],
  at: number,
  phrases: Phrases<Meaning>,
): { meaning: Meaning; to: number } | undefined {
  const known = phrases.get(tokens[at]?.text ?? '')
  const found = known?.find(({ words }) => words.every((word, n) => tokens[at + n]?.text === word))
  return found && { meaning: found.meaning, to: at + found.words.length }
}

/** A stretch of tokens. */
export interface Stretch {
  from: number
  /** The token behind it. */
  to: number
}

/** A text without some stretches of its tokens, and without the spaces and commas that these leave. */
export function cutOut(text: string, tokens: readonly Token[], stretches: readonly Stretch[]): string {
  let rest = ''
  let end = 0
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    rest += `${text.slice(end, tokens[from]?.from)} `
    end = tokens[to - 1]?.to ?? end
  }
  rest += text.slice(end)
  return trimSigns(rest.replaceAll(/\s+/g, ' '))
}

const LOOSE = new Set(' ,;.-–—')

/** Loops, because an expression for the end of a text looks at each sign many times. */
function trimSigns(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && LOOSE.has(text[from] as string)) from++
  while (to > from && LOOSE.has(text[to - 1] as string)) to--
  return text.slice(from, to)
}
