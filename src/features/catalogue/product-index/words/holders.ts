import { type Postings, WEIGHT_MAX } from './postings.ts'
import { FACTORS, type Variants } from './variants.ts'

/**
 * The documents that have every word of a query, or another form of its stem.
 *
 * @param max none are listed where more have the rarest of the words.
 * @param weightAbove words that weigh no more in a document do not count.
 */
export function listHoldersOfAll(
  postings: Pick<Postings, 'read' | 'count' | 'weightOf'>,
  asked: readonly Variants[],
  max: number,
  weightAbove: number,
): Set<number> {
  const countAll = (forms: readonly number[]) => forms.reduce((sum, word) => sum + postings.count(word), 0)
  const [rarest = [], ...others] = asked
    .map(({ variants }) => variants.filter(({ factor }) => factor >= FACTORS.stem).map(({ word }) => word))
    .toSorted((a, b) => countAll(a) - countAll(b))
  if (countAll(rarest) > max) return new Set()
  const documents = rarest.flatMap((word) => {
    const { items, start, end } = postings.read(word)
    return Array.from(items.subarray(start, end))
      .filter((posting) => (posting & WEIGHT_MAX) > weightAbove)
      .map((posting) => posting >>> 8)
  })
  const hasOne = (document: number, forms: readonly number[]) =>
    forms.some((word) => postings.weightOf(word, document) > weightAbove)
  return new Set(documents.filter((document) => others.every((forms) => hasOne(document, forms))))
}
