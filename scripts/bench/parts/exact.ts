import { selectTop } from '../../../src/core/select.ts'

/** Slots scored before the best of them are kept. */
const BLOCK = 4_096

/** Finds the exact nearest vectors of several queries in one pass over the vectors. */
export interface ExactScan {
  /** Takes the vector of the next slot; slots ascend from 0. */
  visit(slot: number, vector: Float32Array): void
  /** The slots of the `k` highest products with each query, best first. */
  all(): number[][]
  /** The same among the slots whose byte in the mask is not 0. */
  chosen(): number[][]
}

/** @param mask a byte for each slot. */
export function createExactScan({
  queries,
  k,
  mask,
}: {
  queries: readonly Float32Array[]
  k: number
  mask: Uint8Array
}): ExactScan {
  const best = queries.map(() => ({ all: [] as Scored[], chosen: [] as Scored[] }))
  const scores = queries.map(() => new Float32Array(BLOCK))
  let first = 0
  let held = 0
  /** Joins the best of the block with the best so far, so that no list is as long as the store. */
  const keep = (kept: readonly Scored[], block: Float32Array, accepts?: (position: number) => boolean) => {
    const more = Array.from(selectTop(block, k, accepts), (position) => ({
      slot: first + position,
      score: block[position] as number,
    }))
    return [...kept, ...more].sort((a, b) => b.score - a.score || a.slot - b.slot).slice(0, k)
  }
  const flush = () => {
    for (const [n, kept] of best.entries()) {
      const block = (scores[n] as Float32Array).subarray(0, held)
      kept.all = keep(kept.all, block)
      kept.chosen = keep(kept.chosen, block, (position) => mask[first + position] !== 0)
    }
    first += held
    held = 0
  }
  const list = (which: 'all' | 'chosen') => {
    flush()
    return best.map((kept) => kept[which].map(({ slot }) => slot))
  }
  return {
    visit(slot, vector) {
      if (slot !== first + held) throw new Error(`Slot ${slot} comes where ${first + held} was expected`)
      for (const [n, query] of queries.entries()) (scores[n] as Float32Array)[held] = dot(query, vector)
      if (++held === BLOCK) flush()
    },
    all: () => list('all'),
    chosen: () => list('chosen'),
  }
}

interface Scored {
  slot: number
  score: number
}

function dot(a: Float32Array, b: Float32Array): number {
  // Four sums at once: each addition waits for the one before it.
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  for (let i = 0; i < a.length; i += 4) {
    s0 += (a[i] as number) * (b[i] as number)
    s1 += (a[i + 1] as number) * (b[i + 1] as number)
    s2 += (a[i + 2] as number) * (b[i + 2] as number)
    s3 += (a[i + 3] as number) * (b[i + 3] as number)
  }
  return s0 + s1 + s2 + s3
}
