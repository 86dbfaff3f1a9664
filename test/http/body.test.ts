import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { LIMITS } from '../../src/core/limits.ts'
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

const send = (path: string, body: string | FormData, type?: string) =>
  app.call('POST', path, { token, body, headers: type === undefined ? {} : { 'content-type': type } })

const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
]

describe('Content-Type (contract 1.3: JSON unless stated)', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    // RFC 8259 §11: a charset has no meaning for JSON, which is UTF-8.
    'application/json; charset=iso-8859-1',
    'application/merge-patch+json',
    ' application/json ',
  ])('%p is JSON', async (type) => {
    expect((await send('/v1/search/text', '{"query":"1"}', type)).status).toBe(200)
  })

  test.each([
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json, text/plain',
    'json',
    '+json',
    'application/octet-stream',
  ])('415 unsupported_media_type: %p is no JSON, and the answer names what is', async (type) => {
    const answer = await send('/v1/search/text', '{"query":"1"}', type)
    expect(refusal(answer)).toEqual([415, 'unsupported_media_type'])
    expect(answer.body['details']).toEqual({ expected: 'application/json' })
  })

  test('415 when a body comes without any type, and when none comes at all', async () => {
    const bare = new Request('http://lookalike.test/v1/search/text', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new TextEncoder().encode('{"query":"1"}'),
    })
    bare.headers.delete('content-type')
    expect((await app.http.handle(bare)).status).toBe(415)
    expect(refusal(await app.call('POST', '/v1/search/text', { token }))).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  test('415 on POST /v1/products names both ways', async () => {
    const answer = await send('/v1/products', 'x', 'text/csv')
    expect(answer.body['details']).toEqual({ expected: 'application/json or multipart/form-data' })
  })

  test('415 on POST /v1/search for JSON', async () => {
    const answer = await send('/v1/search', '{}', 'application/json')
    expect(answer.body['details']).toEqual({ expected: 'multipart/form-data' })
  })

  test('a route without a body reads none: broken JSON does no harm', async () => {
    expect(
      (
        await app.call('DELETE', '/v1/products/demo', {
          token,
          body: '{',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(200)
  })
})

describe('broken JSON', () => {
  test.each(['{', '', '{"query":}', '[1', 'undefined'])('%p is 400 invalid_json', async (text) => {
    const answer = await send('/v1/search/text', text, 'application/json')
    expect(refusal(answer)).toEqual([400, 'invalid_json'])
    expect(answer.body['details']).toEqual({ line: expect.any(Number), column: expect.any(Number) })
  })

  test('200 000 levels are 400 invalid_json, not a stack overflow', async () => {
    const deep = `{"query":"1","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(refusal(await send('/v1/search/text', deep, 'application/json'))).toEqual([400, 'invalid_json'])
  })

  test('__proto__ in metadata reaches neither a prototype nor the answer', async () => {
    const image_url = app.picture('a', 1)
    const text = `{"product_id":"a","image_url":"${image_url}","metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"name":"n"}}`
    expect((await send('/v1/products', text, 'application/json')).status).toBe(201)
    const { body } = await app.call('GET', '/v1/products/a', { token })
    expect(Object.keys(body['metadata'] as object).sort()).toEqual(['constructor', 'name'])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('413 payload_too_large', () => {
  const text = (size: number) => `{"query":"1","x":"${'x'.repeat(size - 20)}"}`

  test('JSON of exactly 1 MiB passes; one byte more is refused with the limit', async () => {
    expect(text(LIMITS.jsonBytesMax)).toHaveLength(LIMITS.jsonBytesMax)
    expect((await send('/v1/search/text', text(LIMITS.jsonBytesMax), 'application/json')).status).toBe(200)
    const answer = await send('/v1/search/text', text(LIMITS.jsonBytesMax + 1), 'application/json')
    expect(refusal(answer)).toEqual([413, 'payload_too_large'])
    expect(answer.body['details']).toEqual({ max_bytes: LIMITS.jsonBytesMax })
    expect(answer.headers.get('connection')).toBe('close')
  })

  test('by Content-Length alone: nothing of the body is read', async () => {
    let pulls = 0
    const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 })
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': '2000000',
    }
    const response = await app.http.handle(
      new Request('http://lookalike.test/v1/search/text', { method: 'POST', headers, body }),
    )
    expect(response.status).toBe(413)
    expect(pulls).toBe(0)
  })

  test('by counting where no length is announced: an endless body ends at the limit', async () => {
    const chunk = new Uint8Array(256 * 1024).fill(0x20)
    let pulls = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          pulls++
          controller.enqueue(chunk)
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await app.http.handle(
      new Request('http://lookalike.test/v1/search/text', { method: 'POST', headers, body }),
    )
    expect(response.status).toBe(413)
    expect(pulls).toBeLessThanOrEqual(7)
  })

  test('over a real connection, chunked', async () => {
    app.http.listen(0)
    const response = await fetch(`http://127.0.0.1:${app.http.server?.port}/v1/search/text`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: new ReadableStream({
        start(controller) {
          for (let n = 0; n < 8; n++) controller.enqueue(new Uint8Array(256 * 1024).fill(0x20))
          controller.close()
        },
      }),
    })
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      413,
      'payload_too_large',
    ])
    await app.http.stop(true)
  })

  test.each(['/v1/search/text', '/v1/products', '/v1/search', '/nowhere'])(
    'far above every limit, POST %s still answers in our words, with the request id',
    async (path) => {
      app.http.listen(0)
      const socket = await Bun.connect({
        hostname: '127.0.0.1',
        port: app.http.server?.port ?? 0,
        socket: {
          data(_, data) {
            answered.resolve(data.toString())
          },
          close: () => answered.reject(new Error('closed without an answer')),
        },
      })
      const answered = Promise.withResolvers<string>()
      const type = path === '/v1/search' ? 'multipart/form-data; boundary=x' : 'application/json'
      socket.write(
        [
          `POST ${path} HTTP/1.1`,
          'Host: lookalike.test',
          `Authorization: Bearer ${token}`,
          `Content-Type: ${type}`,
          `Content-Length: ${200 * 1024 * 1024}`,
          '',
          '{',
        ].join('\r\n'),
      )
      const text = await answered.promise
      expect(text).toStartWith(path === '/nowhere' ? 'HTTP/1.1 404' : 'HTTP/1.1 413')
      expect(text.toLowerCase()).toContain('x-request-id: ')
      expect(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).toHaveProperty('message')
      socket.terminate()
      await app.http.stop(true)
    },
  )

  test('413 image_too_large: a picture above 10 MiB, by its field and by the whole form', async () => {
    for (const size of [LIMITS.pictureBytesMax + 1, LIMITS.multipartBytesMax + 1]) {
      const answer = await app.call('POST', '/v1/search', {
        token,
        body: form({ image: new Uint8Array(size) }),
      })
      expect(refusal(answer)).toEqual([413, 'image_too_large'])
      expect(answer.body['details']).toEqual({ max_bytes: LIMITS.pictureBytesMax })
    }
  })

  test('413 payload_too_large where several pictures are too large only together; each alone may be image_too_large', async () => {
    const send = (...sizes: number[]) => {
      const body = new FormData()
      for (const size of sizes) body.append('images', new Blob([new Uint8Array(size)]), 'p.jpg')
      return app.call('POST', '/v1/search/multi-image', { token, body })
    }
    const together = await send(LIMITS.multipartBytesMax / 2, LIMITS.multipartBytesMax / 2)
    expect(refusal(together)).toEqual([413, 'payload_too_large'])
    expect(together.body['details']).toEqual({ max_bytes: LIMITS.multipartBytesMax })
    const alone = await send(LIMITS.pictureBytesMax + 1, 100)
    expect(refusal(alone)).toEqual([413, 'image_too_large'])
    expect(alone.body['details']).toEqual({ max_bytes: LIMITS.pictureBytesMax })
  })
})

describe('multipart/form-data', () => {
  const search = (fields: Record<string, string | Uint8Array<ArrayBuffer>>) =>
    app.call('POST', '/v1/search', { token, body: form({ image: pictureBytes(1), ...fields }) })

  test.each([
    [{ limit: '5' }],
    [{ limit: ' 5 ' }],
    [{ threshold: '0.5' }],
    [{ threshold: '.5' }],
    [{ explain: 'true' }],
    [{ explain: 'TRUE' }],
    [{ explain: '0' }],
    [{ fields: 'a,b' }],
    [{ fields: '["a","b"]' }],
    [{ fields: '' }],
    [{ category: '' }],
    [{ color: '' }],
    [{ category: '5' }],
    [{ nobody_knows: 'x' }],
  ])('%p is taken', async (fields) => {
    expect((await search(fields)).status).toBe(200)
  })

  test.each([
    [{ limit: '5.7' }, '/limit', 'type'],
    [{ limit: '' }, '/limit', 'type'],
    [{ limit: '1e1' }, '/limit', 'type'],
    [{ explain: '' }, '/explain', 'type'],
    [{ limit: 'true' }, '/limit', 'type'],
    [{ limit: '0x10' }, '/limit', 'type'],
    [{ limit: 'abc' }, '/limit', 'type'],
    [{ limit: '101' }, '/limit', 'max'],
    [{ threshold: 'true' }, '/threshold', 'type'],
    [{ threshold: 'NaN' }, '/threshold', 'type'],
    [{ threshold: '1.1' }, '/threshold', 'max'],
    [{ explain: 'maybe' }, '/explain', 'type'],
    [{ explain: 'constructor' }, '/explain', 'type'],
    [{ fields: '{"a":1}' }, '/fields', 'type'],
    [{ fields: '["a"' }, '/fields', 'type'],
    [{ fields: '[1]' }, '/fields/0', 'type'],
    [{ cutoff: 'never' }, '/cutoff', 'enum'],
    [{ image: 'a text' }, '/image', 'type'],
    [{ limit: pictureBytes(1) }, '/limit', 'type'],
  ])('%p is 422 at %s', async (fields, pointer, code) => {
    const answer = await search(fields)
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(answer.body['details']).toMatchObject({ errors: [{ in: 'body', pointer, code }] })
  })

  const repeated = (path: string, fields: [name: string, value: string | Uint8Array<ArrayBuffer>][]) => {
    const body = form({})
    for (const [name, value] of fields)
      body.append(name, typeof value === 'string' ? value : new Blob([value]))
    return app.call('POST', path, { token, body })
  }

  test('422: a field that comes twice is named, and all of them', async () => {
    const answer = await repeated('/v1/search', [
      ['image', pictureBytes(1)],
      ['limit', '1'],
      ['limit', '2'],
      ['color', 'red'],
      ['color', 'red'],
    ])
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(answer.body['message']).toBe('limit must be sent only once')
    expect(answer.body['details']).toMatchObject({
      errors: [
        { in: 'body', pointer: '/limit', code: 'repeated' },
        { in: 'body', pointer: '/color', code: 'repeated' },
      ],
    })
  })

  test('a list may come in several fields: all of them count', async () => {
    const metadata = '{"a":1,"b":2,"c":3,"d":4}'
    await app.call('POST', '/v1/products', {
      token,
      body: form({ product_id: 'p', image: pictureBytes(1), metadata }),
    })
    const answer = await repeated('/v1/search', [
      ['image', pictureBytes(1)],
      ['fields', 'a'],
      ['fields', ''],
      ['fields', '["b"]'],
      ['fields', 'c,x'],
    ])
    expect(answer.body['results']).toMatchObject([{ metadata: { a: 1, b: 2, c: 3 } }])
    const wrong = await repeated('/v1/search', [
      ['image', pictureBytes(1)],
      ['fields', 'a'],
      ['fields', '{"b":1}'],
    ])
    expect(wrong.body['details']).toMatchObject({ errors: [{ pointer: '/fields', code: 'type' }] })
  })

  test('422 image_source_invalid: POST and PUT of a product with two files', async () => {
    const answer = await repeated('/v1/products', [
      ['product_id', 'a'],
      ['image', pictureBytes(1)],
      ['image', pictureBytes(2)],
    ])
    expect(refusal(answer)).toEqual([422, 'image_source_invalid'])
    expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(0)
  })

  test('a product without a picture is told what its own way of sending needs', async () => {
    const bare = await app.call('POST', '/v1/products', { token, body: form({ product_id: 'a' }) })
    expect(refusal(bare)).toEqual([422, 'validation_error'])
    expect(bare.body['message']).toBe('image or image_url is required')
    expect(bare.body['details']).toMatchObject({ errors: [{ pointer: '/image', code: 'required' }] })
    const json = await app.call('POST', '/v1/products', { token, body: { product_id: 'a' } })
    expect(json.body['message']).toBe('image_url is required')
    const filed = form({ product_id: 'a', image_url: app.picture('a', 1), refresh: 'true' })
    expect((await app.call('POST', '/v1/products', { token, body: filed })).status).toBe(201)
  })

  test('metadata that is no JSON is 422 and not an empty object', async () => {
    for (const metadata of ['{bad', 'text', '[]', '5', 'null']) {
      const body = form({ product_id: 'a', image: pictureBytes(1), metadata })
      const answer = await app.call('POST', '/v1/products', { token, body })
      expect([metadata, ...refusal(answer)]).toEqual([metadata, 422, 'validation_error'])
      expect(answer.body['message']).toBe('metadata must be a JSON object as text')
    }
    expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(0)
  })

  test('__proto__, as a field or inside metadata, reaches nothing', async () => {
    const body = form({
      product_id: 'a',
      image: pictureBytes(1),
      metadata: '{"__proto__":{"x":1},"name":"n"}',
    })
    body.set('__proto__', '{"product_id":"b"}')
    expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
    const product = await app.call('GET', '/v1/products/a', { token })
    expect(product.body['metadata']).toEqual({ name: 'n' })
  })

  const boundary = '--abc\r\nContent-Disposition: form-data; name="limit"\r\n\r\n5'
  test.each([
    ['nonsense', 'xx', 'multipart/form-data; boundary=abc'],
    ['no boundary', 'xx', 'multipart/form-data'],
    ['cut off', boundary, 'multipart/form-data; boundary=abc'],
    ['another boundary', `${boundary}\r\n--abc--\r\n`, 'multipart/form-data; boundary=xyz'],
  ])('400 invalid_request: %s', async (_, text, type) => {
    expect(refusal(await send('/v1/search', text, type))).toEqual([400, 'invalid_request'])
  })
})
