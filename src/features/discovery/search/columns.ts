import { fold } from '../../../core/text.ts'

/** A dictionary of folded words; the empty word has the number 0 and stands for "none". */
function createDictionary() {
  const numbers = new Map<string, number>([['', 0]])
  const labels = ['']
  return {
    numberOf(value: unknown): number {
      if (typeof value !== 'string') return 0
      const key = fold(value)
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, labels.length)
      labels.push(value.trim())
      return labels.length - 1
    },
    /** The number of a word that occurs, or undefined. */
    find: (value: string): number | undefined => numbers.get(fold(value)),
    /** The first spelling that was seen. */
    labelOf: (number: number): string => labels[number] ?? '',
  }
}

/** What a filter asks for; absent parts let everything pass. */
export interface SearchFilter {
  category?: string | undefined
  color?: string | undefined
  priceMin?: number | undefined
  priceMax?: number | undefined
  /** Row of a product that is left out. */
  exceptProduct?: number | undefined
}

export type StoreColumns = ReturnType<typeof createColumns>

/** The filter columns of one store, one row a slot of its vector segment. */
export function createColumns() {
  const categories = createDictionary()
  const colors = createDictionary()
  let capacity = 64
  let product = new Float64Array(capacity)
  let category = new Uint32Array(capacity)
  let color = new Uint32Array(capacity)
  let price = new Float64Array(capacity).fill(Number.NaN)
  /** 1 for the slot of a product's first picture, so that counting these counts products. */
  let first = new Uint8Array(capacity)
  const perCategory: number[] = [0]

  function grow(slot: number): void {
    if (slot < capacity) return
    while (capacity <= slot) capacity *= 2
    product = resized(product, new Float64Array(capacity))
    category = resized(category, new Uint32Array(capacity))
    color = resized(color, new Uint32Array(capacity))
    price = resized(price, new Float64Array(capacity).fill(Number.NaN))
    first = resized(first, new Uint8Array(capacity))
  }

  function count(number: number, change: 1 | -1): void {
    perCategory[number] = (perCategory[number] ?? 0) + change
  }

  function clear(slot: number): void {
    if (slot >= capacity) return
    if (first[slot]) count(category[slot] as number, -1)
    first[slot] = 0
  }

  return {
    categories,
    productAt: (slot: number): number => product[slot] ?? 0,
    categoryAt: (slot: number): number => category[slot] ?? 0,

    set(slot: number, row: { product: number; isFirst: boolean; metadata: Record<string, unknown> }): void {
      grow(slot)
      clear(slot)
      product[slot] = row.product
      category[slot] = categories.numberOf(row.metadata['category'])
      color[slot] = colors.numberOf(row.metadata['color_name'])
      price[slot] = typeof row.metadata['price'] === 'number' ? row.metadata['price'] : Number.NaN
      first[slot] = row.isFirst ? 1 : 0
      if (row.isFirst) count(category[slot] as number, 1)
    },
    clear,

    /** Numbers of the categories that have products. */
    liveCategories: (): number[] =>
      perCategory.flatMap((products, number) => (number > 0 && products > 0 ? [number] : [])),

    /** Products among the slots that pass. */
    countProducts(slots: number, mask: Uint8Array | undefined): number {
      if (!mask) return perCategory.reduce((sum, products) => sum + products, 0)
      let passing = 0
      for (let slot = 0; slot < slots; slot++) passing += (first[slot] ?? 0) & (mask[slot] as number)
      return passing
    },

    /** One byte a slot, 1 where the filter lets it pass; undefined when the filter asks for nothing. */
    mask(filter: SearchFilter, slots: number): Uint8Array | undefined {
      if (Object.values(filter).every((wanted) => wanted === undefined)) return undefined
      const { priceMin = Number.NEGATIVE_INFINITY, priceMax = Number.POSITIVE_INFINITY } = filter
      const hasPrice = filter.priceMin !== undefined || filter.priceMax !== undefined
      const mask = new Uint8Array(slots)
      // A word that no product has finds nothing; -1 equals no column.
      const wantedCategory =
        filter.category === undefined ? undefined : (categories.find(filter.category) ?? -1)
      const wantedColor = filter.color === undefined ? undefined : (colors.find(filter.color) ?? -1)
      for (let slot = 0; slot < Math.min(slots, capacity); slot++) {
        if (product[slot] === filter.exceptProduct) continue
        if (wantedCategory !== undefined && category[slot] !== wantedCategory) continue
        if (wantedColor !== undefined && color[slot] !== wantedColor) continue
        const value = price[slot] as number
        // A product without a price is NaN and passes no price filter.
        if (hasPrice && !(value >= priceMin && value <= priceMax)) continue
        mask[slot] = 1
      }
      return mask
    },
  }
}

function resized<Column extends Float64Array | Uint32Array | Uint8Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}
