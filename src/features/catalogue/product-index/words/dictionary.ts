import { createBlocks, createColumn, createHashTable } from './growing.ts'
import { hashUnits } from './tokens.ts'

/**
 * Numbers for words, from 1. The letters stand in one array and not in strings, which would take three times the memory
 * and the time of the garbage collector.
 */
export function createDictionary() {
  const letters = createBlocks(Uint16Array)
  const hashes = createColumn(Uint32Array)
  const starts = createColumn(Uint32Array)
  const lengths = createColumn(Uint8Array)
  const table = createHashTable((word) => hashes.items[word] as number)
  const free: number[] = []
  let last = 0

  function find(units: Uint16Array, start: number, end: number, hash: number): number {
    const known = hashes.items
    for (let place = table.start(hash); ; place = table.next(place)) {
      const word = table.at(place)
      if (word === 0) return 0
      if (known[word] === hash && isSame(word, units, start, end)) return word
    }
  }

  function isSame(word: number, units: Uint16Array, start: number, end: number): boolean {
    if (lengths.items[word] !== end - start) return false
    const all = letters.column.items
    const from = (starts.items[word] as number) - start
    for (let n = start; n < end; n++) if (all[from + n] !== units[n]) return false
    return true
  }

  return {
    /** The number of a word; 0 for an unknown one. */
    find: (units: Uint16Array, start: number, end: number): number =>
      find(units, start, end, hashUnits(units, start, end)),

    /** The number of a word, which is added when it is new. @param added receives a new one. */
    intern(units: Uint16Array, start: number, end: number, added?: (word: number) => void): number {
      const hash = hashUnits(units, start, end)
      const known = find(units, start, end, hash)
      if (known !== 0) return known
      const word = free.pop() ?? ++last
      hashes.reach(word)
      starts.reach(word)
      lengths.reach(word)
      const from = letters.take(end - start)
      const all = letters.column.items
      for (let n = start; n < end; n++) all[from + n - start] = units[n] as number
      hashes.items[word] = hash
      starts.items[word] = from
      lengths.items[word] = end - start
      table.add(word)
      added?.(word)
      return word
    },

    /** Forgets a word; its number is given to another one later. */
    remove(word: number): void {
      table.remove(word)
      letters.giveBack(starts.items[word] as number, lengths.items[word] as number)
      free.push(word)
    },

    lengthOf: (word: number): number => lengths.items[word] as number,

    /** Whether a word has a key's letters from a place on. */
    hasAt(word: number, at: number, key: Uint16Array): boolean {
      if (at < 0 || at + key.length > (lengths.items[word] as number)) return false
      const all = letters.column.items
      const from = (starts.items[word] as number) + at
      for (let n = 0; n < key.length; n++) if (all[from + n] !== key[n]) return false
      return true
    },

    /** Whether a word has one of 0 to 9. */
    hasDigit(word: number): boolean {
      const start = starts.items[word] as number
      return letters.column.items.subarray(start, start + (lengths.items[word] as number)).some(isDigit)
    },

    /**
     * Counts the letters more, less or other, and the changed places of two neighbours, that make a word of a key.
     *
     * @returns `max + 1` for more than `max`.
     */
    countEdits(word: number, key: Uint16Array, max: number): number {
      const length = lengths.items[word] as number
      if (Math.abs(length - key.length) > max) return max + 1
      return countEdits(letters.column.items, starts.items[word] as number, length, key, max)
    },

    spell(word: number): string {
      const start = starts.items[word] as number
      const end = start + (lengths.items[word] as number)
      const all = letters.column.items
      let text = ''
      for (let n = start; n < end; n++) text += String.fromCharCode(all[n] as number)
      return text
    },

    bytes: (): number =>
      letters.column.items.byteLength +
      hashes.items.byteLength +
      starts.items.byteLength +
      lengths.items.byteLength +
      table.bytes(),
  }
}

export type Groups = ReturnType<typeof createGroups>

/** Numbers that share a key, such as the words that begin alike. Each number is in one group at most. */
export function createGroups() {
  const keys = createDictionary()
  /** The first member of each group. */
  const firstOf = createColumn(Uint32Array)
  /** By member; 0 for none. */
  const groupOf = createColumn(Uint32Array)
  const nextOf = createColumn(Uint32Array)
  const previousOf = createColumn(Uint32Array)

  return {
    keys,

    /** @param opened receives a new group. */
    add(
      member: number,
      units: Uint16Array,
      start: number,
      end: number,
      opened?: (group: number) => void,
    ): void {
      const group = keys.intern(units, start, end, opened)
      firstOf.reach(group)
      groupOf.reach(member)
      nextOf.reach(member)
      previousOf.reach(member)
      const next = firstOf.items[group] as number
      groupOf.items[member] = group
      nextOf.items[member] = next
      previousOf.items[member] = 0
      if (next > 0) previousOf.items[next] = member
      firstOf.items[group] = member
    },

    /** Takes a number out of its group, if it is in one. @param closed receives an emptied group before it is removed. */
    remove(member: number, closed?: (group: number) => void): void {
      const group = groupOf.items[member] ?? 0
      if (group === 0) return
      groupOf.items[member] = 0
      const next = nextOf.items[member] as number
      const previous = previousOf.items[member] as number
      if (next > 0) previousOf.items[next] = previous
      if (previous > 0) nextOf.items[previous] = next
      else firstOf.items[group] = next
      if (previous > 0 || next > 0) return
      closed?.(group)
      keys.remove(group)
    },

    /** The first member of a group; 0 for the group 0, which means no group. */
    first: (group: number): number => (group === 0 ? 0 : (firstOf.items[group] as number)),
    /** The next member of the same group; 0 after the last. */
    next: (member: number): number => nextOf.items[member] as number,

    bytes: (): number =>
      keys.bytes() +
      [firstOf, groupOf, nextOf, previousOf].reduce((sum, { items }) => sum + items.byteLength, 0),
  }
}

export const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57

/** Rows of a table of edits: the last one, the one before, the one before that. Counting is synchronous. */
let rows: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)]

/** The distance of Damerau and Levenshtein where no part is edited twice, computed in a band beside the diagonal. */
function countEdits(all: Uint16Array, start: number, length: number, key: Uint16Array, max: number): number {
  const far = max + 1
  let leastBefore = 0
  for (let k = 0; k <= key.length; k++) rows[1][k] = Math.min(k, far)
  for (let n = 1; n <= length; n++) {
    const [row, last, before] = rows
    const from = Math.max(1, n - max)
    const to = Math.min(key.length, n + max)
    row[from - 1] = from === 1 ? Math.min(n, far) : far
    if (to < key.length) row[to + 1] = far
    let least = row[from - 1] as number
    const unit = all[start + n - 1]
    for (let k = from; k <= to; k++) {
      const isSame = unit === key[k - 1]
      let edits = (last[k - 1] as number) + (isSame ? 0 : 1)
      edits = Math.min(edits, (last[k] as number) + 1, (row[k - 1] as number) + 1)
      if (n > 1 && k > 1 && unit === key[k - 2] && all[start + n - 2] === key[k - 1])
        edits = Math.min(edits, (before[k - 2] as number) + 1)
      row[k] = edits
      if (edits < least) least = edits
    }
    rows = [before, row, last]
    // A change of places reaches back by two rows.
    if (least > max && leastBefore > max) return far
    leastBefore = least
  }
  return Math.min(far, rows[1][key.length] as number)
}
