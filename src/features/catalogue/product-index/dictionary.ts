import { fold } from '../../../core/text.ts'

export type Dictionary = ReturnType<typeof createDictionary>

/**
 * Numbers for folded words. The empty word has the number 0 and stands for "none". A word leaves with the last slot that
 * has it, and its number goes to a later one, or clients that rename for ever would fill the memory.
 */
export function createDictionary() {
  const numbers = new Map<string, number>([['', 0]])
  const keys = ['']
  const labels = ['']
  const uses = [0]
  const free: number[] = []

  function add(key: string, label: string): number {
    const number = free.pop() ?? keys.length
    numbers.set(key, number)
    keys[number] = key
    labels[number] = label
    uses[number] = 0
    return number
  }

  return {
    /**
     * The number of a folded word, for one slot more; 0 for none.
     *
     * @param spell gives the spelling of a new word, for people.
     */
    take(key: string | null, spell: (key: string) => string): number {
      if (key === null || key === '') return 0
      const number = numbers.get(key) ?? add(key, spell(key))
      uses[number] = (uses[number] as number) + 1
      return number
    },
    /** Gives the number back for one slot. @returns the word that has left with it. */
    release(number: number): string | undefined {
      if (number === 0) return undefined
      const left = (uses[number] as number) - 1
      uses[number] = left
      if (left > 0) return undefined
      const key = keys[number] as string
      numbers.delete(key)
      keys[number] = ''
      labels[number] = ''
      free.push(number)
      return key
    },
    /** The number of a word; undefined for one that no slot has. */
    find: (value: string): number | undefined => numbers.get(fold(value)),
    /** The same for a word that is folded. */
    findFolded: (key: string): number | undefined => numbers.get(key),
    /** All words but the empty one, by their first spelling. */
    listLabels: (): string[] => labels.filter((label) => label !== ''),
    /** One past the highest number that a slot may have. */
    end: (): number => keys.length,
    /** The first spelling of a word. */
    getLabel: (number: number): string => labels[number] ?? '',
  }
}
