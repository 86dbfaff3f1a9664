import { LIMITS } from '../../../core/limits.ts'
import { type PlacedWord, placeWords, splitWords } from '../../../core/text.ts'
import { turn } from '../../../core/turns.ts'
import { keyOfWord, spellPlainly } from '../../../core/word-keys.ts'
import type { Alternative } from '../search/alternatives.ts'
import type { StoreWords, Synonyms } from './schema.ts'

/** What the words of a store make of a query. */
export interface WordsRead {
  /** Without ignored words. */
  text: string
  alternatives: Alternative[]
  /** Where the query leads to. */
  redirectUrl?: string | undefined
}

/** The words of one store, ready for queries. */
export interface Lexicon {
  /** The cost grows with the query, and not with what the store says. */
  read(query: string): WordsRead
  /** Bytes of memory, roughly. */
  bytes: number
}

/** Groups that an entry counts in, in the order of the store. */
const GROUPS_MAX = 20
/** What may stand for one stretch of a query. */
const INSTEAD_MAX = 100
/** Entries that are read in one step of the event loop: some 2 ms of work. */
const STEP = 500

/** What may stand for the words that lead to a group. */
interface Group {
  /** In small letters. */
  entries: readonly string[]
  /** What the entries are compared by. */
  keys: readonly string[]
}

/**
 * Makes the words of a store ready. Alternatives are not followed further: where `a` means `b` in one group and `b` means `c`
 * in another, a query for `a` does not find `c`.
 */
export async function buildLexicon({ synonyms, redirects, ignore }: StoreWords): Promise<Lexicon> {
  const ignored = new Set<string>()
  for (const entry of ignore) {
    const words = splitWords(entry).map(spellPlainly)
    // A longer one than an entry may be would never be found.
    if (words.length > 0 && words.length <= LIMITS.storeWordPartsMax) ignored.add(words.join(' '))
  }
  const withoutIgnored = (words: readonly string[]): readonly string[] => {
    const kept = listKept(words, ignored)
    return kept.length > 0 ? kept.map((n) => words[n] as string) : words
  }

  const urls = new Map<string, string>()
  for (const { words, url } of redirects) {
    const name = withoutIgnored(splitWords(words).map(spellPlainly)).join(' ')
    if (name !== '' && !urls.has(name)) urls.set(name, url)
  }

  const groups = new Map<string, Group[]>()
  let bytes = 0
  let entries = 0
  const lead = (key: string, group: Group) => {
    const known = groups.get(key) ?? []
    groups.set(key, known)
    if (known.length < GROUPS_MAX && known.at(-1) !== group) known.push(group)
  }
  const readGroup = ({ words, to }: Synonyms): void => {
    const keysOf = (entry: string) => listKeys(entry, withoutIgnored)
    const group = {
      entries: (to ?? words).map((entry) => entry.toLowerCase()),
      keys: (to ?? words).map((entry) => keysOf(entry)[0] as string),
    }
    for (const entry of words) for (const key of keysOf(entry)) lead(key, group)
    for (const entry of [...words, ...(to ?? [])]) bytes += ENTRY_BYTES + 4 * entry.length
    entries += words.length + (to?.length ?? 0)
  }
  let read = 0
  for (const group of synonyms) {
    readGroup(group)
    if (entries - read < STEP) continue
    read = entries
    await turn()
  }
  groups.delete('')
  for (const { words, url } of redirects) bytes += ENTRY_BYTES + 2 * (words.length + url.length)
  for (const entry of ignore) bytes += ENTRY_BYTES + 2 * entry.length

  return {
    read(query) {
      const placed = placeWords(query)
      const plain = placed.map(({ word }) => spellPlainly(word))
      const kept = listKept(plain, ignored)
      // A query of ignored words alone is searched as it is.
      const isCut = kept.length > 0 && kept.length < placed.length
      const places = isCut ? kept : [...placed.keys()]
      return {
        text: isCut ? cut(query, placed, new Set(kept)) : query,
        alternatives: findAlternatives(
          places.map((n) => keyOfWord((placed[n] as PlacedWord).word)),
          groups,
        ),
        redirectUrl: urls.get(places.map((n) => plain[n]).join(' ')),
      }
    },
    bytes,
  }
}

/** The bytes of an entry besides its letters: two strings, and places in a map and in two lists. */
const ENTRY_BYTES = 160

/** What an entry is found by; one with hyphens also by its parts written together. */
function listKeys(entry: string, withoutIgnored: (words: readonly string[]) => readonly string[]): string[] {
  const keyOf = (text: string) => withoutIgnored(splitWords(text)).map(keyOfWord).join(' ')
  const joined = entry.replace(/[-_'’‐]+/g, '')
  return joined === entry ? [keyOf(entry)] : [keyOf(entry), keyOf(joined)]
}

/** The places of the words that are no part of an ignored entry, of which the longest counts. */
function listKept(words: readonly string[], ignored: ReadonlySet<string>): number[] {
  if (ignored.size === 0) return [...words.keys()]
  const kept: number[] = []
  for (let n = 0; n < words.length; ) {
    const length = findLongest(words, n, (key) => ignored.has(key))
    if (length === 0) kept.push(n)
    n += Math.max(1, length)
  }
  return kept
}

/** How many words from a place on make the longest known entry; 0 for none. */
function findLongest(words: readonly string[], from: number, isKnown: (key: string) => boolean): number {
  const most = Math.min(LIMITS.storeWordPartsMax, words.length - from)
  let longest = 0
  let key = ''
  for (let length = 1; length <= most; length++) {
    key += length === 1 ? words[from] : ` ${words[from + length - 1]}`
    if (isKnown(key)) longest = length
  }
  return longest
}

/** A text without some of its words. */
function cut(text: string, placed: readonly PlacedWord[], kept: ReadonlySet<number>): string {
  let left = ''
  let written = 0
  for (const [n, { from, to }] of placed.entries()) {
    if (kept.has(n)) continue
    left += text.slice(written, from)
    written = to
  }
  return (left + text.slice(written)).replace(/\s+/g, ' ').trim()
}

/** @param words the keys of a query's words. */
function findAlternatives(
  words: readonly string[],
  groups: ReadonlyMap<string, readonly Group[]>,
): Alternative[] {
  if (groups.size === 0) return []
  const known = new Map<string, readonly string[]>()
  const listOnce = (key: string) => {
    const instead = known.get(key) ?? listInstead(key, groups.get(key) ?? [])
    known.set(key, instead)
    return instead
  }
  const found: Alternative[] = []
  for (let from = 0; from < words.length; ) {
    const length = findLongest(words, from, (key) => groups.has(key))
    const to = from + Math.max(1, length)
    const instead = length > 0 ? listOnce(words.slice(from, to).join(' ')) : []
    if (instead.length > 0) found.push({ from, to, instead, for: 'both' })
    from = to
  }
  return found
}

/** The entries that mean the same as a key, each once. */
function listInstead(key: string, groups: readonly Group[]): string[] {
  const instead = new Map<string, string>()
  for (const { entries, keys } of groups)
    for (const [n, other] of keys.entries()) {
      if (other === key || other === '' || instead.has(other)) continue
      instead.set(other, entries[n] as string)
      if (instead.size === INSTEAD_MAX) return [...instead.values()]
    }
  return [...instead.values()]
}
