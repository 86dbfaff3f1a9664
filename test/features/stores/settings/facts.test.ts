import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { makeKey, widgetHeaders } from '../../discovery/widget/widget-shop.ts'

const PATH = '/v1/store/settings'

interface Problem {
  pointer: string
  code: string
  message: string
}

describe('the facts of a store (contract 4.13)', () => {
  let app: TestApp
  let token: string
  let made = 0
  beforeAll(() => {
    app = testApp()
  })
  afterAll(() => app.close())
  beforeEach(async () => {
    token = await app.signIn(`facts-${made++}`)
  })

  const read = async () => (await app.call('GET', PATH, { token })).body
  const change = (body: unknown) => app.call('PATCH', PATH, { token, body })
  async function refuse(body: unknown): Promise<Problem> {
    const before = await read()
    const answer = await change(body)
    expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
    expect(await read()).toEqual(before)
    return (answer.body['details'] as { errors: [Problem] }).errors[0]
  }
  const add = (product_id: string, metadata: Record<string, unknown> = {}) =>
    app.call('POST', '/v1/products', {
      token,
      body: { product_id, image_url: app.picture(product_id, 7), metadata },
    })

  test('are empty at first, and the time zone is UTC', async () => {
    expect(await read()).toMatchObject({
      ...{ shop_url: null, shop_system: null, product_url_template: null, currency: null, locale: null },
      time_zone: 'UTC',
    })
  })

  test('are kept in their one form, and null empties them', async () => {
    const { status, body } = await change({
      ...{ shop_url: ' https://Shop.example/en/ ', shop_system: 'woocommerce', currency: 'eur' },
      ...{ product_url_template: '/p/{sku}', locale: 'de_at', time_zone: 'europe/vienna' },
    })
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        ...{ shop_url: 'https://shop.example/en', shop_system: 'woocommerce', currency: 'EUR' },
        ...{ product_url_template: '/p/{sku}', locale: 'de-AT', time_zone: 'Europe/Vienna' },
      }),
    ])
    expect(await read()).toEqual(body)
    await change({ product_url_template: null, currency: null, time_zone: null })
    expect(await read()).toMatchObject({ product_url_template: null, currency: null, time_zone: 'UTC' })
  })

  test.each([
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['utc', 'UTC'],
  ])('take the time zone %s', async (time_zone, kept) => {
    expect((await change({ time_zone })).body['time_zone']).toBe(kept)
  })

  test.each([
    [{ shop_url: 'shop.example' }, 'format', 'https://shop.example'],
    [{ shop_url: 'javascript:alert(1)' }, 'format', 'https://shop.example'],
    [{ shop_url: 'https://ann:secret@shop.example' }, 'format', 'user name'],
    [{ shop_url: 'https://shop.example/?lang=de' }, 'format', '?'],
    [{ shop_system: 'wordpress' }, 'enum', 'woocommerce'],
    [{ currency: 'EURO' }, 'max_length', '3'],
    [{ currency: 'EUX' }, 'currency', 'ISO 4217'],
    [{ locale: 'german!' }, 'locale', 'de-AT'],
    [{ time_zone: 'Europe/Vienne' }, 'time_zone', 'did you mean Europe/Vienna?'],
    [{ time_zone: '+02:00' }, 'time_zone', 'IANA'],
    [{ product_url_template: 'javascript:alert({sku})' }, 'scheme', 'https://'],
    [{ product_url_template: 'JaVaScRiPt://x/{sku}' }, 'scheme', 'https://'],
    [{ product_url_template: '//evil.example/{sku}' }, 'scheme', 'one /'],
    // Browsers would take the product's own value for the server.
    [{ product_url_template: 'http:///{sku}' }, 'scheme', 'https://'],
    [{ product_url_template: 'https:////{sku}' }, 'scheme', 'https://'],
    [{ product_url_template: 'products/{sku}' }, 'scheme', 'one /'],
    [{ product_url_template: '/\\evil.example/{sku}' }, 'format', 'backslashes'],
    [{ product_url_template: 'https://{sku}.example/' }, 'format', 'behind the name'],
    [{ product_url_template: 'https://shop.example:{sku}/' }, 'format', 'behind the name'],
    [{ product_url_template: 'https://ann@shop.example/{sku}' }, 'format', 'user name'],
    [{ product_url_template: 'https://shop.example/p' }, 'placeholder', '{product_id}'],
    [{ product_url_template: 'https://shop.example/{}' }, 'placeholder', '1 to 64'],
    [{ product_url_template: 'https://shop.example/{{sku}}' }, 'format', 'one {'],
    [{ product_url_template: 'https://shop.example/{sku' }, 'format', 'one {'],
    [{ product_url_template: '/p/{sku}' }, 'shop_url', 'shop_url'],
  ])('refuse %j with a cure', async (body, code, words) => {
    const problem = await refuse(body)
    expect(problem).toEqual(
      expect.objectContaining({
        pointer: `/${Object.keys(body)[0]}`,
        code,
        message: expect.stringContaining(words),
      }),
    )
  })

  test('keep the address of the shop while a template needs it', async () => {
    await change({ shop_url: 'https://shop.example', product_url_template: '/p/{product_id}' })
    expect(await refuse({ shop_url: null })).toMatchObject({ code: 'shop_url' })
    expect((await change({ shop_url: null, product_url_template: null })).status).toBe(200)
  })

  test('refuse a key that no product has, and say which one was meant', async () => {
    const template = (key: string) => ({ product_url_template: `https://shop.example/{${key}}` })
    // Nobody knows yet what the products will have.
    expect((await change(template('handel'))).status).toBe(200)
    await add('a', { handle: 'red-mug', page: { slug: 'mug' } })
    expect(await refuse(template('handel'))).toMatchObject({
      code: 'unknown_key',
      message: expect.stringContaining('did you mean {handle}?'),
    })
    expect(await refuse(template('zzz'))).toMatchObject({ message: expect.stringContaining('{product_id}') })
    for (const odd of ['a"b', "a'b", '__proto__', '$', 'a.b.c', 'x]y', '日本'])
      expect(await refuse(template(odd))).toMatchObject({ code: 'unknown_key' })
    expect((await change(template('handle'))).status).toBe(200)
    expect((await change(template('page.slug'))).status).toBe(200)
    expect((await change(template('product_id'))).status).toBe(200)
  })

  test('show shoppers no private key in an address', async () => {
    const product_url_template = 'https://shop.example/{margin}'
    await change({ private_metadata: ['metadata.margin'] })
    expect(await refuse({ product_url_template })).toMatchObject({ code: 'private_key' })
    await change({ private_metadata: ['page'] })
    expect(await refuse({ product_url_template: 'https://shop.example/{page.slug}' })).toMatchObject({
      code: 'private_key',
    })
    await change({ private_metadata: [], product_url_template })
    expect(await refuse({ private_metadata: ['margin'] })).toMatchObject({ code: 'private_key' })
    // It tells the price.
    await change({ private_metadata: ['price'], product_url_template: null })
    expect(await refuse({ product_url_template: 'https://shop.example/{price_max}' })).toMatchObject({
      code: 'private_key',
    })
  })
})

describe('results lead to the shop (contract 4.13)', () => {
  let app: TestApp
  let token: string
  let widget: Record<string, string>
  beforeAll(async () => {
    app = testApp()
    token = await app.signIn('shop')
    const products: [string, Record<string, unknown>][] = [
      ['mug 1/ä', { sku: 'M 1/2', price: 9, page: { slug: 'mug' } }],
      ['own', { sku: 'O', price: 5, url: 'https://other.example/own', currency: 'CHF' }],
      ['bare', { price: 3 }],
    ]
    for (const [n, [product_id, metadata]] of products.entries()) {
      const body = {
        product_id: product_id.replace('/', '-'),
        image_url: app.picture(product_id, n),
        metadata,
      }
      expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
    }
    widget = widgetHeaders((await makeKey(app, token)).key)
    await change({ shop_url: 'https://shop.example/en', product_url_template: '/p/{sku}?id={product_id}' })
    await change({ currency: 'eur' })
  })
  afterAll(() => app.close())

  const change = async (body: unknown) =>
    expect((await app.call('PATCH', PATH, { token, body })).status).toBe(200)
  type Hit = { product_id: string; metadata: Record<string, unknown> }
  const hitsOf = (body: Record<string, unknown>, list = 'results') =>
    Object.fromEntries((body[list] as Hit[]).map(({ product_id, metadata }) => [product_id, metadata]))
  const ADDRESS = 'https://shop.example/en/p/M%201%2F2?id=mug%201-%C3%A4'

  test.each([
    ['text', { query: 'mug' }],
    ['hybrid', { query: 'mug', text_weight: 1, product_id: 'bare' }],
    ['filtered', { filters: [] }],
  ])('in a search by %s', async (kind, body) => {
    const answer = await app.call('POST', `/v1/search/${kind}`, { token, body })
    expect(answer.status).toBe(200)
    const hits = hitsOf(answer.body)
    expect(hits['mug 1-ä']).toMatchObject({ url: ADDRESS, currency: 'EUR' })
    expect(hits['own']).toMatchObject({ url: 'https://other.example/own', currency: 'CHF' })
  })

  test('but not where the product lacks a key of the template', async () => {
    const { body } = await app.call('POST', '/v1/search/text', { token, body: { query: 'x' } })
    expect(hitsOf(body)['bare']).toEqual({ price: 3, currency: 'EUR' })
  })

  test('in a batch and beside a product', async () => {
    const batch = await app.call('POST', '/v1/search/batch', {
      token,
      body: { queries: [{ type: 'text', query: 'mug' }] },
    })
    const [entry] = batch.body['results'] as [Record<string, unknown>]
    expect(hitsOf(entry)['mug 1-ä']).toMatchObject({ url: ADDRESS })
    const similar = await app.call('GET', '/v1/products/own/similar', { token })
    expect(hitsOf(similar.body)['mug 1-ä']).toMatchObject({ url: ADDRESS })
  })

  test('as far as fields are asked for', async () => {
    const search = async (fields: string[]) => {
      const body = { query: 'mug', fields }
      return hitsOf((await app.call('POST', '/v1/search/text', { token, body })).body)['mug 1-ä']
    }
    expect(await search(['url'])).toEqual({ url: ADDRESS })
    expect(await search(['sku', 'currency'])).toEqual({ sku: 'M 1/2', currency: 'EUR' })
    expect(await search(['price'])).toEqual({ price: 9 })
  })

  test('in a widget, which keeps what is private to itself', async () => {
    const search = () =>
      app.call('POST', '/v1/widget/search/text', { headers: widget, body: { query: 'mug' } })
    expect(hitsOf((await search()).body)['mug 1-ä']).toMatchObject({ url: ADDRESS, currency: 'EUR' })
    await change({ private_metadata: ['url', 'currency'] })
    expect(hitsOf((await search()).body)['mug 1-ä']).toEqual({
      sku: 'M 1/2',
      price: 9,
      page: { slug: 'mug' },
    })
    await change({ private_metadata: [] })
  })

  test('among popular products, in a widget and for the backend', async () => {
    const nothing = { query: 'mug', price_min: 1_000 }
    const answer = await app.call('POST', '/v1/widget/search/text', { headers: widget, body: nothing })
    expect(hitsOf(answer.body, 'popular')['mug 1-ä']).toMatchObject({ url: ADDRESS, currency: 'EUR' })
    const found = await app.call('POST', '/v1/search/text', { token, body: { query: 'mug' } })
    const click = { search_id: found.body['search_id'], result_product_id: 'mug 1-ä', action: 'click' }
    expect(
      (await app.call('POST', '/v1/search/feedback', { token, body: click })).body['error'],
    ).toBeUndefined()
    const popular = await app.call('GET', '/v1/search/feedback/popular', { token })
    expect(hitsOf(popular.body, 'products')['mug 1-ä']).toMatchObject({ url: ADDRESS, currency: 'EUR' })
  })

  test('while products and exports stay as they were sent', async () => {
    const product = await app.call('GET', '/v1/products/bare', { token })
    expect(product.body['metadata']).toEqual({ price: 3 })
    const exported = await app.call('GET', '/v1/products/export', { token })
    expect(JSON.stringify(exported)).not.toContain('shop.example/en')
  })
})
