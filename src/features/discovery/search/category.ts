import { stemmer } from 'stemmer'
import { splitWords } from '../../../core/text.ts'
import type { StoreColumns } from './columns.ts'

/** Neighbours of a picture that vote for its category. */
export const VOTERS = 10

/** Share of the neighbours that the winning category needs: below it the picture lies between categories. */
const MAJORITY = 0.4

/**
 * The category that a text names: one whose words all occur in it, compared by their stems ("mug" names "Mugs").
 * The longest name wins, so that "table lamp" means "Table lamps" and not "Tables".
 *
 * @returns its number, or 0 when the text names none.
 */
export function categoryOfText(text: string, columns: StoreColumns): number {
  const spoken = new Set(stems(text))
  let best = { number: 0, length: 0 }
  for (const number of columns.liveCategories()) {
    const name = stemsOfCategory(number, columns)
    if (name.length > best.length && name.every((word) => spoken.has(word)))
      best = { number, length: name.length }
  }
  return best.number
}

const stems = (text: string): string[] => splitWords(text).map(stemmer)

/** Stems of the names of each store's categories by number; a name never changes its number. */
const known = new WeakMap<StoreColumns, string[][]>()

function stemsOfCategory(number: number, columns: StoreColumns): string[] {
  const names = known.get(columns) ?? []
  known.set(columns, names)
  const name = names[number] ?? stems(columns.categories.labelOf(number))
  names[number] = name
  return name
}

/**
 * The category that most of a picture's nearest products have.
 *
 * @param slots the nearest slots, best first; the first {@link VOTERS} vote.
 * @returns its number, or 0 without a clear winner.
 */
export function categoryByVote(slots: readonly number[], columns: StoreColumns): number {
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
