import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'

/** One for all tests, which change nothing in it. */
let app: TestApp
let token: string

beforeAll(async () => {
  app = testApp()
  token = await app.signIn()
})
afterAll(() => app.close())

interface Listed {
  in: string
  pointer: string
  code: string
}

async function problems(method: string, path: string, body?: unknown): Promise<string[]> {
  const text =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await app.call(method, path, { token, ...text })
  expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
  const { errors, request_id } = answer.body['details'] as { errors: Listed[]; request_id: string }
  expect(request_id).toBe(answer.headers.get('x-request-id') ?? '')
  return errors.map(({ in: place, pointer, code }) => `${place} ${pointer} ${code}`)
}

describe('a value is judged as it came, not as the schema would like it', () => {
  test.each([['text'], [['a', 'b']], [7], [null], [true]])(
    'metadata %p is refused, and nothing is indexed',
    async (metadata) => {
      const body = { product_id: 'a', image_url: app.picture('a', 1), metadata }
      expect(await problems('POST', '/v1/products', body)).toEqual(['body /metadata type'])
      expect(app.downloads).toEqual([])
      expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(0)
    },
  )

  test.each([[[]], ['text'], [7], [null], [true], [[{ query: 'x' }]]])(
    'the body %p is no object',
    async (body) => {
      expect(await problems('POST', '/v1/search/text', body)).toEqual(['body  type'])
      expect(await problems('POST', '/v1/products', body)).toEqual(['body  type'])
    },
  )

  test('a missing field is told as missing', async () => {
    expect(await problems('POST', '/v1/search/text', {})).toEqual(['body /query required'])
  })

  test('all at once, with pointers', async () => {
    const body = {
      query: '',
      limit: 1000,
      threshold: 'x',
      color: 3,
      cutoff: 'what',
      fields: 'a',
      tags: [1, 'b', 2],
    }
    expect(await problems('POST', '/v1/search/text', body)).toEqual([
      'body /query min_length',
      'body /limit max',
      'body /threshold type',
      'body /color type',
      'body /cutoff enum',
      'body /fields type',
      'body /tags/0 type',
      'body /tags/2 type',
    ])
  })

  test('path, query and body are told together', async () => {
    expect(await problems('PATCH', '/v1/products/%E0%A4%A', { refresh: 'x' })).toEqual([
      'path /product_id encoding',
      'body /refresh type',
    ])
  })

  test('characters are counted, not UTF-16 units: 500 emoji are a query, 501 are not', async () => {
    const send = (count: number) =>
      app.call('POST', '/v1/search/text', { token, body: { query: '👟'.repeat(count) } })
    expect((await send(500)).status).toBe(200)
    expect((await send(501)).body['message']).toBe('query must have at most 500 characters')
  })

  test('unknown fields are ignored', async () => {
    const answer = await app.call('POST', '/v1/search/text', {
      token,
      body: { query: '1', nobody_knows: { this: 1 } },
    })
    expect(answer.status).toBe(200)
  })
})

describe('numbers in a query are numbers', () => {
  test.each([
    ['limit=1000', 'query /limit max'],
    ['limit=0', 'query /limit min'],
    ['limit=-1', 'query /limit min'],
    ['limit=5.5', 'query /limit type'],
    ['limit=x', 'query /limit type'],
    ['limit=', 'query /limit type'],
    ['limit=0x10', 'query /limit type'],
    ['limit=1e1', 'query /limit type'],
    ['limit=5.', 'query /limit type'],
    ['limit=Infinity', 'query /limit type'],
    ['sort=best', 'query /sort enum'],
  ])('GET /v1/products?%s is 422', async (query, problem) => {
    expect(await problems('GET', `/v1/products?${query}`)).toEqual([problem])
  })

  test.each(['limit=5', 'limit=100', 'limit=1&sort=name', 'unknown=1', '__proto__=1'])(
    'GET /v1/products?%s is fine',
    async (query) => {
      expect((await app.call('GET', `/v1/products?${query}`, { token })).status).toBe(200)
    },
  )

  test('HEAD is judged like GET', async () => {
    expect((await app.call('HEAD', '/v1/products?limit=0', { token })).status).toBe(422)
    expect((await app.call('HEAD', '/v1/products?limit=1', { token })).status).toBe(200)
  })
})

describe('the order of judgement (contract 1.5)', () => {
  test('401 before 422: a stranger learns nothing of a schema', async () => {
    for (const path of ['/v1/products?limit=x', '/v1/products?sort=best']) {
      expect((await app.call('GET', path)).status).toBe(401)
    }
    expect((await app.call('POST', '/v1/search/text', { body: {} })).status).toBe(401)
  })
})
