import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  idsOf,
  makeKey,
  openWidgetShop,
  refusalOf,
  type WidgetBody,
  type WidgetShop,
  widgetHeaders,
} from './widget-shop.ts'

let shop: WidgetShop

beforeEach(async () => {
  shop = await openWidgetShop()
})
afterEach(() => shop.app.close())

interface Faceted extends WidgetBody {
  facets?: Record<string, unknown>
}

const find = (body: object, key?: string) =>
  shop.find('text', { query: 'mugs', cutoff: 'none', ...body }, key) as Promise<Faceted>

const hide = (...private_metadata: string[]) =>
  shop.app.call('PATCH', '/v1/store/settings', { token: shop.token, body: { private_metadata } })

describe('facets and their values', () => {
  test('count what passes, in words, pictures and addresses, and narrow to one of several values', async () => {
    const facets = ['brand', 'category']
    const brands = [
      { value: 'Zed', count: 3 },
      { value: 'Acme', count: 2 },
    ]
    expect((await find({ facets })).facets?.['brand']).toEqual(brands)
    const form = { facets: JSON.stringify(facets), facet_values: '{"category":["Lamps"]}', cutoff: 'none' }
    expect((await shop.find('upload', shop.upload(form))) as Faceted).toMatchObject({
      facets: { brand: [{ value: 'Zed', count: 2 }] },
    })
    const byUrl = { image_url: shop.url(1), facets, cutoff: 'none' }
    expect((await shop.find('url', byUrl)) as Faceted).toMatchObject({
      facets: { brand: brands },
    })
    const one = await find({ facet_values: { brand: ['acme'], category: ['Mugs', 'Lamps'] } })
    expect(idsOf(one.results).sort()).toEqual(['cup', 'mug'])
    const none = await find({ facet_values: { brand: ['Acme'], category: ['Lamps'] } })
    expect(none.count).toBe(0)
  })

  test('count what a list shows that ends where the scores drop', async () => {
    const { results, facets } = await find({ facets: ['category'], cutoff: 'auto' })
    const counts = Map.groupBy(results, ({ metadata }) => metadata?.['category'])
    expect(results.length).toBeLessThan(5)
    expect(facets?.['category']).toEqual(Array.from(counts, ([value, own]) => ({ value, count: own.length })))
  })

  test('follow forced filters', async () => {
    const forced_filters = [{ field: 'brand', operator: 'eq', value: 'Acme' }]
    const { key } = await makeKey(shop.app, shop.token, { forced_filters })
    const found = await find({ facets: ['brand', 'category'], facet_values: { brand: ['Acme', 'Zed'] } }, key)
    expect([idsOf(found.results).sort(), found.facets]).toEqual([
      ['cup', 'mug'],
      { brand: [{ value: 'Acme', count: 2 }], category: [{ value: 'Mugs', count: 2 }] },
    ])
  })

  test('know a private field as little as one that no product has', async () => {
    await hide('brand', 'terms', 'sale_price')
    await shop.app.call('PATCH', '/v1/products/mug', {
      token: shop.token,
      body: { metadata: { terms: { rebate: 7 }, sale_price: 5, supplier: 'Contoso' } },
    })
    const secret = ['brand', 'metadata.brand', 'terms', 'terms.rebate', 'price', 'product_id', 'created_at']
    for (const field of secret) {
      const { facets } = await find({ facets: [field, 'unheard-of'] })
      expect([field, facets?.[field], facets?.['unheard-of']]).toEqual([field, [], []])
      const values = ['Acme', 7, 5, 'mug', true]
      const [known, unheard] = [
        await find({ facet_values: { [field]: values } }),
        await find({ facet_values: { 'unheard-of': values } }),
      ]
      expect([field, known.count]).toEqual([field, 0])
      expect(Object.keys(known)).toEqual(Object.keys(unheard))
    }
    expect((await find({ facets: ['supplier'] })).facets).toEqual({
      supplier: [{ value: 'Contoso', count: 1 }],
    })
  })

  test.each<[fields: object]>([
    [{ facets: Array(11).fill('brand') }],
    [{ facets: [''] }],
    [{ facets: 'brand' }],
    [{ facet_values: { brand: [] } }],
    [{ facet_values: { brand: 'Acme' } }],
    [{ facet_values: { brand: [{ operator: 'ne' }] } }],
    [{ facet_values: { brand: Array(21).fill('x') } }],
    [{ facet_values: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}`, [1]])) }],
    [{ threshold: 2 }],
    [{ sort: 'cheapest' }],
    [{ cutoff: 'never' }],
    [{ offset: -1 }],
  ])('422 for %j', async (fields) => {
    expect(refusalOf(await shop.call('text', { query: 'mugs', ...fields }))).toEqual([
      422,
      'validation_error',
    ])
  })

  test.each(['', '\0', 'x'.repeat(300), 'a"b', 'metadata.'])(
    'take %j for a field that nobody has',
    async (field) => {
      expect((await find({ facet_values: { [field]: ['x'] } })).count).toBe(0)
    },
  )
})

describe('sort, threshold and the end of the list', () => {
  test('sort orders the best results; by a private price it changes nothing', async () => {
    const cheapest = await find({ sort: 'price_asc' })
    expect(idsOf(cheapest.results).slice(0, 3)).toEqual(['cup', 'mug', 'lamp'])
    const plain = await find({})
    await hide('sale_price')
    expect(idsOf((await find({ sort: 'price_asc' })).results)).toEqual(idsOf(plain.results))
    expect(idsOf((await find({ sort: 'newest' })).results)).not.toEqual(idsOf(plain.results))
  })

  test('a list ends where its scores drop unless the request or the store says otherwise', async () => {
    const all = (await find({})).count
    expect((await shop.find('text', { query: 'mugs' })).count).toBeLessThan(all)
    expect((await find({ threshold: 0.99 })).count).toBeLessThan(all)
    await shop.app.call('PATCH', '/v1/store/settings', {
      token: shop.token,
      body: { search_defaults: { cutoff: 'none' } },
    })
    expect((await shop.find('text', { query: 'mugs' })).count).toBe(all)
  })

  test('a row of a product page ends at its limit, unless the request says otherwise', async () => {
    await shop.app.call('PATCH', '/v1/store/settings', {
      token: shop.token,
      body: { search_defaults: { cutoff: 'auto' } },
    })
    const count = async (row: string, more = '') => {
      const path = `/v1/widget/${row}?product_id=mug${more}`
      return (await shop.app.call('GET', path, { headers: widgetHeaders(shop.key) })).body['count']
    }
    // All but the product itself.
    expect([await count('similar'), await count('together'), await count('similar', '&limit=4')]).toEqual([
      5, 5, 4,
    ])
    expect(await count('similar', '&cutoff=auto')).toBeLessThan(5)
    expect(await count('similar', '&threshold=0.9')).toBeLessThan(5)
    expect([await count('similar', '&cutoff=never'), await count('similar', '&threshold=2')]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('of words that nobody knows three results are left', async () => {
    for (let n = 0; n < 6; n++) {
      const body = { product_id: `alike-${n}`, image_url: shop.app.picture(`alike-${n}`, 1) }
      await shop.app.call('POST', '/v1/products', { token: shop.token, body })
    }
    const guess = { query: 'blorf' }
    expect((await shop.find('text', guess)).count).toBe(3)
    expect((await shop.find('text', { ...guess, offset: 3 })).count).toBe(0)
    expect((await find(guess)).count).toBe(12)
  })

  test('pages follow each other, and behind the last one nothing is popular', async () => {
    const all = idsOf((await find({})).results)
    const pages = [await find({ limit: 4 }), await find({ limit: 4, offset: 4 })]
    expect(pages.flatMap(({ results }) => idsOf(results))).toEqual(all)
    const behind = await find({ offset: 50 })
    expect([behind.count, behind.popular]).toEqual([0, undefined])
  })
})

test.each(['similar', 'together'])(
  'a row of %s products reads nothing else from its address',
  async (row) => {
    const ask = (more: string) =>
      shop.app.call('GET', `/v1/widget/${row}?product_id=${all[0]}${more}`, {
        headers: widgetHeaders(shop.key),
      })
    const all = idsOf((await find({})).results)
    const plain = await ask('')
    const others = 'facets=brand&facet_values=x&sort=price_asc&offset=x&interpret=x&filters=x'
    for (const other of others.split('&')) {
      const { status, body } = await ask(`&${other}`)
      expect([other, status, body['results'], body['facets']]).toEqual([
        other,
        200,
        plain.body['results'],
        undefined,
      ])
    }
  },
)
