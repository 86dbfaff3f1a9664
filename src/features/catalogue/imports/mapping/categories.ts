import { fold } from '../../../../core/text.ts'
import type { CategoryStyle } from './mapping.ts'
import { decodeCell } from './texts.ts'

/** The deepest path that is kept; shops have five or six levels. */
const LEVELS_MAX = 10

/** The most categories of one product, and the longest cell that is read for them. */
const CATEGORIES_MAX = 20
const CELL_CHARS_MAX = 16 * 1024
const NAME_CHARS_MAX = 100

/** The most characters of all paths together, beside those of the deepest category. */
const PATHS_CHARS_MAX = 4_000

export interface Categories {
  /** The last name of the deepest one. */
  leaf: string
  /** Each level of each category as a whole path, the deepest category first: `["Clothing", "Clothing > Hoodies"]`. */
  paths: string[]
  /** A path had more levels than are kept. */
  isCut: boolean
}

/**
 * Reads the categories of a product. Levels that every product has are left out where something is left, and a bare number
 * names no category.
 */
export function readCategories(
  cells: readonly string[],
  { list, levels, roots = [], narrowsDown = false }: CategoryStyle,
): Categories | undefined {
  let isCut = false
  const all: string[][] = []
  for (const cell of cells) {
    const text = decodeCell(cell.slice(0, CELL_CHARS_MAX))
    for (const part of list ? text.split(list) : [text]) {
      if (all.length === CATEGORIES_MAX) break
      const names = part
        .split(levels)
        .map((name) =>
          name
            .replaceAll('\\,', ',')
            .replace(/<[^<>]*>/g, ' ')
            .trim()
            .slice(0, NAME_CHARS_MAX),
        )
        .filter((name) => name !== '')
      while (names.length > 0 && roots.includes(fold(names[0] as string))) names.shift()
      if (names.length === 0 || (names.length === 1 && /^\d+$/.test(names[0] as string))) continue
      if (names.length > LEVELS_MAX) isCut = true
      all.push(names.slice(0, LEVELS_MAX))
    }
  }
  const least = narrowsDown ? 0 : 1
  const deepest = all.reduce<string[]>((best, path) => (path.length >= best.length + least ? path : best), [])
  const leaf = deepest.at(-1)
  if (leaf === undefined) return undefined
  const paths = new Set<string>()
  let chars = 0
  for (const path of [deepest, ...all]) {
    if (chars > PATHS_CHARS_MAX) break
    for (let n = 1; n <= path.length; n++) {
      const name = path.slice(0, n).join(' > ')
      if (!paths.has(name)) chars += name.length
      paths.add(name)
    }
  }
  return { leaf, paths: [...paths], isCut }
}
