import type { Hit, Ranking } from './ranking.ts'
import { joinWords } from './second-look.ts'

/**
 * Merges the lists of several references: they take turns, so that each is represented. A product that is in several
 * lists keeps its first place and its best score, and names the reference that gave this score.
 */
export function interleave(rankings: readonly Ranking[], depth: number): Ranking {
  const best = new Map<number, Hit>()
  for (const [reference, { hits, pinned }] of rankings.entries()) {
    for (const hit of [...hits, ...pinned.map(({ hit }) => hit)]) {
      const known = best.get(hit.product)
      if (!known || hit.score > known.score) best.set(hit.product, { ...hit, reference })
    }
  }
  const bestOf = (hit: Hit): Hit => best.get(hit.product) ?? hit
  const [first] = rankings
  const pinned = first?.pinned ?? []
  // A product may change between two lists.
  const taken = new Set(pinned.map(({ hit }) => hit.product))
  const inStock = takeTurns(
    rankings.map(({ hits, soldOutFrom }) => hits.slice(0, soldOutFrom)),
    taken,
  )
  const soldOut = takeTurns(
    rankings.map(({ hits, soldOutFrom }) => hits.slice(soldOutFrom)),
    taken,
  )
  return {
    hits: [...inStock, ...soldOut].slice(0, depth).map(bestOf),
    soldOutFrom: Math.min(depth, inStock.length),
    pinned: pinned.map(({ pin, hit }) => ({ pin, hit: bestOf(hit) })),
    candidates: first?.candidates ?? 0,
    cut: Math.min(...rankings.map(({ cut }) => cut)),
    isExact: rankings.every(({ isExact }) => isExact),
    words: joinWords(rankings.map(({ words }) => words)),
  }
}

/** Takes the next product of each list in turn; one that was taken is passed over. */
function takeTurns(lists: readonly (readonly Hit[])[], taken: Set<number>): Hit[] {
  const next = lists.map(() => 0)
  const merged: Hit[] = []
  for (let isOver = false; !isOver; ) {
    isOver = true
    for (const [n, list] of lists.entries()) {
      while (next[n] !== undefined && taken.has(list[next[n]]?.product ?? -1)) next[n]++
      const hit = list[next[n] ?? 0]
      if (!hit) continue
      isOver = false
      taken.add(hit.product)
      merged.push(hit)
    }
  }
  return merged
}
