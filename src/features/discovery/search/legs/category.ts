import { stemmer } from 'stemmer'
import { BoundedMap } from '../../../../core/bounded-map.ts'
import { splitWords } from '../../../../core/text.ts'
import type { StoreColumns } from '../../../catalogue/product-index/columns.ts'
import type { WordQuery } from '../../../catalogue/product-index/words/asked.ts'
import type { CategoryFit } from '../category-names.ts'
import { RANKING } from '../parameters.ts'
import type { SearchedStore } from '../searched-store.ts'
import type { ExactLeg } from './leg.ts'

/*
 * Steering by category: what lies outside the query's own category loses, and nothing ever gains. So it cannot lift a
 * product over a threshold.
 */

/**
 * Steers a query picture by the names of the store's categories: each product loses by how much worse its category's name
 * fits the picture than the best one. Products without a category, or in one whose name the model does not know, lose
 * as in a category of average fit.
 *
 * @param weight 0 to 1 and more; undefined is returned for 0.
 */
export function pictureCategoryLeg(
  { columns }: { columns: StoreColumns },
  fits: readonly CategoryFit[],
  weight: number,
): ExactLeg | undefined {
  const [best] = fits
  if (!best || weight === 0) return undefined
  const mean = fits.reduce((sum, { cosine }) => sum + cosine, 0) / fits.length
  const unknown = weight * (mean - best.cosine)
  const numbers = everyCategory(columns, unknown)
  for (const { category, cosine } of fits) numbers[category] = weight * (cosine - best.cosine)
  return { ...byCategory(columns, numbers), isFading: true }
}

/** Steers a query picture towards one category, whose number is given. */
export const oneCategoryLeg = (
  { columns }: { columns: StoreColumns },
  category: number,
  loss: number,
): ExactLeg => {
  const numbers = everyCategory(columns, -loss)
  numbers[category] = 0
  return { ...byCategory(columns, numbers), isFading: true }
}

/**
 * Steers towards a category, or what is below a level, by its name.
 *
 * @param spared documents that lose nothing outside it.
 */
export function namedCategoryLeg(
  { columns }: { columns: StoreColumns },
  name: string,
  loss: number,
  spared: ReadonlySet<number> = new Set(),
): ExactLeg {
  const category = columns.categories.find(name)
  const isBelow = columns.testLevel(name)
  const isSpared = (slot: number) => spared.has(columns.documentAt(slot))
  if (isBelow) {
    const isIn = (slot: number) => columns.categoryAt(slot) === category || isBelow(slot) || isSpared(slot)
    return { name: 'category', at: (slot) => (isIn(slot) ? 0 : -loss), isFading: false }
  }
  const numbers = everyCategory(columns, -loss)
  if (category !== undefined) numbers[category] = 0
  const leg = byCategory(columns, numbers)
  return spared.size === 0 ? leg : { name: 'category', at: (slot) => (isSpared(slot) ? 0 : leg.at(slot)) }
}

/**
 * The products that have every word of a query which says more than the name of a category: a "Dog bed" among the pets is meant
 * by "dog bed", whatever is in "Beds".
 *
 * @param silent words that something else judges: a "red bed" is a bed like any other.
 */
export function findSpared(
  { words }: Pick<SearchedStore, 'words'>,
  query: WordQuery,
  category: string,
  silent: ReadonlySet<string>,
): ReadonlySet<number> {
  const named = new Set(listStems(category))
  const saysMore = splitWords(typeof query === 'string' ? query : query.text).some(
    (word) => !silent.has(word) && !named.has(stemmer(word)),
  )
  return saysMore ? words.listHoldersOfAll(query, SPARED_MAX) : new Set()
}

/** What more products have is no exception. */
const SPARED_MAX = 500

/** A number for every category, and for none. */
const everyCategory = ({ categories }: StoreColumns, number: number): Float64Array =>
  new Float64Array(categories.end()).fill(number)

/** @param numbers of every category. */
const byCategory = (columns: StoreColumns, numbers: Float64Array): ExactLeg => ({
  name: 'category',
  at: (slot) => numbers[columns.categoryAt(slot)] as number,
  column: { keys: columns.categoryNumbers(), numbers },
})

/** How much steering counts, by the request's `category_boost`. */
export const steeringFactor = (categoryBoost: number | undefined): number =>
  (categoryBoost ?? RANKING.categoryBoost) / RANKING.categoryBoost

/**
 * Finds the category that a text names, or the level above categories: all words of its name occur in the text, compared by
 * their stems ("mug" names "Mugs"). The longest name wins, so that "table lamp" means "Table lamps" and not "Tables". Of names
 * as long, the one nearest to the head of the phrase wins: "wine glass" means "Glasses" and not "Wine".
 *
 * @returns its name as products spell it; empty when the text names none.
 */
export function findNamedCategory(text: string, columns: StoreColumns): string {
  const places = placeStems(text)
  let best = { label: '', length: 0, place: -Infinity }
  const consider = ({ label, stems }: KnownName): void => {
    const { length } = stems
    if (length < best.length || length === 0 || !stems.every((word) => places.has(word))) return
    const place = Math.max(...stems.map((word) => places.get(word) as number))
    if (length > best.length || place > best.place) best = { label, length, place }
  }
  for (const number of columns.listCategories()) consider(readStems(number, columns))
  for (const label of columns.listLevels(LEVELS_MAX)) {
    // A path is no name.
    if (!label.includes('>') && label.length <= LEVEL_CHARS_MAX) consider({ label, stems: levelStems(label) })
  }
  return best.label
}

/**
 * The stems of a text with their places: a greater one is nearer to the head, which is the last word before a preposition
 * ("a lamp for the table", "verre à vin"), or the last word of all.
 */
function placeStems(text: string): Map<string, number> {
  const words = splitWords(text)
  const end = words.findIndex((word, n) => n > 0 && PREPOSITIONS.has(word))
  const places = new Map<string, number>()
  for (const [n, word] of words.entries()) {
    const stem = stemmer(word)
    const place = end === -1 || n < end ? n : n - words.length
    places.set(stem, Math.max(place, places.get(stem) ?? place))
  }
  return places
}

/** Those of eight languages, without accents. What follows one says more of what stands before it. */
export const PREPOSITIONS: ReadonlySet<string> = new Set(
  (
    'for with without of from fur mit ohne aus von pour avec sans de d du des a para con sin per da di del della ' +
    'voor met zonder dla bez com sem'
  ).split(' '),
)

/** The stems of names of levels, those of all stores together. */
const knownLevels = new BoundedMap<string, string[]>(5_000)
/** Levels of one store that a text may name, and their characters. */
const LEVELS_MAX = 2_000
const LEVEL_CHARS_MAX = 100

function levelStems(label: string): string[] {
  const known = knownLevels.get(label)
  if (known) return known
  const stems = listStems(label)
  knownLevels.set(label, stems)
  return stems
}

const listStems = (text: string): string[] => splitWords(text).map(stemmer)

interface KnownName {
  label: string
  stems: string[]
}

/** The stems of each store's category names, by the category's number, which may go to another name. */
const known = new WeakMap<StoreColumns, KnownName[]>()

function readStems(number: number, columns: StoreColumns): KnownName {
  const names = known.get(columns) ?? []
  known.set(columns, names)
  const label = columns.categories.getLabel(number)
  const name = names[number]
  if (name?.label === label) return name
  const read = { label, stems: listStems(label) }
  names[number] = read
  return read
}
