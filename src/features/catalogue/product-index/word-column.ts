import { createDictionary } from './dictionary.ts'

/** By slot, the number of a folded word. */
export function createWordColumn() {
  const words = createDictionary()
  let numbers = new Uint32Array(0)

  function clear(slot: number): void {
    if (slot >= numbers.length) return
    words.release(numbers[slot] as number)
    numbers[slot] = 0
  }

  return {
    /** @param word folded; null for none. */
    set(slot: number, word: string | null): void {
      clear(slot)
      if (word === null) return
      if (slot >= numbers.length) {
        const grown = new Uint32Array(Math.max(64, 2 * slot))
        grown.set(numbers)
        numbers = grown
      }
      numbers[slot] = words.take(word, (key) => key)
    },
    clear,
    /** Valid for one tick, and too short for slots that never had a word. */
    read: () => ({ numbers, words }),
  }
}
