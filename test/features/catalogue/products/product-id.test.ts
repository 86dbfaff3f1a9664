import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RESERVED_PRODUCT_IDS } from '../../../../src/features/catalogue/products/schema.ts'
import { type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp
let token: string

beforeAll(async () => {
  app = testApp()
  token = await app.signIn()
})
afterAll(() => app.close())

const post = (product_id: unknown) =>
  app.call('POST', '/v1/products', { token, body: { product_id, image_url: app.picture('p', 1) } })
const put = (path: string) =>
  app.call('PUT', `/v1/products/${path}`, { token, body: { image_url: app.picture('p', 1) } })

const GOOD = [
  'a',
  'x'.repeat(128),
  'SKU 1 (red)',
  'ümläut–€',
  '商品-1',
  '👟🏽',
  '...',
  '.hidden',
  'a.b',
  'a?b#c',
  'a%2Fb',
  '%',
  '100%',
  '+a&b=c',
  '"quoted"',
  "'; DROP TABLE products; --",
  'C:\\path',
  '__proto__',
  'constructor',
  'demos',
  'Demo',
  'null',
  '0',
  ' a ',
  '👟'.repeat(128),
  '👨‍👩‍👧',
  '🏴\u{e0067}\u{e0062}\u{e007f}',
  'می‌خواهم',
  '❤️',
]
const BAD = [
  '',
  'x'.repeat(129),
  'a/b',
  '/',
  'a\u0000',
  'a\nb',
  '\u007f',
  '\u0085',
  '.',
  '..',
  '\ud800',
  'a\udc00b',
  '👟'.repeat(129),
  ' ',
  '\u00a0\u3000',
  '\u200b',
  '\u200d\ufe0f',
  '\ufeff ',
  '\u3164',
  '\u{e0041}\u{e0042}',
  'a\u202eb',
  'a\u2066b',
  'a\u2028b',
  'a\u2029b',
]

describe('product_id (contract 2.1: 1 to 128 printable characters but /)', () => {
  test.each(GOOD)('201: %j is indexed, read, found and deleted under its own name', async (id) => {
    const made = await post(id)
    expect([made.status, made.body['product_id']]).toEqual([201, id])
    const path = `/v1/products/${encodeURIComponent(id)}`
    expect((await app.call('GET', path, { token })).body['product_id']).toBe(id)
    const found = await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    expect((found.body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)).toContain(
      id,
    )
    expect((await app.call('PATCH', path, { token, body: { metadata: { a: 1 } } })).body['product_id']).toBe(
      id,
    )
    expect((await put(encodeURIComponent(id))).body['product_id']).toBe(id)
    expect((await app.call('DELETE', path, { token })).body).toEqual({ status: 'deleted', product_id: id })
    expect((await app.call('GET', path, { token })).status).toBe(404)
  })

  test.each(BAD)('422 validation_error: %j in the body', async (id) => {
    const { status, body } = await post(id)
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(body).toMatchObject({ details: { errors: [{ in: 'body', pointer: '/product_id' }] } })
  })

  test.each(RESERVED_PRODUCT_IDS)('422 reserved: %s stands for a path, on POST and on PUT', async (id) => {
    for (const [answer, place] of [
      [await post(id), 'body'],
      [await put(`%${id.charCodeAt(0).toString(16)}${id.slice(1)}`), 'path'],
    ] as const) {
      expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
      expect(answer.body['message']).toContain('product_id is reserved')
      expect(answer.body).toMatchObject({
        details: { errors: [{ in: place, pointer: '/product_id', code: 'reserved' }] },
      })
    }
    expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(0)
  })

  test.each([[1], [null], [['a']], [{}], [true]])('422 validation_error: %p is no string', async (id) => {
    expect((await post(id)).status).toBe(422)
  })

  test.each(['a%2Fb', 'a%00', 'a%0Ab', '%7F', 'x'.repeat(129)])(
    '422: PUT does not make the product %s',
    async (path) => {
      const { status, body } = await put(path)
      expect([status, body['error']]).toEqual([422, 'validation_error'])
      expect(body).toMatchObject({ details: { errors: [{ in: 'path', pointer: '/product_id' }] } })
    },
  )

  test.each(['.', '..', '%2e', '%2e%2e'])(
    'PUT %s is another path by the rules of addresses, never a product',
    async (path) => {
      expect([404, 405]).toContain((await put(path)).status)
    },
  )

  test.each(['%E0%A4%A', '%ff', '%'])('4xx and never 500: the path %s is not UTF-8', async (path) => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const answer = await app.call(method, `/v1/products/${path}`, {
        token,
        ...(method.startsWith('P') && { body: { image_url: app.picture('p', 1) } }),
      })
      expect(answer.status).toBeLessThan(500)
    }
    await app.call('DELETE', `/v1/products/${encodeURIComponent(path)}`, { token })
  })

  test.each(['GET', 'DELETE', 'PATCH'])('404 not_found: %s of an id that cannot exist', async (method) => {
    for (const path of ['a%2Fb', 'none', 'x'.repeat(500)]) {
      const { status, body } = await app.call(method, `/v1/products/${path}`, {
        token,
        ...(method === 'PATCH' && { body: {} }),
      })
      expect([status, body['error'], body['details']]).toEqual([404, 'not_found', { resource: 'product' }])
    }
  })

  test('ids that differ in case, form or spaces are different products', async () => {
    const ids = ['Caf\u00e9', 'Cafe\u0301', 'caf\u00e9', 'Caf\u00e9 ']
    for (const id of ids) expect((await post(id)).status).toBe(201)
    for (const id of ids)
      expect(
        (await app.call('GET', `/v1/products/${encodeURIComponent(id)}`, { token })).body['product_id'],
      ).toBe(id)
  })
})

describe('PUT /v1/products/{product_id} (contract 2.2)', () => {
  test('201 new, 200 updated, 200 unchanged, as POST', async () => {
    const image_url = app.picture('put', 2)
    const send = (body: unknown) => app.call('PUT', '/v1/products/put', { token, body })
    const answers = [
      await send({ image_url }),
      await send({ image_url, metadata: { a: 1 } }),
      await send({ image_url, metadata: { a: 1 }, product_id: 'put' }),
    ]
    expect(answers.map(({ status, body }) => [status, body['message']])).toEqual([
      [201, 'indexed'],
      [200, 'updated'],
      [200, 'unchanged'],
    ])
  })

  test('422 validation_error: another id inside, and nothing is written under either', async () => {
    const { status, body } = await app.call('PUT', '/v1/products/outer', {
      token,
      body: { product_id: 'inner', image_url: app.picture('p', 1) },
    })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(body).toMatchObject({ details: { errors: [{ pointer: '/product_id', code: 'mismatch' }] } })
    for (const id of ['outer', 'inner']) {
      expect((await app.call('GET', `/v1/products/${id}`, { token })).status).toBe(404)
    }
  })
})
