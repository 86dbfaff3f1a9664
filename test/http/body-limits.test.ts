import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { LIMITS } from '../../src/core/limits.ts'
import { recordBar } from '../robustness/bars.ts'
import { form, pictureBytes, type TestApp, testApp } from '../support/app.ts'

let app: TestApp
let token: string

beforeAll(() => {
  app = testApp()
})
beforeEach(async () => {
  token = await app.signIn(app.newSlug())
})
afterAll(() => app.close())

const json = (path: string, body: string) =>
  app.call('POST', path, { token, body, headers: { 'content-type': 'application/json' } })

const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
  (body['details'] as { errors?: { pointer: string }[] }).errors?.map(({ pointer }) => pointer),
]

describe('routes without sign-in take 16 KiB', () => {
  const letter = { email: 'a@shop.test', password: 'a long password', store_name: 'A', token: 'x' }
  const text = (bytes: number) => {
    const bare = JSON.stringify({ ...letter, note: '' })
    return JSON.stringify({ ...letter, note: 'x'.repeat(bytes - bare.length) })
  }

  test.each(['/oauth/login', '/register', '/oauth/password/forgot', '/oauth/password/reset'])(
    'POST %s: 16 KiB are read, one byte more is 413 payload_too_large',
    async (path) => {
      expect(text(LIMITS.openBodyBytesMax)).toHaveLength(16 * 1024)
      expect((await json(path, text(LIMITS.openBodyBytesMax))).status).not.toBe(413)
      const answer = await json(path, text(LIMITS.openBodyBytesMax + 1))
      expect(answer.status).toBe(413)
      expect(answer.body['details']).toEqual({ max_bytes: 16 * 1024 })
      const measured = '16,384 bytes are read, 16,385 are 413'
      recordBar({ bar: 34, part: 'size without sign-in', on: 'process', n: 1, measured, isMet: true })
    },
  )

  test('POST /oauth/password/reset: the same as a form of letters', async () => {
    const body = new URLSearchParams({ token: 'x', password: 'x'.repeat(17_000) })
    expect((await app.call('POST', '/oauth/password/reset', { body })).status).toBe(413)
  })
})

describe('forms', () => {
  const search = (fields: Record<string, string | Uint8Array<ArrayBuffer>>) =>
    app.call('POST', '/v1/search', { token, body: form({ image: pictureBytes(1), ...fields }) })

  test('200 fields are taken, 201 are 422', async () => {
    const others = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, '1']))
    expect((await search(others(199))).status).toBe(200)
    const answer = await search(others(200))
    expect(refusal(answer)).toEqual([422, 'validation_error', ['']])
    expect(answer.body['message']).toBe('the body must have at most 200 fields')
  })

  test('numbers that no double can hold are 422, alone and inside JSON', async () => {
    expect(refusal(await search({ price_min: '1e400' }))).toEqual([422, 'validation_error', ['/price_min']])
    const body = form({ product_id: 'a', image: pictureBytes(1), metadata: '{"a":[1,{"b":-1e400}]}' })
    const answer = await app.call('POST', '/v1/products', { token, body })
    expect(refusal(answer)).toEqual([422, 'validation_error', ['/metadata/a/1/b']])
    expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(0)
  })

  test('a text that is no UTF-8 is 400 and not mended', async () => {
    const parts = ['--b\r\nContent-Disposition: form-data; name="category"\r\n\r\n', '\xff', '\r\n--b--']
    const response = await app.http.handle(
      new Request('http://lookalike.test/v1/search', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b' },
        body: Buffer.from(parts.join(''), 'latin1'),
      }),
    )
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_request', details: { field: 'category' } },
    ])
  })

  test.each([
    ['limit', '0'.repeat(5_000_000)],
    ['explain', ' '.repeat(5_000_000)],
    ['fields', 'a,'.repeat(2_000_000)],
    ['fields', `["${'a","'.repeat(1_000)}"]`],
  ])('%s of megabytes is 422', async (field, text) => {
    expect(refusal(await search({ [field]: text }))).toEqual([422, 'validation_error', [`/${field}`]])
  })
})

describe('JSON', () => {
  test.each(['/v1/search/text', '/v1/search/url', '/v1/products'])(
    'POST %s: a number that no double can hold is 422 with its place, anywhere',
    async (path) => {
      expect(refusal(await json(path, '{"query":"1","limit":1e400}'))).toEqual([
        422,
        'validation_error',
        ['/limit'],
      ])
      expect(refusal(await json(path, '{"query":"1","unknown":{"x":[-1e999]}}'))).toEqual([
        422,
        'validation_error',
        ['/unknown/x/0'],
      ])
    },
  )

  test('a vector of the wrong length is judged by its length, one of a million numbers before it is parsed', async () => {
    const vector = (count: number) => `{"vector":[${'0.5,'.repeat(count - 1)}0.5]}`
    expect(refusal(await json('/v1/search/url', vector(9)))).toEqual([422, 'validation_error', ['/vector']])
    const long = await json('/v1/search/url', vector(5_000))
    expect(refusal(long)).toEqual([422, 'validation_error', ['/vector']])
    expect(long.body['message']).toBe('vector must have at most 4096 items')
    expect(refusal(await json('/v1/search/url', vector(1_000_000)))).toEqual([422, 'validation_error', ['']])
  })

  test('more than 1 MiB beside its texts is 413, more than that in one text is not', async () => {
    const answer = await json('/v1/search/url', `{"image_id":"x"${' '.repeat(1024 * 1024)}}`)
    expect(answer.status).toBe(413)
    expect(answer.body['details']).toEqual({ max_bytes: LIMITS.jsonStructureBytesMax })
    const text = JSON.stringify({ image_id: 'x', note: ' '.repeat(2 * 1024 * 1024) })
    expect((await json('/v1/search/url', text)).status).toBe(404)
  })

  test('a list in one refusal among others is told once, with the problems beside it', async () => {
    const body = { fields: Array(20_000).fill('a'), limit: 'x', tags: Array(11).fill(1) }
    const { body: answer } = await json('/v1/search/url', JSON.stringify({ image_id: 'x', ...body }))
    const { errors } = answer['details'] as { errors: { pointer: string; code: string }[] }
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/limit type',
      '/fields max_items',
      '/tags max_items',
      ...Array.from({ length: 11 }, (_, n) => `/tags/${n} type`),
    ])
  })

  test('a body in 30,000 pieces is refused, whatever its size', async () => {
    let sent = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          if (sent++ < 30_000) controller.enqueue(Uint8Array.of(0x20))
          else controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const response = await app.http.handle(
      new Request('http://lookalike.test/v1/search/text', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      }),
    )
    expect([response.status, await response.json()]).toMatchObject([413, { details: { max_pieces: 20_000 } }])
  })
})
