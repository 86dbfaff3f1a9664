import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { bundledModel, type Eyes, rank } from '../../../../scripts/generate/demo/ranking.ts'
import { OUTPUT, renderDemo } from '../../../../scripts/generate/demo/render.ts'
import {
  DEMO_PRODUCTS,
  DEMO_QUERIES,
  DEMO_TEXT_QUERIES,
} from '../../../../src/features/catalogue/demo/catalogue.ts'

const file = (picture: string): string => join(OUTPUT, 'demo', `${picture}.webp`)
const catalogue = new Map<string, Float32Array>()
let eyes: Eyes

// The pictures are drawn once and kept until the drawing code changes; only that first time takes minutes.
beforeAll(async () => {
  await renderDemo()
  eyes = await bundledModel()
  for (const { product_id, picture } of DEMO_PRODUCTS)
    catalogue.set(product_id, await eyes.picture(file(picture)))
}, 600_000)

describe('demo catalogue under the bundled model', () => {
  test.each(DEMO_TEXT_QUERIES.map(({ query, fits }) => [query, fits] as const))(
    'the text "%s" finds a fitting product first',
    async (query, fits) => {
      expect([...fits]).toContain(rank(await eyes.text(query), catalogue)[0]?.name ?? '')
    },
  )

  test.each(DEMO_QUERIES.map((query) => [query.title, query] as const))(
    'the picture "%s" finds its own category first, and mostly that among the first three',
    async (_title, { picture, category }) => {
      const categoryOf = new Map(
        DEMO_PRODUCTS.map((product) => [product.product_id, product.metadata.category]),
      )
      const top = rank(await eyes.picture(file(picture)), catalogue).slice(0, 3)
      const found = top.map(({ name }) => categoryOf.get(name))
      expect(found[0]).toBe(category)
      expect(found.filter((one) => one === category).length).toBeGreaterThanOrEqual(2)
    },
  )
})
