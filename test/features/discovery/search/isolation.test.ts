import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { recordBar } from '../../../robustness/bars.ts'
import { readRepetitions } from '../../../robustness/random.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp
const tokens: Record<string, string> = {}
/** Addresses and ids of the other store that must never be of use. */
const foreign: { pictures: string[]; imageIds: string[] } = { pictures: [], imageIds: [] }

const CALLS_EACH = 40
const REQUESTS = readRepetitions('ISOLATION_REQUESTS', 4_000)

const CANARY = { a: 'zanzibar', b: 'timbuktu' } as const
const ids = (of: 'a' | 'b') => Array.from({ length: 12 }, (_, n) => `${CANARY[of]}-${n}`)
const shared = 'same-id-in-both'

beforeAll(async () => {
  app = testApp()
  for (const of of ['a', 'b'] as const) {
    tokens[of] = await app.signIn(`store-${of}`)
    for (const [n, product_id] of [...ids(of), shared].entries()) {
      const data = `data:image/jpeg;base64,${Buffer.from(pictureBytes(n % 7, (n + 1) % 7)).toString('base64')}`
      const metadata = { name: `${CANARY[of]} ${n}`, category: n % 2 ? 'Mugs' : CANARY[of], price: n }
      const made = await app.call('POST', '/v1/products', {
        token: tokens[of] as string,
        body: { product_id, image_url: data, metadata },
      })
      expect(made.status).toBe(201)
    }
  }
  const { body } = await app.call('GET', '/v1/products?limit=100', { token: tokens['b'] as string })
  foreign.pictures = (body['products'] as { image_url: string }[]).map(({ image_url }) => image_url)
  for (let n = 0; n < 7; n++) {
    const found = await app.call('POST', '/v1/search', {
      token: tokens['b'] as string,
      body: form({ image: pictureBytes(n) }),
    })
    foreign.imageIds.push(String(found.body['image_id']))
  }
})
afterAll(() => app.close())

type Call = [method: string, path: string, body?: unknown]

const axes = fc.array(fc.nat(6), { minLength: 1, maxLength: 3 })
const anyId = fc.oneof(fc.constantFrom(...ids('a'), ...ids('b'), shared, 'none'), fc.string())
const anyWords = fc.oneof(
  fc.constantFrom(...Object.values(CANARY), 'Mugs', '1 2', `${CANARY.b} 3`),
  fc.string({ minLength: 1 }),
)
const common = fc.record(
  {
    limit: fc.integer({ min: 1, max: 100 }),
    offset: fc.nat(20),
    category: anyWords,
    price_min: fc.nat(12),
    threshold: fc.double({ min: 0, max: 1, noNaN: true }),
    category_boost: fc.double({ min: 0, max: 0.5, noNaN: true }),
    cutoff: fc.constantFrom('none', 'auto'),
    explain: fc.boolean(),
  },
  { requiredKeys: [] },
)
const source = fc.oneof(
  anyId.map((product_id) => ({ product_id })),
  axes.map((a) => ({ image: Buffer.from(pictureBytes(...a)).toString('base64') })),
  fc.nat(100).map((n) => ({ image_url: foreign.pictures[n % foreign.pictures.length] as string })),
  fc.nat(100).map((n) => ({ image_id: foreign.imageIds[n % foreign.imageIds.length] as string })),
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 })
    .map((vector) => ({ vector })),
)
const search: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(anyWords, common).map(([query, rest]): Call => ['POST', '/v1/search/text', { ...rest, query }]),
  fc.tuple(source, common).map(([given, rest]): Call => ['POST', '/v1/search/url', { ...rest, ...given }]),
  axes.map((a): Call => ['POST', '/v1/search', form({ image: pictureBytes(...a), limit: '100' })]),
)
const catalogue: fc.Arbitrary<Call> = fc.oneof(
  anyId.map((id): Call => ['GET', `/v1/products/${encodeURIComponent(id.replace(/\p{Surrogate}/gu, ''))}`]),
  anyWords.map(
    (q): Call => ['GET', `/v1/products?limit=100&q=${encodeURIComponent(q.replace(/\p{Surrogate}/gu, ''))}`],
  ),
  anyWords.map(
    (q): Call => ['GET', `/v1/products?category=${encodeURIComponent(q.replace(/\p{Surrogate}/gu, ''))}`],
  ),
  fc.constantFrom(...ids('b')).map((id): Call => ['DELETE', `/v1/products/${id}`]),
  fc.constantFrom(...ids('b')).map((id): Call => ['PATCH', `/v1/products/${id}`, { metadata: { price: 0 } }]),
  fc
    .nat(100)
    .map(
      (n): Call => [
        'POST',
        '/v1/products',
        { product_id: 'probe', image_url: foreign.pictures[n % foreign.pictures.length] },
      ],
    ),
)

describe('two stores with near-identical pictures (contract 1.4, bar 24)', () => {
  test(`${REQUESTS} random requests of one never show anything of the other`, async () => {
    const token = tokens['a'] as string
    let asked = 0
    let answered = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 3, arbitrary: search }, { weight: 1, arbitrary: catalogue }), {
          minLength: CALLS_EACH,
          maxLength: CALLS_EACH,
        }),
        async (calls) => {
          for (const [method, path, body] of calls) {
            const answer = await app.call(method, path, { token, ...(body !== undefined && { body }) })
            expect(answer.status).toBeLessThan(500)
            asked++
            if (answer.status === 200) answered++
            // Both repeat words of the request.
            const shown = JSON.stringify({ ...answer.body, warnings: undefined, interpreted: undefined })
            expect(shown).not.toContain(CANARY.b)
            for (const address of foreign.pictures) expect(shown).not.toContain(address)
          }
        },
      ),
      { numRuns: Math.ceil(REQUESTS / CALLS_EACH) },
    )
    const measured = `${answered} of them answered with 200, none with anything of the other store`
    recordBar({ bar: 24, part: 'in the process', on: 'process', n: asked, measured, isMet: true })
    expect(asked).toBeGreaterThanOrEqual(REQUESTS)
    expect(answered).toBeGreaterThan(REQUESTS / 2)
  }, 3_600_000)

  test('a search with the other store’s exact picture finds one’s own products only', async () => {
    for (let n = 0; n < 7; n++) {
      const { body } = await app.call('POST', '/v1/search', {
        token: tokens['a'] as string,
        body: form({ image: pictureBytes(n, (n + 1) % 7), limit: '100' }),
      })
      const found = (body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)
      expect(found.sort()).toEqual([...ids('a'), shared].sort())
    }
  })

  test('the other store’s products are untouched after all that', async () => {
    const { body } = await app.call('GET', '/v1/products?limit=100', { token: tokens['b'] as string })
    expect((body['products'] as { product_id: string }[]).map(({ product_id }) => product_id).sort()).toEqual(
      [...ids('b'), shared].sort(),
    )
    app.history.flush()
    const theirs = app.db
      .prepare('SELECT count(*) AS n FROM searches WHERE store_id = (SELECT id FROM stores WHERE slug = ?)')
      .get('store-b')
    expect(theirs).toEqual({ n: 7 })
  })
})
