import { beforeAll, describe, expect, test } from 'bun:test'
import { type Eyes, loadBundledModel, rank } from '../../../../scripts/demo/ranking.ts'
import { buildPicturePath } from '../../../../scripts/demo/render.ts'
import { TEXT_QUERIES } from '../../../../scripts/demo/text-queries.ts'
import { DEMO_PRODUCTS, DEMO_QUERIES } from '../../../../src/features/catalogue/demo/catalogue.ts'

const catalogue = new Map<string, Float32Array>()
let eyes: Eyes

beforeAll(async () => {
  eyes = await loadBundledModel()
  for (const { product_id, picture } of DEMO_PRODUCTS)
    catalogue.set(product_id, await eyes.picture(buildPicturePath(picture)))
}, 60_000)

describe('demo catalogue under the bundled model', () => {
  test.each(TEXT_QUERIES.map(({ query, fits }) => [query, fits] as const))(
    'the text "%s" finds a fitting product among the first three, without any words of the products',
    async (query, fits) => {
      const top = rank(await eyes.text(query), catalogue).slice(0, 3)
      expect(top.some(({ name }) => fits.includes(name))).toBe(true)
    },
  )

  test.each(DEMO_QUERIES.map((query) => [query.title, query] as const))(
    'the picture "%s" finds its own category first, and mostly that among the first three',
    async (_title, { picture, category }) => {
      const categoryOf = new Map(
        DEMO_PRODUCTS.map((product) => [product.product_id, product.metadata.category]),
      )
      const top = rank(await eyes.picture(buildPicturePath(picture)), catalogue).slice(0, 3)
      const found = top.map(({ name }) => categoryOf.get(name))
      expect(found[0]).toBe(category)
      expect(found.filter((one) => one === category).length).toBeGreaterThanOrEqual(2)
    },
  )
})
