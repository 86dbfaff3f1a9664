import { fold } from '../../../core/text.ts'

/** Numbers for folded words. The empty word has the number 0 and stands for "none". */
function createDictionary() {
  const numbers = new Map<string, number>([['', 0]])
  const labels = ['']
  return {
    /**
     * The number of a folded word; a new word gets the next one. 0 for none.
     *
     * @param spell gives the spelling of a new word, for people.
     */
    intern(key: string | null, spell: (key: string) => string): number {
      if (key === null) return 0
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, labels.length)
      labels.push(spell(key))
      return labels.length - 1
    },
    /** The number of a word; undefined for one that was never interned. */
    find: (value: string): number | undefined => numbers.get(fold(value)),
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
}

/** The fields that searches filter by, words folded; null for one that is absent or of another type. */
export interface FilterFields {
  category: string | null
  color: string | null
  price: number | null
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
  /** Row of a product that is left out. */
  exceptProduct?: number | undefined
}

export type StoreColumns = ReturnType<typeof createColumns>

/** The filter columns of one store, with one row for each slot of its vector segment. */
export function createColumns() {
  const categories = createDictionary()
  const colors = createDictionary()
  let capacity = 64
  let product = new Float64Array(capacity)
  let category = new Uint32Array(capacity)
  let color = new Uint32Array(capacity)
  let price = new Float64Array(capacity).fill(Number.NaN)
  /** 1 for the slot of a product's first picture, so that their sum is the number of products. */
  let first = new Uint8Array(capacity)
  const perCategory: number[] = [0]

  function grow(slot: number): void {
    if (slot < capacity) return
    while (capacity <= slot) capacity *= 2
    product = resize(product, new Float64Array(capacity))
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
    if (first[slot]) count(category[slot] as number, -1)
    first[slot] = 0
  }

  function write(slot: number, row: FilterFields & Place, spellCategory: (key: string) => string): void {
    grow(slot)
    clear(slot)
    product[slot] = row.product
    category[slot] = categories.intern(row.category, spellCategory)
    color[slot] = colors.intern(row.color, (key) => key)
    price[slot] = row.price ?? Number.NaN
    first[slot] = row.isFirst ? 1 : 0
    if (row.isFirst) count(category[slot] as number, 1)
  }

  return {
    categories,
    productAt: (slot: number): number => product[slot] ?? 0,
    categoryAt: (slot: number): number => category[slot] ?? 0,

    /** Fills a slot from a product's metadata. */
    set(slot: number, row: Place & { metadata: Record<string, unknown> }): void {
      const { metadata } = row
      write(slot, { ...row, ...readFields(metadata) }, () => String(metadata['category']).trim())
    },
    /** Fills a slot from stored fields. @param spellCategory gives the product's own spelling; asked for a new category. */
    load: write,
    clear,

    /** Numbers of the categories that have products. */
    listCategories: (): number[] =>
      perCategory.flatMap((products, number) => (number > 0 && products > 0 ? [number] : [])),

    /** The number of products among the slots that pass. */
    countProducts(slots: number, mask: Uint8Array | undefined): number {
      if (!mask) return perCategory.reduce((sum, products) => sum + products, 0)
      let passing = 0
      for (let slot = 0; slot < slots; slot++) passing += (first[slot] ?? 0) & (mask[slot] as number)
      return passing
    },

    /** One byte for each slot, 1 where the filter lets it pass; undefined for a filter without conditions. */
    createMask(filter: SearchFilter, slots: number): Uint8Array | undefined {
      if (Object.values(filter).every((wanted) => wanted === undefined)) return undefined
      const { priceMin = Number.NEGATIVE_INFINITY, priceMax = Number.POSITIVE_INFINITY } = filter
      const hasPrice = filter.priceMin !== undefined || filter.priceMax !== undefined
      const mask = new Uint8Array(slots)
      // No column holds -1, so a word that no product has finds nothing.
      const wantedCategory =
        filter.category === undefined ? undefined : (categories.find(filter.category) ?? -1)
      const wantedColor = filter.color === undefined ? undefined : (colors.find(filter.color) ?? -1)
      for (let slot = 0; slot < Math.min(slots, capacity); slot++) {
        if (product[slot] === filter.exceptProduct) continue
        if (wantedCategory !== undefined && category[slot] !== wantedCategory) continue
        if (wantedColor !== undefined && color[slot] !== wantedColor) continue
        const value = price[slot] as number
        // NaN stands for no price, and passes no price filter.
        if (hasPrice && !(value >= priceMin && value <= priceMax)) continue
        mask[slot] = 1
      }
      return mask
    },
  }
}

function resize<Column extends Float64Array | Uint32Array | Uint8Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}
