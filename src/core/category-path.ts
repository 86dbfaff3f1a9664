import { fold } from './text.ts'

/** Names and paths of levels that count for one product. */
const LEVELS_MAX = 100

/** Between two levels, whatever blanks stand around it. */
const STEP = ' > '

/** A category or a path in the form in which they are compared. */
export const foldLevel = (text: string): string =>
  fold(text)
    .split('>')
    .map((part) => part.trim())
    .join(STEP)

/**
 * Lists what a product's category may be called besides its own name: the name of each level of its path, and the path down
 * to each level.
 *
 * @param path the key `category_path`; anything but a list of texts names nothing.
 * @returns the folded names with their spelling.
 */
export function listLevels(path: unknown): Map<string, string> {
  const levels = new Map<string, string>()
  const add = (spelled: string): void => {
    const name = foldLevel(spelled)
    if (name !== '' && levels.size < LEVELS_MAX && !levels.has(name)) levels.set(name, spelled.trim())
  }
  if (!Array.isArray(path)) return levels
  const paths = path.slice(0, LEVELS_MAX).filter((one) => typeof one === 'string')
  for (const one of paths) {
    add(one)
    add(one.slice(one.lastIndexOf('>') + 1))
  }
  // Levels that no entry ends at.
  for (const one of paths) {
    for (let end = one.indexOf('>'); end >= 0 && levels.size < LEVELS_MAX; end = one.indexOf('>', end + 1)) {
      add(one.slice(0, end))
      add(one.slice(one.lastIndexOf('>', end - 1) + 1, end))
    }
  }
  return levels
}

/**
 * The same names as a database keeps them: a JSON list without the category's own name, by which the product is found anyway;
 * null for none.
 */
export function foldLevels(category: unknown, path: unknown): string | null {
  const own = typeof category === 'string' ? foldLevel(category) : ''
  const names = [...listLevels(path).keys()].filter((name) => name !== own)
  return names.length > 0 ? JSON.stringify(names) : null
}
