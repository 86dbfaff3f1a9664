import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { DRAWINGS } from '../../../../scripts/demo/drawings.ts'
import { TEXT_QUERIES } from '../../../../scripts/demo/text-queries.ts'
import { readDemoPicture } from '../../../../src/features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS, DEMO_QUERIES } from '../../../../src/features/catalogue/demo/catalogue.ts'

const PICTURES = join(import.meta.dir, '../../../../src/features/catalogue/demo/pictures')
const ids = DEMO_PRODUCTS.map((product) => product.product_id)
const categories = new Set(DEMO_PRODUCTS.map((product) => product.metadata.category))

describe('demo catalogue', () => {
  test('has 40 products with 40 different ids, pictures, names and article numbers', () => {
    expect(DEMO_PRODUCTS).toHaveLength(40)
    expect(new Set(ids).size).toBe(40)
    expect(new Set(DEMO_PRODUCTS.map((product) => product.picture)).size).toBe(40)
    expect(new Set(DEMO_PRODUCTS.map((product) => product.metadata.name)).size).toBe(40)
    expect(new Set(DEMO_PRODUCTS.map((product) => product.metadata.sku)).size).toBe(40)
  })

  test('spans at least 12 categories of at least two products', () => {
    expect(categories.size).toBeGreaterThanOrEqual(12)
    for (const category of categories) {
      const members = DEMO_PRODUCTS.filter((product) => product.metadata.category === category)
      expect(members.length).toBeGreaterThanOrEqual(2)
    }
  })

  test.each(DEMO_PRODUCTS.map((product) => [product.product_id, product] as const))(
    '%s has an id without a slash, every known metadata key of the right type and a price above 0',
    (id, { metadata }) => {
      expect(id).toMatch(/^demo-[a-z-]+$/)
      for (const text of [
        metadata.name,
        metadata.category,
        metadata.brand,
        metadata.color_name,
        metadata.sku,
      ]) {
        expect(text.trim()).toBe(text)
        expect(text).not.toBe('')
      }
      expect(metadata.currency).toMatch(/^[A-Z]{3}$/)
      expect(Number.isFinite(metadata.price)).toBe(true)
      expect(metadata.price).toBeGreaterThan(0)
      expect(typeof metadata.in_stock).toBe('boolean')
      expect(metadata.tags.length).toBeGreaterThan(0)
      for (const tag of metadata.tags) expect(tag).toMatch(/^[a-z-]+$/)
    },
  )

  test('every picture named by a product or query is drawn, and nothing else is', () => {
    const named = [...DEMO_PRODUCTS, ...DEMO_QUERIES].map(({ picture }) => picture)
    expect(Object.keys(DRAWINGS).sort()).toEqual([...named].sort())
  })

  test('every picture named by a product or query is committed and embedded, and nothing else is', async () => {
    const named = [...DEMO_PRODUCTS, ...DEMO_QUERIES].map(({ picture }) => picture)
    const committed = [...new Bun.Glob('*.webp').scanSync(PICTURES)]
    expect(committed.sort()).toEqual(named.map((name) => `${name}.webp`).sort())
    for (const name of named) {
      expect(await readDemoPicture(name)).toEqual(await Bun.file(join(PICTURES, `${name}.webp`)).bytes())
    }
  })

  test('has both sold-out and available products, so that the stock filter shows something', () => {
    const stock = new Set(DEMO_PRODUCTS.map((product) => product.metadata.in_stock))
    expect(stock).toEqual(new Set([true, false]))
  })
})

describe('demo queries', () => {
  test('the six sample pictures are not products, and each expects a category of the catalogue', () => {
    const pictures = new Set(DEMO_PRODUCTS.map((product) => product.picture))
    expect(DEMO_QUERIES).toHaveLength(6)
    for (const { picture, title, category } of DEMO_QUERIES) {
      expect(pictures.has(picture)).toBe(false)
      expect(title).not.toBe('')
      expect(categories.has(category)).toBe(true)
    }
  })

  test('each text query is asked once and answered by products of the catalogue', () => {
    expect(new Set(TEXT_QUERIES.map(({ query }) => query)).size).toBe(TEXT_QUERIES.length)
    for (const { fits } of TEXT_QUERIES) {
      expect(fits.length).toBeGreaterThan(0)
      expect(ids).toEqual(expect.arrayContaining([...fits]))
    }
  })

  test('every product is the answer to some text query with its colour or material', () => {
    const asked = new Set(TEXT_QUERIES.filter(({ query }) => query.includes(' ')).flatMap(({ fits }) => fits))
    expect(ids.filter((id) => !asked.has(id))).toEqual([])
  })
})
