import { findMeantField } from '../../../core/meant-field.ts'
import { findNearest } from '../../../core/nearest.ts'
import { fold } from '../../../core/text.ts'
import { turn } from '../../../core/turns.ts'
import type { SearchFilter } from '../../catalogue/product-index/mask.ts'
import { type Condition, passesAny } from './condition.ts'
import type { SearchKind } from './queries.ts'
import {
  BatchSearch,
  FilteredSearch,
  FusionSearch,
  HybridSearch,
  MultiImageSearch,
  TextSearch,
  UNKNOWN_WORDS,
  UploadSearch,
  UrlSearch,
} from './schema.ts'
import type { SearchedStore } from './searched-store.ts'
import { type QueryWords, readWordsOf } from './sides.ts'
import { SimilarQuery } from './similar.ts'
import { TrendingQuery } from './trending.ts'

const KNOWN: Record<SearchKind, readonly string[]> = {
  text: Object.keys(TextSearch.properties),
  url: Object.keys(UrlSearch.properties),
  upload: Object.keys(UploadSearch.properties),
  crop: Object.keys(UrlSearch.properties),
  hybrid: Object.keys(HybridSearch.properties),
  'multi-image': Object.keys(MultiImageSearch.properties),
  filtered: Object.keys(FilteredSearch.properties),
  fusion: Object.keys(FusionSearch.properties),
  // The path names the product.
  similar: [...Object.keys(SimilarQuery.properties), 'product_id'],
  together: [...Object.keys(SimilarQuery.properties), 'product_id'],
  trending: Object.keys(TrendingQuery.properties),
  batch: Object.keys(BatchSearch.properties),
}

/** Warnings are for people, so a body with a thousand unknown fields gets only a few. */
const WARNINGS_MAX = 10

/** Warns of each top-level field that this search does not know, and suggests the field that was probably meant. */
export function warnOfUnknownFields(body: object, type: SearchKind): string[] {
  const known = KNOWN[type]
  const warnings: string[] = []
  for (const name in body) {
    if (known.includes(name)) continue
    const shown = name.slice(0, 60)
    const meant = findMeantField(shown, known)
    warnings.push(`the unknown field '${shown}' was ignored${meant ? `; did you mean '${meant}'?` : ''}`)
    if (warnings.length === WARNINGS_MAX) break
  }
  return warnings
}

/** Words that are compared, words in one step of the event loop, and characters compared of each word. */
const WORDS_MAX = 2_000
const STEP = 100
const WORD_CHARS_MAX = 100

const NO_COLORS =
  "no product has a color_name, which the filter 'color' compares; POST /v1/search/hybrid finds the colors of pictures by 'colors'"

/** Warns of a pre-filter whose value no product of the store has. */
export async function warnOfUnknownValues(store: SearchedStore, condition: Condition): Promise<string[]> {
  const { columns, segment } = store
  if (passesAny(store, condition)) return []
  const warnings: string[] = []
  const say = async (what: string, value: string, words: readonly string[]) => {
    const shown = value.slice(0, 60)
    warnings.push(`no product has the ${what} '${shown}'${await suggest(shown, words)}`)
  }
  const { category, color } = condition.fields
  const hasNone = (wanted: SearchFilter) => columns.createMask(wanted, segment.slots)?.products === 0
  if (category !== undefined && hasNone({ category }))
    await say('category', category, [
      ...columns.listCategories().map(columns.categories.getLabel),
      ...columns.listLevels(WORDS_MAX),
    ])
  if (color !== undefined && hasNone({ color })) {
    const colors = columns.listColors()
    if (colors.length > 0) await say('color', color, colors)
    else warnings.push(NO_COLORS)
  }
  return warnings
}

/** The suggestion of a word that is near enough, whatever its case and accents; empty without one. */
async function suggest(shown: string, words: readonly string[]): Promise<string> {
  const known = words.filter(({ length }) => length <= WORD_CHARS_MAX).slice(0, WORDS_MAX)
  const wanted = fold(shown)
  /** The nearest word of each step, by its folded form. */
  const best = new Map<string, string>()
  for (let from = 0; from < known.length; from += STEP) {
    await turn()
    const step = new Map(known.slice(from, from + STEP).map((word) => [fold(word), word]))
    const near = findNearest(wanted, [...step.keys()])
    if (near !== undefined) best.set(near, step.get(near) as string)
  }
  const near = findNearest(wanted, [...best.keys()])
  return near === undefined ? '' : `; did you mean '${best.get(near)}'?`
}

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
  { isUnknown = false, unknownWords = [], words = 0, ...query }: Omit<QueryWords, 'vector'>,
): string[] {
  const read = readWordsOf(query)
  // Numbers and single letters are no words for the model, but they may be all that a query has.
  const asked = unknownWords.length > 0 ? unknownWords : isUnknown ? listParts(read.text) : []
  if (asked.length === 0 || store?.hasAllWords === false) return []
  const unknown = store ? store.words.listUnheld(read, asked) : asked
  if (unknown.length === 0 || 2 * unknown.length < Math.max(words, asked.length)) return []
  const named = unknown.slice(0, NAMED_MAX).map((word) => word.slice(0, NAMED_CHARS_MAX))
  const more = unknown.length - named.length
  return [`${UNKNOWN_WORDS}${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`]
}

/**
 * Writes a query without its typos: the words that no product has, and the model not whole, as the store's own words that
 * are near. Not for a searcher who must not learn of these words.
 */
export function suggestQuery(
  { words, hasAllWords }: Pick<SearchedStore, 'words' | 'hasAllWords'>,
  { doubtfulWords = [], isByModelOnly = false, ...query }: Omit<QueryWords, 'vector'>,
): string | undefined {
  if (isByModelOnly || !hasAllWords || doubtfulWords.length === 0) return undefined
  return words.correct(readWordsOf(query), doubtfulWords)
}

const listParts = (text: string): string[] => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))]
