import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'

interface Result {
  product_id: string
  similarity_score: number
  metadata: Record<string, unknown>
  image_url: string
  thumbnail_url?: string | null
  matched_image: string
  explain?: { cosine: number; legs: Record<string, number>; similarity: number; cut: number }
}
interface Found {
  query_time_ms: number
  count: number
  results: Result[]
  search_id: string
  total_candidates: number
  boosted_category?: string
  warnings?: string[]
}

let app: TestApp
let token: string

/** Axes, and what the products are; the fake model puts the text "1 2" between the axes 1 and 2. */
const CATALOGUE: [id: string, axes: number[], metadata: Record<string, unknown>][] = [
  ['red mug', [1], { name: 'Red mug', category: 'Mugs', color_name: 'Red', price: 10, brand: 'Acme' }],
  ['mug 2', [1, 2], { category: 'mügs', color_name: 'rêd', price: 20 }],
  ['blue mug', [1, 2, 3], { category: 'MUGS ', color_name: 'Blue', price: 9.99 }],
  ['lamp', [2], { category: 'Table lamps', color_name: 'Red', price: 30 }],
  ['table', [1, 3], { category: 'Tables', color_name: 'Brown' }],
  ['bare', [1, 4], {}],
]

beforeAll(async () => {
  app = testApp()
  token = await app.signIn()
  for (const [product_id, axes, metadata] of CATALOGUE) {
    const image_url = app.picture(product_id.replace(' ', '-'), ...axes)
    const { status } = await app.call('POST', '/v1/products', {
      token,
      body: { product_id, image_url, metadata },
    })
    expect(status).toBe(201)
  }
})
afterAll(() => app.close())

const call = (body: object) => app.call('POST', '/v1/search/text', { token, body })
async function search(body: object): Promise<Found> {
  const answer = await call(body)
  expect([answer.status, answer.body['error']]).toEqual([200, undefined])
  return answer.body as unknown as Found
}
const ids = async (body: object) =>
  (await search({ query: '1', category_boost: 0, ...body })).results.map(({ product_id }) => product_id)

describe('POST /v1/search/text (contract 3.1, 3.4)', () => {
  test('200: the four fields of every search, best first, with metadata and pictures', async () => {
    const found = await search({ query: '1', category_boost: 0 })
    expect(found).toMatchObject({
      query_time_ms: 0,
      count: 6,
      total_candidates: 6,
      exact: true,
      search_id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    })
    expect(found.results.map(({ product_id }) => product_id)).toEqual([
      'red mug',
      'mug 2',
      'table',
      'bare',
      'blue mug',
      'lamp',
    ])
    expect(found.results[0]).toEqual({
      product_id: 'red mug',
      similarity_score: expect.any(Number),
      metadata: CATALOGUE[0]?.[2] as Record<string, unknown>,
      image_url: 'https://img.test/red-mug.jpg',
      thumbnail_url: expect.stringMatching(/^\/thumbnails\/[0-9a-f]{32}\.webp\?until=\d+&sig=[0-9a-f]{32}$/),
      matched_image: 'https://img.test/red-mug.jpg',
    })
    expect(found.results[0]?.similarity_score).toBeCloseTo(1 / (1 + Math.exp(-3)), 4)
    expect(found.warnings).toBeUndefined()
  })

  test('each search has a search_id of its own', async () => {
    expect((await search({ query: '1' })).search_id).not.toBe((await search({ query: '1' })).search_id)
  })

  test('limit and offset page through the same list', async () => {
    const whole = await ids({})
    expect(await ids({ limit: 2 })).toEqual(whole.slice(0, 2))
    expect(await ids({ limit: 2, offset: 2 })).toEqual(whole.slice(2, 4))
    expect(await ids({ limit: 100, offset: 5 })).toEqual(whole.slice(5))
    expect(await ids({ offset: 6 })).toEqual([])
    expect(await ids({ limit: 1, offset: 999 })).toEqual([])
  })

  test.each([
    [{ limit: 0 }, '/limit'],
    [{ limit: 101 }, '/limit'],
    [{ limit: 1.5 }, '/limit'],
    [{ limit: '5' }, '/limit'],
    [{ limit: null }, '/limit'],
    [{ offset: -1 }, '/offset'],
    [{ offset: 1_001 }, '/offset'],
    [{ offset: 981 }, '/offset'],
    [{ offset: 901, limit: 100 }, '/offset'],
    [{ threshold: -0.1 }, '/threshold'],
    [{ threshold: 1.1 }, '/threshold'],
    [{ threshold: '0.5' }, '/threshold'],
    [{ category: 7 }, '/category'],
    [{ category: 'x'.repeat(513) }, '/category'],
    [{ color: ['red'] }, '/color'],
    [{ price_min: 'ten' }, '/price_min'],
    [{ price_min: 5, price_max: 4 }, '/price_max'],
    [{ cutoff: 'best' }, '/cutoff'],
    [{ category_boost: 0.51 }, '/category_boost'],
    [{ category_boost: -0.1 }, '/category_boost'],
    [{ fields: 'name' }, '/fields'],
    [{ fields: [1] }, '/fields/0'],
    [{ explain: 'yes' }, '/explain'],
    [{ analytics: 0 }, '/analytics'],
    [{ tags: Array(11).fill('a') }, '/tags'],
    [{ query: '' }, '/query'],
    [{ query: ' \n ' }, '/query'],
    [{ query: 'x'.repeat(501) }, '/query'],
    [{ query: 7 }, '/query'],
    [{ query: undefined }, '/query'],
  ])('422 validation_error, never clamped: %j', async (wrong, pointer) => {
    const { status, body } = await call({ query: '1', ...wrong })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect((body as { details: { errors: { pointer: string }[] } }).details.errors[0]?.pointer).toBe(pointer)
  })

  test('the bounds themselves are allowed', async () => {
    await search({ query: 'x'.repeat(300), limit: 100, offset: 900, threshold: 1, category_boost: 0.5 })
    await search({ query: '1', offset: 980, price_min: 5, price_max: 5, tags: Array(10).fill('a') })
  })
})

describe('pre-filters (contract 3.2)', () => {
  test('category and color without case and accents', async () => {
    expect(await ids({ category: 'mugs' })).toEqual(['red mug', 'mug 2', 'blue mug'])
    expect(await ids({ category: ' MÜGS' })).toEqual(['red mug', 'mug 2', 'blue mug'])
    // The picture of a product without a color_name speaks for it.
    expect(await ids({ color: 'RED' })).toEqual(['red mug', 'mug 2', 'bare', 'lamp'])
    expect(await ids({ category: 'mugs', color: 'red' })).toEqual(['red mug', 'mug 2'])
    expect(await ids({ category: 'mug' })).toEqual([])
    expect(await ids({ category: 'unknown' })).toEqual([])
  })

  test('an empty category or color asks for nothing', async () => {
    expect(await ids({ category: '', color: '  ' })).toHaveLength(6)
  })

  test('price bounds are inclusive, and products without a price pass none', async () => {
    expect(await ids({ price_min: 10, price_max: 20 })).toEqual(['red mug', 'mug 2'])
    expect(await ids({ price_min: 9.99 })).toEqual(['red mug', 'mug 2', 'blue mug', 'lamp'])
    expect(await ids({ price_max: 9.99 })).toEqual(['blue mug'])
    expect(await ids({ price_min: 0 })).not.toContain('table')
    expect(await ids({ price_max: 1e9 })).not.toContain('bare')
  })

  test('total_candidates counts the products that pass, whatever limit and threshold say', async () => {
    const { total_candidates, count } = await search({
      query: '1',
      category: 'mugs',
      limit: 1,
      threshold: 0.99,
    })
    expect([total_candidates, count]).toEqual([3, 0])
  })

  test('the filters follow an update at once', async () => {
    const patch = (metadata: object) => app.call('PATCH', '/v1/products/bare', { token, body: { metadata } })
    await patch({ category: 'Brand new', price: 1, color_name: 'Gold' })
    expect(await ids({ category: 'brand new', price_max: 1, color: 'gold' })).toEqual(['bare'])
    await patch({ category: null, price: null, color_name: null })
    expect(await ids({ category: 'brand new' })).toEqual([])
  })
})

describe('threshold, boost and cutoff (contract 3.5)', () => {
  const scores = (found: Found) =>
    new Map(found.results.map((result) => [result.product_id, result.similarity_score]))

  test('the threshold is inclusive and compares with the score as it is answered, steering included', async () => {
    for (const query of ['1', 'mug 1']) {
      for (const category_boost of [0, 0.1, 0.5]) {
        const all = await search({ query, category_boost })
        for (const { product_id, similarity_score } of all.results) {
          const found = await search({ query, category_boost, threshold: similarity_score })
          expect(found.results.map(({ product_id }) => product_id)).toContain(product_id)
          for (const result of found.results)
            expect(result.similarity_score).toBeGreaterThanOrEqual(similarity_score)
        }
      }
    }
  })

  test('what lies outside the category in the words loses: singular or plural, in any spelling; the default weight is 0.1', async () => {
    for (const query of ['mug 1', 'MUGS 1', 'a 1 mug!']) {
      const plain = scores(await search({ query, category_boost: 0 }))
      const found = await search({ query, explain: true })
      expect(found.boosted_category).toBe('Mugs')
      const steered = scores(found)
      for (const id of ['red mug', 'mug 2', 'blue mug']) expect(steered.get(id)).toBe(plain.get(id) as number)
      for (const id of ['table', 'bare', 'lamp']) {
        expect(steered.get(id)).toBeLessThan(plain.get(id) as number)
      }
      expect(scores(await search({ query, category_boost: 0.1 }))).toEqual(steered)
    }
  })

  test('the longest name wins', async () => {
    expect((await search({ query: 'table lamp 1', explain: true })).boosted_category).toBe('Table lamps')
    expect((await search({ query: 'table 1', explain: true })).boosted_category).toBe('Tables')
    expect((await search({ query: 'sofa 1', explain: true })).boosted_category).toBeUndefined()
  })

  test('nothing is lifted inside one category, or with category_boost 0', async () => {
    expect(
      (await search({ query: 'mug 1', category: 'mugs', explain: true })).boosted_category,
    ).toBeUndefined()
    expect(
      (await search({ query: 'mug 1', category_boost: 0, explain: true })).boosted_category,
    ).toBeUndefined()
  })

  test('explain tells the cosine and the legs, which add up to the score, and where the list was cut', async () => {
    const { results } = await search({ query: 'mug 1', explain: true, threshold: 0.01 })
    expect(results.length).toBeGreaterThan(3)
    for (const { similarity_score, metadata, explain } of results) {
      const { cosine = 0, legs, similarity, cut } = explain ?? {}
      expect([similarity, cut]).toEqual([similarity_score, 0.01])
      expect(legs).toMatchObject({ image: 0, color: 0 })
      expect(legs?.['text']).toBeCloseTo(cosine, 5)
      const isMug = /^m[uü]gs/i.test(String(metadata['category']))
      expect(Number(legs?.['keyword']) > 0).toBe(isMug)
      expect(legs?.['category'] === 0).toBe(isMug)
      const value = Object.values(legs ?? {}).reduce((sum, leg) => sum + leg, 0)
      expect(similarity_score).toBeCloseTo(1 / (1 + Math.exp(-10 * (value - 0.7))), 4)
    }
    expect((await search({ query: 'mug 1' })).results[0]?.explain).toBeUndefined()
  })

  test('cutoff: auto ends the list where the scores fall off, alike on every page', async () => {
    const whole = await ids({})
    const cut = await ids({ cutoff: 'auto' })
    expect(cut.length).toBeLessThan(whole.length)
    expect(cut).toEqual(whole.slice(0, cut.length))
    expect([
      ...(await ids({ cutoff: 'auto', limit: 1 })),
      ...(await ids({ cutoff: 'auto', limit: 99, offset: 1 })),
    ]).toEqual(cut)
    expect(await ids({ cutoff: 'none' })).toEqual(whole)
  })
})

describe('fields and warnings (contract 1.1, 3.2)', () => {
  test('fields picks metadata keys; unknown and inherited ones are left out', async () => {
    const { results } = await search({
      query: '1',
      fields: ['price', 'none', 'constructor', '__proto__'],
      limit: 1,
    })
    expect(results[0]?.metadata).toEqual({ price: 10 })
    expect((await search({ query: '1', fields: [] })).results[0]?.metadata).toEqual({})
  })

  test('a field that is not understood is told with what was probably meant, and searching goes on', async () => {
    const { warnings, count } = await search({ query: '1', colour: 'red', treshold: 1, zzz: 1 })
    expect(count).toBe(6)
    expect(warnings).toEqual([
      "the unknown field 'colour' was ignored; did you mean 'color'?",
      "the unknown field 'treshold' was ignored; did you mean 'threshold'?",
      "the unknown field 'zzz' was ignored",
    ])
  })

  test('a body of a thousand unknown or very long fields gives a short answer', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`field-${n}-${'x'.repeat(200)}`, n]),
    )
    const { warnings } = await search({ query: '1', ...many })
    expect(warnings).toHaveLength(10)
    for (const warning of warnings ?? []) expect(warning.length).toBeLessThan(150)
  })

  test('a text without a word that the model knows gives guesses, and a warning', async () => {
    const { results } = await search({ query: 'blorf' })
    for (const { similarity_score } of results) expect(similarity_score).toBeLessThanOrEqual(0.3)
    expect((await search({ query: 'blorf' })).warnings).toEqual(['unknown_words: blorf'])
    expect((await search({ query: '1' })).warnings).toBeUndefined()
  })

  test.each([null, ''])('a session that is %p is none (contract 1.3)', async (session_id) => {
    expect((await search({ query: '1', session_id })).warnings).toBeUndefined()
    const vector = [1, 0, 0, 0, 0, 0, 0, 0]
    const found = await app.call('POST', '/v1/search/url', { token, body: { vector, image_id: session_id } })
    expect(found.status).toBe(200)
  })

  test('a text longer than the model reads is cut off with a warning', async () => {
    const { warnings } = await search({ query: `1 ${'x'.repeat(400)}` })
    expect(warnings).toEqual(['the query is longer than the model reads; its end was ignored'])
  })
})
