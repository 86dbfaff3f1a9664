import type { NamedColours } from '../../../core/colours/colours.ts'
import { keepColour } from './colour-filter.ts'
import type { Dictionary } from './dictionary.ts'
import type { Levels } from './levels.ts'
import type { PaletteColumn } from './palettes.ts'
import type { PriceColumn } from './prices.ts'

/** The conditions of a search; an absent one lets everything pass. */
export interface SearchFilter {
  /** The name of a category, of a level above it, or a path. */
  category?: string | undefined
  color?: string | undefined
  /** Of what is paid. */
  priceMin?: number | undefined
  priceMax?: number | undefined
}

/** The slots that a filter lets pass. */
export interface SlotMask {
  /** One byte for each slot, 1 where it passes. A free slot may pass too. */
  bytes: Uint8Array
  /** The number of slots that pass. */
  passing: number
  /** The number of products that pass. */
  products: number
}

/** The columns that filters read, by slot. */
export interface MaskColumns {
  product: Float64Array
  /** 1 for the slot of a product's first picture. */
  first: Uint8Array
  category: Uint32Array
  color: Uint32Array
  categories: Pick<Dictionary, 'find'>
  colors: Pick<Dictionary, 'find'>
  /** The colours of each colour name, by its number. */
  namedColours: readonly NamedColours[]
  levels: Pick<Levels, 'test'>
  palettes: PaletteColumn
  prices: Pick<PriceColumn, 'read'>
}

/** The slots that a filter lets pass; undefined for a filter without conditions. One simple loop for each condition. */
export function createMask(columns: MaskColumns, filter: SearchFilter, slots: number): SlotMask | undefined {
  if (Object.values(filter).every((wanted) => wanted === undefined)) return undefined
  const { first } = columns
  const bytes = new Uint8Array(slots)
  const used = Math.min(slots, first.length)
  bytes.fill(1, 0, used)
  if (filter.category !== undefined) keepCategory(bytes, used, columns, filter.category)
  if (filter.color !== undefined) {
    const { product, color: name, palettes, namedColours, colors } = columns
    keepColour(
      bytes,
      { product, first, name, palettes },
      filter.color,
      namedColours,
      colors.find(filter.color),
    )
  }
  if (filter.priceMin !== undefined || filter.priceMax !== undefined)
    keepPrices(bytes, used, columns.prices.read(), filter)
  let [passing, products] = [0, 0]
  for (let slot = 0; slot < used; slot++) {
    passing += bytes[slot] as number
    products += (bytes[slot] as number) & (first[slot] as number)
  }
  return { bytes, passing, products }
}

function keepCategory(
  bytes: Uint8Array,
  used: number,
  { category, categories, levels }: MaskColumns,
  name: string,
): void {
  // A word that no product has has no number and finds nothing.
  const wanted = categories.find(name)
  const isBelow = levels.test(name)
  for (let slot = 0; slot < used; slot++) if (category[slot] !== wanted && !isBelow?.(slot)) bytes[slot] = 0
}

function keepPrices(
  bytes: Uint8Array,
  used: number,
  price: ArrayLike<number>,
  { priceMin = Number.NEGATIVE_INFINITY, priceMax = Number.POSITIVE_INFINITY }: SearchFilter,
): void {
  for (let slot = 0; slot < used; slot++) {
    const value = price[slot] ?? Number.NaN
    // NaN stands for no price, and passes no price filter.
    if (!(value >= priceMin && value <= priceMax)) bytes[slot] = 0
  }
}
