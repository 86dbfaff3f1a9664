import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { IndexedStore } from '../product-index/product-index.ts'
import { type Breathe, createFound, type Found } from './found.ts'
import type { ReportQueries } from './queries.ts'

/** Categories of a store that are told apart, the largest. */
const CATEGORIES_MAX = 128
/** Products of a category that show whether the model can tell it. */
const PRODUCTS_MIN = 8
/** The least share of a category's products whose picture the model calls by its name. */
const TOLD_MIN = 0.75
/**
 * A product must be more surely of the other category than this share of that one's own products. Of 85 photos in 17 kinds of
 * clothes, two of them with a wrong label, 40 % of the wrong ones were found so, and no right one was named.
 */
const SURE_SHARE = 0.25
/** Products that are compared, spread over the store. */
const COMPARED_MAX = 50_000
/** Pictures and names of one step: 32 × 128 comparisons take some milliseconds. */
const SLOTS_AT_ONCE = 32
const NAMES_AT_ONCE = 16
/** Pictures that tell how well each name fits any picture. */
const SAMPLE = 512

interface Category {
  number: number
  vector: Float32Array
  /** How well the name fits the store's pictures in general. */
  mean: number
}

/** One product, compared with all names. */
interface Told {
  slot: number
  row: number
  /** Places in the list of categories. */
  own: number
  best: number
  /** How much better the best name fits than the next: than the own one, where that is another. */
  margin: number
}

/**
 * Finds products whose picture shows another category than theirs, by the model's own words.
 *
 * A category is judged, and said of others, only if the model calls most of its products by its name. A product is named
 * if another category's name fits it better, and by as much as it fits that category's own products, and if it also
 * looks more like those than like the products of its own category.
 */
export async function findWrongCategories(
  queries: Pick<ReportQueries, 'listFaces'>,
  store: Pick<IndexedStore, 'segment' | 'columns'>,
  embedder: Pick<Embedder, 'embedText'>,
  shared: ReadonlySet<string>,
  breathe: Breathe,
): Promise<{ found: Found; compared: number }> {
  const { found, add } = createFound('category_mismatch')
  const { columns, segment } = store
  const categories = await nameCategories(store, embedder)
  if (categories.length < 2) return { found, compared: 0 }
  const places = new Map(categories.map(({ number }, place) => [number, place]))
  await centre(store, categories, breathe)
  const told: Told[] = []
  const sums = categories.map(({ vector }) => new Float32Array(vector.length))
  const step = Math.max(1, segment.slots / COMPARED_MAX)
  for (let at = 0; at < segment.slots; ) {
    const slots: number[] = []
    for (let n = 0; n < SLOTS_AT_ONCE && at < segment.slots; n++, at += step) {
      const slot = Math.floor(at)
      if (columns.isFirst(slot) && places.has(columns.categoryAt(slot))) slots.push(slot)
    }
    for (const one of compare(store, categories, places, slots)) {
      told.push(one)
      const sum = sums[one.own] as Float32Array
      const vector = segment.vectorAt(one.slot)
      if (vector) for (let n = 0; n < sum.length; n++) sum[n] = (sum[n] as number) + (vector[n] as number)
    }
    await breathe()
  }
  const { margins, totals } = sortByCategory(told, categories.length)
  const sure = margins.map((own, place) => judge(own, totals[place] as number))
  const wrong = told.filter(({ own, best, margin, slot, row }) => {
    const [mine, other] = [sure[own], sure[best]]
    if (own === best || mine === undefined || other === undefined || margin < other) return false
    const vector = columns.productAt(slot) === row ? segment.vectorAt(slot) : undefined
    return vector !== undefined && likeness(vector, best, false) > likeness(vector, own, true)
  })
  // The surest first.
  wrong.sort((a, b) => b.margin - a.margin)
  const faces = queries.listFaces(wrong.map(({ row }) => row))
  for (const [n, { best }] of wrong.entries()) {
    const face = faces[n]
    if (!face || shared.has(face.productId)) continue
    const seems = columns.categories.getLabel((categories[best] as Category).number)
    add(face.productId, { category: face.category ?? '', seems })
  }
  return { found, compared: told.length }

  /** How much a picture looks like the products of a category. @param isOwn whether it is one of them, and does not count. */
  function likeness(vector: Float32Array, place: number, isOwn: boolean): number {
    const sum = sums[place] as Float32Array
    let [dot, length] = [0, 0]
    for (let n = 0; n < vector.length; n++) {
      const value = (sum[n] as number) - (isOwn ? (vector[n] as number) : 0)
      dot += value * (vector[n] as number)
      length += value ** 2
    }
    return dot / Math.sqrt(length || 1)
  }
}

/** The store's larger categories whose names the model knows. */
async function nameCategories(
  { columns }: Pick<IndexedStore, 'columns'>,
  embedder: Pick<Embedder, 'embedText'>,
): Promise<Category[]> {
  const numbers = columns
    .listCategories()
    .filter((number) => columns.countIn(number) >= PRODUCTS_MIN)
    .sort((a, b) => columns.countIn(b) - columns.countIn(a))
    .slice(0, CATEGORIES_MAX)
  const named: Category[] = []
  for (let start = 0; start < numbers.length; start += NAMES_AT_ONCE) {
    const some = numbers.slice(start, start + NAMES_AT_ONCE)
    const found = await Promise.all(
      some.map((number) => embedder.embedText(leafOf(columns.categories.getLabel(number)), 'index')),
    )
    for (const [n, { vector, isUnknown }] of found.entries())
      if (!isUnknown) named.push({ number: some[n] as number, vector, mean: 0 })
  }
  return named
}

/** Only the last part of a path such as "Home > Lamps" names the kind. */
const leafOf = (name: string): string => (name.split(/[>/|]/).at(-1)?.trim() || name).slice(0, 200)

/** Some names fit every picture better than others do; the difference says nothing about one picture. */
async function centre(
  { segment, columns }: Pick<IndexedStore, 'segment' | 'columns'>,
  categories: readonly Category[],
  breathe: Breathe,
): Promise<void> {
  const step = Math.max(1, Math.floor(segment.slots / SAMPLE))
  for (const category of categories) {
    const slots: number[] = []
    for (let slot = 0; slot < segment.slots; slot += step) if (columns.isFirst(slot)) slots.push(slot)
    const cosines = segment.rescore(category.vector, slots)
    category.mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, slots.length)
    await breathe()
  }
}

/** Compares some pictures with all names, in one go. */
function compare(
  { segment, columns }: Pick<IndexedStore, 'segment' | 'columns'>,
  categories: readonly Category[],
  places: ReadonlyMap<number, number>,
  slots: readonly number[],
): Told[] {
  const fits = categories.map(({ vector, mean }) => ({ mean, cosines: segment.rescore(vector, slots) }))
  return slots.map((slot, n) => {
    const own = places.get(columns.categoryAt(slot)) as number
    const values = fits.map(({ mean, cosines }) => (cosines[n] as number) - mean)
    let [best, next] = [0, -1]
    for (let place = 1; place < values.length; place++) {
      if ((values[place] as number) > (values[best] as number)) [best, next] = [place, best]
      else if (next < 0 || (values[place] as number) > (values[next] as number)) next = place
    }
    const against = best === own ? next : own
    const margin = (values[best] as number) - (values[against] as number)
    return { slot, row: columns.productAt(slot), own, best, margin }
  })
}

/** The margins of the products that the model calls by the name of their category, and the number of all, by category. */
function sortByCategory(told: readonly Told[], count: number): { margins: number[][]; totals: number[] } {
  const margins = Array.from({ length: count }, (): number[] => [])
  const totals = new Array<number>(count).fill(0)
  for (const { own, best, margin } of told) {
    totals[own] = (totals[own] as number) + 1
    if (own === best) (margins[own] as number[]).push(margin)
  }
  return { margins, totals }
}

/** The margin from which on a product is surely of a category; undefined for one that the model cannot tell. */
function judge(margins: number[], total: number): number | undefined {
  if (total < PRODUCTS_MIN || margins.length / total < TOLD_MIN) return undefined
  margins.sort((a, b) => a - b)
  return margins[Math.floor(margins.length * SURE_SHARE)]
}
