import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../../support/app.ts'

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one')
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

async function put(product_id: string, metadata: Record<string, unknown>, pictures = 1, by = token) {
  const [image_url, ...additional_image_urls] = Array.from({ length: pictures }, (_, n) =>
    app.picture(`${product_id}-${n}`, n),
  )
  const body = { product_id, image_url, metadata, ...(pictures > 1 && { additional_image_urls }) }
  const { status } = await app.call('POST', '/v1/products', { token: by, body })
  expect(status).toBeLessThan(300)
}

/** What a query finds, and how many pictures show it. */
function find(query: string, store = storeId): { products: number; pictures: number; exact: number } {
  const indexed = app.productIndex.findStore(store)
  if (!indexed) return { products: 0, pictures: 0, exact: 0 }
  const { segment, columns, words } = indexed
  const { scores, documents, exact } = words.score(query)
  const slots = Array.from({ length: segment.slots }, (_, slot) => slot)
  const pictures = slots.filter((slot) => (scores[columns.documentAt(slot)] ?? 0) > 0).length
  return { products: documents.length, pictures, exact: exact.length }
}

describe('the words of a store', () => {
  test('follow each change of a product, which is one document with all of its pictures', async () => {
    await put('a', { name: 'Red mug', sku: 'AB-1' }, 3)
    await put('b', { name: 'Blue mug', tags: ['kitchen'] })
    expect(find('mug')).toEqual({ products: 2, pictures: 4, exact: 0 })
    expect(find('ab-1')).toEqual({ products: 1, pictures: 3, exact: 1 })
    expect(find('red mug').exact).toBe(1)

    const patch = await app.call('PATCH', '/v1/products/a', {
      token,
      body: { metadata: { name: 'Green cup' } },
    })
    expect(patch.status).toBe(200)
    expect([find('red').products, find('mug').products]).toEqual([0, 1])
    expect(find('green cup')).toEqual({ products: 1, pictures: 3, exact: 1 })

    // Fewer pictures, and other ones.
    await put('a', { name: 'Green cup' })
    expect(find('cup')).toEqual({ products: 1, pictures: 1, exact: 0 })

    const gone = await app.call('DELETE', '/v1/products/a', { token })
    expect(gone.status).toBe(200)
    expect(find('green cup')).toEqual({ products: 0, pictures: 0, exact: 0 })
    expect(find('a').exact).toBe(0)
    expect(find('kitchen').products).toBe(1)
  })

  test('are those of one store', async () => {
    const other = await app.signIn('two')
    await put('a', { name: 'Red mug' })
    await put('a', { name: 'Oak chair' }, 1, other)
    const otherId = app.stores.requireBySlug('two').id
    expect([find('mug').products, find('mug', otherId).products]).toEqual([1, 0])
    expect([find('a').exact, find('a', otherId).exact]).toEqual([1, 1])
    // Read anew from the database, one store and all of them.
    app.productIndex.forgetStore(otherId)
    expect([find('mug').products, find('chair', otherId).products]).toEqual([1, 1])
    app.productIndex.load()
    expect([find('mug').products, find('chair', otherId).products]).toEqual([1, 1])
    app.productIndex.removeStore(storeId)
    expect([find('mug').products, find('chair', otherId).products]).toEqual([0, 1])
  })
})
