import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSoldOut } from '../../../../src/core/sold-out.ts'
import { createProductIndex } from '../../../../src/features/catalogue/product-index/product-index.ts'
import type { SearchResponse } from '../../../../src/features/discovery/search/answer-schema.ts'
import type {
  ActingRule,
  Arrangement,
  NoteActed,
} from '../../../../src/features/discovery/search/arrangement.ts'
import { createFilterReader } from '../../../../src/features/discovery/search/filters.ts'
import { createPipeline } from '../../../../src/features/discovery/search/pipeline.ts'
import { makePlan } from '../../../../src/features/discovery/search/plan.ts'
import { searchQueries } from '../../../../src/features/discovery/search/queries.ts'
import type { Query } from '../../../../src/features/discovery/search/query.ts'
import { type Ranking, type RankingRequest, rank } from '../../../../src/features/discovery/search/ranking.ts'
import type { CommonSearch } from '../../../../src/features/discovery/search/schema.ts'
import type { SearchedStore } from '../../../../src/features/discovery/search/searched-store.ts'
import type { ServingModel } from '../../../../src/platform/models/model-set.ts'
import { type ArenaOptions, createVectorArena } from '../../../../src/platform/vectors/arena.ts'
import { normalised, unitVectors } from '../../../platform/vectors/units.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { DIMENSION } from '../../../support/embedder.ts'
import { readRows } from '../../../support/seed.ts'

/*
 * The list is compared with one that is made by definition: from the list without rules, which other tests compare with brute force, by
 * sorting everything.
 */

const CALIBRATION = {
  image_image: { midpoint: 0.4, slope: 4 },
  text_image: { midpoint: 0.4, slope: 4 },
}
const MODEL = { embedder: { calibration: CALIBRATION } } as unknown as ServingModel
const PRODUCTS = 60
const BRANDS = ['Acme', 'Zed', 'Oak', undefined]
const NAMES = ['red mug', 'blue mug', 'oak lamp', 'steel lamp', 'bowl', '']
const ABSENT = 'absent'

interface Product {
  product_id: string
  /** Row of the database. */
  row: number
  metadata: { name: string; brand?: string; price?: number; in_stock?: boolean }
}

let app: TestApp
let storeId: string
let products: Product[] = []
/** What the next search is arranged by. */
let arrangement: Arrangement | undefined
let noted: Parameters<NoteActed>[2] | undefined
let answer: (query: Query) => Promise<SearchResponse>
let filters: ReturnType<typeof createFilterReader>

beforeAll(async () => {
  app = testApp()
  const token = await app.signIn('arranged')
  const next = unitVectors(4, 11)
  for (let n = 0; n < PRODUCTS; n++) {
    const [one = 0, two = 0, three = 0, four = 0] = next()
    const axes = (by: number) => [
      n % DIMENSION,
      ...Array.from({ length: DIMENSION }, (_, axis) => axis).filter(
        (axis) => Math.sin(by * 97 * (axis + 1)) > 0,
      ),
    ]
    const metadata = {
      name: NAMES[n % NAMES.length],
      ...(BRANDS[n % 4] && { brand: BRANDS[n % 4] }),
      ...(three > -0.3 && { price: 1 + Math.round(20 * Math.abs(four)) }),
      ...(four > 0.4 && { in_stock: false }),
    }
    const body = {
      product_id: `p${n}`,
      image_url: app.picture(`p${n}`, ...axes(one)),
      ...(n % 3 === 0 && { additional_image_urls: [app.picture(`p${n}b`, ...axes(two))] }),
      metadata,
    }
    await app.call('POST', '/v1/products', { token, body })
  }
  const rows = readRows<{ id: number; store_id: string; product_id: string; metadata: string }>(
    app,
    'products',
  )
  storeId = rows[0]?.store_id ?? ''
  products = rows.map(({ id, product_id, metadata }) => ({
    row: id,
    product_id,
    metadata: JSON.parse(metadata),
  }))
  const queries = searchQueries(app.db, () => 1)
  const findStore = (id: string) => app.services.productIndex.findStore(id)
  filters = createFilterReader({ filters: app.services.filters, queries, findStore })
  answer = createPipeline({
    ...{ queries, findStore, filters, clock: app.clock, ids: app.ids, models: { of: () => MODEL } },
    names: { compare: () => undefined },
    countFacets: app.services.filters.facets,
    countWaiting: () => 0,
    listPopular: async () => [],
    timeSearch: () => {},
    history: { add: () => {} },
    toPublicUrl: (url) => url,
    findThumbnailUrl: () => null,
    findFillFacts: () => undefined,
    arrange: async () => arrangement,
    noteActed(_store, _search, acted) {
      noted = acted
    },
  })
})
afterAll(() => app.close())

interface Wanted {
  seen: Float32Array
  brand?: string | undefined
  forcedBrand?: string | undefined
  wanted: CommonSearch
  sort?: 'price_asc' | undefined
  /** Lists products without comparing anything. */
  isListing?: boolean
}

function toQuery({ seen, brand, forcedBrand, wanted, sort, isListing }: Wanted): Query {
  const forcedFilters = forcedBrand && [{ field: 'brand', operator: 'eq', value: forcedBrand }]
  const searcher = { storeId, ...(forcedFilters && { forcedFilters }) }
  const own = brand && [{ field: 'brand', operator: 'eq', value: brand }]
  return {
    ...{ searcher, wanted, sort, kind: 'filtered', model: MODEL, startedAt: 0, warnings: [], noted: {} },
    filters: filters.parse(searcher, { filters: own }, wanted),
    rankBy: isListing ? { kind: 'nothing' } : { kind: 'sides', picture: { vector: seen } },
  }
}

type Hit = SearchResponse['results'][number]

/** Every product that passes the filters, best first, as it is without rules. */
async function listPlainly(wanted: Wanted, more: CommonSearch = {}): Promise<Hit[]> {
  const { second_look = true } = wanted.wanted
  const plain = { ...wanted, wanted: { second_look, rules: false, limit: 100, ...more }, sort: undefined }
  return (await answer(toQuery(plain))).results
}

const productOf = ({ product_id }: { product_id: string }): Product =>
  products.find((one) => one.product_id === product_id) as Product
const isGone = (hit: Hit): boolean => isSoldOut(productOf(hit).metadata)
const oddsOf = ({ similarity_score: score }: Hit): number => Math.log(score / (1 - score))

interface Evaluated {
  hits: (Hit & { rules: { id: string; action: string }[] })[]
  total: number
  /** Whether scores of six digits tell the order. */
  isClear: boolean
}

/** The list by definition. */
async function evaluate(wanted: Wanted, { hidings, pins, shifts }: Arrangement): Promise<Evaluated> {
  const { threshold = 0, cutoff, sold_out = 'keep', group_by } = wanted.wanted
  const all = await listPlainly(wanted)
  const isHidden = (hit: Hit) =>
    hidings.some(({ rows }) => rows.has(productOf(hit).row)) || (sold_out === 'hide' && isGone(hit))
  const shown = all.filter((hit) => !isHidden(hit))
  const kept = new Set(
    cutoff === 'auto'
      ? (await listPlainly(wanted, { threshold, cutoff })).map(({ product_id }) => product_id)
      : all.filter((hit) => hit.similarity_score >= threshold).map(({ product_id }) => product_id),
  )
  const standing: Arrangement['pins'][number][] = []
  for (const pin of pins) {
    const isTaken = standing.some((one) => one.position === pin.position || one.productId === pin.productId)
    if (!isTaken && shown.some(({ product_id }) => product_id === pin.productId)) standing.push(pin)
  }
  const isPinned = ({ product_id }: Hit) => standing.some(({ productId }) => productId === product_id)
  const acting = (hit: Hit) =>
    wanted.sort ? [] : shifts.filter(({ rows, by }) => by !== 0 && rows.has(productOf(hit).row))
  const shiftOf = (hit: Hit) =>
    Math.max(
      -3,
      Math.min(
        3,
        acting(hit).reduce((sum, { by }) => sum + by, 0),
      ),
    )
  const rest = shown.filter((hit) => !isPinned(hit) && kept.has(hit.product_id))
  const priceOf = (hit: Hit) => productOf(hit).metadata.price ?? Number.POSITIVE_INFINITY
  const keyOf = (hit: Hit) => (wanted.isListing ? 0 : oddsOf(hit)) + shiftOf(hit)
  const compare = (a: Hit, b: Hit): number => {
    if (sold_out === 'last' && isGone(a) !== isGone(b)) return Number(isGone(a)) - Number(isGone(b))
    if (wanted.sort)
      return priceOf(a) === priceOf(b) ? productOf(b).row - productOf(a).row : priceOf(a) - priceOf(b)
    if (shiftOf(a) === shiftOf(b)) return all.indexOf(a) - all.indexOf(b)
    return keyOf(b) - keyOf(a)
  }
  const margin = (hit: Hit) => 1e-6 / (hit.similarity_score * (1 - hit.similarity_score) || 1e-9)
  const isClear =
    wanted.isListing ||
    rest.every((a) =>
      rest.every((b) => shiftOf(a) === shiftOf(b) || Math.abs(keyOf(a) - keyOf(b)) > margin(a) + margin(b)),
    )
  const ordered = rest.toSorted(compare)
  const ofPin = ({ productId }: { productId: string }) =>
    shown.find(({ product_id }) => product_id === productId) as Hit
  const grouped = group([...standing.map(ofPin), ...ordered], group_by)
  const placed = grouped.filter((hit) => !isPinned(hit))
  for (const pin of standing.toSorted((a, b) => a.position - b.position)) {
    const hit = grouped.find(({ product_id }) => product_id === pin.productId)
    if (hit) placed.splice(pin.position - 1, 0, hit)
  }
  const rulesOf = (hit: Hit) => {
    const pin = standing.find(({ productId }) => productId === hit.product_id)
    if (pin) return [{ ...pin.rule, action: 'pin' }]
    return acting(hit).map(({ rule, by }) => ({ ...rule, action: by > 0 ? 'boost' : 'bury' }))
  }
  return { hits: placed.map((hit) => ({ ...hit, rules: rulesOf(hit) })), total: shown.length, isClear }
}

/** Keeps the first hit of each brand, with the number of them. */
function group(hits: Hit[], field: string | undefined): Hit[] {
  if (field === undefined) return hits
  const brandOf = (hit: Hit) => productOf(hit).metadata.brand
  return hits.flatMap((hit, n) => {
    const value = brandOf(hit)
    if (value === undefined) return [hit]
    if (hits.findIndex((one) => brandOf(one) === value) < n) return []
    return [{ ...hit, group: { value, count: hits.filter((one) => brandOf(one) === value).length } }]
  })
}

const asSet = (rows: readonly number[]) => ({ has: (row: number) => rows.includes(row), size: rows.length })

const seed = fc.integer({ min: 1, max: 2 ** 31 - 1 })
const some = fc
  .array(fc.nat(PRODUCTS - 1), { maxLength: 20 })
  .map((places) => places.map((place) => products[place]?.row ?? 0))
const rule = (kind: string, n: number): ActingRule => ({ id: `${kind}-${n}`, name: `The ${kind} ${n}` })
const arranged: fc.Arbitrary<Arrangement> = fc.record({
  hidings: fc
    .array(some, { maxLength: 2 })
    .map((sets) => sets.map((rows, n) => ({ rule: rule('hiding', n), rows: asSet(rows) }))),
  shifts: fc
    .array(fc.tuple(some, fc.constantFrom(0.75, 1.5, 3, -0.75, -1.5, -3)), { maxLength: 4 })
    .map((sets) => sets.map(([rows, by], n) => ({ rule: rule('shift', n), rows: asSet(rows), by }))),
  pins: fc
    .array(fc.tuple(fc.nat(PRODUCTS), fc.constantFrom(1, 2, 3, 4, 7, 12, 30, 100)), { maxLength: 6 })
    .map((pairs) =>
      pairs.map(([place, position], n) => ({
        ...{ rule: rule('pin', n), position },
        productId: products[place]?.product_id ?? ABSENT,
      })),
    ),
})
const search: fc.Arbitrary<Wanted> = fc.record({
  seen: seed.map((one) => unitVectors(DIMENSION, one)()),
  brand: fc.constantFrom(undefined, undefined, 'Acme', 'Zed'),
  forcedBrand: fc.constantFrom(undefined, undefined, undefined, 'Acme'),
  sort: fc.constantFrom(undefined, undefined, undefined, 'price_asc' as const),
  isListing: fc.constantFrom(false, false, false, true),
  wanted: fc.record(
    {
      threshold: fc.constantFrom(0, 0.2, 0.5),
      cutoff: fc.constant('auto' as const),
      group_by: fc.constant('brand'),
      sold_out: fc.constantFrom('last' as const, 'hide' as const, 'keep' as const),
      second_look: fc.boolean(),
    },
    { requiredKeys: ['sold_out', 'second_look'] },
  ),
})

describe('an arranged list (contract 3.2)', () => {
  test('equals the list by definition, over all pages, for any rules, filters, cut, group, sort and stock', async () => {
    await fc.assert(
      fc.asyncProperty(search, arranged, fc.integer({ min: 1, max: 25 }), async (wanted, rules, limit) => {
        const { cutoff: _, ...others } = wanted.wanted
        // Listed products have no scores to be cut by.
        const asked: Wanted = { ...wanted, wanted: wanted.isListing ? others : wanted.wanted }
        const { hits, total, isClear } = await evaluate(asked, rules)
        fc.pre(isClear)
        arrangement = rules
        const found: Hit[] = []
        for (let offset = 0; offset <= hits.length; offset += limit) {
          const page = { ...asked.wanted, limit, offset, explain: true, facets: ['brand'] }
          const { results, total_candidates, facets } = await answer(toQuery({ ...asked, wanted: page }))
          found.push(...results)
          expect(total_candidates).toBe(total)
          const brands = (facets?.['brand'] ?? []) as { value: string; count: number }[]
          expect(brands.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(total)
          expect(
            Object.fromEntries(
              (noted ?? []).flatMap(({ rule, productIds }) =>
                productIds.length > 0 ? [[rule.id, productIds]] : [],
              ),
            ),
          ).toEqual(actedOn(results))
        }
        arrangement = undefined
        expect(found.map(({ product_id }) => product_id)).toEqual(hits.map(({ product_id }) => product_id))
        expect(found.map(({ similarity_score }) => similarity_score)).toEqual(
          hits.map(({ similarity_score }) => similarity_score),
        )
        expect(found.map(({ group }) => group)).toEqual(hits.map(({ group }) => group))
        expect(found.map(({ explain }) => explain?.rules)).toEqual(hits.map(({ rules }) => rules) as never)
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  test('facets count what is shown', async () => {
    const gone = products.filter(({ metadata }) => metadata.brand === 'Acme').map(({ row }) => row)
    arrangement = { hidings: [{ rule: rule('hiding', 0), rows: asSet(gone) }], pins: [], shifts: [] }
    const seen = unitVectors(DIMENSION, 3)()
    const { facets, total_candidates } = await answer(toQuery({ seen, wanted: { facets: ['brand'] } }))
    const brands = (facets?.['brand'] ?? []) as { value: string }[]
    expect(brands.map(({ value }) => value).toSorted()).toEqual(['Oak', 'Zed'])
    expect(total_candidates).toBe(PRODUCTS - gone.length)
    expect(noted).toEqual([{ rule: rule('hiding', 0), productIds: [] }])
    arrangement = undefined
  })

  test('diversity chooses among what is moved, and pinned and sold-out products keep their places', async () => {
    const seen = unitVectors(DIMENSION, 3)()
    const wanted: CommonSearch = { limit: 100, diversity: 0.4, sold_out: 'last' }
    const plain = (await answer(toQuery({ seen, wanted }))).results
    const [first] = plain
    const worst = plain.findLast((hit) => !isGone(hit)) as Hit
    const shift = { rule: rule('shift', 0), rows: asSet([productOf(worst).row]), by: 3 }
    const pin = { rule: rule('pin', 0), productId: first?.product_id ?? '', position: 5 }
    arrangement = { hidings: [], pins: [pin], shifts: [shift] }
    const { results } = await answer(toQuery({ seen, wanted }))
    arrangement = undefined
    const ids = results.map(({ product_id }) => product_id)
    expect(ids.toSorted()).toEqual(plain.map(({ product_id }) => product_id).toSorted())
    expect(ids[4]).toBe(pin.productId)
    const gone = results.filter((hit) => hit.product_id !== pin.productId).map(isGone)
    expect(gone).toEqual(gone.toSorted((a, b) => Number(a) - Number(b)))
    expect(ids.indexOf(worst.product_id)).toBeLessThan(plain.indexOf(worst) - 10)
  })

  test('rules: false leaves rules out, and none acts on a search that does not count', async () => {
    const seen = unitVectors(DIMENSION, 3)()
    const [best] = await listPlainly({ seen, wanted: {} })
    arrangement = {
      hidings: [],
      shifts: [],
      pins: [{ rule: rule('pin', 0), productId: ABSENT, position: 1 }],
    }
    arrangement = {
      ...arrangement,
      pins: [{ ...arrangement.pins[0], productId: 'p7', position: 1 } as never],
    }
    noted = undefined
    const plain = await answer(toQuery({ seen, wanted: { rules: false, explain: true } }))
    expect([plain.results[0]?.product_id, plain.results[0]?.explain?.rules, noted]).toEqual([
      best?.product_id,
      [],
      undefined,
    ])
    const uncounted = await answer(toQuery({ seen, wanted: { analytics: false } }))
    expect([uncounted.results[0]?.product_id, noted]).toEqual(['p7', undefined])
    arrangement = undefined
  })
})

/** The products of a page that each rule acted on. */
function actedOn(results: readonly Hit[]): Record<string, string[]> {
  const acted: Record<string, string[]> = {}
  for (const { product_id, explain } of results)
    for (const { id } of explain?.rules ?? []) acted[id] = [...(acted[id] ?? []), product_id]
  return acted
}

/** Every store of more than eight pictures is a large one. */
const LARGE: [string, ArenaOptions][] = [
  ['on threads', { largeSlots: 8, threads: 2 }],
  ['in slices', { largeSlots: 8, threads: 0 }],
]

describe.each(LARGE)('an arranged list of a large store, scanned %s (contract 3.4)', (_, options) => {
  test('is that of a small one for exact: true, and for estimates as good as true to every score', async () => {
    const arena = createVectorArena(DIMENSION, options)
    await fc.assert(
      fc.asyncProperty(seed, fc.nat(6), fc.boolean(), async (n, step, isLast) => {
        arena.removeStore('s')
        const [large, small] = [openStore(n, arena), openStore(n, createVectorArena(DIMENSION))]
        const request = (store: SearchedStore, isExact: boolean): RankingRequest => {
          const condition = { fields: {} }
          const rows = { has: (row: number) => row % (step + 2) === 0, size: 1 }
          return {
            ...{ condition, isExact, threshold: 0, depth: 12, fusion: planOf(store, n) },
            arranged: {
              ...{ shown: condition, soldOut: isLast ? 'last' : 'keep' },
              shifts: [{ rule: rule('shift', 0), rows, by: step % 2 === 0 ? 1.5 : -3 }],
              pins: [{ rule: rule('pin', 0), productId: '', position: 2, pictureIds: [5] }],
            },
          }
        }
        const exact = rank(small, request(small, true)) as Ranking
        expect(await rank(large, request(large, true))).toEqual(exact)
        const estimated = (await rank(large, request(large, false))) as Ranking
        expect([estimated.pinned, estimated.candidates]).toEqual([exact.pinned, exact.candidates])
        const all = rank(small, { ...request(small, true), depth: 1_000 }) as Ranking
        const known = new Map(all.hits.map((hit) => [hit.product, hit]))
        for (const hit of estimated.hits) expect(known.get(hit.product)).toEqual(hit)
      }),
      { numRuns: 20 },
    )
    arena.close()
  }, 60_000)
})

test('a boost brings nothing back that a cut leaves out, also where the list drops nowhere (contract 3.2)', () => {
  let lifted = 0
  for (let n = 1; n <= 20; n++) {
    const store = openStore(n, createVectorArena(DIMENSION))
    const condition = { fields: {} }
    const request = { fusion: planOf(store, n), condition, threshold: 0, depth: 1_000 }
    const all = (rank(store, request) as Ranking).hits
    const least = 0.6 * (all[0]?.score ?? 0)
    const weak = new Set(all.filter(({ score }) => score < least).map(({ product }) => product))
    const shift = { rule: rule('shift', 0), rows: weak, by: 3 }
    const arranged = { shown: condition, soldOut: 'keep' as const, shifts: [shift], pins: [] }
    const plain = (rank(store, { ...request, arranged, depth: 3 }) as Ranking).hits
    lifted += plain.filter(({ product }) => weak.has(product)).length
    const cut = (rank(store, { ...request, arranged, depth: 3, isCut: true }) as Ranking).hits
    expect(cut.filter(({ product }) => weak.has(product))).toEqual([])
    expect(cut).toHaveLength(Math.min(3, all.length - weak.size))
  }
  expect(lifted).toBeGreaterThan(0)
})

function openStore(from: number, arena: ReturnType<typeof createVectorArena>): SearchedStore {
  const index = createProductIndex(arena)
  const next = unitVectors(DIMENSION, from)
  for (let id = 1; id <= 200; id++) {
    const metadata = { name: NAMES[id % NAMES.length], ...(id % 7 === 0 && { stock: 0 }) }
    const picture = { pictureId: id, product: id, productId: `p${id}`, isFirst: true }
    index.put({ storeId: 's', ...picture, metadata }, normalised(next()))
  }
  return index.findStore('s') as SearchedStore
}

function planOf(store: SearchedStore, from: number) {
  const seen = unitVectors(DIMENSION, from + 1)()
  const [fusion] = makePlan(
    {
      ...{ storeId: 's', store, looksTwice: true, compare: () => undefined, calibration: CALIBRATION },
      steering: { boost: 0, isInOne: false },
    },
    { kind: 'sides', picture: { vector: seen } },
  ).fusions
  if (!fusion) throw new Error('There is nothing to rank by')
  return fusion
}
