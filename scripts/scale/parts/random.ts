/** Pseudorandom numbers, the same for a seed in every run (mulberry32). */
export interface Random {
  /** An integer from 0 to `below - 1`. */
  below(below: number): number
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return {
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
    },
  }
}
