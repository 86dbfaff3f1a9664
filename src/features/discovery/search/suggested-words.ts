import { fold, splitWords } from '../../../core/text.ts'
import type { SearchResponse } from './answer-schema.ts'
import type { Searcher } from './searcher.ts'

const WORDS_MAX = 5

export interface SuggestedWordsDeps {
  byText(
    searcher: Searcher,
    body: { query: string; limit: number; threshold: number; cutoff: 'none' },
  ): Promise<Pick<SearchResponse, 'did_you_mean' | 'query_words'>>
}

/**
 * Creates what finds words of a store that somebody may have meant by a query: its own words that are spelt nearly so, then those
 * that the nearest products have in common, as the model sees them. The search for them leaves no trace.
 */
export function createSuggestWords({ byText }: SuggestedWordsDeps) {
  return async function suggestWords(storeId: string, query: string): Promise<string[]> {
    const body = { query, limit: 1, threshold: 0, cutoff: 'none' as const }
    const { did_you_mean = '', query_words = [] } = await byText({ storeId, isUnlogged: true }, body)
    const said = new Set(splitWords(query))
    const near = did_you_mean.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
    const words = [...near, ...query_words.map(({ word }) => word)].filter((word) => !said.has(fold(word)))
    return [...new Set(words)].slice(0, WORDS_MAX)
  }
}
