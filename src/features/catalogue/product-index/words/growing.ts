type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** A column of numbers that grows by half of its length. */
export interface Column<Kind extends Numbers> {
  /** Must be read again after {@link Column.reach}, which may replace it. */
  items: Kind
  /** Makes place for an index; new places hold 0. */
  reach(index: number): void
}

export function createColumn<Kind extends Numbers>(Kind: new (length: number) => Kind): Column<Kind> {
  // Asking an array for its length is slow where arrays of several types come by.
  let length = 64
  const column: Column<Kind> = {
    items: new Kind(length),
    reach(index) {
      if (index < length) return
      length = Math.max(index + 1, length + (length >> 1))
      const larger = new Kind(length)
      larger.set(column.items)
      column.items = larger
    },
  }
  return column
}

/** Lengths of blocks are multiples of this power of two. */
const STEP = 4

/**
 * Many short lists in one array: a list takes a block, and a block that is given back is used again for a list of about
 * the same length, so nothing is ever moved.
 */
export interface Blocks<Kind extends Numbers> {
  /** Must be read again after {@link Blocks.take}, which may replace it. */
  column: Column<Kind>
  /** @returns where the block starts. What it holds is undefined. */
  take(length: number): number
  /** @param length as it was taken. */
  giveBack(start: number, length: number): void
}

/** How many numbers a block for `length` of them can take. */
export const capacityOf = (length: number): number => (length + STEP - 1) & -STEP

export function createBlocks<Kind extends Numbers>(Kind: new (length: number) => Kind): Blocks<Kind> {
  const column = createColumn(Kind)
  /** Starts of free blocks, by their length in steps. */
  const free: number[][] = []
  let end = 0
  return {
    column,
    take(length) {
      const capacity = capacityOf(length)
      const start = free[capacity / STEP]?.pop()
      if (start !== undefined) return start
      end += capacity
      column.reach(end)
      return end - capacity
    },
    giveBack(start, length) {
      const steps = capacityOf(length) / STEP
      if (steps === 0) return
      const starts = free[steps] ?? []
      free[steps] = starts
      starts.push(start)
    },
  }
}

/** A set of numbers above 0 that are found by their hash. The hashes stand elsewhere. */
export interface HashTable {
  /** The first place to look at for a hash. */
  start(hash: number): number
  /** The number at a place; 0 ends the search. */
  at(place: number): number
  next(place: number): number
  /** @param number must not be in it. */
  add(number: number): void
  /** @param number must be in it. */
  remove(number: number): void
  bytes(): number
}

/** @param hashOf the hash of a number in the table, an unsigned integer of 32 bits. */
export function createHashTable(hashOf: (number: number) => number): HashTable {
  let slots = new Uint32Array(64)
  let mask = 63
  let size = 0

  function insert(number: number): void {
    let place = hashOf(number) & mask
    while (slots[place] !== 0) place = (place + 1) & mask
    slots[place] = number
  }

  function grow(): void {
    const before = slots
    slots = new Uint32Array(before.length * 2)
    mask = slots.length - 1
    for (const number of before) if (number !== 0) insert(number)
  }

  return {
    start: (hash) => hash & mask,
    at: (place) => slots[place] as number,
    next: (place) => (place + 1) & mask,
    add(number) {
      if (++size * 4 > slots.length * 3) grow()
      insert(number)
    },
    remove(number) {
      let hole = hashOf(number) & mask
      while (slots[hole] !== number) hole = (hole + 1) & mask
      size--
      // Backward-shift deletion: an entry behind the hole moves into it unless that puts it before its home slot.
      for (let place = (hole + 1) & mask; slots[place] !== 0; place = (place + 1) & mask) {
        const home = hashOf(slots[place] as number) & mask
        if (((place - home) & mask) < ((place - hole) & mask)) continue
        slots[hole] = slots[place] as number
        hole = place
      }
      slots[hole] = 0
    },
    bytes: () => slots.byteLength,
  }
}
