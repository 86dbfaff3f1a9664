import type { WordQuery } from '../../../catalogue/product-index/words/asked.ts'
import type { SearchedStore } from '../searched-store.ts'
import type { ExactLeg } from './leg.ts'

/** A product that is the query itself counts so much more than any other that it comes first. */
const FIRST = 2

/**
 * The keyword leg: how well each product's words match the query, as a share of the best match. A product whose id, SKU,
 * GTIN or whole name is the query itself comes before all others.
 *
 * @param unit what the best match counts.
 * @param isOnly whether a product without any of the words is left out.
 * @param silent words that count for nothing, because something else judges them.
 * @returns undefined where no product has any of the words. Valid for one tick.
 */
export function keywordLeg(
  { words, columns }: SearchedStore,
  query: WordQuery,
  unit: number,
  { isOnly = false, silent }: { isOnly?: boolean; silent?: ReadonlySet<string> } = {},
): ExactLeg | undefined {
  const { documentAt } = columns
  const { scores, max, exact } = words.score(query, silent)
  if (max === 0 && exact.length === 0) return undefined
  const share = max > 0 ? unit / max : 0
  const none = isOnly ? -Infinity : 0
  const first = new Map<number, number>()
  for (const [n, document] of exact.entries()) {
    if (!first.has(document)) first.set(document, FIRST + (exact.length - n) / exact.length)
  }
  const byWords = (document: number): number => {
    const score = scores[document] ?? 0
    return score > 0 ? share * score : none
  }
  /** 1 for the documents that come first; empty without any. */
  const isFirst = new Uint8Array(first.size > 0 ? scores.length : 0)
  for (const document of first.keys()) isFirst[document] = 1
  return {
    name: 'keyword',
    at(slot) {
      const document = documentAt(slot)
      return first.get(document) ?? byWords(document)
    },
    addTo(values, factor) {
      const documents = columns.documents()
      for (let slot = 0; slot < values.length; slot++) {
        const document = documents[slot] as number
        const score = document < scores.length ? (scores[document] as number) : 0
        if (document < isFirst.length && isFirst[document] === 1)
          values[slot] = (values[slot] as number) + factor * (first.get(document) as number)
        else if (score > 0) values[slot] = (values[slot] as number) + factor * share * score
        else if (isOnly) values[slot] = none
      }
    },
  }
}

/** Whether any product of the store has a word of the query. */
export const hasWords = ({ words }: SearchedStore, query: WordQuery): boolean => words.hasAny(query)

/** The deviation that is assumed before any product has been seen, and how many products it weighs against. */
const USUAL = { deviation: 0.05, count: 8 }

/**
 * The standard deviation of a query's cosines over the store: the unit in which words and cosines are added. A sample of all
 * pictures gives it, whatever passes the filters, so that a filter changes no score.
 *
 * @param scanned the vector's scores of all slots, where a scan has them: the same numbers, which need not be computed again.
 */
export const measureDeviation = (
  store: SearchedStore,
  vector: Float32Array,
  scanned?: Float32Array,
): number => measureCosines(store, vector, scanned).deviation

/** The mean of the same sample, and its standard deviation. */
export function measureCosines(
  { segment, columns }: SearchedStore,
  vector: Float32Array,
  scanned?: Float32Array,
): { mean: number; deviation: number } {
  const slots = columns.listSample()
  const cosines = scanned
    ? Float32Array.from(slots, (slot) => scanned[slot] as number)
    : segment.scanSlots(vector, slots)
  let [count, sum] = [0, 0]
  for (let n = 0; n < cosines.length; n++) {
    const cosine = cosines[n] as number
    if (cosine === -Infinity) continue
    count++
    sum += cosine
  }
  const mean = sum / Math.max(1, count)
  let squares = USUAL.count * USUAL.deviation ** 2
  for (let n = 0; n < cosines.length; n++) {
    const cosine = cosines[n] as number
    if (cosine > -Infinity) squares += (cosine - mean) ** 2
  }
  return { mean, deviation: Math.sqrt(squares / (count + USUAL.count)) }
}
