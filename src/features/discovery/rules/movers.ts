import type { FoundSearch } from '../search/queries.ts'

/** Lists the rules that had moved a product in the results of a search. */
export function listMovers(
  { results, actedRules }: Pick<FoundSearch, 'results' | 'actedRules'>,
  productId: string,
): string[] {
  const place = results.indexOf(productId)
  if (place === -1) return []
  return Object.entries(actedRules ?? {}).flatMap(([id, places]) => (places.includes(place) ? [id] : []))
}
