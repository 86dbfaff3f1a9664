import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { IndexedStore } from '../product-index/product-index.ts'
import { type Breathe, createSurest, type Found } from './found.ts'
import type { ReportQueries } from './queries.ts'
import { createTold, type Told } from './told.ts'

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
/** Comparisons of a picture with a name in one step: they take some milliseconds. */
const PAIRS_AT_ONCE = 4_096
/** Pictures in one step. */
const SLOTS_AT_ONCE = 256
const NAMES_AT_ONCE = 16
/** Products that are looked up in one statement. */
const FACES_AT_ONCE = 100
/** Pictures that tell how well each name fits any picture. */
const SAMPLE = 512

interface Category {
  number: number
  /** As people spell it. */
  label: string
  vector: Float32Array
  /** How well the name fits the store's pictures in general. */
  mean: number
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
  const { columns, segment } = store
  const categories = await nameCategories(store, embedder)
  if (categories.length < 2)
    return { found: { kind: 'category_mismatch', count: 0, products: [] }, compared: 0 }
  const places = new Map(categories.map(({ number }, place) => [number, place]))
  await centre(store, categories, breathe)
  // What is added from now on has no place in it.
  const end = segment.slots
  const told = createTold(Math.min(end, COMPARED_MAX + SLOTS_AT_ONCE))
  const vector = new Float32Array((categories[0] as Category).vector.length)
  const sums = categories.map(() => new Float32Array(vector.length))
  const step = Math.max(1, end / COMPARED_MAX)
  const together = Math.min(SLOTS_AT_ONCE, Math.ceil(PAIRS_AT_ONCE / categories.length))
  for (let at = 0; at < Math.min(end, segment.slots) && told.size() < COMPARED_MAX; ) {
    const first = told.size()
    for (let n = 0; n < together && at < Math.min(end, segment.slots); n++, at += step) {
      const slot = Math.floor(at)
      const own = columns.isFirst(slot) ? places.get(columns.categoryAt(slot)) : undefined
      if (own !== undefined) told.add(slot, columns.productAt(slot), own)
    }
    compare(segment, categories, told, first)
    for (let n = first; n < told.size(); n++)
      if (readVector(n)) addTo(sums[told.own(n)] as Float32Array, vector)
    await breathe()
  }
  const sure = told.listMargins(categories.length).map(({ margins, total }) => judge(margins, total))
  await breathe()
  const surest = createSurest()
  for (let n = 0; n < told.size(); ) {
    const wrong: number[] = []
    for (; n < told.size() && wrong.length < FACES_AT_ONCE; n++) {
      if (n % SLOTS_AT_ONCE === 0) await breathe()
      if (isWrong(n)) wrong.push(n)
    }
    const faces = queries.listFaces(wrong.map(told.row))
    for (const [at, one] of wrong.entries()) {
      const face = faces[at]
      if (!face || shared.has(face.productId)) continue
      const { label: seems } = categories[told.best(one)] as Category
      surest.add(told.margin(one), {
        productId: face.productId,
        data: { category: face.category ?? '', seems },
      })
    }
    await breathe()
  }
  return { found: { kind: 'category_mismatch', ...surest.list() }, compared: told.size() }

  /** Reads the vector of a product that was compared. @returns false if its slot holds another one by now. */
  function readVector(n: number): boolean {
    const slot = told.slot(n)
    return columns.productAt(slot) === told.row(n) && segment.vectorAt(slot, vector) !== undefined
  }

  function isWrong(n: number): boolean {
    const [own, best] = [told.own(n), told.best(n)]
    const [mine, other] = [sure[own], sure[best]]
    if (own === best || mine === undefined || other === undefined || told.margin(n) < other) return false
    return readVector(n) && likeness(best, false) > likeness(own, true)
  }

  /** How much the vector looks like the products of a category. @param isOwn whether it is one of them, and does not count. */
  function likeness(place: number, isOwn: boolean): number {
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

function addTo(sum: Float32Array, vector: Float32Array): void {
  for (let n = 0; n < sum.length; n++) sum[n] = (sum[n] as number) + (vector[n] as number)
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
      some.map(async (number) => {
        const label = columns.categories.getLabel(number)
        return { number, label, mean: 0, ...(await embedder.embedText(leafOf(label), 'index')) }
      }),
    )
    named.push(...found.filter(({ isUnknown }) => !isUnknown))
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
  const step = Math.max(1, Math.ceil(segment.slots / SAMPLE))
  for (const category of categories) {
    // Products may go between two steps.
    const slots: number[] = []
    for (let slot = 0; slot < segment.slots; slot += step) if (columns.isFirst(slot)) slots.push(slot)
    const cosines = segment.rescore(category.vector, slots)
    category.mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, slots.length)
    await breathe()
  }
}

/** Compares the products from one on with all names, in one go: slots move between two steps. */
function compare(
  segment: IndexedStore['segment'],
  categories: readonly Category[],
  told: Told,
  first: number,
): void {
  const slots = Array.from({ length: told.size() - first }, (_, n) => told.slot(first + n))
  for (const [place, { vector, mean }] of categories.entries()) {
    const cosines = segment.rescore(vector, slots)
    for (let n = 0; n < slots.length; n++) told.meet(first + n, place, (cosines[n] as number) - mean)
  }
}

/** The margin from which on a product is surely of a category; undefined for one that the model cannot tell. */
function judge(margins: Float32Array, total: number): number | undefined {
  if (total < PRODUCTS_MIN || margins.length / total < TOLD_MIN) return undefined
  margins.sort()
  return margins[Math.floor(margins.length * SURE_SHARE)]
}
