import { fold } from '../../../../core/text.ts'
import { listWords } from './tokens.ts'

/** A query as the words of products are compared with it. */
export type WordQuery = string | QueryText

export interface QueryText {
  text: string
  /** How somebody typed it; a product may be named so. */
  typed: string
  standIns: readonly Stretch[]
}

export const readQuery = (query: WordQuery): QueryText =>
  typeof query === 'string' ? { text: query, typed: query, standIns: NONE } : query

const NONE: readonly Stretch[] = []

/** Words of a query, and what counts in a product as if it had said them. */
export interface Stretch {
  /** One word of the text or several in a row. */
  words: string
  /** Each is one word or several. */
  instead: readonly string[]
}

/** The words of something that stands for a word, all of which a product must have. */
export type StandIn = readonly string[]

/** What stands for all words of a query together. */
const STAND_INS_MAX = 2_000
/** Words of one of them. */
const WORDS_MAX = 8

const JOINERS = /[-_'’‐]+/g

/**
 * What stands for each word of a query.
 *
 * @param spoken the words of the query. What stands for several in a row stands for each of them.
 */
export function readStandIns(
  spoken: readonly string[],
  stretches: readonly Stretch[],
): Map<string, StandIn[]> {
  const standIns = new Map<string, StandIn[]>()
  let left = STAND_INS_MAX
  for (const { words, instead } of stretches) {
    const own = listWords(words, spoken.length).filter((word) => spoken.includes(word))
    if (own.length === 0) continue
    const others = instead.slice(0, left).flatMap(readStandIn)
    left -= others.length * own.length
    for (const word of own) standIns.set(word, [...(standIns.get(word) ?? []), ...others])
    if (left <= 0) break
  }
  return standIns
}

/** What has hyphens is also one word without them, and several. */
function readStandIn(text: string): StandIn[] {
  const ways = JOINERS.test(text) ? [text.replace(JOINERS, ' '), text.replace(JOINERS, '')] : [text]
  return ways.map((way) => listWords(way, WORDS_MAX)).filter(({ length }) => length > 0)
}

/** A query as it may be the id, the number or the name of a product. */
export function listNames(query: WordQuery): string[] {
  const { text, typed } = readQuery(query)
  return typed === text ? [text] : [typed, text]
}

/** What may stand for a whole query, as a name of a product. */
export function listOtherNames(query: WordQuery): string[] {
  const { text, standIns } = readQuery(query)
  if (standIns.length === 0) return []
  const whole = fold(text)
  return standIns
    .flatMap(({ words, instead }) => (fold(words) === whole ? instead : []))
    .slice(0, OTHER_NAMES_MAX)
}

const OTHER_NAMES_MAX = 50
