import type { PostingList, Postings } from './postings.ts'
import { WEIGHT_MAX } from './postings.ts'

/** Several words, and the products that have them all. */
export interface Phrase {
  /** The forms of each word. */
  forms: readonly (readonly number[])[]
  /** Sorted: number << 8 | the least weight of its words there. */
  items: Uint32Array
}

/**
 * Finds the products that have all words of a phrase, each in any of its forms.
 *
 * @param budget loses the postings that are looked at.
 * @returns undefined where no product has them all, or the budget is too small.
 */
export function findPhrase(
  postings: Pick<Postings, 'read' | 'count' | 'weightOf'>,
  forms: readonly (readonly number[])[],
  budget: { looksLeft: number },
): Phrase | undefined {
  const countAll = (words: readonly number[]) => words.reduce((sum, word) => sum + postings.count(word), 0)
  const [rarest = [], ...others] = forms.toSorted((a, b) => countAll(a) - countAll(b))
  const looks = countAll(rarest)
  if (looks === 0 || looks > budget.looksLeft) return undefined
  budget.looksLeft -= looks
  const items = mergeLists(rarest.map(postings.read))
  let count = 0
  for (const posting of items) {
    const document = posting >>> 8
    let weight = posting & WEIGHT_MAX
    for (const words of others) {
      let most = 0
      for (const word of words) most = Math.max(most, postings.weightOf(word, document))
      weight = Math.min(weight, most)
    }
    if (weight > 0) items[count++] = ((document << 8) | weight) >>> 0
  }
  return count > 0 ? { forms, items: items.slice(0, count) } : undefined
}

/** The postings of several lists, one for each document. */
function mergeLists(lists: readonly PostingList[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { start, end }) => sum + end - start, 0))
  let length = 0
  for (const { items, start, end } of lists) {
    all.set(items.subarray(start, end), length)
    length += end - start
  }
  if (lists.length > 1) all.sort()
  let count = 0
  // Of one document the last posting weighs most.
  for (const posting of all) {
    if (count > 0 && (all[count - 1] as number) >>> 8 === posting >>> 8) count--
    all[count++] = posting
  }
  return all.subarray(0, count)
}
