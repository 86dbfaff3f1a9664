import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  createProductIndex,
  type IndexedStore,
} from '../../../../src/features/catalogue/product-index/product-index.ts'
import { RANKING } from '../../../../src/features/discovery/search/parameters.ts'
import { makePlan } from '../../../../src/features/discovery/search/plan.ts'
import { type Ranking, rank } from '../../../../src/features/discovery/search/ranking.ts'
import { createVectorArena } from '../../../../src/platform/vectors/arena.ts'
import { normalised, unitVectors } from '../../../platform/vectors/units.ts'

const DIMENSION = 16
const MAP = { midpoint: 0.4, slope: 8 }
const VOTERS = 5
/** The precise pass is within 1e-5 of floats, and the loss near the first hit multiplies that by six. */
const TOLERANCE = 1e-3

interface Product {
  name: string
  category: string
  vector: Float32Array
}

const WORDS = ['mug', 'bowl', 'lamp', 'nova', 'urban', 'oak', 'steel', 'set']
/** A direction near an axis. */
const near = (axis: number, seed: number): Float32Array =>
  normalised(unitVectors(DIMENSION, seed)().map((one, n) => 0.8 * one + Number(n === axis)))
const catalogue = fc.array(
  fc
    .record({
      name: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(' ')),
      category: fc.constantFrom('', 'Kitchen', 'Light', 'Kitchen mugs'),
      vector: fc
        .tuple(fc.nat(3), fc.integer({ min: 1, max: 2 ** 31 - 1 }))
        .map(([axis, seed]) => near(axis, seed)),
    })
    .map((product): Product => product),
  { minLength: 10, maxLength: 60 },
)
const query = fc
  .tuple(fc.nat(3), fc.integer({ min: 1, max: 2 ** 31 - 1 }))
  .map(([axis, seed]) => near(axis, seed))

function openStore(products: readonly Product[]): IndexedStore {
  const index = createProductIndex(createVectorArena(DIMENSION))
  for (const [n, { name, category, vector }] of products.entries()) {
    const picture = { pictureId: n + 1, product: n + 1, productId: `id-${n}`, isFirst: true }
    index.put({ storeId: 's', ...picture, metadata: { name, category } }, vector)
  }
  return index.findStore('s') as IndexedStore
}

interface Wanted {
  seen: Float32Array
  depth?: number
  threshold?: number
  looksTwice?: boolean
}

function search(
  store: IndexedStore,
  { seen, depth = 100, threshold = 0, looksTwice = true }: Wanted,
): Ranking {
  const [fusion] = makePlan(
    {
      ...{ storeId: 's', store, looksTwice, compare: () => undefined },
      calibration: { image_image: MAP, text_image: MAP },
      steering: { boost: 0, isInOne: false },
    },
    { kind: 'sides', picture: { vector: seen } },
  ).fusions
  if (!fusion) throw new Error('There is nothing to rank by')
  return rank(store, {
    ...{ fusion, condition: { fields: {} }, threshold, depth, isExplained: true },
  }) as Ranking
}

/** The list of a large store, as it is answered or by a full comparison; looks twice. */
async function searchLarge(store: IndexedStore, seen: Float32Array, isExact: boolean): Promise<Ranking> {
  const map = { midpoint: 0.543, slope: 8.748 }
  const [fusion] = makePlan(
    {
      ...{ storeId: 's', store, looksTwice: true, compare: () => undefined },
      calibration: { image_image: map, text_image: map },
      steering: { boost: 0, isInOne: false },
    },
    { kind: 'sides', picture: { vector: seen } },
  ).fusions
  if (!fusion) throw new Error('There is nothing to rank by')
  const ranking = await rank(store, { fusion, condition: { fields: {} }, threshold: 0, depth: 24, isExact })
  if (!ranking) throw new Error('The store was removed')
  return ranking
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, one, n) => sum + one * (b[n] as number), 0)
const wordsOf = ({ name, category }: Product) =>
  new Set(`${name} ${category}`.toLowerCase().split(' ').filter(Boolean))

/** The values of all products, recomputed from the definition. */
function recompute(products: readonly Product[], seen: Float32Array): { values: number[]; gap: number } {
  const values = products.map(({ vector }) => dot(vector, seen))
  const order = values.map((_, n) => n).sort((a, b) => (values[b] as number) - (values[a] as number))
  const gap = Math.min(
    ...order.slice(0, VOTERS).map((n, at) => (values[n] as number) - (values[order[at + 1] ?? n] as number)),
  )
  const voters = order.slice(0, VOTERS)
  const best = values[voters[0] as number] as number
  const odds = voters.map((n) =>
    Math.exp((MAP.slope * ((values[n] as number) - best)) / RANKING.voteTemperature),
  )
  const shares = odds.map((one) => one / odds.reduce((sum, other) => sum + other, 0))
  const has = (n: number, word: string) => wordsOf(products[n] as Product).has(word)
  const all = [...new Set(voters.flatMap((n) => [...wordsOf(products[n] as Product)]))]
  const lifts = all.flatMap((word) => {
    const holders = products.filter((_, n) => has(n, word)).length
    const share = voters.reduce((sum, n, at) => sum + (has(n, word) ? (shares[at] as number) : 0), 0)
    const lift = share * Math.log((share * products.length) / holders)
    return holders > 1 && lift > 0 ? [{ word, share, lift }] : []
  })
  const agreement = Math.max(
    0,
    ...lifts.map(({ word, share }) =>
      voters.reduce((sum, n, at) => {
        const own = shares[at] as number
        return has(n, word) && own < 1 ? sum + (own * (share - own)) / (1 - own) : sum
      }, 0),
    ),
  )
  const sumOf = (n: number) => lifts.reduce((sum, { word, lift }) => sum + (has(n, word) ? lift : 0), 0)
  const max = Math.max(...voters.map(sumOf))
  if (products.length < 20 || max === 0) return { values, gap }
  const loss = (RANKING.votePicture / MAP.slope) * Math.sqrt(Math.min(1, agreement))
  return {
    gap,
    values: values.map((value, n) => {
      const lack = wordsOf(products[n] as Product).size === 0 ? 0.5 : Math.max(0, 1 - sumOf(n) / max)
      return value - loss * lack * Math.min(1, (best - value) / (RANKING.voteReach / MAP.slope))
    }),
  }
}

const toScore = (value: number) => 1 / (1 + Math.exp(-MAP.slope * (value - MAP.midpoint)))

describe('the vote of the first hits', () => {
  test('gives the exact top of one score over all products', () => {
    fc.assert(
      fc.property(
        catalogue,
        query,
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(0, 0.2, 0.5),
        (products, seen, depth, threshold) => {
          const { values, gap } = recompute(products, seen)
          // Hits that are nearly equal may change places among the voters.
          fc.pre(gap > 1e-3)
          const { hits } = search(openStore(products), { seen, depth, threshold })
          const wanted = values.map(toScore).sort((a, b) => b - a)
          const least = threshold + TOLERANCE
          expect(hits.length).toBeLessThanOrEqual(depth)
          expect(hits.length).toBeGreaterThanOrEqual(
            Math.min(depth, wanted.filter((score) => score >= least).length),
          )
          for (const [at, { score, product }] of hits.entries()) {
            expect(Math.abs(score - (wanted[at] as number))).toBeLessThan(TOLERANCE)
            expect(Math.abs(score - toScore(values[product - 1] as number))).toBeLessThan(TOLERANCE)
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  test('never moves the first hit, and lifts no score', () => {
    fc.assert(
      fc.property(catalogue, query, (products, seen) => {
        const store = openStore(products)
        const [once, twice] = [search(store, { seen, looksTwice: false }), search(store, { seen })]
        expect(twice.hits[0]?.product).toBe(once.hits[0]?.product as number)
        const before = new Map(once.hits.map(({ product, score }) => [product, score]))
        for (const { product, score } of twice.hits)
          expect(score).toBeLessThanOrEqual((before.get(product) as number) + 1e-6)
      }),
    )
  })

  test('a page is a part of the whole list', () => {
    fc.assert(
      fc.property(catalogue, query, fc.integer({ min: 1, max: 8 }), (products, seen, depth) => {
        const store = openStore(products)
        const whole = search(store, { seen }).hits.map(({ product, score }) => [product, score])
        const page = search(store, { seen, depth }).hits.map(({ product, score }) => [product, score])
        expect(page).toEqual(whole.slice(0, depth))
      }),
    )
  })

  /** Mugs and bowls that look alike: three mugs come first, then a bowl of another name. */
  const shop = (name: (kind: string, n: number) => string): Product[] => {
    const next = unitVectors(DIMENSION, 40)
    return Array.from({ length: 40 }, (_, n) => {
      const noise = next()
      const isNear = n < 10
      const kind = n < 4 || (n >= 10 && n % 4 === 0) ? 'mug' : 'bowl'
      const axis = isNear ? 0 : 1 + (n % 3)
      const closeness = isNear ? 3 - n * 0.1 : 3
      const vector = normalised(noise.map((one, at) => one * 0.4 + Number(at === axis) * closeness))
      return { name: name(kind, n), category: '', vector }
    })
  }
  const axis = Float32Array.from({ length: DIMENSION }, (_, n) => Number(n === 0))

  test('names the words, the strongest first', () => {
    const { words, hits } = search(openStore(shop((kind, n) => `${kind} n${n}`)), { seen: axis })
    expect(words[0]).toEqual({ word: 'mug', weight: 1 })
    expect(words.map(({ word }) => word)).not.toContain('n0')
    const legs = hits.map(({ explanation }) => explanation?.legs.second_look ?? 0)
    expect(legs[0]).toBe(0)
    expect(Math.min(...legs)).toBeLessThan(-0.1)
  })

  test.each([
    ['one name for all products', () => 'T-Shirt Basic'],
    ['no names', () => ''],
    ['a name of its own for each product', (_: string, n: number) => `n${n}`],
  ])('changes nothing with %s', (_, name) => {
    const store = openStore(shop(name))
    const { words, hits } = search(store, { seen: axis })
    expect(words).toEqual([])
    expect(hits).toEqual(search(store, { seen: axis, looksTwice: false }).hits)
  })

  test('changes nothing in a store of fewer than 20 products', () => {
    const store = openStore(shop((kind) => kind).slice(0, 19))
    expect(search(store, { seen: axis }).words).toEqual([])
  })

  test('changes nothing while the words of the store are being read', () => {
    const store = { ...openStore(shop((kind) => kind)), hasAllWords: false }
    expect(search(store, { seen: axis }).words).toEqual([])
  })

  // What a product loses follows its likeness to the first hit, so it multiplies what its estimate is off by.
  test('finds 99 of 100 of the nearest with estimates, those of other names, too', async () => {
    const dimension = 256
    const next = unitVectors(dimension, 21)
    const kinds = Array.from({ length: 10 }, next)
    const draw = (n: number) => {
      const noise = next()
      return normalised((kinds[n % 10] as Float32Array).map((x, i) => x + 1.2 * (noise[i] as number)))
    }
    const arena = createVectorArena(dimension, { largeSlots: 2_000, threads: 0 })
    const index = createProductIndex(arena)
    for (let id = 1; id <= 12_000; id++) {
      const name = Math.floor(id / 10) % 2 === 0 ? `thing x${id % 37}` : `kind${id % 10}`
      const picture = { pictureId: id, product: id, productId: `id-${id}`, isFirst: true }
      index.put({ storeId: 's', ...picture, metadata: { name } }, draw(id))
    }
    const store = index.findStore('s') as IndexedStore
    let [found, all] = [0, 0]
    for (let n = 0; n < 40; n++) {
      const seen = draw(n)
      const [exact, estimated] = [await searchLarge(store, seen, true), await searchLarge(store, seen, false)]
      expect([exact.isExact, estimated.isExact]).toEqual([true, false])
      expect(exact.words.length).toBeGreaterThan(0)
      const ids = new Set(estimated.hits.map(({ product }) => product))
      found += exact.hits.filter(({ product }) => ids.has(product)).length
      all += exact.hits.length
    }
    expect(found / all).toBeGreaterThanOrEqual(0.99)
    arena.close()
  }, 60_000)

  test('takes names of 5,000 words', () => {
    const long = Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(' ')
    const { words } = search(openStore(shop((kind, n) => `${kind} ${n % 2 === 0 ? long : 'x'}`)), {
      seen: axis,
    })
    expect(words.length).toBeGreaterThan(0)
    expect(words.length).toBeLessThanOrEqual(5)
  })
})
