import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createPrivacy } from '../../../../src/features/discovery/widget/privacy.ts'
import { idsOf, makeKey, openWidgetShop, refusalOf, type WidgetShop, widgetHeaders } from './widget-shop.ts'

let shop: WidgetShop

beforeEach(async () => {
  shop = await openWidgetShop()
})
afterEach(() => shop.app.close())

const SECRET = 'contoso-wholesale'

async function hide(...private_metadata: string[]): Promise<void> {
  const { app, token } = shop
  const answer = await app.call('PATCH', '/v1/store/settings', { token, body: { private_metadata } })
  expect(answer.status).toBe(200)
}

const addProduct = (product_id: string, metadata: object) =>
  shop.app.call('POST', '/v1/products', {
    token: shop.token,
    body: { product_id, image_url: shop.app.picture(product_id, 6), metadata },
  })

describe('private metadata (contract 10.4)', () => {
  test('is in no answer to a widget: results, popular products, by words, upload and address; the backend sees it', async () => {
    await addProduct('secretive', {
      name: 'Kettle',
      supplier: SECRET,
      cost: 3,
      terms: { rebate: SECRET, days: 30 },
    })
    await hide('supplier', 'cost', 'terms.rebate')
    const image_url = shop.url(6)
    const answers = [
      await shop.find('text', { query: '6' }),
      await shop.find('upload', shop.upload({ query: 'kettle' }, 6)),
      await shop.find('url', { image_url }),
      await shop.find('text', { query: '6', category: 'Nothing' }),
    ]
    for (const { results, popular } of answers) {
      const shown = [...results, ...(popular ?? [])].find(({ product_id }) => product_id === 'secretive')
      expect(shown?.metadata).toEqual({ name: 'Kettle', terms: { days: 30 } })
    }
    expect(JSON.stringify(answers)).not.toContain(SECRET)
    const { body } = await shop.app.call('POST', '/v1/search/text', {
      token: shop.token,
      body: { query: '6' },
    })
    expect(JSON.stringify(body)).toContain(SECRET)
  })

  test('a private price cannot be found out by filtering: the filter is ignored', async () => {
    const all = idsOf((await shop.find('text', { query: 'mugs' })).results)
    expect(idsOf((await shop.find('text', { query: 'mugs', price_max: 9 })).results)).toEqual(['cup'])
    await hide('price')
    for (const filter of [{ price_max: 9 }, { price_min: 90 }]) {
      expect(idsOf((await shop.find('text', { query: 'mugs', ...filter })).results)).toEqual(all)
    }
  })

  test('a private price takes what is paid along', () => {
    const metadata = {
      name: 'Mug',
      price: 12,
      sale_price: 9,
      price_max: 14,
      variants: [{ sku: 'm', price: 9 }],
    }
    expect(createPrivacy(['metadata.price']).strip(metadata)).toEqual({
      name: 'Mug',
      variants: [{ sku: 'm' }],
    })
    expect(createPrivacy(['sale_price']).strip(metadata)).toEqual({
      ...{ name: 'Mug', price: 12, price_max: 14 },
      variants: [{ sku: 'm' }],
    })
  })

  test('a private category filters and steers nothing, and is never named', async () => {
    const { regions, query_categories } = await shop.find('upload', shop.upload())
    expect([regions?.[0]?.category, query_categories?.[0]?.name]).toEqual(['Mugs', 'Mugs'])
    await hide('category')
    const found = await shop.find('upload', shop.upload())
    expect([found.regions?.[0]?.category, found.query_categories]).toEqual([null, undefined])
    const plain = await shop.find('text', { query: 'lamps' })
    expect((await shop.find('text', { query: 'lamps', category: 'Mugs' })).results).toEqual(plain.results)
    expect(JSON.stringify([found, plain])).not.toMatch(/Mugs|Lamps/)
  })

  test('a private color_name cannot be filtered by', async () => {
    await addProduct('scarlet', { color_name: SECRET })
    expect(idsOf((await shop.find('text', { query: '6', color: SECRET })).results)).toEqual(['scarlet'])
    await hide('color_name')
    expect((await shop.find('text', { query: '6', color: SECRET, cutoff: 'none' })).count).toBeGreaterThan(1)
  })

  test.each<[field: string, value: string | string[]]>([
    ['sku', SECRET],
    ['gtin', '4006381333931'],
    ['tags', [SECRET]],
    ['brand', SECRET],
    ['name', SECRET],
  ])('a private %s cannot be found by its words', async (field, value) => {
    await addProduct('first', {})
    await addProduct('marked', { [field]: value })
    await addProduct('last', {})
    // A GTIN counts only where it is the whole query.
    const query = field === 'gtin' ? String(value) : `6 ${value}`
    expect(idsOf((await shop.find('text', { query })).results)[0]).toBe('marked')
    await hide(field)
    // The same vector, in words that no product has.
    const unheardOf = field === 'gtin' ? `${value}x` : '6 unheard-of'
    const { results } = await shop.find('text', { query })
    expect(results).toEqual((await shop.find('text', { query: unheardOf })).results)
    expect(idsOf(results)[0]).not.toBe('marked')
  })
})

describe('the private keys of a metadata object', () => {
  const strip = (keys: string[], metadata: Record<string, unknown>) => createPrivacy(keys).strip(metadata)

  test.each<[keys: string[], before: object, after: object]>([
    [[], { a: 1 }, { a: 1 }],
    [['a'], { a: 1, b: 2 }, { b: 2 }],
    [['metadata.a'], { a: 1, b: 2 }, { b: 2 }],
    [['a.b'], { 'a.b': 1, a: { b: 2, c: 3 } }, { a: { c: 3 } }],
    [['a.b'], { a: { b: 2, c: 3 } }, { a: { c: 3 } }],
    [['a.b.c'], { a: { b: { c: 1, d: 2 } } }, { a: { b: { d: 2 } } }],
    [['a.b.c'], { 'a.b': { c: 1, d: 2 } }, { 'a.b': { d: 2 } }],
    [['a.b'], { a: [{ b: 1, c: 2 }, 7, null, { c: 3 }] }, { a: [{ c: 2 }, 7, null, { c: 3 }] }],
    [['a.b', 'a.c'], { a: { b: 1, c: 2, d: 3 } }, { a: { d: 3 } }],
    [['a.b'], { a: 'text', b: 1 }, { a: 'text', b: 1 }],
    [['toString', '__proto__'], { a: 1 }, { a: 1 }],
    [['__proto__'], JSON.parse('{"__proto__":{"x":1},"b":2}'), { b: 2 }],
    [['a.b.c'], { 'a.b': { c: 1 }, a: { 'b.c': 1, b: { c: 1 } } }, { 'a.b': {}, a: { b: {} } }],
    [['a.b'], { a: [[{ b: 1, c: 2 }], { b: 1 }, 7] }, { a: [[{ c: 2 }], {}, 7] }],
  ])('%j of %j leaves %j', (keys, before, after) => {
    const copy = structuredClone(before)
    expect(strip(keys, before as Record<string, unknown>)).toEqual(after as Record<string, unknown>)
    expect(before).toEqual(copy)
  })

  test('hide a key and all above what is private in it', () => {
    const { hides } = createPrivacy(['metadata.price', 'terms.rebate'])
    expect(['price', 'terms', 'terms.rebate', 'unit_price', 'term'].map(hides)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})

describe('forced filters (contract 10.4)', () => {
  const ACME = [{ field: 'brand', operator: 'eq', value: 'Acme' }]
  const own = async (forced_filters: unknown) => (await makeKey(shop.app, shop.token, { forced_filters })).key

  test('hold for words, uploads, addresses and stored pictures, and nothing shows them', async () => {
    const key = await own(ACME)
    const { image_id } = await shop.find('upload', shop.upload({}, 2), key)
    const image_url = shop.url(3)
    const answers = [
      await shop.find('text', { query: 'tables' }, key),
      await shop.find('upload', shop.upload({ query: 'lamps' }, 2), key),
      await shop.find('url', { image_url }, key),
      await shop.find('url', { image_id }, key),
    ]
    for (const answer of answers) {
      expect(idsOf(answer.results).sort()).toEqual(['cup', 'mug'])
      expect(answer).toMatchObject({ total_candidates: 2 })
      expect(Object.keys(answer)).not.toContain('warnings')
      expect(JSON.stringify(answer)).not.toMatch(/forced|Lamps|Tables/)
    }
  })

  test('hold for similar products: one that the key does not find is unknown', async () => {
    const key = await own(ACME)
    expect(idsOf((await shop.find('url', { product_id: 'mug' }, key)).results)).toEqual(['cup'])
    for (const product_id of ['lamp', 'none']) {
      const answer = await shop.call('url', { product_id }, widgetHeaders(key))
      expect([...refusalOf(answer), answer.body['details']]).toEqual([
        404,
        'not_found',
        { resource: 'product' },
      ])
    }
  })

  test('cannot be widened: every other field is ignored, and a pre-filter only narrows', async () => {
    const key = await own(ACME)
    const attempts = [
      { forced_filters: null },
      { forced_filters: [] },
      { filters: [{ field: 'brand', operator: 'eq', value: 'Zed' }] },
      { filters: { should: [{ field: 'brand', operator: 'exists', value: true }] } },
      { metadata_filters: { brand: 'Zed' }, owner: 'x', storeId: 'x', forcedFilters: [] },
      { product_id: 'lamp', image_id: 'x', query: 'lamps' },
      { sort: 'newest', group_by: 'brand', cutoff: 'none' },
    ]
    for (const attempt of attempts) {
      expect(
        idsOf((await shop.find('text', { query: 'lamps', cutoff: 'none', ...attempt }, key)).results).sort(),
      ).toEqual(['cup', 'mug'])
    }
    const { count, popular } = await shop.find('text', { query: 'lamps', category: 'Lamps' }, key)
    expect([count, idsOf(popular)]).toEqual([0, ['cup', 'mug']])
    expect(idsOf((await shop.find('text', { query: 'mugs', price_max: 9 }, key)).results)).toEqual(['cup'])
  })

  test('name no category of which the key finds nothing', async () => {
    const named = async (key?: string) =>
      (await shop.find('upload', shop.upload({}, 1, 2), key)).query_categories?.map(({ name }) => name)
    expect((await named())?.sort()).toEqual(['Lamps', 'Mugs'])
    expect(await named(await own(ACME))).toEqual(['Mugs'])
  })

  test('are of one key alone, follow its change at once, and see every change of a product', async () => {
    const { app, token } = shop
    const { id, key } = await makeKey(app, token, { forced_filters: ACME })
    const lamps = async (by: string) =>
      idsOf((await shop.find('text', { query: 'lamps', cutoff: 'none' }, by)).results)
    expect(await lamps(shop.key)).toContain('lamp')
    expect(await lamps(key)).not.toContain('lamp')
    await app.call('PATCH', '/v1/products/lamp', { token, body: { metadata: { brand: 'Acme' } } })
    expect(await lamps(key)).toContain('lamp')
    const body = { forced_filters: [{ field: 'price', operator: 'gt', value: 40 }] }
    await app.call('PATCH', `/v1/security/public-keys/${id}`, { token, body })
    expect((await lamps(key)).sort()).toEqual(['both', 'table'])
  })
})
