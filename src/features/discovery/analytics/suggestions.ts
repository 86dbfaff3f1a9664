import { ApiError } from '../../../core/errors.ts'
import type { Base } from '../../module.ts'
import type { Analytics } from './schema.ts'

export interface SuggestionDeps extends Pick<Base, 'clock'> {
  /** Finds words of a store's products that somebody may have meant by a query. */
  suggestWords(storeId: string, query: string): Promise<readonly string[]>
}

type ZeroQuery = Analytics['zero_result_queries'][number]

/** Queries of a report that get suggestions, the most frequent ones, and the time that all of them may take. */
const QUERIES_MAX = 10
const MS_MAX = 1_000

/** A report whose queries without results carry suggestions. */
export const withSuggestions = async (
  deps: SuggestionDeps,
  storeId: string,
  report: Analytics,
): Promise<Analytics> => ({
  ...report,
  zero_result_queries: await addSuggestions(deps, storeId, report.zero_result_queries),
})

/** Adds to queries without results the words of the store that may have been meant, as far as these are found in time. */
export async function addSuggestions(
  { suggestWords, clock }: SuggestionDeps,
  storeId: string,
  queries: readonly ZeroQuery[],
): Promise<ZeroQuery[]> {
  const end = clock.monotonic() + MS_MAX
  const suggested: ZeroQuery[] = []
  for (const [n, zero] of queries.entries()) {
    const words = n < QUERIES_MAX && clock.monotonic() < end ? await trySuggest(zero.query) : []
    suggested.push(words.length > 0 ? { ...zero, suggested_words: [...words] } : zero)
  }
  return suggested

  /** A report does not fail because the model is busy. */
  async function trySuggest(query: string): Promise<readonly string[]> {
    try {
      return await suggestWords(storeId, query)
    } catch (error) {
      if (error instanceof ApiError) return []
      throw error
    }
  }
}
