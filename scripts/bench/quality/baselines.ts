import { splitWords } from '../../../src/core/text.ts'

/** Ranks products by the cosine of their best picture, and by nothing else. */
export function rankByVector(
  query: Float32Array,
  pictures: readonly { productId: string; vector: Float32Array }[],
): string[] {
  const best = new Map<string, number>()
  for (const { productId, vector } of pictures) {
    let cosine = 0
    for (let at = 0; at < vector.length; at++) cosine += (vector[at] as number) * (query[at] as number)
    best.set(productId, Math.max(best.get(productId) ?? -1, cosine))
  }
  return [...best].sort(([, a], [, b]) => b - a).map(([productId]) => productId)
}

const K1 = 1.2
const B = 0.75

/** Ranks products by the words of their names alone: BM25 as in Robertson and Zaragoza (2009), without stems and typos. */
export function createBm25(products: readonly { productId: string; name: string }[]) {
  const documents = products.map(({ productId, name }) => ({ productId, words: splitWords(name) }))
  const length = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length)
  const frequency = new Map<string, number>()
  for (const { words } of documents)
    for (const word of new Set(words)) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  return (query: string): string[] => {
    const wanted = splitWords(query)
    const score = (words: readonly string[]) =>
      wanted.reduce((sum, word) => {
        const count = words.filter((other) => other === word).length
        const n = frequency.get(word) ?? 0
        const idf = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5))
        return sum + (idf * count * (K1 + 1)) / (count + K1 * (1 - B + (B * words.length) / length))
      }, 0)
    return documents
      .map(({ productId, words }) => ({ productId, score: score(words) }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ productId }) => productId)
  }
}
