/** Some rows of products. */
export interface RowSet {
  has(row: number): boolean
  readonly size: number
  /** In ascending order, which is the order of their age. */
  [Symbol.iterator](): IterableIterator<number>
  /** Of memory that it holds. */
  readonly bytes: number
}

/** Places in a bit map that take about as much memory as a row in a `Set`. */
const BITS_PER_ENTRY = 256
const OVERHEAD_BYTES = 200

/** @param rows in any order; may have a row twice. */
export function createRowSet(rows: readonly number[]): RowSet {
  let [first, last] = [Number.POSITIVE_INFINITY, -1]
  for (const row of rows) {
    if (row < first) first = row
    if (row > last) last = row
  }
  const range = last < first ? 0 : last - first + 1
  return range > BITS_PER_ENTRY * rows.length + 4096 ? scattered(rows) : dense(rows, first, range)
}

function dense(rows: readonly number[], first: number, range: number): RowSet {
  const bits = new Uint8Array(Math.ceil(range / 8))
  let size = 0
  for (const row of rows) {
    const at = row - first
    const mask = 1 << (at & 7)
    if ((bits[at >>> 3] as number) & mask) continue
    bits[at >>> 3] = (bits[at >>> 3] as number) | mask
    size++
  }
  const has = (row: number) => {
    const at = row - first
    return at >= 0 && at < range && ((bits[at >>> 3] as number) & (1 << (at & 7))) !== 0
  }
  return {
    has,
    size,
    bytes: bits.length + OVERHEAD_BYTES,
    *[Symbol.iterator]() {
      for (let at = 0; at < bits.length; at++) {
        if (bits[at] === 0) continue
        for (let bit = 0; bit < 8; bit++) if ((bits[at] as number) & (1 << bit)) yield first + at * 8 + bit
      }
    },
  }
}

function scattered(rows: readonly number[]): RowSet {
  const set = new Set([...rows].sort((a, b) => a - b))
  return {
    has: (row) => set.has(row),
    size: set.size,
    bytes: (set.size * BITS_PER_ENTRY) / 8 + OVERHEAD_BYTES,
    [Symbol.iterator]: () => set.values(),
  }
}
