import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { demoRoutes } from '../../../../src/features/catalogue/demo/routes.ts'
import { productRoutes } from '../../../../src/features/catalogue/products/routes.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { asPerson } from '../../../support/permissions.ts'
import { readState } from '../../../support/state.ts'

let app: TestApp
let token: string
let before: Awaited<ReturnType<typeof readState>>

beforeAll(async () => {
  app = testApp()
  token = await app.signIn()
  await app.call('POST', '/v1/products', {
    token,
    body: { product_id: 'p', image_url: app.picture('p', 1), metadata: { price: 1 } },
  })
  before = await readState(app, token)
})
afterAll(() => app.close())

const good = { image_url: 'https://img.test/p.jpg', metadata: { price: 2 } }
const ENDPOINTS = [
  ['POST', '/v1/products', { product_id: 'new', ...good }, 'products:write'],
  ['GET', '/v1/products', undefined, 'products:read'],
  ['GET', '/v1/products/p', undefined, 'products:read'],
  ['PUT', '/v1/products/p', good, 'products:write'],
  ['PATCH', '/v1/products/p', good, 'products:write'],
  ['DELETE', '/v1/products/p', undefined, 'products:delete'],
  ['POST', '/v1/products/demo', undefined, 'products:write'],
  ['DELETE', '/v1/products/demo', undefined, 'products:delete'],
] as const
const WITH_BODY = ENDPOINTS.filter(([, , body]) => body !== undefined)

/** The answer's status and code, after a check that nothing was written. */
async function refused(method: string, path: string, options: Parameters<TestApp['call']>[2]) {
  const { status, body } = await app.call(method, path, options)
  expect(await readState(app, token)).toEqual(before)
  return [status, body['error']]
}

describe('every product endpoint refuses without writing anything', () => {
  test.each(ENDPOINTS)(
    '%s %s: 401 unauthorized for a stranger, before the body is read',
    async (method, path) => {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{ broken' }
      expect(await refused(method, path, body)).toEqual([401, 'unauthorized'])
      expect(await refused(method, path, { ...body, token: 'forged.token.here' })).toEqual([
        401,
        'unauthorized',
      ])
    },
  )

  test.each(ENDPOINTS)('%s %s: 401 token_expired', async (method, path, body) => {
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const old = await app.signToken({ sub, jti: 'old', user_type: 'client' }, -1)
    expect(await refused(method, path, { token: old, body })).toEqual([401, 'token_expired'])
  })

  test.each(ENDPOINTS)('%s %s: 403 not_a_member for another store’s slug', async (method, path, body) => {
    const headers = { 'x-service-active-tenant': 'elsewhere' }
    expect(await refused(method, path, { token, body, headers })).toEqual([403, 'not_a_member'])
  })

  test.each(ENDPOINTS)(
    '%s %s: 403 permission_denied without %p (contract 4.8)',
    async (method, path, body, needed) => {
      const others = (['products:read', 'products:write', 'products:delete'] as const).filter(
        (name) => name !== needed,
      )
      const call = await asPerson([...others, 'products:bulk', 'search:execute'], (guards) =>
        path.endsWith('/demo') ? demoRoutes(guards, app.demo) : productRoutes(guards, app.products),
      )
      const answer = await call(method, path, body)
      expect(answer.status).toBe(403)
      expect(answer.body).toMatchObject({ error: 'permission_denied', details: { required: needed } })
      expect(answer.body['message']).toContain(needed)
      expect(await readState(app, token)).toEqual(before)
    },
  )

  test.each(WITH_BODY)(
    '%s %s: 415 unsupported_media_type for a form of letters or for nothing',
    async (method, path) => {
      const urlencoded = { token, body: new URLSearchParams({ product_id: 'x' }) }
      expect(await refused(method, path, urlencoded)).toEqual([415, 'unsupported_media_type'])
      const text = { token, body: '{}', headers: { 'content-type': 'text/plain' } }
      expect(await refused(method, path, text)).toEqual([415, 'unsupported_media_type'])
    },
  )

  test.each(WITH_BODY)('%s %s: 400 invalid_json, with line and column', async (method, path) => {
    const headers = { 'content-type': 'application/json' }
    expect(await refused(method, path, { token, headers, body: '{"a":1,\n}' })).toEqual([400, 'invalid_json'])
    expect(await refused(method, path, { token, headers, body: '' })).toEqual([400, 'invalid_json'])
  })

  test.each(WITH_BODY)(
    '%s %s: 422 validation_error for a body that is not an object',
    async (method, path) => {
      const headers = { 'content-type': 'application/json' }
      for (const body of ['[]', 'null', '"text"', '7', 'true']) {
        expect(await refused(method, path, { token, headers, body })).toEqual([422, 'validation_error'])
      }
    },
  )

  test.each(WITH_BODY)('%s %s: 413 payload_too_large for more than 15 MiB', async (method, path) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ...good, product_id: 'p', note: 'x'.repeat(15 * 1024 * 1024) })
    expect(await refused(method, path, { token, headers, body })).toEqual([413, 'payload_too_large'])
  })

  test.each([
    ['image_url', undefined],
    ['image_url', ''],
    ['image_url', 7],
    ['image_url', null],
    ['additional_image_urls', 'https://img.test/p.jpg'],
    ['additional_image_urls', ['']],
    ['additional_image_urls', [1]],
    ['refresh', 'yes'],
    ['product_id', undefined],
  ])('POST /v1/products: 422 validation_error names %s (%j)', async (field, value) => {
    const body = { product_id: 'new', ...good, [field]: value }
    const answer = await app.call('POST', '/v1/products', { token, body })
    expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
    expect(JSON.stringify(answer.body['details'])).toContain(`/${field}`)
    expect(await readState(app, token)).toEqual(before)
  })

  test('PATCH and PUT: 422 for fields of the wrong type', async () => {
    for (const body of [
      { image_url: '' },
      { image_url: null },
      { metadata: 1 },
      { additional_image_urls: {} },
    ]) {
      expect(await refused('PATCH', '/v1/products/p', { token, body })).toEqual([422, 'validation_error'])
    }
    expect(await refused('PUT', '/v1/products/p', { token, body: {} })).toEqual([422, 'validation_error'])
  })

  test.each(['POST', 'PUT'])('%s: 422 image_download_failed with the reason', async (method) => {
    const path = method === 'POST' ? '/v1/products' : '/v1/products/p'
    const body = { product_id: 'p', image_url: 'https://img.test/missing.jpg' }
    const answer = await app.call(method, path, { token, body })
    expect(answer.body).toMatchObject({
      error: 'image_download_failed',
      details: { reason: 'http_status', upstream_status: 404 },
    })
    expect(await readState(app, token)).toEqual(before)
  })

  test('422 image_unreadable: an upload that is not a picture', async () => {
    const body = form({ product_id: 'new', image: new TextEncoder().encode('<svg/>') })
    expect(await refused('POST', '/v1/products', { token, body })).toEqual([422, 'image_unreadable'])
  })

  test('400 invalid_request: a multipart body that is cut off', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const body = '--x\r\ncontent-disposition: form-data; name="product_id"\r\n\r\np'
    const [status, code] = await refused('POST', '/v1/products', { token, headers, body })
    expect([400, 422]).toContain(status as number)
    expect(['invalid_request', 'validation_error']).toContain(code as string)
  })

  test.each([
    ['GET', '/v1/products/none'],
    ['PATCH', '/v1/products/none'],
    ['DELETE', '/v1/products/none'],
  ])('%s %s: 404 not_found with details.resource', async (method, path) => {
    const answer = await app.call(method, path, { token, ...(method === 'PATCH' && { body: good }) })
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ error: 'not_found', details: { resource: 'product' } })
  })

  test.each([
    ['PUT', '/v1/products', 'DELETE, GET, POST'],
    ['PATCH', '/v1/products', 'DELETE, GET, POST'],
    ['POST', '/v1/products/p', 'DELETE, GET, PATCH, PUT'],
  ])('%s %s: 405 method_not_allowed, Allow: %s', async (method, path, allow) => {
    const answer = await app.call(method, path, { token })
    expect([answer.status, answer.body['error']]).toEqual([405, 'method_not_allowed'])
    const methods = (answer.headers.get('allow') ?? '').split(', ')
    expect(methods.filter((name) => name !== 'HEAD').join(', ')).toBe(allow)
  })
})

describe('429 rate_limit_exceeded (contract 6.2)', () => {
  test('the 11th request of a free store in a minute, with Retry-After; nothing is written', async () => {
    const small = testApp()
    const key = await small.signIn('free', 'free')
    for (let n = 0; n < 10; n++) {
      const body = { product_id: `p${n}`, image_url: small.picture('p', 1) }
      expect((await small.call('POST', '/v1/products', { token: key, body })).status).toBe(201)
    }
    const late = await small.call('POST', '/v1/products', {
      token: key,
      body: form({ product_id: 'late', image: pictureBytes(1) }),
    })
    expect([late.status, late.body['error'], late.headers.get('retry-after')]).toEqual([
      429,
      'rate_limit_exceeded',
      '60',
    ])
    small.clock.advance(60_000)
    expect((await small.call('GET', '/v1/products/late', { token: key })).status).toBe(404)
    await small.close()
  })
})
