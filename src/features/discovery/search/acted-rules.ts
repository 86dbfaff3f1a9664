import type { NoteActed } from './arrangement.ts'

/** The parameter of the history that names the rules which acted in a search. */
export const ACTED = 'acted_rules'

/** By the id of each rule, the places in the results of the products that it moved. */
export type ActedRules = Readonly<Record<string, readonly number[]>>

/** Rules of one search that are noted, and the places of their products. */
const RULES_MAX = 100
const PLACES_MAX = 1_000

/** @param results ids of the products, as they are answered. */
export function describeActed(acted: Parameters<NoteActed>[2], results: readonly string[]): ActedRules {
  const places = new Map(results.map((productId, place) => [productId, place]))
  const described: Record<string, number[]> = {}
  let left = PLACES_MAX
  for (const { rule, productIds } of acted.slice(0, RULES_MAX)) {
    const moved = new Set(productIds.flatMap((productId) => places.get(productId) ?? []))
    const known = described[rule.id] ?? []
    const fresh = [...moved].filter((place) => !known.includes(place)).slice(0, left)
    described[rule.id] = [...known, ...fresh]
    left -= fresh.length
  }
  return described
}

/** Lists the rules that acted in a search. */
export const listActed = (parameters: Readonly<Record<string, unknown>>): string[] =>
  Object.keys((parameters[ACTED] as ActedRules | undefined) ?? {})
