import { fold } from '../../../../core/text.ts'
import { WOOCOMMERCE_TITLES, WOOCOMMERCE_TRANSLATIONS } from './woocommerce-titles.ts'

/** The longest name of a column that is compared; those of shops have some tens of characters. */
const NAME_CHARS_MAX = 200

/**
 * Reduces the name of a column to its letters and digits, to compare names. Case, accents, quotes, odd
 * blanks and a byte-order mark do not count, so `Image_URL` is `image url`.
 */
export function headerKey(column: string): string {
  const name = fold(column.slice(0, NAME_CHARS_MAX))
  const words = name.match(/[\p{L}\p{N}]+/gu)
  return words ? words.join(' ') : name
}

/** Finds the columns of a table by their names. */
export interface Headers {
  /** The columns with this name, as the file spells them; a name that is spelt exactly so goes first and alone. */
  find(name: string): readonly string[]
  has(name: string): boolean
}

/** A language in brackets at the end of a name: `name(en-gb)` of a shop in several languages. */
const IN_BRACKETS = /^([^(]+)\([a-z]{2}(?:-[a-z]{2})?\)$/i

export function indexHeaders(columns: readonly string[]): Headers {
  const exact = new Set(columns)
  const byKey = collect(columns, (column) => headerKey(column))
  const byBase = collect(columns, (column) => {
    const base = IN_BRACKETS.exec(column.trim().slice(0, NAME_CHARS_MAX))?.[1]
    return base === undefined ? '' : headerKey(base)
  })
  const find = (name: string): readonly string[] => {
    if (exact.has(name)) return [name]
    const key = headerKey(name)
    return byKey.get(key) ?? byBase.get(key) ?? []
  }
  return { find, has: (name) => find(name).length > 0 }
}

function collect(columns: readonly string[], read: (column: string) => string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const column of new Set(columns)) {
    const key = read(column)
    if (key === '') continue
    const known = found.get(key)
    if (known) known.push(column)
    else found.set(key, [column])
  }
  return found
}

/** Reads an export of WooCommerce by its English titles, whatever the language of the shop. */
export interface Translation {
  headers: Headers
  /** The English title of a column, for those that are translated. */
  toEnglish: ReadonlyMap<string, string>
}

const TITLES = WOOCOMMERCE_TITLES.split('|')

/** By language: the English titles by the keys of the translated ones. */
const LANGUAGES: readonly ReadonlyMap<string, string>[] = Object.values(WOOCOMMERCE_TRANSLATIONS).map(
  (line) =>
    new Map(
      line
        .split('|')
        .flatMap((spellings, n) =>
          spellings === ''
            ? []
            : spellings.split('^').map((spelling) => [titleKey(spelling), TITLES[n] as string]),
        ),
    ),
)

/** The key of a title whose first number counts as `%d`. The unit in brackets behind a measure says nothing. */
function titleKey(title: string): string {
  return headerKey(title.replace(/\([^()]{1,4}\)$/, '').replace(/%d|\d+/, ' 0 '))
}

/** Finds the language in which most titles of a table are WooCommerce's. */
export function translateHeaders(columns: readonly string[]): Translation {
  const keys = columns.map((column) => [column, titleKey(column.slice(0, NAME_CHARS_MAX))] as const)
  let best: [string, string][] = []
  for (const titles of LANGUAGES) {
    const found = keys.flatMap(([column, key]): [string, string][] => {
      const title = titles.get(key)
      return title === undefined ? [] : [[column, title.replace('%d', /\d+/.exec(column)?.[0] ?? '')]]
    })
    if (found.length > best.length) best = found
  }
  const toEnglish = new Map(best)
  const own = indexHeaders(columns)
  const byTitle = collect([...toEnglish.keys()], (column) => headerKey(toEnglish.get(column) as string))
  const find = (name: string): readonly string[] => {
    const translated = byTitle.get(headerKey(name))
    return translated ?? own.find(name)
  }
  return { headers: { find, has: (name) => find(name).length > 0 }, toEnglish }
}
