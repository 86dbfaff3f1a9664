import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TEXT_QUERIES } from '../../scripts/demo/text-queries.ts'
import { readDemoPicture } from '../../src/features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS, DEMO_QUERIES } from '../../src/features/catalogue/demo/catalogue.ts'
import { startEmbedder } from '../platform/embedder/bundled.ts'
import { form, type TestApp, testApp } from '../support/app.ts'

interface Found {
  results: { product_id: string }[]
}

const { embedder } = startEmbedder()
let app: TestApp
let token: string

beforeAll(async () => {
  await embedder.settled()
  app = testApp({ embedder, readDemoPicture })
  token = await app.signIn()
  const installed = await app.call('POST', '/v1/products/demo', { token })
  expect(installed.body).toMatchObject({ installed: DEMO_PRODUCTS.length })
}, 120_000)
afterAll(async () => {
  await app.close()
  await embedder.close()
})

describe('the demo catalogue under the bundled model', () => {
  const search = async (query: string): Promise<string[]> => {
    const { body } = await app.call('POST', '/v1/search/text', { token, body: { query } })
    return (body as unknown as Found).results.map(({ product_id }) => product_id)
  }

  test.each(TEXT_QUERIES.map(({ query, fits }) => [query, fits] as const))(
    'the text "%s" finds a fitting product among the first two',
    async (query, fits) => {
      expect((await search(query)).slice(0, 2).some((id) => fits.includes(id))).toBe(true)
    },
  )

  test('nearly every text finds a fitting product first', async () => {
    const missed: string[] = []
    for (const { query, fits } of TEXT_QUERIES)
      if (!fits.includes((await search(query))[0] ?? '')) missed.push(query)
    expect(missed.length).toBeLessThanOrEqual(2)
  })

  test.each(DEMO_QUERIES.map((query) => [query.title, query] as const))(
    'the picture "%s" finds its own category first, and mostly that among the first three',
    async (_title, { picture, category }) => {
      const image = new Uint8Array(await readDemoPicture(picture))
      const { body } = await app.call('POST', '/v1/search', { token, body: form({ image }) })
      const categoryOf = new Map(
        DEMO_PRODUCTS.map((product) => [product.product_id, product.metadata.category]),
      )
      const found = (body as unknown as Found).results
        .slice(0, 3)
        .map(({ product_id }) => categoryOf.get(product_id))
      expect(found[0]).toBe(category)
      expect(found.filter((one) => one === category).length).toBeGreaterThanOrEqual(2)
    },
  )
})
