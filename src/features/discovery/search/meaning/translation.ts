import { beginsForeignColour, findForeignColour, sayShade } from '../../../../core/colours/foreign.ts'
import type { Shade } from '../../../../core/colours/shades.ts'
import { foldColour, SHADE_WORDS, TONE_WORDS } from '../../../../core/colours/words.ts'
import { splitWords } from '../../../../core/text.ts'
import { type Dictionary, PHRASE_WORDS_MAX } from './dictionary.ts'
import { ALSO_ENGLISH, ENGLISH_FUNCTION_WORDS, FALSE_FRIENDS, findFunctionWord } from './function-words.ts'
import { DESCRIBES_BEHIND, LANGUAGES, type Language } from './languages.ts'

/** Words of a query in English. */
export interface Translated {
  /** Index of the first word in `splitWords(text)`. */
  from: number
  /** Index after the last word. */
  to: number
  /** Empty for a word that English leaves out. */
  english: string
  /** Where it is a colour. */
  shade?: Shade | undefined
  kind: 'thing' | 'colour' | 'grammar' | 'other'
  /** How surely it is a word of the language; 1 where it is absent. */
  certainty?: number
}

export interface Translation {
  language: Language
  /** All words of the query, in their order. */
  parts: readonly Translated[]
  /** Folded. */
  words: readonly string[]
  /** The whole query in English, in the order of English. */
  text: string
}

/** Later words of a query are left as they are. */
const WORDS_MAX = 32

/** What the language of the shop adds where a query may be of two languages. */
const OWN_LANGUAGE = 0.6
/** What a word for a colour adds between two languages that are equal otherwise. */
const COLOUR = 0.05
/** What a word of grammar says of the language, beside a word for a thing. */
const GRAMMAR = 0.4

export interface TranslationOptions {
  /** The language and country of the shop; null for none. */
  locale: string | null
  /** Whether a product of the shop has a word; absent where nobody may know. */
  isHeld?: ((word: string) => boolean) | undefined
}

/**
 * Translates a query to English. Its language is the one whose words are in it; the shop's own language decides between two, and
 * English wins over the others: "gift box" is a box. In an English shop a word that only resembles a foreign one says little.
 *
 * @returns undefined for a query in English, or in none of these languages, and for one that English says in the same words.
 */
export function translate(
  dictionary: Dictionary,
  text: string,
  { locale, isHeld }: TranslationOptions,
): Translation | undefined {
  const words = splitWords(text).slice(0, WORDS_MAX).map(foldColour)
  if (words.length === 0) return undefined
  const own = locale?.slice(0, 2).toLowerCase()
  let best: { language: Language; parts: Translated[] } | undefined
  const least = scoreEnglish(dictionary, words) + (own === 'en' ? OWN_LANGUAGE : 0)
  let most = 0
  for (const language of LANGUAGES) {
    const parts = translateInto(dictionary, words, language)
    if (own === 'en') doubtResemblances(words, parts)
    if (!parts.some(({ kind }) => kind === 'thing' || kind === 'colour')) continue
    const sells = isHeld !== undefined && sellsOnlyForeign(words, parts, isHeld)
    const score = scoreParts(parts) + (own === language || sells ? OWN_LANGUAGE : 0)
    if (score <= least) continue
    // "Tasse rouge" is French: "rouge" is a colour there, and a thing in German.
    const rank = score + COLOUR * parts.filter(({ kind }) => kind === 'colour').length
    if (rank <= most) continue
    most = rank
    best = { language, parts }
  }
  if (!best) return undefined
  const english = writeOut(best.language, best.parts, words)
  return english === words.join(' ') ? undefined : { ...best, words, text: english }
}

/** Lowers the certainty of short words that resemble one of a language, or its parts: "mats" is no "matte". */
function doubtResemblances(words: readonly string[], parts: Translated[]): void {
  for (const [n, part] of parts.entries()) {
    const word = words[part.from] as string
    const isSingle = part.kind === 'thing' && part.to === part.from + 1
    // Only those that a dictionary does not have as a whole are uncertain.
    if (!isSingle || part.certainty === undefined || word.length >= SURE_CHARS_MIN) continue
    parts[n] = { ...part, certainty: Math.min(part.certainty, RESEMBLANCE) }
  }
}

/** Whether a word that may be English is one that no product has, while products have what it means otherwise: "Hut" in a shop of hats. */
const sellsOnlyForeign = (
  words: readonly string[],
  parts: readonly Translated[],
  isHeld: (word: string) => boolean,
): boolean =>
  parts.some(({ from, to, kind, english }) => {
    const word = words[from] as string
    return kind === 'thing' && to === from + 1 && FALSE_FRIENDS.has(word) && !isHeld(word) && isHeld(english)
  })

function scoreEnglish(dictionary: Dictionary, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    if (ENGLISH_FUNCTION_WORDS.has(word)) score += GRAMMAR
    else if (dictionary.isEnglish(word) || ENGLISH_COLOURS.has(word) || isAmbiguous(word)) score += 1
  }
  return score
}

/** Whether an English word may be taken for one of another language. */
const isAmbiguous = (word: string): boolean =>
  [word, word.replace(/s$/, '')].some((form) => FALSE_FRIENDS.has(form) || ALSO_ENGLISH.has(form))

const ENGLISH_COLOURS: ReadonlySet<string> = new Set(
  'black white grey gray red orange yellow green blue purple pink brown beige navy turquoise silver gold golden'.split(
    ' ',
  ),
)

const scoreParts = (parts: readonly Translated[]): number =>
  parts.reduce(
    (sum, { from, to, kind, certainty = 1 }) =>
      sum + (kind === 'other' ? 0 : kind === 'grammar' ? GRAMMAR : certainty * wordsOf(to - from)),
    0,
  )

/** Several words that are known together say more than each of them. */
const wordsOf = (count: number): number => (count === 1 ? 1 : count + 0.1)

function translateInto(dictionary: Dictionary, words: readonly string[], language: Language): Translated[] {
  const parts: Translated[] = []
  for (let at = 0; at < words.length; ) {
    const part = readPart(dictionary, words, at, language)
    parts.push(part)
    at = part.to
  }
  return parts
}

function readPart(
  dictionary: Dictionary,
  words: readonly string[],
  from: number,
  language: Language,
): Translated {
  const first = words[from] as string
  const mayBeThing = dictionary.beginsPhrase(language, first)
  const most = mayBeThing ? PHRASE_WORDS_MAX : beginsForeignColour(language, first) ? COLOUR_WORDS_MAX : 1
  for (let to = Math.min(words.length, from + most); to > from + 1; to--) {
    const phrase = words.slice(from, to).join(' ')
    const shade = findForeignColour(language, phrase)
    if (shade) return { from, to, english: sayShade(shade), shade, kind: 'colour' }
    const english = dictionary.find(language, phrase)
    if (english !== undefined) return { from, to, english, kind: 'thing' }
  }
  return { from, to: from + 1, ...readWord(dictionary, words[from] as string, language) }
}

function readWord(
  dictionary: Dictionary,
  word: string,
  language: Language,
): Pick<Translated, 'english' | 'kind' | 'shade' | 'certainty'> {
  const shade = findForeignColour(language, word)
  if (shade) return { english: sayShade(shade), shade, kind: 'colour' }
  const grammar = findFunctionWord(language, word)
  if (grammar !== undefined) return { english: grammar, kind: 'grammar' }
  const tone = SHADE_WORDS.has(word) ? undefined : TONE_WORDS.get(word)
  // Short words and numbers are sizes and models.
  if (/\d/.test(word) || word.length < WORD_CHARS_MIN) return { english: word, kind: 'other' }
  const thing = dictionary.find(language, word)
  if (thing !== undefined)
    return {
      english: thing,
      kind: 'thing',
      ...(dictionary.isDoubtful(language, word) && { certainty: DOUBTFUL }),
    }
  if (tone !== undefined) return { english: tone, kind: 'other' }
  const compound = dictionary.findCompound(language, word)
  if (!compound) return { english: word, kind: 'other' }
  const certainty = compound.isWhole ? COMPOUND : HEAD
  return { english: compound.meaning, kind: 'thing', certainty }
}

const WORD_CHARS_MIN = 3
/** A word that another language has as a whole is a word of that one: the Dutch "handtassen" ends in the German "Tassen". */
const COMPOUND = 0.9
const DOUBTFUL = 0.8
const HEAD = 0.5
/** Less than an English shop adds to English. */
const RESEMBLANCE = 0.5
const SURE_CHARS_MIN = 9
/** "cor de rosa" */
const COLOUR_WORDS_MAX = 3

/** Writes the parts as English does: "robe d'été rouge" is a "red summer dress". */
function writeOut(language: Language, parts: readonly Translated[], words: readonly string[]): string {
  const chunks: string[][] = [[]]
  for (const { english, kind } of parts) {
    // What stands behind "for" and "with" stays behind it.
    if (kind === 'grammar' && english !== '') chunks.push([english], [])
    else if (english !== '') chunks.at(-1)?.push(english)
  }
  const isBehind = DESCRIBES_BEHIND.has(language)
  const text = chunks.flatMap((chunk) => (isBehind ? chunk.toReversed() : chunk)).join(' ')
  return text === '' ? words.join(' ') : text
}
