import type { Hit, Ranking } from './ranking.ts'
import { joinWords } from './second-look.ts'

/**
 * Merges the lists of several references: they take turns, so that each is represented. A product that is in several
 * lists keeps its first place and its best score, and names the reference that gave this score.
 */
export function interleave(rankings: readonly Ranking[], depth: number): Ranking {
  const best = new Map<number, Hit>()
  for (const [reference, { hits }] of rankings.entries()) {
    for (const hit of hits) {
      const known = best.get(hit.product)
      if (!known || hit.score > known.score) best.set(hit.product, { ...hit, reference })
    }
  }
  const merged = new Map<number, Hit>()
  const next = rankings.map(() => 0)
  for (let isOver = false; !isOver && merged.size < depth; ) {
    isOver = true
    for (const [n, { hits }] of rankings.entries()) {
      while (next[n] !== undefined && merged.has(hits[next[n]]?.product ?? -1)) next[n]++
      const hit = hits[next[n] ?? 0]
      if (!hit) continue
      isOver = false
      merged.set(hit.product, best.get(hit.product) ?? hit)
    }
  }
  const [first] = rankings
  return {
    hits: [...merged.values()].slice(0, depth),
    candidates: first?.candidates ?? 0,
    cut: Math.min(...rankings.map(({ cut }) => cut)),
    isExact: rankings.every(({ isExact }) => isExact),
    words: joinWords(rankings.map(({ words }) => words)),
  }
}
