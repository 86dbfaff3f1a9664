/** Pseudorandom numbers, the same in every run (mulberry32). */
export interface Random {
  /** An integer from 0 to `below - 1`. */
  below(below: number): number
  pick<Item>(items: readonly Item[]): Item
  bytes(length: number): Uint8Array
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number): number => next() % limit
  return {
    below,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error('nothing to pick from')
      return items[below(items.length)] as Item
    },
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
  }
}

/**
 * Reads how often a test repeats: the usual number, or the one in an environment variable. It is at least 1, because a
 * test that does nothing would pass.
 */
export function readRepetitions(variable: string, usual: number): number {
  const given = Number(process.env[variable] ?? usual)
  if (!Number.isSafeInteger(given) || given < 1) {
    throw new Error(`${variable} must be a whole number above 0`)
  }
  return given
}
