/** Some rows of products. */
export interface RowSet {
  has(row: number): boolean
  readonly size: number
  /** In ascending order, which is the order of their age. */
  [Symbol.iterator](): IterableIterator<number>
  /** Of memory that it holds. */
  readonly bytes: number
}

/** Rows that can be changed a little at the cost of a copy of their memory. */
export interface KeptRowSet extends RowSet {
  /** A set with other members among some rows. */
  replace(among: readonly number[], members: ReadonlySet<number>): KeptRowSet
}

/** Places in a bit map that take about as much memory as a row in a `Set`. */
const BITS_PER_ENTRY = 256
const OVERHEAD_BYTES = 200
/** A replacement lengthens a bit map by up to this; further rows are laid out anew. */
const ROOM_BYTES = 1_024

/** @param rows in any order; may have a row twice. */
export function createRowSet(rows: ArrayLike<number>): KeptRowSet {
  let [first, last] = [Number.POSITIVE_INFINITY, -1]
  for (let n = 0; n < rows.length; n++) {
    const row = rows[n] as number
    if (row < first) first = row
    if (row > last) last = row
  }
  const range = last < first ? 0 : last - first + 1
  return range > BITS_PER_ENTRY * rows.length + 4096 ? scattered(rows) : dense(rows, first, range)
}

function dense(rows: ArrayLike<number>, first: number, range: number): KeptRowSet {
  const bits = new Uint8Array(Math.ceil(range / 8))
  let size = 0
  for (let n = 0; n < rows.length; n++) {
    const at = (rows[n] as number) - first
    const mask = 1 << (at & 7)
    if ((bits[at >>> 3] as number) & mask) continue
    bits[at >>> 3] = (bits[at >>> 3] as number) | mask
    size++
  }
  return fromBits(bits, first, size)
}

/** @param first the row of the lowest bit of the first byte. */
function fromBits(bits: Uint8Array, first: number, size: number): KeptRowSet {
  const range = 8 * bits.length
  const has = (row: number) => {
    const at = row - first
    return at >= 0 && at < range && ((bits[at >>> 3] as number) & (1 << (at & 7))) !== 0
  }
  return {
    replace(among, members) {
      const changed = [...new Set(among)]
      const added = changed.filter((row) => members.has(row) && !has(row))
      const removed = changed.filter((row) => has(row) && !members.has(row))
      const last = added.reduce((most, row) => Math.max(most, row), first + range - 1)
      const end = last - first + 1
      if (added.some((row) => row < first) || end > range + 8 * ROOM_BYTES)
        return createRowSet([...replaced(this, among, members)])
      const copy = new Uint8Array(Math.max(bits.length, Math.ceil(end / 8)))
      copy.set(bits)
      for (const row of [...added, ...removed]) {
        const at = row - first
        copy[at >>> 3] = (copy[at >>> 3] as number) ^ (1 << (at & 7))
      }
      return fromBits(copy, first, size + added.length - removed.length)
    },
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

/** The members of a set after a replacement, in any order. */
function* replaced(rows: RowSet, among: readonly number[], members: ReadonlySet<number>): Generator<number> {
  const changed = new Set(among)
  for (const row of rows) if (!changed.has(row)) yield row
  for (const row of changed) if (members.has(row)) yield row
}

function scattered(rows: ArrayLike<number>): KeptRowSet {
  const set = new Set(Float64Array.from(rows).sort())
  return {
    replace(among, members) {
      return createRowSet([...replaced(this, among, members)])
    },
    has: (row) => set.has(row),
    size: set.size,
    bytes: (set.size * BITS_PER_ENTRY) / 8 + OVERHEAD_BYTES,
    [Symbol.iterator]: () => set.values(),
  }
}
