import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'

let app: TestApp
let token: string
let gate: ReturnType<typeof gatedEmbedder>

beforeEach(async () => {
  gate = gatedEmbedder()
  app = testApp({ embedder: gate.embedder })
  token = await app.signIn()
})
afterEach(() => app.close())

const post = (body: unknown, headers: Record<string, string> = {}) =>
  app.call('POST', '/v1/products', { token, body, headers })
const read = async (id: string) =>
  (await app.call('GET', `/v1/products/${encodeURIComponent(id)}`, { token })).body

describe('POST /v1/products (contract 2.2, 2.1)', () => {
  test('201 indexed: a new product has a vector_id and can be read as it was given', async () => {
    const image_url = app.picture('mug', 1)
    const metadata = { name: 'Mug', category: 'Mugs', price: 9.5, tags: ['a', 'b'], season: { year: 2030 } }
    const { status, body } = await post({ product_id: 'mug', image_url, metadata })
    expect(status).toBe(201)
    expect(body).toEqual({
      status: 'indexed',
      product_id: 'mug',
      vector_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      message: 'indexed',
    })
    expect(await read('mug')).toEqual({
      product_id: 'mug',
      image_url,
      thumbnail_url: expect.stringMatching(/^\/thumbnails\/[0-9a-f]{32}\.webp\?until=\d+&sig=[0-9a-f]{32}$/),
      additional_image_urls: [],
      metadata,
      status: 'indexed',
      vector_id: body['vector_id'],
      indexed_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-01-01T00:00:00.000Z',
      image: {
        width: 640,
        height: 480,
        bytes: pictureBytes(1).byteLength,
        content_type: 'image/jpeg',
        phash: '0123456789abcdef',
        palette: [{ hex: '#cc0000', share: 0.7 }],
      },
      error: null,
    })
  })

  test('200 updated: the same id with other metadata keeps its vector_id and its date of indexing', async () => {
    const image_url = app.picture('mug', 1)
    const first = await post({ product_id: 'mug', image_url, metadata: { price: 1 } })
    app.clock.advance(5_000)
    const second = await post({ product_id: 'mug', image_url, metadata: { price: 2 } })
    expect([second.status, second.body['message']]).toEqual([200, 'updated'])
    expect(second.body['vector_id']).toBe(first.body['vector_id'])
    expect(await read('mug')).toMatchObject({
      metadata: { price: 2 },
      indexed_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-01-01T00:00:05.000Z',
    })
  })

  test('200 updated: metadata that is left out is gone, for POST replaces', async () => {
    const image_url = app.picture('mug', 1)
    await post({ product_id: 'mug', image_url, metadata: { price: 1, name: 'x' } })
    await post({ product_id: 'mug', image_url })
    expect((await read('mug'))['metadata']).toEqual({})
  })

  test('200 unchanged: nothing is written, not even a date', async () => {
    const body = { product_id: 'mug', image_url: app.picture('mug', 1), metadata: { tags: ['a'], price: 1 } }
    await post(body)
    app.clock.advance(5_000)
    const again = await post({ ...body, metadata: { price: 1, tags: ['a'] } })
    expect([again.status, again.body['message']]).toEqual([200, 'unchanged'])
    expect((await read('mug'))['updated_at']).toBe('2030-01-01T00:00:00.000Z')
  })

  test('201 indexed: as multipart, with metadata and further pictures as JSON text', async () => {
    const side = app.picture('side', 2)
    const { status, body } = await post(
      form({
        product_id: 'cup',
        image: pictureBytes(3),
        metadata: '{"price":2,"tags":["x"]}',
        additional_image_urls: JSON.stringify([side]),
      }),
    )
    expect([status, body['message']]).toEqual([201, 'indexed'])
    expect(await read('cup')).toMatchObject({
      image_url: expect.stringMatching(/^http:\/\/lookalike\.test\/pictures\/[\w-]{20,}$/),
      additional_image_urls: [side],
      metadata: { price: 2, tags: ['x'] },
    })
  })

  test('201 indexed: unknown fields are ignored (conventions)', async () => {
    const { status } = await post({ product_id: 'a', image_url: app.picture('a', 1), colour: 'red', id: 7 })
    expect(status).toBe(201)
  })

  test('422 image_source_invalid: a form with a file and an address', async () => {
    const { status, body } = await post(
      form({ product_id: 'a', image: pictureBytes(1), image_url: app.picture('a', 1) }),
    )
    expect([status, body['error']]).toEqual([422, 'image_source_invalid'])
  })

  test('two stores may use the same product_id and never see the other one', async () => {
    const other = await app.signIn('two')
    await post({ product_id: 'same', image_url: app.picture('a', 1), metadata: { name: 'mine' } })
    expect((await app.call('GET', '/v1/products/same', { token: other })).status).toBe(404)
    expect((await app.call('DELETE', '/v1/products/same', { token: other })).status).toBe(404)
    const made = await app.call('POST', '/v1/products', {
      token: other,
      body: { product_id: 'same', image_url: app.picture('b', 2) },
    })
    expect(made.status).toBe(201)
    expect((await read('same'))['metadata']).toEqual({ name: 'mine' })
  })
})

describe('POST /v1/products with Idempotency-Key (contract 1.6)', () => {
  test('a replay gives the first answer with its status, and does the work once', async () => {
    const body = { product_id: 'mug', image_url: app.picture('mug', 1) }
    const first = await post(body, { 'idempotency-key': 'k1' })
    const again = await post(body, { 'idempotency-key': 'k1' })
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(app.downloads).toHaveLength(1)
  })

  test('422 idempotency_key_reused: the same key for another body', async () => {
    await post({ product_id: 'mug', image_url: app.picture('mug', 1) }, { 'idempotency-key': 'k1' })
    const { status, body } = await post(
      { product_id: 'cup', image_url: app.picture('mug', 1) },
      { 'idempotency-key': 'k1' },
    )
    expect([status, body['error']]).toEqual([422, 'idempotency_key_reused'])
    expect((await app.call('GET', '/v1/products/cup', { token })).status).toBe(404)
  })

  test('a request that failed may be sent again under its key', async () => {
    const body = { product_id: 'mug', image_url: 'https://img.test/late.jpg' }
    expect((await post(body, { 'idempotency-key': 'k1' })).status).toBe(422)
    app.picture('late', 1)
    expect((await post(body, { 'idempotency-key': 'k1' })).status).toBe(201)
  })

  test('409 idempotency_in_progress while the first call runs, with Retry-After', async () => {
    const body = { product_id: 'mug', image_url: app.picture('mug', 1) }
    gate.close()
    const first = post(body, { 'idempotency-key': 'k1' })
    await gate.waited()
    const refused = await post(body, { 'idempotency-key': 'k1' })
    gate.open()
    expect([(await first).status, refused.status]).toEqual([201, 409])
    expect(refused.body['error']).toBe('idempotency_in_progress')
    expect(refused.headers.get('retry-after')).toBe('1')
  })

  test('one key in two stores is two keys', async () => {
    const other = await app.signIn('two')
    const body = { product_id: 'mug', image_url: app.picture('mug', 1) }
    await post(body, { 'idempotency-key': 'k1' })
    const there = await app.call('POST', '/v1/products', {
      token: other,
      body,
      headers: { 'idempotency-key': 'k1' },
    })
    expect(there.headers.get('idempotent-replayed')).toBeNull()
    expect(there.status).toBe(201)
  })

  test.each(['', 'k'.repeat(256)])('422 validation_error: a key of 0 or 256 characters', async (key) => {
    const { status, body } = await post(
      { product_id: 'mug', image_url: app.picture('mug', 1) },
      { 'idempotency-key': key },
    )
    expect([status, body['error']]).toEqual([422, 'validation_error'])
  })
})
