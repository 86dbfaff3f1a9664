import { createBlocks, createColumn } from './growing.ts'

/** The words of each document, those that say most first. */
export function createContents() {
  const blocks = createBlocks(Uint32Array)
  /** By document: its block, how many words stand there, and how many of these say most. */
  const starts = createColumn(Uint32Array)
  const sizes = createColumn(Uint16Array)
  const firsts = createColumn(Uint16Array)
  const columns = [starts, sizes, firsts]

  return {
    /** Makes place for a document. */
    reach(document: number): void {
      for (const column of columns) column.reach(document)
    },

    /** @param words which this brings into another order. @param isFirst whether the word at a place says most. */
    put(document: number, words: Uint32Array, isFirst: (place: number) => boolean): void {
      let first = 0
      for (let n = 0; n < words.length; n++) {
        if (!isFirst(n)) continue
        const word = words[n] as number
        words[n] = words[first] as number
        words[first++] = word
      }
      const start = blocks.take(words.length)
      blocks.column.items.set(words, start)
      starts.items[document] = start
      sizes.items[document] = words.length
      firsts.items[document] = first
    },

    /** Takes the words of a document away. Valid until the next change. */
    take(document: number): Uint32Array {
      const start = starts.items[document] as number
      const size = sizes.items[document] as number
      sizes.items[document] = 0
      firsts.items[document] = 0
      const words = blocks.column.items.subarray(start, start + size)
      blocks.giveBack(start, size)
      return words
    },

    /** The words of a document that say most. */
    listFirst(document: number): number[] {
      const start = starts.items[document] ?? 0
      return Array.from(blocks.column.items.subarray(start, start + (firsts.items[document] ?? 0)))
    },

    /** Adds up the numbers of those. */
    sumFirst(document: number, numbers: ReadonlyMap<number, number>): number {
      const { items } = blocks.column
      const start = starts.items[document] ?? 0
      const end = start + (firsts.items[document] ?? 0)
      let sum = 0
      for (let n = start; n < end; n++) sum += numbers.get(items[n] as number) ?? 0
      return sum
    },

    bytes: (): number => [...columns, blocks.column].reduce((sum, { items }) => sum + items.byteLength, 0),
  }
}
