import { afterAll, beforeAll, expect, test } from 'bun:test'
import { LIMITS } from '../../../../src/core/limits.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { onlyStoreId } from '../../../support/seed.ts'

let app: TestApp
let storeId: string

beforeAll(async () => {
  app = testApp()
  const token = await app.signIn()
  storeId = onlyStoreId(app)
  const products = [
    { brand: 'Acmé', price: 5, tags: ['new', 'Sale', 'sale'], in_stock: true, size: 42, box: { w: 3 } },
    { brand: 'acme', price: 7.5, tags: ['sale'], in_stock: false, size: '42', box: { w: -3 } },
    { brand: 'acme', price: 1, in_stock: true },
    { brand: 'Zed', tags: [], name: 'toString', note: null },
  ]
  for (const [n, metadata] of products.entries()) {
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: `p${n}`, image_url: app.picture('same', 1), metadata },
    })
  }
})
afterAll(() => app.close())

test('values are counted, in the spelling that is most frequent; numbers and times have a range', async () => {
  const fields = [
    'brand',
    'price',
    'tags',
    'in_stock',
    'size',
    'metadata.box.w',
    'created_at',
    'is_demo',
    'nothing',
    'note',
  ]
  expect(await app.filters.facets(storeId, fields)).toEqual({
    brand: [
      { value: 'acme', count: 3 },
      { value: 'Zed', count: 1 },
    ],
    price: { min: 1, max: 7.5 },
    tags: [
      { value: 'Sale', count: 2 },
      { value: 'new', count: 1 },
    ],
    in_stock: [
      { value: true, count: 2 },
      { value: false, count: 1 },
    ],
    size: [
      { value: '42', count: 1 },
      { value: 42, count: 1 },
    ],
    'metadata.box.w': { min: -3, max: 3 },
    created_at: { min: '2030-01-01T00:00:00.000Z', max: '2030-01-01T00:00:00.000Z' },
    is_demo: [{ value: false, count: 4 }],
    nothing: [],
    note: [],
  })
})

test('only the products of a row set count, whether the field was counted before or not', async () => {
  const filter = app.filters.parse([{ field: 'brand', operator: 'eq', value: 'zed' }], '/filters')
  const { rows } = await app.filters.resolve(storeId, filter)
  for (let n = 0; n < 2; n++) {
    expect(await app.filters.facets(storeId, ['brand', 'price'], rows)).toEqual({
      brand: [{ value: 'Zed', count: 1 }],
      price: [],
    })
  }
  expect(await app.filters.facets('another', ['brand'], rows)).toEqual({ brand: [] })
})

test('more than ten fields are refused', async () => {
  const fields = Array.from({ length: LIMITS.facetFieldsMax + 1 }, (_, n) => `f${n}`)
  await expect(app.filters.facets(storeId, fields)).rejects.toThrow('at most 10')
  await expect(app.filters.facets(storeId, [''])).rejects.toThrow('name of a field')
})
