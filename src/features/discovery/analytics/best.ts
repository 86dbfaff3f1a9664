/**
 * Finds the items with the greatest keys, without sorting all of them.
 *
 * @param size items are the numbers below this.
 * @param compare negative where the first comes before the second; a complete order makes the result unique.
 * @returns at most `limit` items in order.
 */
export function findBest(
  size: number,
  limit: number,
  isWanted: (item: number) => boolean,
  compare: (one: number, other: number) => number,
): number[] {
  let best: number[] = []
  let last: number | undefined
  for (let item = 0; item < size; item++) {
    if (!isWanted(item)) continue
    if (last !== undefined && compare(item, last) > 0) continue
    best.push(item)
    if (best.length < 2 * limit) continue
    best = best.sort(compare).slice(0, limit)
    last = best.at(-1)
  }
  return best.sort(compare).slice(0, limit)
}
