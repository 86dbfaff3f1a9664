/** What looks words up: a table, or a `Map`. */
export interface Words {
  get(word: string): string | undefined
  has(word: string): boolean
}

/** The character behind each word of a table. */
const WORD_END = 10

/**
 * Looks words up in the bytes that hold them. A Map of as many strings takes twenty times the time to fill, and its memory.
 *
 * @param words ASCII, each word once and {@link WORD_END} behind it.
 * @param meanings what each word means, as an index of `texts`; empty where words have no meanings.
 */
export function createWordTable(words: Uint8Array, meanings: Uint16Array, texts: readonly string[]): Words {
  const starts = findStarts(words)
  const count = starts.length - 1
  // At least half of the slots are free, so that a search ends soon.
  const mask = 2 ** Math.ceil(Math.log2(2 * count + 2)) - 1
  /** The number of a word, plus 1; 0 for a free slot. */
  const slots = new Uint32Array(mask + 1)
  for (let n = 0; n < count; n++) {
    let slot = hashBytes(words, starts[n] as number, (starts[n + 1] as number) - 1) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = n + 1
  }

  /** @returns the number of a word; -1 for an unknown one. */
  function find(word: string): number {
    for (let slot = hashWord(word) & mask; ; slot = (slot + 1) & mask) {
      const n = (slots[slot] as number) - 1
      if (n === -1 || isAt(n, word)) return n
    }
  }

  function isAt(n: number, word: string): boolean {
    const start = starts[n] as number
    if ((starts[n + 1] as number) - 1 - start !== word.length) return false
    for (let at = 0; at < word.length; at++) if (words[start + at] !== word.charCodeAt(at)) return false
    return true
  }

  return {
    get(word) {
      const n = find(word)
      return n === -1 ? undefined : texts[meanings[n] as number]
    },
    has: (word) => find(word) !== -1,
  }
}

/** Where each word starts, and where one more would. */
function findStarts(words: Uint8Array): Uint32Array {
  let count = 0
  for (let at = 0; at < words.length; at++) if (words[at] === WORD_END) count++
  const starts = new Uint32Array(count + 1)
  for (let at = 0, n = 1; at < words.length; at++) if (words[at] === WORD_END) starts[n++] = at + 1
  return starts
}

// FNV-1a, of bytes and of a string that has one character for each.
const HASH_START = 0x811c9dc5
const HASH_FACTOR = 0x01000193

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), HASH_FACTOR)
  return mix(hash)
}

function hashWord(word: string): number {
  let hash = HASH_START
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), HASH_FACTOR)
  return mix(hash)
}

/** Only the low bits choose a slot. */
const mix = (hash: number): number => hash ^ (hash >>> 15)
