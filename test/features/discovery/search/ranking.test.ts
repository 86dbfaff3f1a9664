import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fold } from '../../../../src/core/text.ts'
import {
  createProductIndex,
  type ProductIndex,
} from '../../../../src/features/catalogue/product-index/product-index.ts'
import { type Ranking, type RankingRequest, rank } from '../../../../src/features/discovery/search/ranking.ts'
import { type ArenaOptions, createVectorArena } from '../../../../src/platform/vectors/arena.ts'
import { createVectorTable } from '../../../../src/platform/vectors/vec0.ts'
import { normalised, unitVectors } from '../../../platform/vectors/units.ts'
import { memoryDatabase } from '../../../support/database.ts'

const DIMENSION = 16
const MAP = { midpoint: 0.4, slope: 4 }
/** A precise score is within 1e-5 of the float one, and the map is at most this much steeper. */
const TOLERANCE = 1e-4

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
  { maxLength: 80 },
)
const request = fc.record({
  vector,
  text: fc.option(fc.constantFrom('a red mug', 'table lamp', 'nothing'), { nil: undefined }),
  filter: fc.record(
    {
      category: fc.constantFrom('mugs', 'LAMPS', 'unknown'),
      color: fc.constantFrom('red', 'BLUE', 'green'),
      priceMin: fc.constantFrom(0, 9.99, 10),
      priceMax: fc.constantFrom(9.99, 10, 100),
    },
    { requiredKeys: [] },
  ),
  threshold: fc.constantFrom(0, 0.2, 0.5, 0.9),
  categoryBoost: fc.constantFrom(0, 0.1, 0.5),
  depth: fc.integer({ min: 1, max: 40 }),
})

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

function passes(
  { metadata }: Product,
  { category, color, priceMin, priceMax }: RankingRequest['filter'],
): boolean {
  const { price } = metadata
  if (category !== undefined && !same(metadata.category, category)) return false
  if (color !== undefined && !same(metadata.color_name, color)) return false
  if (priceMin !== undefined && !(price !== undefined && price >= priceMin)) return false
  return priceMax === undefined || (price !== undefined && price <= priceMax)
}

/** What the ranking must be, by brute force over the float vectors. */
function expected(products: Product[], wanted: RankingRequest, boostedCategory: string | undefined) {
  return products
    .filter((product) => passes(product, wanted.filter))
    .map((product) => {
      const cosine = Math.max(...product.pictures.map(({ vector }) => dot(vector, wanted.vector)))
      const similarity = 1 / (1 + Math.exp(-MAP.slope * (cosine - MAP.midpoint)))
      const w = boostedCategory && same(product.metadata.category, boostedCategory) ? wanted.categoryBoost : 0
      return { id: product.id, similarity, score: (1 - w) * similarity + w }
    })
    .sort((a, b) => b.score - a.score)
}

const ranked = (index: ProductIndex, wanted: RankingRequest) => {
  const store = index.findStore('s')
  return store
    ? (rank(store, wanted) as Ranking)
    : { hits: [], candidates: 0, boostedCategory: undefined, isExact: true }
}

describe('the ranking (contract 3.4, 3.6)', () => {
  test('equals brute force over the float vectors, for any catalogue, filter, boost, threshold and depth', () => {
    fc.assert(
      fc.property(catalogue, request, (rows, given) => {
        const { index, products } = filled(rows)
        const wanted: RankingRequest = { ...given, map: MAP }
        const { hits, candidates, boostedCategory } = ranked(index, wanted)
        const all = expected(products, wanted, boostedCategory)
        expect(candidates).toBe(all.length)

        const byPicture = new Map(
          products.flatMap(({ id, pictures }) => pictures.map((picture) => [picture.id, id])),
        )
        const ids = hits.map(({ pictureId }) => byPicture.get(pictureId))
        expect(new Set(ids).size).toBe(hits.length)
        // Scores at the very threshold may fall on either side.
        const surely = all.filter(({ similarity }) => similarity >= wanted.threshold + TOLERANCE)
        const possibly = all.filter(({ similarity }) => similarity >= wanted.threshold - TOLERANCE)
        expect(hits.length).toBeGreaterThanOrEqual(Math.min(wanted.depth, surely.length))
        expect(hits.length).toBeLessThanOrEqual(Math.min(wanted.depth, possibly.length))
        const own = new Map(all.map((product) => [product.id, product]))
        for (const [n, hit] of hits.entries()) {
          const product = own.get(ids[n] as number)
          expect(Math.abs(hit.score - (product?.score ?? Number.NaN))).toBeLessThan(TOLERANCE)
          if (possibly.length === surely.length) {
            expect(Math.abs(hit.score - (surely[n]?.score ?? Number.NaN))).toBeLessThan(TOLERANCE)
          }
          if (n > 0) expect(hit.score).toBeLessThanOrEqual(hits[n - 1]?.score as number)
        }
      }),
      { numRuns: 400 },
    )
  }, 60_000)

  test('a longer list begins with the shorter one: pages neither repeat nor lose a product', () => {
    fc.assert(
      fc.property(catalogue, request, fc.integer({ min: 1, max: 40 }), (rows, given, more) => {
        const { index } = filled(rows)
        const wanted: RankingRequest = { ...given, map: MAP }
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
  const plain = { vector: along, filter: {}, map: MAP, threshold: 0, categoryBoost: 0 }
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

  test('a thousand products with the same picture are paged by age, whatever slots they lie in', () => {
    const index = backwards(1_000, () => unit([1, 2, 3, ...Array<number>(DIMENSION - 3).fill(0)]))
    for (let offset = 0; offset < 1_000; offset += 100) {
      const part = ranked(index, { ...plain, depth: offset + 100 }).hits.slice(offset)
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
      const { hits } = ranked(index, { ...plain, depth })
      expect(hits.map(({ pictureId }) => pictureId)).toEqual(range(1, depth + 1))
    }
  })

  test('does not depend on the order in which the index was filled, as after a restart', () => {
    fc.assert(
      fc.property(catalogue, request, (rows, given) => {
        const { index, products } = filled(rows)
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
        const wanted: RankingRequest = { ...given, text: 'nothing', map: MAP }
        expect(ranked(again, wanted)).toEqual(ranked(index, wanted))
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
      const { hits } = ranked(index, {
        vector: query,
        filter: {},
        map: MAP,
        threshold: 0,
        categoryBoost: 0,
        depth: 20,
      })
      expect(hits).toHaveLength(20)
      for (const [n, { cosine }] of hits.entries()) expect(cosine).toBeCloseTo(exact[n]?.score as number, 4)
    }
    db.close()
  })

  test('the boost lifts the own category, keeps its inner order and never lifts anything over the threshold', () => {
    fc.assert(
      fc.property(catalogue, request, (rows, given) => {
        const { index, products } = filled(rows)
        const wanted: RankingRequest = { ...given, filter: {}, map: MAP, depth: 1_000 }
        const plain = ranked(index, { ...wanted, categoryBoost: 0 }).hits
        const { hits, boostedCategory } = ranked(index, { ...wanted, categoryBoost: 0.5 })
        expect(new Set(hits.map(({ pictureId }) => pictureId))).toEqual(
          new Set(plain.map(({ pictureId }) => pictureId)),
        )
        const category = new Map(
          products.flatMap(({ pictures, metadata }) => pictures.map(({ id }) => [id, metadata.category])),
        )
        const isOwn = ({ pictureId }: { pictureId: number }) =>
          boostedCategory !== undefined && same(category.get(pictureId), boostedCategory)
        expect(hits.filter(isOwn).map(({ pictureId }) => pictureId)).toEqual(
          plain.filter(isOwn).map(({ pictureId }) => pictureId),
        )
        for (const hit of hits) {
          expect(hit.similarity).toBeGreaterThanOrEqual(wanted.threshold)
          expect(hit.score).toBeLessThanOrEqual(1)
          expect(hit.score >= hit.similarity).toBe(true)
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
      fc.asyncProperty(catalogue, request, async (rows, given) => {
        const small = filled(rows)
        const { index } = filled(rows, arena)
        const wanted: RankingRequest = { ...given, map: MAP }
        const store = index.findStore('s')
        if (!store) return
        const exact = ranked(small.index, wanted)
        expect(await rank(store, { ...wanted, isExact: true })).toEqual(exact)
        const found = await rank(store, wanted)
        expect(found?.candidates).toBe(exact.candidates)
        if (found?.isExact) expect(found).toEqual(exact)
        const scores = new Map(
          ranked(small.index, { ...wanted, depth: 1_000 }).hits.map((hit) => [hit.pictureId, hit]),
        )
        for (const hit of found?.hits ?? []) {
          if (found?.boostedCategory === exact.boostedCategory) expect(scores.get(hit.pictureId)).toEqual(hit)
        }
      }),
      { numRuns: 60 },
    )
    arena.close()
  }, 60_000)

  test('finds 99 of 100 of the nearest with estimates, alike and unlike, and says so', async () => {
    const dimension = 256
    const next = unitVectors(dimension, 21)
    const kinds = Array.from({ length: 10 }, next)
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
        const wanted = {
          ...{ map: MAP, filter: {}, threshold: 0, categoryBoost: 0.1, text },
          vector: draw(n),
          depth: 10,
        }
        const exact = await rank(store, { ...wanted, isExact: true })
        const estimated = await rank(store, wanted)
        expect(exact?.isExact).toBe(true)
        const ids = new Set(estimated?.hits.map(({ pictureId }) => pictureId))
        found += exact?.hits.filter(({ pictureId }) => ids.has(pictureId)).length ?? 0
        all += 10
        if (spread !== undefined) expect(estimated?.isExact).toBe(false)
      }
      expect(found / all).toBeGreaterThanOrEqual(0.99)
      // Few pass this filter, and a deep list is compared in full.
      const rest = { map: MAP, threshold: 0, categoryBoost: 0.1, vector: draw(1) }
      const narrow = await rank(store, { ...rest, filter: { priceMax: 1 }, depth: 10 })
      const deep = await rank(store, { ...rest, filter: {}, depth: 1_000 })
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
