import { createColumn, createHashTable } from './growing.ts'
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

/** Finds products by a whole name or id. Each takes two hashes of 32 bits and its place in a chain of those with the same hash. */
export function createNames() {
  const columns = KINDS.map((kind) => ({ kind, prints: createPrints() }))

  /**
   * The documents that have exactly one of some names, of any kind: those of the first name first, best kind first, each once.
   *
   * @param others count as names of products alone, and not as their ids.
   */
  function find(texts: readonly string[], others: readonly string[] = []): number[] {
    const found = new Set<number>()
    const look = ({ kind, prints }: (typeof columns)[number], text: string) => {
      const print = printOf(kind, text)
      if (!print) return
      for (const document of prints.list(print)) if (found.size < ALIKE_MAX) found.add(document)
    }
    for (const text of texts) for (const column of columns) look(column, text)
    for (const column of columns)
      if (column.kind.name === 'name') for (const text of others) look(column, text)
    return [...found]
  }

  return {
    set(document: number, names: Names): void {
      for (const { kind, prints } of columns) prints.set(document, printOf(kind, names[kind.name]))
    },

    clear(document: number): void {
      for (const { prints } of columns) prints.set(document, undefined)
    },

    find,

    bytes: (): number => columns.reduce((sum, { prints }) => sum + prints.bytes(), 0),
  }
}

/** Longer chains are left: where so many are alike, the first ones are found sooner by walking the column. */
const CHAIN_MAX = 1_000

/** The prints of documents, of one kind of name. What no product has takes no memory. */
function createPrints() {
  /** By document; 0 for none. */
  const hashes = createColumn(Uint32Array)
  const checks = createColumn(Uint32Array)
  /** The other documents with the same hash; 0 ends a chain. They reach as far as chains do, so ids take nothing here. */
  const nextOf = createColumn(Uint32Array)
  const previousOf = createColumn(Uint32Array)
  const columns = [hashes, checks, nextOf, previousOf]
  /** The first document of each chain. */
  const table = createHashTable((document) => hashes.items[document] as number)

  function findFirst(hash: number): number {
    for (let place = table.start(hash); ; place = table.next(place)) {
      const document = table.at(place)
      if (document === 0 || hashes.items[document] === hash) return document
    }
  }

  function remove(document: number): void {
    const next = nextOf.items[document] ?? 0
    const previous = previousOf.items[document] ?? 0
    if (previous > 0) nextOf.items[previous] = next
    else table.remove(document)
    if (next > 0) previousOf.items[next] = previous
    if (previous === 0 && next > 0) table.add(next)
    hashes.items[document] = 0
    if (next > 0) nextOf.items[document] = 0
    if (previous > 0) previousOf.items[document] = 0
  }

  function add(document: number, { hash, check }: Print): void {
    hashes.reach(document)
    checks.reach(document)
    const first = findFirst(hash)
    hashes.items[document] = hash
    checks.items[document] = check
    if (first === 0) table.add(document)
    else follow(document, first)
  }

  /** Puts a document into a chain, behind its first. */
  function follow(document: number, first: number): void {
    nextOf.reach(Math.max(document, first))
    previousOf.reach(Math.max(document, first))
    const next = nextOf.items[first] as number
    nextOf.items[document] = next
    previousOf.items[document] = first
    if (next > 0) previousOf.items[next] = document
    nextOf.items[first] = document
  }

  /** The first documents of a hash, where a chain of them is too long. */
  function walk({ hash, check }: Print): number[] {
    const found: number[] = []
    const all = hashes.items
    for (let at = all.indexOf(hash, 1); at > 0 && found.length < ALIKE_MAX; at = all.indexOf(hash, at + 1))
      if (checks.items[at] === check) found.push(at)
    return found
  }

  return {
    set(document: number, print: Print | undefined): void {
      // Behind the end of the column there is nothing either.
      if ((hashes.items[document] ?? 0) !== 0) remove(document)
      if (print) add(document, print)
    },

    /** The documents with a print, at least the first {@link ALIKE_MAX}, in ascending order. */
    list(print: Print): number[] {
      const found: number[] = []
      let length = 0
      for (let at = findFirst(print.hash); at > 0; at = nextOf.items[at] ?? 0) {
        if (++length > CHAIN_MAX) return walk(print)
        if (checks.items[at] === print.check) found.push(at)
      }
      return found.sort((a, b) => a - b)
    },

    bytes: (): number => columns.reduce((sum, { items }) => sum + items.byteLength, table.bytes()),
  }
}
