import type { Query } from '../api/search.ts'

/** What the header's search hands to the playground: an address can hold words, but no picture. */
let handed: Query | null = null

export const handOver = (query: Query): void => {
  handed = query
}

/** Takes what was handed over, once. */
export function takeHanded(): Query | null {
  const query = handed
  handed = null
  return query
}
