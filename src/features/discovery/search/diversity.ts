import type { Segment } from '../../../platform/vectors/arena.ts'
import type { NearProduct } from './nearest.ts'

/** The products from the top of the list among which diversity chooses; those behind keep their order. */
export const POOL = 200

/**
 * Orders products by maximal marginal relevance: the next one is always that with the best (1 − λ) · score − λ · likeness,
 * where likeness is the greatest cosine to the pictures above it. A longer list begins with a shorter one.
 *
 * @param products best first.
 * @param weight λ, above 0 and at most 1.
 * @param depth the number of products that matter.
 * @param worthOf the score that counts; the product's own by default.
 */
export function diversify<Product extends NearProduct>(
  segment: Pick<Segment, 'vectorAt' | 'rescore'>,
  products: readonly Product[],
  weight: number,
  depth: number,
  worthOf: (product: Product) => number = ({ score }) => score,
): Product[] {
  const pool = products.slice(0, POOL)
  const worths = pool.map(worthOf)
  const slots = Uint32Array.from(pool, ({ slot }) => slot)
  const likeness = new Float32Array(pool.length)
  const isTaken = new Uint8Array(pool.length)
  const ordered: Product[] = []
  const wanted = Math.min(depth, pool.length)
  while (ordered.length < wanted) {
    let next = -1
    let best = -Infinity
    for (const [n, score] of worths.entries()) {
      const worth = (1 - weight) * score - weight * (likeness[n] as number)
      if (isTaken[n] || worth <= best) continue
      best = worth
      next = n
    }
    isTaken[next] = 1
    ordered.push(pool[next] as Product)
    const vector = segment.vectorAt(slots[next] as number)
    if (!vector || ordered.length === wanted) continue
    const cosines = segment.rescore(vector, slots)
    for (let n = 0; n < cosines.length; n++) {
      likeness[n] = Math.max(likeness[n] as number, cosines[n] as number)
    }
  }
  return [...ordered, ...products.slice(POOL)]
}
