import { foldLevel } from '../../../core/category-path.ts'
import { createDictionary } from './dictionary.ts'

export type Levels = ReturnType<typeof createLevels>

/**
 * The levels above the categories of a store's products, by slot. Most products share theirs, so a slot has the number of a
 * set of names.
 */
export function createLevels() {
  const sets = createDictionary()
  let column = new Uint32Array(0)
  /** By the folded name: its spelling, and the sets that have it. */
  const names = new Map<string, { spelled: string; sets: Set<number> }>()

  function open(number: number, key: string, spelled: ReadonlyMap<string, string>): void {
    for (const name of JSON.parse(key) as string[]) {
      const known = names.get(name) ?? { spelled: spelled.get(name) ?? name, sets: new Set() }
      names.set(name, known)
      known.sets.add(number)
    }
  }

  function close(number: number, key: string): void {
    for (const name of JSON.parse(key) as string[]) {
      const known = names.get(name)
      known?.sets.delete(number)
      if (known?.sets.size === 0) names.delete(name)
    }
  }

  function clear(slot: number): void {
    const number = column[slot]
    if (!number) return
    const key = sets.release(number)
    if (key !== undefined) close(number, key)
    column[slot] = 0
  }

  function testAny(wanted: readonly string[]): ((slot: number) => boolean) | undefined {
    const having = wanted.flatMap((name) => names.get(foldLevel(name)) ?? [])
    if (having.length === 0) return undefined
    const marks = new Uint8Array(sets.end())
    for (const { sets } of having) for (const number of sets) marks[number] = 1
    return (slot) => marks[column[slot] ?? 0] === 1
  }

  return {
    /**
     * @param key a JSON list of folded names; null for none.
     * @param spell gives the spelling of each, by the folded name; asked for a new list.
     */
    set(slot: number, key: string | null, spell: () => ReadonlyMap<string, string>): void {
      clear(slot)
      if (key === null) return
      if (slot >= column.length) {
        const grown = new Uint32Array(Math.max(64, 2 * slot))
        grown.set(column)
        column = grown
      }
      let isNew = false
      const number = sets.take(key, () => {
        isNew = true
        return ''
      })
      if (isNew) open(number, key, spell())
      column[slot] = number
    },
    clear,

    /** Makes a test of slots: whether a level has this name or path. Undefined where none has. */
    test: (name: string) => testAny([name]),
    /** The same for any of some names, at the cost of one. */
    testAny,

    /** Some names and paths, as products spell them. */
    listNames: (max: number): string[] => Array.from(names.values().take(max), ({ spelled }) => spelled),
  }
}
