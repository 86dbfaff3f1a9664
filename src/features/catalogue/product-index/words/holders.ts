import { type Postings, WEIGHT_MAX, weightIn } from './postings.ts'
import { FACTORS, readVariant, type Variant, type Variants } from './variants.ts'

/**
 * The documents that have every word of a query, or another form of its stem.
 *
 * @param max none are listed where more have the rarest of the words.
 * @param weightAbove words that weigh no more in a document do not count.
 */
export function listHoldersOfAll(
  postings: Pick<Postings, 'read' | 'count'>,
  asked: readonly Variants[],
  max: number,
  weightAbove: number,
): Set<number> {
  const countAll = (variants: readonly Variant[]) =>
    variants.reduce((sum, { word, phrase }) => sum + (phrase ? phrase.items.length : postings.count(word)), 0)
  const [rarest = [], ...others] = asked
    .map(({ variants }) => variants.filter(({ factor }) => factor >= FACTORS.stem))
    .toSorted((a, b) => countAll(a) - countAll(b))
  if (countAll(rarest) > max) return new Set()
  const documents = rarest.flatMap((variant) => {
    const { items, start, end } = readVariant(postings, variant)
    return Array.from(items.subarray(start, end))
      .filter((posting) => (posting & WEIGHT_MAX) > weightAbove)
      .map((posting) => posting >>> 8)
  })
  const hasOne = (document: number, variants: readonly Variant[]) =>
    variants.some((variant) => weightIn(readVariant(postings, variant), document) > weightAbove)
  return new Set(documents.filter((document) => others.every((variants) => hasOne(document, variants))))
}
