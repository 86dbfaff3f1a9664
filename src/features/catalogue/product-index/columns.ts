import { foldLevels, listLevels } from '../../../core/category-path.ts'
import { systemClock } from '../../../core/clock.ts'
import { type NamedColours, readColourName } from '../../../core/colours/colours.ts'
import { type Prices, readPrices } from '../../../core/sale.ts'
import { isSoldOut } from '../../../core/sold-out.ts'
import { fold } from '../../../core/text.ts'
import { createDictionary, type Dictionary } from './dictionary.ts'
import { createLevels, type Levels } from './levels.ts'
import { createMask, type SearchFilter, type SlotMask } from './mask.ts'
import { createPalettes, type PaletteColour } from './palettes.ts'
import { createPriceColumn } from './prices.ts'
import { createSample } from './sample.ts'
import { createSoldOutColumn } from './sold-out.ts'
import { createWordColumn } from './word-column.ts'

/** The picture in a slot. */
interface Place {
  /** Row of the product. */
  product: number
  /** The client's own id of the product. */
  productId: string
  /** Whether this is the product's first picture. */
  isFirst: boolean
  /** The product's number in the store's index of words; 0 for none. */
  document: number
}

/** The fields that searches filter by, words folded; null for one that is absent or of another type. */
export interface FilterFields {
  category: string | null
  /** Names and paths of the levels above it: a JSON list, null for none. */
  levels: string | null
  color: string | null
  brand: string | null
  prices: Prices
  isSoldOut: boolean
}

/** Keys of the metadata that have a column of words. */
export type TextColumn = 'category' | 'brand' | 'color_name'

/** What is compared of the product in each slot: its words, by the key of the metadata, and more. */
export interface FieldColumns
  extends Record<TextColumn, { numbers: Uint32Array; words: Pick<Dictionary, 'findFolded'> }> {
  /** Row of the product. */
  product: Float64Array
  /** 1 for the slot of a product's first picture. */
  first: Uint8Array
  levels: Pick<Levels, 'testAny'>
  /** NaN without a price, and too short for slots that never had one. */
  regularPrice: Float64Array
}

/** Gives spellings for people. */
export interface Spelling<Of = void> {
  category(of: Of): string
  /** By the folded name. */
  levels(of: Of): Map<string, string>
}

/** The stored fields of a picture from which the columns are filled. */
export interface StoredFields extends FilterFields {
  /** JSON. */
  palette: string
}

function foldFields(metadata: Record<string, unknown>): FilterFields {
  const { category, category_path: path, color_name: color, brand } = metadata
  return {
    category: typeof category === 'string' ? fold(category) : null,
    levels: foldLevels(category, path),
    color: typeof color === 'string' ? fold(color) : null,
    brand: typeof brand === 'string' ? fold(brand) : null,
    prices: readPrices(metadata),
    isSoldOut: isSoldOut(metadata),
  }
}

export type StoreColumns = ReturnType<typeof createColumns>

/**
 * The filter columns of one store, with one row for each slot of its vector segment.
 *
 * @param now Unix ms.
 */
export function createColumns(now: () => number = systemClock.now) {
  const categories = createDictionary()
  const colors = createDictionary()
  const brands = createWordColumn()
  /** The colours of each colour name, by its number. */
  const namedColours: NamedColours[] = [{ bits: [], lab: undefined }]
  const palettes = createPalettes()
  let capacity = 64
  let product = new Float64Array(capacity)
  let document = new Uint32Array(capacity)
  let category = new Uint32Array(capacity)
  let color = new Uint32Array(capacity)
  const levels = createLevels()
  const prices = createPriceColumn(now)
  const soldOut = createSoldOutColumn()
  const sample = createSample()
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
    first = resize(first, new Uint8Array(capacity))
  }

  function clear(slot: number): void {
    if (slot >= capacity) return
    version++
    palettes.clear(slot)
    const before = category[slot] as number
    perCategory[before] = (perCategory[before] as number) - (first[slot] as number)
    categories.release(before)
    colors.release(color[slot] as number)
    for (const column of [brands, levels, prices, soldOut]) column.clear(slot)
    for (const column of [category, color, first, document]) column[slot] = 0
  }

  function write(slot: number, row: FilterFields & Place, spelling: Spelling): void {
    grow(slot)
    clear(slot)
    product[slot] = row.product
    document[slot] = row.document
    category[slot] = categories.take(row.category, () => spelling.category())
    levels.set(slot, row.levels, () => spelling.levels())
    color[slot] = takeColour(colors, namedColours, row.color)
    brands.set(slot, row.brand)
    prices.set(slot, row.prices)
    first[slot] = row.isFirst ? 1 : 0
    soldOut.set(slot, row.isSoldOut)
    sample.set(slot, row.productId)
    perCategory[category[slot] as number] = (perCategory[category[slot] as number] ?? 0) + first[slot]
  }

  return {
    ...{ categories, palettes, readSoldOut: soldOut.read, listSample: sample.list },
    productAt: (slot: number): number => product[slot] ?? 0,
    /** Gives a slot the document of its product, whose words came later. */
    setDocument(slot: number, number: number): void {
      document[slot] = number
    },
    /** The same for all slots, and some behind the last one. Valid for one tick. */
    documents: (): Uint32Array => document,
    /** That of the product in a slot, by which `words` counts scores; 0 for a free slot. */
    documentAt: (slot: number): number => document[slot] ?? 0,
    categoryAt: (slot: number): number => category[slot] ?? 0,
    /** The same for all slots, and some behind the last one. Valid for one tick. */
    categoryNumbers: (): Uint32Array => category,

    /** Fills a slot from a product's metadata. */
    set(
      slot: number,
      row: Place & { metadata: Record<string, unknown>; palette?: readonly PaletteColour[] },
    ): void {
      const { metadata, palette = [] } = row
      write(
        slot,
        { ...row, ...foldFields(metadata) },
        {
          category: () => String(metadata['category']).trim(),
          levels: () => listLevels(metadata['category_path']),
        },
      )
      palettes.set(slot, palette)
    },
    /** Fills a slot from stored fields. @param spelling the product's own, called for new values. */
    load(slot: number, row: StoredFields & Place, spelling: Spelling): void {
      write(slot, row, spelling)
      palettes.load(slot, row.palette)
    },
    clear(slot: number): void {
      clear(slot)
      sample.clear(slot)
    },

    /** Numbers of the categories that have products. */
    listCategories: (): number[] =>
      perCategory.flatMap((products, number) => (number > 0 && products > 0 ? [number] : [])),

    /** The number of products in a category. */
    countIn: (number: number): number => perCategory[number] ?? 0,

    /** The colour words that products have, folded. */
    listColors: (): string[] => colors.listLabels(),

    /** Whether a product has this as its colour. @param name folded. */
    hasColour: (name: string): boolean => colors.findFolded(name) !== undefined,
    /** The number of the colour name in each slot, and what the names mean; 0 is none. Valid for one tick. */
    readColours: () => ({ numbers: color, named: namedColours as readonly NamedColours[] }),
    /** The names of the levels above the categories of products, for people. */
    listLevels: levels.listNames,
    /** Makes a test of slots: whether a level above the category has a name or path. Undefined where none has. */
    testLevel: levels.test,

    /** The price that is paid now for the product in each slot, NaN without a price; valid for one tick. */
    readPrices: (): ((slot: number) => number) => {
      const price = prices.read()
      return (slot) => price[slot] ?? Number.NaN
    },

    /** The number of products with pictures. */
    countProducts: (): number => perCategory.reduce((sum, products) => sum + products, 0),

    /** Whether this is the slot of a product's first picture. */
    isFirst: (slot: number): boolean => first[slot] === 1,

    /** Changes whenever a slot does. */
    version: (): number => version,

    /** What filters of the filter language compare, by slot; valid for one tick. */
    readFields: (): FieldColumns => ({
      ...{ product, first, levels, regularPrice: prices.readRegular(), brand: brands.read() },
      category: { numbers: category, words: categories },
      color_name: { numbers: color, words: colors },
    }),

    /** See {@link createMask}. */
    createMask: (filter: SearchFilter, slots: number): SlotMask | undefined =>
      createMask(
        { product, first, category, color, categories, colors, namedColours, levels, palettes, prices },
        filter,
        slots,
      ),
  }
}

/** Takes the number of a colour name, and reads the colours of a new one. */
function takeColour(colors: Dictionary, namedColours: NamedColours[], key: string | null): number {
  let fresh: string | undefined
  const number = colors.take(key, (name) => {
    fresh = name
    return name
  })
  if (fresh !== undefined) namedColours[number] = readColourName(fresh)
  return number
}

function resize<Column extends Float64Array | Uint32Array | Uint8Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}
