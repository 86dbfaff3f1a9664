import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Lab } from '../../../../src/core/colours/lab.ts'
import { fold } from '../../../../src/core/text.ts'
import type { SearchFilter } from '../../../../src/features/catalogue/product-index/mask.ts'
import {
  createProductIndex,
  type IndexedStore,
  type ProductIndex,
} from '../../../../src/features/catalogue/product-index/product-index.ts'
import { readQuery } from '../../../../src/features/catalogue/product-index/words/asked.ts'
import { createScratch } from '../../../../src/features/catalogue/product-index/words/scratch.ts'
import { createWordIndex } from '../../../../src/features/catalogue/product-index/words/words.ts'
import { RANKING } from '../../../../src/features/discovery/search/parameters.ts'
import { makePlan } from '../../../../src/features/discovery/search/plan.ts'
import { type Ranking, type RankingRequest, rank } from '../../../../src/features/discovery/search/ranking.ts'
import type { SearchedStore } from '../../../../src/features/discovery/search/searched-store.ts'
import { type ArenaOptions, createVectorArena } from '../../../../src/platform/vectors/arena.ts'
import { createVectorTable } from '../../../../src/platform/vectors/vec0.ts'
import { normalised, unitVectors } from '../../../platform/vectors/units.ts'
import { memoryDatabase } from '../../../support/database.ts'

const DIMENSION = 16
const MAP = { midpoint: 0.4, slope: 4 }
const WORDS_MAP = { midpoint: 0.2, slope: 6 }
const RELIABILITY = 0.5
/** A precise score is within 1e-5 of the float one, and the map is at most this much steeper. */
const TOLERANCE = 1e-3
/** The unit of words is measured by the rough scan, in which a cosine is off by up to 0.01. */
const TOLERANCE_OF_WORDS = 5e-3

const RED: Lab = { l: 50, a: 60, b: 40 }
const BLUE: Lab = { l: 40, a: 20, b: -60 }
const NAMES = ['mugs', 'lamps', 'table lamps']

/** The vector of a category's name. */
const vectorOfName = (name: string) =>
  normalised(Float32Array.from({ length: DIMENSION }, (_, n) => ((n * 7 + name.length * 3) % 5) - 2))

const COLOUR_OF: Record<string, Lab> = { red: RED, blue: BLUE }
/** How well a product shows a colour. */
const shows = ({ metadata: { color_name } }: Pick<Product, 'metadata'>, colour: Lab): number =>
  color_name !== undefined && COLOUR_OF[fold(color_name)] === colour ? 0.75 : 0

/** How well the words of a product match a query; a product's words follow from its number. */
const countWords = (id: number, text: string): number =>
  text.split(' ').filter((word) => (word.length + id) % 4 === 0).length

/** How much the picture of a product shows of a spoken colour, by its number. */
const paletteShare = (id: number, base: string): number => ((id + base.length) % 3) / 2

/** A text without some words; the whole where nothing would be left. */
const withoutWords = (text: string, silent: ReadonlySet<string>): string =>
  text
    .split(' ')
    .filter((word) => !silent.has(word))
    .join(' ') || text

function findNamed(text: string, names: string[]): string | undefined {
  const said = text.split(' ').map((word) => word.replace(/s$/, ''))
  return names
    .filter((name) => name.split(' ').every((word) => said.includes(word.replace(/s$/, ''))))
    .sort((a, b) => b.split(' ').length - a.split(' ').length)[0]
}

const ODD_ROWS = {
  has: (row: number) => row % 2 === 1,
  size: 1_000,
  bytes: 0,
  [Symbol.iterator]: () => [][Symbol.iterator](),
}

/** A store with words and palettes that follow from numbers and colour names: the document of a product is its row. */
function searchedStore(store: IndexedStore): SearchedStore {
  const { segment, columns } = store
  const slots = () => Array.from({ length: segment.slots }, (_, slot) => slot)
  const taken = () => slots().filter((slot) => segment.keyAt(slot) >= 0)
  return {
    segment,
    hasAllWords: true,
    columns: {
      ...columns,
      documentAt: columns.productAt,
      documents: () => Uint32Array.from(slots(), columns.productAt),
    },
    words: {
      ...createWordIndex(createScratch()),
      listUnheld: (_query, words) => [...words],
      correct: () => undefined,
      hasAny: (query) =>
        taken().some((slot) => {
          const row = columns.productAt(slot)
          return countWords(row, readQuery(query).text) > 0 || `p${row}` === readQuery(query).text
        }),
      holderTest: (word) => (row) => countWords(row, word) > 0,
      findExact: (text) =>
        new Set(
          taken()
            .map(columns.productAt)
            .filter((row) => `p${row}` === readQuery(text).text),
        ),
      lastDocument: () => Math.max(0, ...taken().map(columns.productAt)),
      score(text, silent = new Set()) {
        const heard = withoutWords(readQuery(text).text, silent)
        const rows = [...new Set(taken().map(columns.productAt))]
        const scores = new Float32Array(Math.max(0, ...rows) + 1)
        for (const row of rows) scores[row] = countWords(row, heard)
        const exact = rows.filter((row) => `p${row}` === readQuery(text).text)
        return {
          scores,
          documents: Uint32Array.from(rows.filter((row) => (scores[row] as number) > 0)),
          max: Math.max(0, ...scores),
          exact: Uint32Array.from(exact),
          words: [],
        }
      },
    },
    palettes: {
      shadeMeter:
        ({ base }) =>
        (slot) =>
          paletteShare(columns.productAt(slot), base),
      meter: (colours) => (slot) =>
        meanOf(colours.map((colour) => (COLOUR_OF[colourIn(columns, slot)] === colour ? 0.75 : 0))),
      score: (colours, count) =>
        Float32Array.from({ length: count }, (_, slot) =>
          colours.length === 0
            ? 0
            : meanOf(colours.map((colour) => (COLOUR_OF[colourIn(columns, slot)] === colour ? 0.75 : 0))),
        ),
    },
  }
}

/** The colour of the product in a slot, found by the filter column itself. */
const colourIn = (columns: IndexedStore['columns'], slot: number): string =>
  Object.keys(COLOUR_OF).find((color) => columns.createMask({ color }, slot + 1)?.bytes[slot] === 1) ?? ''

interface Product {
  id: number
  pictures: { id: number; vector: Float32Array }[]
  metadata: { category?: string; color_name?: string; price?: number }
}

const unit = (numbers: number[]): Float32Array => {
  const length = Math.hypot(...numbers) || 1
  return Float32Array.from(numbers, (n, i) => (Math.hypot(...numbers) === 0 ? Number(i === 0) : n / length))
}
/** Few directions among many random ones, so that there are pictures of equal content and near-equal ones. */
const vector = fc
  .oneof(
    fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: DIMENSION, maxLength: DIMENSION }),
    fc
      .tuple(fc.nat(3), fc.nat(2))
      .map(([axis, shift]) => Array.from({ length: DIMENSION }, (_, i) => Number(i === axis) + shift * 1e-3)),
  )
  .map(unit)
const metadata = fc.record(
  {
    category: fc.constantFrom('Mugs', 'mügs', ' MUGS ', 'Lamps', 'Table lamps', ''),
    color_name: fc.constantFrom('Red', 'rêd', 'blue'),
    price: fc.constantFrom(0, 1, 9.99, 10, 10.01, 1e6),
  },
  { requiredKeys: [] },
)
const catalogue = fc.array(
  fc.record({ vectors: fc.array(vector, { minLength: 1, maxLength: 4 }), metadata, isRemoved: fc.boolean() }),
  // Without a size few would be longer than ten.
  { maxLength: 80, size: 'max' },
)
/** Mostly of few conditions: all four at once leave no product. */
const filter = fc
  .tuple(
    fc.record({
      category: fc.constantFrom('mugs', 'LAMPS', 'unknown'),
      color: fc.constantFrom('red', 'BLUE', 'green'),
      priceMin: fc.constantFrom(0, 9.99, 10),
      priceMax: fc.constantFrom(9.99, 10, 100),
    }),
    fc.subarray(['category', 'color', 'priceMin', 'priceMax'] as const, { maxLength: 2 }),
  )
  .map(([all, kept]): SearchFilter => Object.fromEntries(kept.map((name) => [name, all[name]])))
const wantedList = {
  filter,
  isRowOdd: fc.boolean(),
  threshold: fc.constantFrom(0, 0.2, 0.5, 0.9),
  categoryBoost: fc.constantFrom(0, 0.1, 0.5),
  depth: fc.integer({ min: 1, max: 40 }),
}
const words = fc.record({
  text: fc.constantFrom('a red mug', 'red', 'blue and red', 'table lamp', 'nothing', 'mugs', 'p7'),
  vector,
  isUnknown: fc.boolean(),
  unknownShare: fc.constantFrom(0, 0.5),
})
/** A query with a picture, words, both, or colours alone. */
const query = fc
  .record(
    {
      vector,
      words,
      colours: fc.constantFrom([RED], [RED, BLUE]),
      visualWeight: fc.constantFrom(0, 0.3, 0.5, 1),
    },
    { requiredKeys: ['visualWeight'] },
  )
  .filter(({ vector, words, colours }) => Boolean(vector || words || colours))
const request: fc.Arbitrary<Wanted> = fc.record({ query, ...wantedList })

interface Wanted {
  query: {
    vector?: Float32Array
    words?: { text: string; vector: Float32Array; isUnknown?: boolean; unknownShare?: number }
    colours?: readonly Lab[]
    visualWeight: number
  }
  filter: SearchFilter
  isRowOdd: boolean
  threshold: number
  categoryBoost: number
  depth: number
}

/** Puts products in and takes some out again, as a store does over time. */
function filled(
  rows: { vectors: Float32Array[]; metadata: Product['metadata']; isRemoved: boolean }[],
  arena = createVectorArena(DIMENSION),
) {
  arena.removeStore('s')
  const index = createProductIndex(arena)
  let pictureId = 0
  const products = rows.map(({ vectors, metadata, isRemoved }, n): Product & { isRemoved: boolean } => {
    const pictures = vectors.map((vector) => ({ id: ++pictureId, vector }))
    for (const [i, picture] of pictures.entries()) {
      const entry = {
        storeId: 's',
        productId: 'p',
        pictureId: picture.id,
        product: n + 1,
        isFirst: i === 0,
        metadata,
      }
      index.put(entry, picture.vector)
    }
    return { id: n + 1, pictures, metadata, isRemoved }
  })
  for (const { pictures } of products.filter(({ isRemoved }) => isRemoved)) {
    for (const { id } of pictures) index.remove('s', id)
  }
  return { index, products: products.filter(({ isRemoved }) => !isRemoved) }
}

const dot = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, i) => sum + value * (b[i] as number), 0)
const same = (a: string | undefined, b: string) => a !== undefined && fold(a) === fold(b)

function passes({ id, metadata }: Product, { filter, isRowOdd }: Pick<Wanted, 'filter' | 'isRowOdd'>) {
  const { category, color, priceMin, priceMax } = filter
  const { price } = metadata
  if (isRowOdd && id % 2 === 0) return false
  if (category !== undefined && !same(metadata.category, category)) return false
  if (color !== undefined && !same(metadata.color_name, color)) return false
  if (priceMin !== undefined && !(price !== undefined && price >= priceMin)) return false
  return priceMax === undefined || (price !== undefined && price <= priceMax)
}

/** What the ranking must be, by brute force over the float vectors: each side's log-odds, added by their shares. */
function expected(products: Product[], wanted: Wanted) {
  const { query, categoryBoost } = wanted
  const factor = wanted.filter.category === undefined ? categoryBoost / 0.1 : 0
  const present = NAMES.filter((name) => products.some(({ metadata }) => same(metadata.category, name)))
  const cosines = products.flatMap(({ pictures }) =>
    pictures.map((picture) => (query.words ? dot(picture.vector, query.words.vector) : 0)),
  )
  const mean = cosines.reduce((sum, one) => sum + one, 0) / cosines.length
  const squares = cosines.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  const unit = Math.sqrt((squares + 8 * 0.05 ** 2) / (cosines.length + 8))
  const text = query.words?.text ?? ''
  const colours = text.split(' ').filter((word) => word in COLOUR_OF)
  const heard = query.words?.isUnknown ? text : withoutWords(text, new Set(colours))
  const matches = new Map(products.map(({ id }) => [id, query.words ? countWords(id, heard) : 0]))
  const most = Math.max(0, ...matches.values())
  const hasWords =
    products.some(({ id }) => countWords(id, text) > 0) ||
    products.some(({ id }) => `p${id}` === query.words?.text)
  const named = query.words && factor > 0 ? findNamed(query.words.text, present) : undefined
  const isGuess = Boolean(query.words?.isUnknown) && !hasWords
  const isColoursOnly = query.visualWeight > 0 && text.split(' ').every((word) => colours.includes(word))
  const spoken = (isGuess || isColoursOnly) && query.vector ? undefined : query.words
  const fits = present
    .map((name) => ({ name, cosine: query.vector ? dot(vectorOfName(name), query.vector) : 0 }))
    .sort((a, b) => b.cosine - a.cosine)
  const meanFit = fits.reduce((sum, { cosine }) => sum + cosine, 0) / fits.length

  const oddsOfPicture = (product: Product, one: Float32Array, seen: Float32Array) => {
    const cosine = dot(one, seen)
    const fit = fits.find(({ name }) => same(product.metadata.category, name))?.cosine ?? meanFit
    const loss =
      fits[0] && factor > 0 ? factor * RANKING.categoryName * RELIABILITY * (fit - fits[0].cosine) : 0
    const fade = cosine > RANKING.alike ? Math.max(0, (1 - cosine) / (1 - RANKING.alike)) : 1
    return MAP.slope * (cosine + fade * loss - MAP.midpoint)
  }
  const oddsOfWords = (product: Product, one: Float32Array, said: NonNullable<typeof spoken>) => {
    const isExact = `p${product.id}` === said.text
    const share = most > 0 ? (matches.get(product.id) as number) / most : 0
    if (said.isUnknown && hasWords) {
      if (!isExact && share === 0 && !query.vector) return -Infinity
      return 6 * ((isExact ? 3 : share) - 0.5)
    }
    const weight = RANKING.keyword + (RANKING.keywordOfUnknown - RANKING.keyword) * (said.unknownShare ?? 0)
    const loss = named !== undefined && !same(product.metadata.category, named) ? factor : 0
    const added = (isExact ? 3 : unit * weight * share) - unit * loss
    return WORDS_MAP.slope * (dot(one, said.vector) + added - WORDS_MAP.midpoint)
  }
  /** Log-odds that a product loses at most for what it lacks of the wanted colours. */
  const lossOf = ({ id, metadata }: Product): number => {
    const named = metadata.color_name === undefined ? '' : fold(metadata.color_name)
    const shareOf = (colour: string) =>
      named === colour || countWords(id, colour) > 0
        ? 1
        : (named === '' ? 1 : 0.25) * paletteShare(id, colour)
    const most = query.vector
      ? RANKING.colourWordBoth * Math.min(1, 2 * (1 - query.visualWeight))
      : RANKING.colourWord
    const unspoken = colours.length > 0 ? most * (1 - meanOf(colours.map(shareOf))) : 0
    const unpicked = query.colours?.length
      ? RANKING.palette * (1 - meanOf(query.colours.map((c) => shows({ metadata }, c))))
      : 0
    return Math.min(3.5, unspoken + unpicked)
  }
  const isColoured =
    query.colours !== undefined || (colours.length > 0 && !(query.vector && query.visualWeight === 1))
  const oddsOf = (product: Product, one: Float32Array): number => {
    const pictureShare = query.vector ? (spoken ? query.visualWeight : 1) : 0
    const shown = query.colours?.length ? meanOf(query.colours.map((c) => shows(product, c))) : 0
    if (!query.vector && !spoken) return 6 * (shown - 0.5)
    const sides = [
      ...(query.vector && pictureShare > 0 ? [pictureShare * oddsOfPicture(product, one, query.vector)] : []),
      ...(spoken && pictureShare < 1 ? [(1 - pictureShare) * oddsOfWords(product, one, spoken)] : []),
    ]
    const odds = sides.reduce((sum, side) => sum + side, 0)
    if (!isColoured) return odds
    const bent = odds > 1 ? 1 + 0.6 * Math.log(odds) : odds
    return bent - Math.max(0, Math.min(1, (bent + 2) / 4)) * lossOf(product)
  }
  return products
    .filter((product) => passes(product, wanted))
    .map((product) => {
      const odds = Math.max(...product.pictures.map(({ vector }) => oddsOf(product, vector)))
      return { id: product.id, score: (spoken && isGuess ? 0.3 : 1) / (1 + Math.exp(-odds)), odds }
    })
    .filter(({ odds }) => odds > -Infinity)
    .sort((a, b) => b.score - a.score)
}

const meanOf = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

/** The request for a wanted list, as a search makes it. */
function toRequest(store: SearchedStore, wanted: Wanted): RankingRequest {
  const { query, filter, isRowOdd, threshold, categoryBoost, depth } = wanted
  const [fusion] = makePlan(
    {
      storeId: 's',
      store,
      calibration: { image_image: MAP, text_image: WORDS_MAP },
      steering: { boost: categoryBoost, isInOne: filter.category !== undefined },
      looksTwice: false,
      compare: (_storeId, { columns }, seen) => ({
        reliability: RELIABILITY,
        fits: columns
          .listCategories()
          .flatMap((category) => {
            const name = NAMES.find((name) => same(columns.categories.getLabel(category), name))
            return name === undefined ? [] : [{ category, cosine: dot(vectorOfName(name), seen) }]
          })
          .sort((a, b) => b.cosine - a.cosine),
      }),
    },
    {
      kind: 'sides',
      picture: query.vector && { vector: query.vector },
      words: query.words,
      colours: query.colours ?? [],
      visualWeight: query.visualWeight,
    },
  ).fusions
  if (!fusion) throw new Error('There is nothing to rank by')
  const rows = isRowOdd ? { ...ODD_ROWS } : undefined
  return { fusion, condition: { fields: filter, rows }, threshold, depth }
}

const NOTHING: Ranking = {
  ...{ hits: [], soldOutFrom: 0, pinned: [], words: [] },
  ...{ candidates: 0, cut: 0, isExact: true },
}

const ranked = (index: ProductIndex, wanted: Wanted): Ranking => {
  const store = index.findStore('s')
  if (!store) return NOTHING
  const searched = searchedStore(store)
  return rank(searched, toRequest(searched, wanted)) as Ranking
}

/** A list by a picture alone. */
const byPicture = (seen: Float32Array, depth: number): Wanted => ({
  query: { vector: seen, visualWeight: 0.5 },
  filter: {},
  isRowOdd: false,
  threshold: 0,
  categoryBoost: 0,
  depth,
})

describe('the ranking (contract 3.4, 3.6)', () => {
  test('equals brute force over the float vectors, for any catalogue, query, filter, threshold and depth', () => {
    fc.assert(
      fc.property(catalogue, request, (rows, wanted) => {
        const { index, products } = filled(rows)
        const { hits, candidates } = ranked(index, wanted)
        const all = expected(products, wanted)
        const tolerance = wanted.query.words ? TOLERANCE_OF_WORDS : TOLERANCE
        expect(candidates).toBe(products.filter((product) => passes(product, wanted)).length)

        const byPicture = new Map(
          products.flatMap(({ id, pictures }) => pictures.map((picture) => [picture.id, id])),
        )
        const ids = hits.map(({ pictureId }) => byPicture.get(pictureId))
        expect(new Set(ids).size).toBe(hits.length)
        // Scores at the very threshold may fall on either side.
        const surely = all.filter(({ score }) => score >= wanted.threshold + tolerance)
        const possibly = all.filter(({ score }) => score >= wanted.threshold - tolerance)
        expect(hits.length).toBeGreaterThanOrEqual(Math.min(wanted.depth, surely.length))
        expect(hits.length).toBeLessThanOrEqual(Math.min(wanted.depth, possibly.length))
        const own = new Map(all.map((product) => [product.id, product]))
        for (const [n, hit] of hits.entries()) {
          const product = own.get(ids[n] as number)
          expect(Math.abs(hit.score - (product?.score ?? Number.NaN))).toBeLessThan(tolerance)
          expect(hit.score).toBeGreaterThanOrEqual(wanted.threshold)
          if (possibly.length === surely.length) {
            expect(Math.abs(hit.score - (surely[n]?.score ?? Number.NaN))).toBeLessThan(tolerance)
          }
          if (n > 0) expect(hit.score).toBeLessThanOrEqual(hits[n - 1]?.score as number)
        }
      }),
      { numRuns: 150, endOnFailure: true },
    )
  }, 60_000)

  test('a longer list begins with the shorter one: pages neither repeat nor lose a product', () => {
    fc.assert(
      fc.property(catalogue, request, fc.integer({ min: 1, max: 40 }), (rows, wanted, more) => {
        const { index } = filled(rows)
        const short = ranked(index, wanted).hits
        const long = ranked(index, { ...wanted, depth: wanted.depth + more }).hits
        expect(long.slice(0, wanted.depth)).toEqual(short)
      }),
      { numRuns: 200 },
    )
  }, 60_000)

  /** Products 1 to `n` in an index that was filled from the last to the first, so that slots and ids run apart. */
  function backwards(n: number, vectorOf: (id: number) => Float32Array) {
    const index = createProductIndex(createVectorArena(DIMENSION))
    for (let id = n; id >= 1; id--) {
      index.put(
        { storeId: 's', productId: 'p', pictureId: id, product: id, isFirst: true, metadata: {} },
        vectorOf(id),
      )
    }
    return index
  }
  const along = unit([1, ...Array<number>(DIMENSION - 1).fill(0)])
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

  test('a thousand products with the same picture are paged by age, whatever slots they lie in', () => {
    const index = backwards(1_000, () => unit([1, 2, 3, ...Array<number>(DIMENSION - 3).fill(0)]))
    for (let offset = 0; offset < 1_000; offset += 100) {
      const part = ranked(index, byPicture(along, offset + 100)).hits.slice(offset)
      expect(part.map(({ pictureId }) => pictureId)).toEqual(range(offset + 1, offset + 101))
    }
  })

  test('a thousand products that differ by less than the scan can tell are in the right order', () => {
    // Neighbours are 0.00005 apart; the scan's step is 1/127 of the largest component, 0.006.
    const index = backwards(1_000, (id) => {
      const cosine = 0.5 - id * 5e-5
      const rest = [Math.sqrt(0.36 - cosine * cosine), 0.8]
      return unit([cosine, ...rest, ...Array<number>(DIMENSION - 3).fill(0)])
    })
    for (const depth of [1, 5, 40]) {
      const { hits } = ranked(index, byPicture(along, depth))
      expect(hits.map(({ pictureId }) => pictureId)).toEqual(range(1, depth + 1))
    }
  })

  test('does not depend on the order in which the index was filled, as after a restart', () => {
    fc.assert(
      fc.property(catalogue, request, (rows, given) => {
        const { index, products } = filled(rows)
        // Sums over slots, such as the unit of words, differ in their last digits.
        const wanted = { ...given, query: { vector: along, visualWeight: 1 } }
        const again = createProductIndex(createVectorArena(DIMENSION))
        for (const { id, pictures, metadata } of products.toReversed()) {
          for (const [n, picture] of pictures.entries()) {
            again.put(
              {
                storeId: 's',
                productId: 'p',
                pictureId: picture.id,
                product: id,
                isFirst: n === 0,
                metadata,
              },
              picture.vector,
            )
          }
        }
        const withoutSlots = ({ hits, ...rest }: Ranking) => ({
          ...rest,
          hits: hits.map(({ slot: _slot, ...hit }) => hit),
        })
        expect(withoutSlots(ranked(again, wanted))).toEqual(withoutSlots(ranked(index, wanted)))
      }),
      { numRuns: 200 },
    )
  }, 60_000)

  test('the arena’s order is that of sqlite-vec over the same vectors', () => {
    const db = memoryDatabase()
    const table = createVectorTable(db, 'reference', DIMENSION)
    table.create()
    const random = fc.sample(vector, { seed: 7, numRuns: 300 })
    const index = createProductIndex(createVectorArena(DIMENSION))
    for (const [n, picture] of random.entries()) {
      table.put('s', n + 1, picture)
      index.put(
        { storeId: 's', productId: 'p', pictureId: n + 1, product: n + 1, isFirst: true, metadata: {} },
        picture,
      )
    }
    for (const query of fc.sample(vector, { seed: 8, numRuns: 50 })) {
      const exact = table.nearest('s', query, 20)
      const { hits } = ranked(index, byPicture(query, 20))
      expect(hits).toHaveLength(20)
      for (const [n, { value }] of hits.entries()) expect(value).toBeCloseTo(exact[n]?.score as number, 4)
    }
    db.close()
  })

  test('steering by category lifts nothing, and keeps the order inside each category', () => {
    fc.assert(
      fc.property(catalogue, vector, (rows, seen) => {
        const { index, products } = filled(rows)
        const wanted = byPicture(seen, 1_000)
        const plain = new Map(ranked(index, wanted).hits.map((hit) => [hit.product, hit]))
        const { hits } = ranked(index, { ...wanted, categoryBoost: 0.5 })
        expect(hits.length).toBe(plain.size)
        for (const { product, score } of hits) {
          expect(score).toBeLessThanOrEqual(plain.get(product)?.score as number)
        }
        const category = new Map(products.map(({ id, metadata }) => [id, fold(metadata.category ?? '')]))
        for (const name of NAMES) {
          const inside = hits.filter(({ product }) => category.get(product) === name)
          for (const [n, { product }] of inside.entries()) {
            const before = inside[n - 1]
            if (!before) continue
            const values = [plain.get(before.product)?.value as number, plain.get(product)?.value as number]
            expect(values[0]).toBeGreaterThanOrEqual((values[1] as number) - 1e-6)
          }
        }
      }),
      { numRuns: 200 },
    )
  }, 60_000)
})

/** Every store of more than eight pictures is a large one. */
const LARGE: [string, ArenaOptions][] = [
  ['on threads', { largeSlots: 8, threads: 2 }],
  [
    'on threads, in several memories',
    { largeSlots: 8, threads: 2, sizes: { firstPagesMax: 4, laterPagesMax: 4 } },
  ],
  ['in slices', { largeSlots: 8, threads: 0 }],
]

describe.each(LARGE)('the ranking of a large store, scanned %s (contract 3.4)', (_, options) => {
  test('is that of a small one for exact: true, and for estimates as good as true to every score', async () => {
    const arena = createVectorArena(DIMENSION, options)
    await fc.assert(
      fc.asyncProperty(catalogue, request, async (rows, wanted) => {
        const small = filled(rows)
        const { index } = filled(rows, arena)
        const found = index.findStore('s')
        if (!found) return
        const store = searchedStore(found)
        const asked = toRequest(store, wanted)
        const exact = ranked(small.index, wanted)
        expect(await rank(store, { ...asked, isExact: true })).toEqual(exact)
        const estimated = await rank(store, asked)
        expect(estimated?.candidates).toBe(exact.candidates)
        if (estimated?.isExact) expect(estimated).toEqual(exact)
        const scores = new Map(
          ranked(small.index, { ...wanted, depth: 1_000 }).hits.map((hit) => [hit.pictureId, hit]),
        )
        for (const hit of estimated?.hits ?? []) expect(scores.get(hit.pictureId)).toEqual(hit)
      }),
      { numRuns: 60 },
    )
    arena.close()
  }, 60_000)

  test('is that of the end for a filter that other products begin and cease to pass during the scan', async () => {
    const arena = createVectorArena(DIMENSION, options)
    const index = createProductIndex(arena)
    const next = unitVectors(DIMENSION, 5)
    const put = (id: number, color_name: string, vector: Float32Array | undefined) =>
      index.put(
        {
          ...{ storeId: 's', productId: `p${id}`, pictureId: id, product: id, isFirst: true },
          metadata: { color_name },
        },
        vector,
      )
    for (let id = 1; id <= 300; id++) put(id, id % 10 === 0 ? 'red' : 'blue', next())
    const store = searchedStore(index.findStore('s') as IndexedStore)
    const wanted = { ...byPicture(next(), 100), filter: { color: 'red' } }
    const scanned = rank(store, toRequest(store, wanted))
    expect(scanned).toBeInstanceOf(Promise)
    await Promise.resolve()
    put(4, 'red', undefined)
    put(7, 'red', next())
    put(10, 'blue', undefined)
    put(20, 'red', next())
    index.remove('s', 30)
    put(301, 'red', next())
    const found = await scanned
    expect(found).toEqual(await rank(store, toRequest(store, wanted)))
    expect(found?.hits.map(({ product }) => product).sort((a, b) => a - b)).toEqual(
      expect.arrayContaining([4, 7, 20, 40, 301]),
    )
    expect(found?.candidates).toBe(31)
    arena.close()
  })

  test('is none for a store that is removed during the scan, also where estimates would do', async () => {
    const arena = createVectorArena(DIMENSION, options)
    const next = unitVectors(DIMENSION, 9)
    for (const isExact of [true, false]) {
      const rows = Array.from({ length: 300 }, () => ({ vectors: [next()], metadata: {}, isRemoved: false }))
      const { index } = filled(rows, arena)
      const store = searchedStore(index.findStore('s') as IndexedStore)
      const scanned = rank(store, { ...toRequest(store, byPicture(next(), 10)), isExact })
      await Promise.resolve()
      index.removeStore('s')
      expect(await scanned).toBeUndefined()
    }
    arena.close()
  })

  test('gives searches that come together what each gets alone', async () => {
    const arena = createVectorArena(DIMENSION, options)
    await fc.assert(
      fc.asyncProperty(catalogue, fc.array(request, { minLength: 2, maxLength: 9 }), async (rows, batch) => {
        const small = filled(rows)
        const { index } = filled(rows, arena)
        const found = index.findStore('s')
        if (!found) return
        const store = searchedStore(found)
        const rankings = await Promise.all(
          batch.map((wanted) => rank(store, { ...toRequest(store, wanted), isExact: true })),
        )
        expect(rankings).toEqual(batch.map((wanted) => ranked(small.index, wanted)))
      }),
      { numRuns: 40 },
    )
    arena.close()
  }, 60_000)

  test('finds 99 of 100 of the nearest with estimates, alike and unlike, and says so', async () => {
    const dimension = 256
    const next = unitVectors(dimension, 21)
    const kinds = Array.from({ length: 10 }, next)
    const list = ({
      query,
      filter = {},
      depth,
    }: Pick<Wanted, 'query' | 'depth'> & Partial<Wanted>): Wanted => ({
      query,
      filter,
      depth,
      isRowOdd: false,
      threshold: 0,
      categoryBoost: 0.1,
    })
    for (const spread of [undefined, 0.3]) {
      const arena = createVectorArena(dimension, { ...options, largeSlots: 2_000, sizes: {} })
      const index = createProductIndex(arena)
      const draw = (n: number) => {
        const noise = next()
        const kind = kinds[n % 10] as Float32Array
        return spread === undefined
          ? noise
          : normalised(kind.map((x, i) => x + spread * (noise[i] as number)))
      }
      for (let id = 1; id <= 6_000; id++) {
        const metadata = { category: id % 4 === 0 ? 'Mugs' : 'Lamps', price: id % 10 }
        index.put(
          { storeId: 's', productId: 'p', pictureId: id, product: id, isFirst: true, metadata },
          draw(id),
        )
      }
      const store = index.findStore('s')
      if (!store) throw new Error('The store is missing')
      let [found, all] = [0, 0]
      for (let n = 0; n < 60; n++) {
        const text = n % 2 === 0 ? 'mug' : 'nothing'
        const vector = draw(n)
        const query = n % 4 < 2 ? { vector, visualWeight: 1 } : { words: { text, vector }, visualWeight: 0 }
        const wanted = toRequest(store, list({ query, depth: 10 }))
        const exact = await rank(store, { ...wanted, isExact: true })
        const estimated = await rank(store, wanted)
        expect(exact?.isExact).toBe(true)
        const ids = new Set(estimated?.hits.map(({ pictureId }) => pictureId))
        found += exact?.hits.filter(({ pictureId }) => ids.has(pictureId)).length ?? 0
        all += 10
        // A product has "mug" in its category; such a search compares all vectors.
        const hasKeyword = n % 4 === 2
        if (hasKeyword || spread !== undefined) expect(estimated?.isExact).toBe(hasKeyword)
      }
      expect(found / all).toBeGreaterThanOrEqual(0.99)
      // Few pass this filter, and a deep list is compared in full.
      const query = { vector: draw(1), visualWeight: 1 }
      const narrow = await rank(store, toRequest(store, list({ query, filter: { priceMax: 1 }, depth: 10 })))
      const deep = await rank(store, toRequest(store, list({ query, depth: 1_000 })))
      expect([narrow?.isExact, narrow?.candidates, deep?.isExact, deep?.hits.length]).toEqual([
        true,
        1_200,
        true,
        1_000,
      ])
      arena.close()
    }
  }, 60_000)
})
