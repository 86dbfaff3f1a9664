import { stemmer } from 'stemmer'
import { splitWords } from '../../../core/text.ts'
import type { StoreColumns } from '../../catalogue/product-index/columns.ts'

/** The number of a picture's nearest products that vote for its category. */
export const VOTERS = 10

/** The share of the votes that the winning category needs. Below it the picture lies between categories. */
const MAJORITY = 0.4

/**
 * Finds the category that a text names: all words of its name occur in the text, compared by their stems ("mug" names
 * "Mugs"). The longest name wins, so that "table lamp" means "Table lamps" and not "Tables".
 *
 * @returns its number, or 0 when the text names none.
 */
export function findNamedCategory(text: string, columns: StoreColumns): number {
  const spoken = new Set(listStems(text))
  let best = { number: 0, length: 0 }
  for (const number of columns.listCategories()) {
    const name = readStems(number, columns)
    if (name.length > best.length && name.every((word) => spoken.has(word)))
      best = { number, length: name.length }
  }
  return best.number
}

const listStems = (text: string): string[] => splitWords(text).map(stemmer)

/** The stems of each store's category names, by the category's number. A name never changes its number. */
const known = new WeakMap<StoreColumns, string[][]>()

function readStems(number: number, columns: StoreColumns): string[] {
  const names = known.get(columns) ?? []
  known.set(columns, names)
  const name = names[number] ?? listStems(columns.categories.getLabel(number))
  names[number] = name
  return name
}

/**
 * Finds the category of most of a picture's nearest products.
 *
 * @param slots the nearest slots, best first; the first {@link VOTERS} vote.
 * @returns its number, or 0 without a clear winner.
 */
export function voteForCategory(slots: readonly number[], columns: StoreColumns): number {
  const voters = slots.slice(0, VOTERS)
  const votes = new Map<number, number>()
  for (const slot of voters) {
    const category = columns.categoryAt(slot)
    if (category > 0) votes.set(category, (votes.get(category) ?? 0) + 1)
  }
  let winner = 0
  for (const [category, count] of votes) if (count > (votes.get(winner) ?? 0)) winner = category
  return (votes.get(winner) ?? 0) >= Math.max(2, voters.length * MAJORITY) ? winner : 0
}
