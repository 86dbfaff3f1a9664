import { createColumn } from './growing.ts'
import { addText, endPrint, newPrint, type Print } from './tokens.ts'

/** The whole names of a product. */
export interface Names {
  productId: string
  sku?: string | undefined
  gtin?: string | undefined
  name?: string | undefined
}

/** More products of one name, such as variants, are not listed. */
const ALIKE_MAX = 100

/** UPC, EAN and GTIN-14 write the same number with more zeros. */
const leadingZeros = /^[0\s-]+/
const isNumber = /^[\d\s-]+$/

/** The kinds of names in the order of their answers, and what a text says as each of them; empty for nothing. */
const KINDS: readonly { name: keyof Names; isLetters: boolean; read(text: string): string }[] = [
  { name: 'productId', isLetters: false, read: (text) => text.trim() },
  { name: 'sku', isLetters: false, read: (text) => text.trim() },
  {
    name: 'gtin',
    isLetters: true,
    read: (text) => (isNumber.test(text) ? text.replace(leadingZeros, '') : ''),
  },
  { name: 'name', isLetters: true, read: (text) => text },
]

/** @returns undefined for a text that is no name of this kind. */
function printOf({ isLetters, read }: (typeof KINDS)[number], text: string | undefined): Print | undefined {
  const key = text && read(text)
  if (!key) return undefined
  const print = newPrint()
  const { hash } = print
  addText(print, key, isLetters)
  return print.hash === hash ? undefined : endPrint(print)
}

/**
 * Finds products by a whole name or id. Each takes two hashes of 32 bits in columns, which a question walks: less memory than
 * a table, and some ten microseconds at 50,000 products.
 */
export function createNames() {
  const columns = KINDS.map((kind) => ({
    kind,
    hashes: createColumn(Uint32Array),
    checks: createColumn(Uint32Array),
  }))

  return {
    set(document: number, names: Names): void {
      for (const { kind, hashes, checks } of columns) {
        const print = printOf(kind, names[kind.name])
        hashes.reach(document)
        checks.reach(document)
        hashes.items[document] = print?.hash ?? 0
        checks.items[document] = print?.check ?? 0
      }
    },

    clear(document: number): void {
      for (const { hashes, checks } of columns) {
        hashes.items[document] = 0
        checks.items[document] = 0
      }
    },

    /** The documents that have exactly this name, best kind first, each once. */
    find(text: string): number[] {
      const found = new Set<number>()
      for (const { kind, hashes, checks } of columns) {
        const print = printOf(kind, text)
        if (!print) continue
        const { hash, check } = print
        let document = hashes.items.indexOf(hash, 1)
        for (; document > 0 && found.size < ALIKE_MAX; document = hashes.items.indexOf(hash, document + 1))
          if (checks.items[document] === check) found.add(document)
      }
      return [...found]
    },

    bytes: (): number =>
      columns.reduce((sum, { hashes, checks }) => sum + hashes.items.byteLength + checks.items.byteLength, 0),
  }
}
