import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { searchRoutes } from '../../../../src/features/discovery/search/routes.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { asPerson } from '../../../support/permissions.ts'

let app: TestApp
let token: string

beforeAll(async () => {
  app = testApp()
  token = await app.signIn()
})
afterAll(() => app.close())

const ENDPOINTS: [path: string, body: () => unknown][] = [
  ['/v1/search', () => form({ image: pictureBytes(1) })],
  ['/v1/search/url', () => ({ image: Buffer.from(pictureBytes(1)).toString('base64') })],
  ['/v1/search/text', () => ({ query: 'red mug' })],
]
const searches = (of = app) => {
  of.history.flush()
  return of.db.prepare('SELECT * FROM searches').all().length
}

describe('every search endpoint', () => {
  test.each(ENDPOINTS)('POST %s: 200 with no results for a store without products', async (path, body) => {
    const answer = await app.call('POST', path, { token, body: body() })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ count: 0, results: [], total_candidates: 0 })
    expect(String(answer.body['search_id'])).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each(ENDPOINTS)('POST %s: 401 unauthorized for a stranger, before the body is read', async (path) => {
    for (const options of [{ body: '{ broken' }, { body: '{ broken', token: 'forged.token.here' }]) {
      const { status, body } = await app.call('POST', path, options)
      expect([status, body['error']]).toEqual([401, 'unauthorized'])
    }
  })

  test.each(ENDPOINTS)('POST %s: 401 token_expired', async (path, body) => {
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const old = await app.signToken({ sub, jti: 'old', user_type: 'client' }, -1)
    const answer = await app.call('POST', path, { token: old, body: body() })
    expect([answer.status, answer.body['error']]).toEqual([401, 'token_expired'])
  })

  test.each(ENDPOINTS)(
    'POST %s: 403 permission_denied without search:execute (contract 4.8); nothing is searched',
    async (path, body) => {
      const before = searches()
      const call = await asPerson(
        ['search:read', 'search:write', 'products:read', 'products:write'],
        (guards) => searchRoutes(guards, app.search),
      )
      const answer = await call('POST', path, body())
      expect(answer.status).toBe(403)
      expect(answer.body).toMatchObject({
        error: 'permission_denied',
        details: { required: 'search:execute' },
      })
      expect(searches()).toBe(before)
    },
  )

  test.each(ENDPOINTS)('POST %s: 403 not_a_member for another store’s slug', async (path, body) => {
    const headers = { 'x-service-active-tenant': 'elsewhere' }
    const answer = await app.call('POST', path, { token, headers, body: body() })
    expect([answer.status, answer.body['error']]).toEqual([403, 'not_a_member'])
  })

  test.each(ENDPOINTS)('%s: 405 method_not_allowed for GET, PUT and DELETE', async (path) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body, headers } = await app.call(method, path, { token })
      expect([status, body['error'], headers.get('allow')]).toEqual([405, 'method_not_allowed', 'POST'])
    }
  })

  test.each(ENDPOINTS)('POST %s: 415 unsupported_media_type for a form of letters', async (path) => {
    const { status, body } = await app.call('POST', path, {
      token,
      body: new URLSearchParams({ query: 'x' }),
    })
    expect([status, body['error']]).toEqual([415, 'unsupported_media_type'])
  })

  test('JSON where a form belongs is 415, and the other way round', async () => {
    const swapped = [
      await app.call('POST', '/v1/search', { token, body: { query: 'x' } }),
      await app.call('POST', '/v1/search/url', { token, body: form({ image: pictureBytes(1) }) }),
      await app.call('POST', '/v1/search/text', { token, body: form({ query: 'x' }) }),
    ]
    for (const { status } of swapped) expect(status).toBe(415)
  })

  test.each(ENDPOINTS.slice(1))(
    'POST %s: 400 invalid_json, 422 for a body that is not an object',
    async (path) => {
      const headers = { 'content-type': 'application/json' }
      const broken = await app.call('POST', path, { token, headers, body: '{"query":' })
      expect([broken.status, broken.body['error']]).toEqual([400, 'invalid_json'])
      for (const body of ['[]', 'null', '"x"', '1']) {
        expect((await app.call('POST', path, { token, headers, body })).status).toBe(422)
      }
    },
  )

  test('413 payload_too_large: 1 MiB of words, 15 MiB of JSON with a picture', async () => {
    const text = await app.call('POST', '/v1/search/text', {
      token,
      body: { query: 'x', note: 'x'.repeat(1024 * 1024) },
    })
    const url = await app.call('POST', '/v1/search/url', {
      token,
      body: { image: 'A'.repeat(15 * 1024 * 1024) },
    })
    for (const { status, body } of [text, url])
      expect([status, body['error']]).toEqual([413, 'payload_too_large'])
  })

  test('a search that was refused is not in the history', async () => {
    const before = searches()
    await app.call('POST', '/v1/search/text', { token, body: { query: '' } })
    await app.call('POST', '/v1/search/url', { token, body: { product_id: 'none' } })
    await app.call('POST', '/v1/search', { token, body: form({ image: new Uint8Array(3) }) })
    expect(searches()).toBe(before)
  })
})

describe('503 from the model is passed through with Retry-After', () => {
  const codes = ['overloaded', 'model_not_ready'] as const
  const cases = ENDPOINTS.flatMap(([path, body]) => codes.map((code) => [path, code, body] as const))
  test.each(cases)('POST %s: 503 %s', async (path, code, body) => {
    const refuse = async () => {
      throw new ApiError(code, 'not now', { retryAfterSeconds: 3 })
    }
    const busy = testApp({ embedder: { ...fakeEmbedder(), embedPicture: refuse, embedText: refuse } })
    const answer = await busy.call('POST', path, { token: await busy.signIn(), body: body() })
    expect([answer.status, answer.body['error'], answer.headers.get('retry-after')]).toEqual([503, code, '3'])
    expect(searches(busy)).toBe(0)
    await busy.close()
  })

  test('422 validation_error: values that have no text of their own are named like others', async () => {
    const app = testApp()
    const { status, body } = await app.call('POST', '/v1/search/url', {
      token: await app.signIn(),
      body: { image_url: { toString: '' } },
    })
    expect(status).toBe(422)
    expect(body).toMatchObject({
      error: 'validation_error',
      details: { errors: [{ pointer: '/image_url', code: 'type' }] },
    })
    await app.close()
  })

  test('500 internal_error: an unforeseen failure reveals no details', async () => {
    const secret = 'a path or a stack'
    const broken = testApp({
      embedder: {
        ...fakeEmbedder(),
        embedText: async () => {
          throw new Error(secret)
        },
      },
    })
    const answer = await broken.call('POST', '/v1/search/text', {
      token: await broken.signIn(),
      body: { query: 'x' },
    })
    expect([answer.status, answer.body['error']]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(answer.body)).not.toContain(secret)
    await broken.close()
  })
})
