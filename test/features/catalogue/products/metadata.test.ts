import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp
let token: string

beforeAll(() => {
  app = testApp()
})
beforeEach(async () => {
  token = await app.signIn(app.newSlug())
})
afterAll(() => app.close())

const post = (metadata: unknown) =>
  app.call('POST', '/v1/products', {
    token,
    body: { product_id: 'p', image_url: app.picture('p', 1), metadata },
  })
const patch = (metadata: unknown) => app.call('PATCH', '/v1/products/p', { token, body: { metadata } })
const stored = async () => (await app.call('GET', '/v1/products/p', { token })).body['metadata']
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
const pointers = ({ body }: { body: Record<string, unknown> }) =>
  (body as { details: { errors: { pointer: string }[] } }).details.errors.map(({ pointer }) => pointer)

describe('POST /v1/products: metadata (contract 2.7)', () => {
  test('201: unknown keys of any JSON type are kept and given back as they came', async () => {
    const metadata = {
      season: 'winter',
      n: -1.5,
      yes: true,
      none: null,
      list: [1, 'a', null],
      deep: { a: { b: 'ü€😀' } },
    }
    expect((await post(metadata)).status).toBe(201)
    expect(await stored()).toEqual(metadata)
  })

  test.each([
    ['name', 1],
    ['category', ['a']],
    ['brand', null],
    ['price', '9.50'],
    ['color_name', {}],
    ['tags', 'a,b'],
    ['tags', [1]],
    ['url', 1],
    ['currency', 1],
    ['in_stock', 'yes'],
    ['sku', 1],
    ['gtin', 1],
    ['variant_group', 1],
    ['sale_price', '1'],
    ['rating', '5'],
    ['created_at', 1],
  ])('422 validation_error: the known key %s is type-checked', async (key, value) => {
    const answer = await post({ [key]: value })
    expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
    expect(pointers(answer)[0]).toStartWith(`/metadata/${key}`)
  })

  test('422 validation_error: all problems at once; a price must be finite', async () => {
    expect(pointers(await post({ name: 1, price: 'x', tags: 2 }))).toEqual([
      '/metadata/name',
      '/metadata/price',
      '/metadata/tags',
    ])
    const { status } = await app.call('POST', '/v1/products', {
      token,
      headers: { 'content-type': 'application/json' },
      body: `{"product_id":"p","image_url":"${app.picture('p', 1)}","metadata":{"price":1e999}}`,
    })
    expect(status).toBe(422)
  })

  test.each([['text'], [['a']], [7], [null]])(
    '422 validation_error: metadata %p is no object',
    async (metadata) => {
      const answer = await post(metadata)
      expect(answer.status).toBe(422)
      expect(pointers(answer)).toEqual(['/metadata'])
    },
  )

  test('16 KB as JSON are allowed, one byte more is 422', async () => {
    const filling = 16 * 1024 - JSON.stringify({ note: '' }).length
    expect((await post({ note: 'x'.repeat(filling) })).status).toBe(201)
    const answer = await post({ note: 'x'.repeat(filling + 1) })
    expect([answer.status, pointers(answer)]).toEqual([422, ['/metadata']])
  })

  test('the 16 KB are bytes, not characters', async () => {
    expect((await post({ note: '€'.repeat(6_000) })).status).toBe(422)
  })

  test('200 keys are allowed, 201 are not, nested ones count', async () => {
    const keys = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]))
    expect((await post(keys(200))).status).toBe(201)
    expect((await post(keys(201))).status).toBe(422)
    expect((await post({ inner: keys(200) })).status).toBe(422)
  })

  test('5 levels are allowed, 6 are not', async () => {
    expect((await post(nested(5))).status).toBe(201)
    expect((await post(nested(6))).status).toBe(422)
    expect((await post({ list: [[[[1]]]] })).status).toBe(200)
    expect((await post({ list: [[[[[1]]]]] })).status).toBe(422)
  })

  test.each([1_000, 20_000, 500_000])('4xx and never 500: %d levels', async (levels) => {
    for (const [open, close] of [
      ['{"a":', '}'],
      ['[', ']'],
    ] as const) {
      const { status, body } = await app.call('POST', '/v1/products', {
        token,
        headers: { 'content-type': 'application/json', 'idempotency-key': `deep${open}` },
        body: `{"product_id":"p","image_url":"x","metadata":{"a":${open.repeat(levels)}1${close.repeat(levels)}}}`,
      })
      expect(['invalid_json', 'invalid_request', 'validation_error']).toContain(String(body['error']))
      expect([400, 422]).toContain(status)
    }
    expect((await post({ a: 1 })).status).toBe(201)
  })

  test('__proto__ and constructor are data at most: no prototype is touched', async () => {
    const { status } = await app.call('POST', '/v1/products', {
      token,
      headers: { 'content-type': 'application/json' },
      body: `{"product_id":"p","image_url":"${app.picture('p', 1)}",
        "metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}}`,
    })
    expect(status).toBe(201)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(await stored()).toEqual({ a: 1, constructor: { prototype: { polluted: 1 } } } as Record<
      string,
      unknown
    >)
  })

  test('__proto__ in the metadata of a form is left out as well', async () => {
    const { status } = await app.call('POST', '/v1/products', {
      token,
      body: form({ product_id: 'p', image: pictureBytes(1), metadata: '{"__proto__":{"price":"x"},"a":1}' }),
    })
    expect(status).toBe(201)
    expect(JSON.stringify(await stored())).toBe('{"a":1}')
  })

  test('NUL, half surrogate pairs and keys with dots come back as they were sent', async () => {
    const metadata = { 'a.b': '\u0000', half: '\ud800', name: 'x\u0000y', category: 'c\ud800' }
    expect((await post(metadata)).status).toBe(201)
    expect(await stored()).toEqual(metadata)
  })
})

describe('PATCH /v1/products/{product_id}: metadata is a JSON merge patch (RFC 7396)', () => {
  test('200 updated: named keys change, null removes, objects merge, lists are replaced', async () => {
    await post({ name: 'A', price: 1, tags: ['a', 'b'], deep: { x: 1, y: { z: 1 } } })
    const { status, body } = await patch({
      price: null,
      tags: ['c'],
      deep: { y: { z: null, w: 2 } },
      new: { a: null, b: 1 },
    })
    expect([status, body['message']]).toEqual([200, 'updated'])
    expect(await stored()).toEqual({ name: 'A', tags: ['c'], deep: { x: 1, y: { w: 2 } }, new: { b: 1 } })
  })

  test('200 unchanged: an empty patch, and one with the present values', async () => {
    await post({ name: 'A' })
    expect((await patch({})).body['message']).toBe('unchanged')
    expect((await patch({ name: 'A', gone: null })).body['message']).toBe('unchanged')
    expect((await app.call('PATCH', '/v1/products/p', { token, body: {} })).body['message']).toBe('unchanged')
  })

  test('422 validation_error: the merged result is checked, with pointers under /metadata', async () => {
    await post({ name: 'A' })
    const answer = await patch({ price: 'ten', tags: [1] })
    expect(answer.status).toBe(422)
    expect(pointers(answer)).toEqual(['/metadata/price', '/metadata/tags/0'])
    expect(await stored()).toEqual({ name: 'A' })
  })

  test('422: the merged result keeps the limits of size, keys and depth', async () => {
    await post({ note: 'x'.repeat(10_000) })
    expect((await patch({ more: 'x'.repeat(10_000) })).status).toBe(422)
    expect((await patch(nested(6))).status).toBe(422)
  })

  test.each([1_000, 20_000, 500_000])('4xx and never 500: %d levels', async (levels) => {
    await post({ name: 'A' })
    const { status } = await app.call('PATCH', '/v1/products/p', {
      token,
      headers: { 'content-type': 'application/json' },
      body: `{"metadata":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`,
    })
    expect([400, 422]).toContain(status)
    expect(await stored()).toEqual({ name: 'A' })
  })

  test('inherited names are ordinary keys', async () => {
    await post({})
    expect((await patch({ constructor: { a: 1 }, toString: 'x', hasOwnProperty: null })).status).toBe(200)
    expect(await stored()).toEqual({ constructor: { a: 1 }, toString: 'x' } as unknown as Record<
      string,
      unknown
    >)
  })
})
