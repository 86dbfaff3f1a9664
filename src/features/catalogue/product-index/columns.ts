import { type NamedColours, readColourName } from '../../../core/colours/colours.ts'
import { fold } from '../../../core/text.ts'
import { keepColour } from './colour-filter.ts'
import { createPalettes, type PaletteColour } from './palettes.ts'

/**
 * Numbers for folded words. The empty word has the number 0 and stands for "none". A word leaves with the last slot that
 * has it, and its number goes to a later one, or clients that rename for ever would fill the memory.
 */
function createDictionary() {
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
    /** Gives the number back for one slot. */
    release(number: number): void {
      if (number === 0) return
      const left = (uses[number] as number) - 1
      uses[number] = left
      if (left > 0) return
      numbers.delete(keys[number] as string)
      keys[number] = ''
      labels[number] = ''
      free.push(number)
    },
    /** The number of a word; undefined for one that no slot has. */
    find: (value: string): number | undefined => numbers.get(fold(value)),
    /** All words but the empty one, by their first spelling. */
    listLabels: (): string[] => labels.filter((label) => label !== ''),
    /** The first spelling of a word. */
    getLabel: (number: number): string => labels[number] ?? '',
  }
}

/** The picture in a slot. */
interface Place {
  /** Row of the product. */
  product: number
  /** Whether this is the product's first picture. */
  isFirst: boolean
  /** The product's number in the store's index of words; 0 for none. */
  document: number
}

/** The fields that searches filter by, words folded; null for one that is absent or of another type. */
export interface FilterFields {
  category: string | null
  color: string | null
  price: number | null
}

/** What the database keeps of a picture for the columns. */
export interface StoredFields extends FilterFields {
  /** JSON. */
  palette: string
}

function readFields({ category, color_name: color, price }: Record<string, unknown>): FilterFields {
  return {
    category: typeof category === 'string' ? fold(category) : null,
    color: typeof color === 'string' ? fold(color) : null,
    price: typeof price === 'number' ? price : null,
  }
}

/** The conditions of a search; an absent one lets everything pass. */
export interface SearchFilter {
  category?: string | undefined
  color?: string | undefined
  priceMin?: number | undefined
  priceMax?: number | undefined
}

/** What a filter lets pass. */
export interface SlotMask {
  /** One byte for each slot, 1 where it passes. A free slot may pass too. */
  bytes: Uint8Array
  /** The number of slots that pass. */
  passing: number
  /** The number of products that pass. */
  products: number
}

export type StoreColumns = ReturnType<typeof createColumns>

/** The filter columns of one store, with one row for each slot of its vector segment. */
export function createColumns() {
  const categories = createDictionary()
  const colors = createDictionary()
  /** What each colour name says, by its number. */
  const namedColours: NamedColours[] = [{ bits: [], lab: undefined }]
  const palettes = createPalettes()
  let capacity = 64
  let product = new Float64Array(capacity)
  let document = new Uint32Array(capacity)
  let category = new Uint32Array(capacity)
  let color = new Uint32Array(capacity)
  let price = new Float64Array(capacity).fill(Number.NaN)
  /** 1 for the slot of a product's first picture, so that their sum is the number of products. */
  let first = new Uint8Array(capacity)
  const perCategory: number[] = [0]
  let version = 0

  function grow(slot: number): void {
    if (slot < capacity) return
    while (capacity <= slot) capacity *= 2
    product = resize(product, new Float64Array(capacity))
    document = resize(document, new Uint32Array(capacity))
    category = resize(category, new Uint32Array(capacity))
    color = resize(color, new Uint32Array(capacity))
    price = resize(price, new Float64Array(capacity).fill(Number.NaN))
    first = resize(first, new Uint8Array(capacity))
  }

  function count(number: number, change: 1 | -1): void {
    perCategory[number] = (perCategory[number] ?? 0) + change
  }

  function clear(slot: number): void {
    if (slot >= capacity) return
    version++
    palettes.clear(slot)
    if (first[slot]) count(category[slot] as number, -1)
    categories.release(category[slot] as number)
    colors.release(color[slot] as number)
    category[slot] = 0
    color[slot] = 0
    first[slot] = 0
    document[slot] = 0
  }

  const takeColour = (key: string | null): number => {
    let isNew = false
    const number = colors.take(key, (name) => {
      isNew = true
      return name
    })
    if (isNew) namedColours[number] = readColourName(key ?? '')
    return number
  }

  function write(slot: number, row: FilterFields & Place, spellCategory: (key: string) => string): void {
    grow(slot)
    clear(slot)
    product[slot] = row.product
    document[slot] = row.document
    category[slot] = categories.take(row.category, spellCategory)
    color[slot] = takeColour(row.color)
    price[slot] = row.price ?? Number.NaN
    first[slot] = row.isFirst ? 1 : 0
    if (row.isFirst) count(category[slot] as number, 1)
  }

  return {
    categories,
    palettes,
    productAt: (slot: number): number => product[slot] ?? 0,
    /** Gives a slot the document of its product, whose words came later. */
    setDocument(slot: number, number: number): void {
      document[slot] = number
    },
    /** The same for all slots, and some behind the last one. Valid for one tick. */
    documents: (): Uint32Array => document,
    /** The document of the product in a slot, by which `words` counts scores; 0 for a free slot. */
    documentAt: (slot: number): number => document[slot] ?? 0,
    categoryAt: (slot: number): number => category[slot] ?? 0,

    /** Fills a slot from a product's metadata. */
    set(
      slot: number,
      row: Place & { metadata: Record<string, unknown>; palette?: readonly PaletteColour[] },
    ): void {
      const { metadata, palette = [] } = row
      write(slot, { ...row, ...readFields(metadata) }, () => String(metadata['category']).trim())
      palettes.set(slot, palette)
    },
    /** Fills a slot from stored fields. @param spellCategory gives the product's own spelling; asked for a new category. */
    load(slot: number, row: StoredFields & Place, spellCategory: (key: string) => string): void {
      write(slot, row, spellCategory)
      palettes.load(slot, row.palette)
    },
    clear,

    /** Numbers of the categories that have products. */
    listCategories: (): number[] =>
      perCategory.flatMap((products, number) => (number > 0 && products > 0 ? [number] : [])),

    /** The number of products in a category. */
    countIn: (number: number): number => perCategory[number] ?? 0,

    /** The colour words that products have, folded. */
    listColors: (): string[] => colors.listLabels(),

    /** The price of the product in a slot; NaN without one. */
    priceAt: (slot: number): number => price[slot] ?? Number.NaN,

    /** The number of products with pictures. */
    countProducts: (): number => perCategory.reduce((sum, products) => sum + products, 0),

    /** Whether this is the slot of a product's first picture. */
    isFirst: (slot: number): boolean => first[slot] === 1,

    /** Changes whenever a slot does. */
    version: (): number => version,

    /** The slots that a filter lets pass; undefined for a filter without conditions. One simple loop for each condition. */
    createMask(filter: SearchFilter, slots: number): SlotMask | undefined {
      if (Object.values(filter).every((wanted) => wanted === undefined)) return undefined
      const bytes = new Uint8Array(slots)
      const used = Math.min(slots, capacity)
      bytes.fill(1, 0, used)
      const keep = (column: Uint32Array, wanted: number | undefined) => {
        for (let slot = 0; slot < used; slot++) if (column[slot] !== wanted) bytes[slot] = 0
      }
      // A word that no product has has no number and finds nothing.
      if (filter.category !== undefined) keep(category, categories.find(filter.category))
      if (filter.color !== undefined) {
        const columns = { product, first, name: color, palettes }
        keepColour(bytes, columns, filter.color, namedColours, colors.find(filter.color))
      }
      if (filter.priceMin !== undefined || filter.priceMax !== undefined) {
        const { priceMin = Number.NEGATIVE_INFINITY, priceMax = Number.POSITIVE_INFINITY } = filter
        for (let slot = 0; slot < used; slot++) {
          const value = price[slot] as number
          // NaN stands for no price, and passes no price filter.
          if (!(value >= priceMin && value <= priceMax)) bytes[slot] = 0
        }
      }
      let [passing, products] = [0, 0]
      for (let slot = 0; slot < used; slot++) {
        passing += bytes[slot] as number
        products += (bytes[slot] as number) & (first[slot] as number)
      }
      return { bytes, passing, products }
    },
  }
}

function resize<Column extends Float64Array | Uint32Array | Uint8Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}
