import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, isoTime } from '../../../../src/core/clock.ts'
import { idsOf, openWidgetShop, type WidgetShop } from '../widget/widget-shop.ts'

let shop: WidgetShop

beforeEach(async () => {
  shop = await openWidgetShop()
})
afterEach(() => shop.app.close())

const put = async (product_id: string, metadata: object, more: object = {}) => {
  const body = { product_id, image_url: shop.app.picture(product_id, 6), metadata, ...more }
  return shop.app.call('POST', '/v1/products', { token: shop.token, body })
}
type Hit = {
  product_id: string
  metadata: Record<string, unknown>
  matched_variant?: unknown
  group?: unknown
}
const search = async (path: string, body: object): Promise<{ results: Hit[] }> => {
  const answer = await shop.app.call('POST', `/v1/search/${path}`, { token: shop.token, body })
  expect(answer.status).toBe(200)
  return answer.body as unknown as { results: Hit[] }
}
const hide = (...private_metadata: string[]) =>
  shop.app.call('PATCH', '/v1/store/settings', { token: shop.token, body: { private_metadata } })

describe('known keys', () => {
  test.each([
    ['sale_price', '9', '/metadata/sale_price'],
    ['price_max', '9', '/metadata/price_max'],
    ['sale_price_from', 'tomorrow', '/metadata/sale_price_from'],
    ['sale_price_until', '2030-02-30', '/metadata/sale_price_until'],
    ['category_path', 'Clothing > Hoodies', '/metadata/category_path'],
    ['category_path', Array.from({ length: 31 }, (_, n) => `level ${n}`), '/metadata/category_path'],
    ['colors', ['red', 3], '/metadata/colors/1'],
    ['colors', Array.from({ length: 31 }, () => 'red'), '/metadata/colors'],
    ['description', {}, '/metadata/description'],
    ['variants', Array.from({ length: 101 }, () => ({})), '/metadata/variants'],
    ['variants', [{ price: '3' }], '/metadata/variants/0/price'],
  ])('%s of %j is refused', async (key, value, pointer) => {
    const { status, body } = await put('x', { [key]: value })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(JSON.stringify(body['details'])).toContain(`"${pointer}"`)
  })

  test('are kept as they were sent; a sale above the price is no mistake', async () => {
    const metadata = {
      ...{
        price: 5,
        sale_price: 9,
        sale_price_from: '2030-01-01',
        sale_price_until: '2030-02-01T10:00:00+01:00',
      },
      ...{ price_max: 12, category_path: ['A', 'A > B'], colors: ['red'], description: '<p>x</p>' },
      variants: [{ sku: 'a', size: 'XL', in_stock: false }],
    }
    expect((await put('x', metadata)).status).toBe(201)
    const { body } = await shop.app.call('GET', '/v1/products/x', { token: shop.token })
    expect(body['metadata']).toEqual(metadata)
  })
})

test('a word of a description finds its product behind those whose name has it', async () => {
  await put('kettle', { name: 'Kettle', description: '<p>For your favourite <b>zebrano</b> teapot</p>' })
  await put('teapot', { name: 'Teapot', category: 'Pots' })
  expect(idsOf((await search('text', { query: 'zebrano' })).results)[0]).toBe('kettle')
  expect(idsOf((await search('text', { query: 'teapot' })).results).slice(0, 2)).toEqual(['teapot', 'kettle'])
  const { body } = await shop.app.call('GET', '/v1/search/suggestions?q=favo', { token: shop.token })
  expect(body['suggestions']).toEqual([])
  expect((await shop.app.call('GET', '/v1/products?q=zebrano', { token: shop.token })).body['total']).toBe(0)
})

describe('matched_variant', () => {
  const blue = 'https://img.test/blue.jpg'
  beforeEach(async () => {
    shop.app.picture('blue', 7)
    const variants = [
      { sku: 'r', name: 'Red', image_url: 'https://img.test/shirt.jpg', url: 'https://s.test/r', price: 9 },
      { sku: 'b0', image_url: blue, in_stock: false },
      { sku: 'b1', image_url: blue, price: 11 },
    ]
    await put('shirt', { name: 'Shirt', sku: 'shirt', price: 9, variants }, { additional_image_urls: [blue] })
  })

  test('is the one that the best picture shows', async () => {
    const of = async (axis: number) =>
      (await search('url', { image_url: shop.url(axis) })).results.find(
        ({ product_id }) => product_id === 'shirt',
      )?.matched_variant
    expect(await of(6)).toEqual({ sku: 'r', name: 'Red', url: 'https://s.test/r', price: 9 })
    expect(await of(7)).toEqual({ sku: 'b1', price: 11 })
    expect((await search('text', { query: '1' })).results[0]).not.toHaveProperty('matched_variant')
  })

  test('tells a widget nothing that is private', async () => {
    const of = async () => {
      const { results } = await shop.find('url', { image_url: shop.url(7) })
      return results.find(({ product_id }) => product_id === 'shirt') as Hit | undefined
    }
    expect((await of())?.matched_variant).toEqual({ sku: 'b1', price: 11 })
    await hide('price')
    expect((await of())?.matched_variant).toEqual({ sku: 'b1' })
    expect(JSON.stringify((await of())?.metadata)).not.toContain('price')
    await hide('variants')
    expect(await of()).not.toHaveProperty('matched_variant')
  })
})

describe('variant groups', () => {
  beforeEach(async () => {
    await put('hoodie', { name: 'Hoodie' })
    await put('hoodie-b', { name: 'Hoodie - Blue, No', variant_group: 'hoodie' })
    await put('hoodie-r', { name: 'Hoodie - Red, Yes', variant_group: 'hoodie' })
    await put('cap-1', { name: 'Cap small', variant_group: 'G7' })
    await put('cap-2', { name: 'Cap large', variant_group: 'G7' })
  })

  test('have their parent, whichever of them comes first', async () => {
    const groups = async (body: object) =>
      (await search('filtered', { group_by: 'variant_group', ...body })).results
        .filter(({ product_id }) => /^(hoodie|cap)/.test(product_id))
        .map(({ product_id, group }) => [product_id, group])
    expect(await groups({ sort: 'newest' })).toEqual([
      ['cap-2', { value: 'G7', count: 2 }],
      ['hoodie-r', { value: 'hoodie', count: 3 }],
    ])
    for (const id of ['hoodie-x', 'hoodie-y']) await put(id, { name: 'Hoodie', variant_group: '' })
    const filters = [{ field: 'name', operator: 'eq', value: 'Hoodie' }]
    expect(await groups({ sort: 'newest', filters })).toEqual([
      ['hoodie-y', undefined],
      ['hoodie-x', undefined],
      ['hoodie', undefined],
    ])
  })

  test('are one result each for a widget, which still fills its page', async () => {
    for (let n = 0; n < 30; n++) await put(`tee-${n}`, { name: `Tee ${n}`, variant_group: 'tee' })
    const { results } = await shop.find('url', { image_url: shop.url(6), limit: 5, cutoff: 'none' })
    const groups = results.map(({ product_id }) => product_id.replace(/-.*/, ''))
    expect(new Set(groups).size).toBe(5)
    await hide('variant_group')
    const all = await shop.find('url', { image_url: shop.url(6), limit: 50 })
    expect(all.results.filter(({ product_id }) => product_id.startsWith('tee-'))).toHaveLength(30)
  })

  test('are suggested by their parent, or by one name', async () => {
    const suggest = async (q: string) => {
      const { body } = await shop.app.call('GET', `/v1/search/suggestions?q=${q}`, { token: shop.token })
      return (body['suggestions'] as { query: string }[]).map(({ query }) => query)
    }
    expect(await suggest('hoo')).toEqual(['hoodie'])
    expect(await suggest('cap')).toEqual(['cap large'])
  })
})

test('a widget gets the price of a sale only while it holds', async () => {
  const until = isoTime(shop.app.clock.now() + 60_000)
  await put('sale', { price: 9, sale_price: 5, sale_price_until: until })
  await put('later', { price: 9, sale_price: 5, sale_price_from: until })
  const look = async () => {
    const { results } = await shop.find('url', { image_url: shop.url(6) })
    const of = (id: string) => results.find(({ product_id }) => product_id === id)?.metadata['sale_price']
    return [of('sale'), of('later')]
  }
  expect(await look()).toEqual([5, undefined])
  shop.app.clock.advance(60_000)
  expect(await look()).toEqual([undefined, 5])
  shop.app.clock.advance(DAY_MS)
  expect(await look()).toEqual([undefined, 5])
})

test('common parameters of a batch count below those of an entry and above its defaults', async () => {
  const queries = [
    { id: 'a', type: 'text', query: '1' },
    { id: 'b', type: 'text', query: '1', limit: 3 },
  ]
  const { results } = (await search('batch', {
    queries,
    limit: 2,
    defaults: { limit: 1, query: 'no' },
  })) as never as {
    results: { count: number }[]
  }
  expect(results.map(({ count }) => count)).toEqual([2, 3])
  const body = { queries, limit: 1000 }
  const { status } = await shop.app.call('POST', '/v1/search/batch', { token: shop.token, body })
  expect(status).toBe(422)
})
