import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Answer, pictureBytes, type TestApp, testApp } from '../support/app.ts'
import { fakeEmbedder } from '../support/embedder.ts'
import { withoutHelp } from '../support/help.ts'

/** Each shared answer of the API's document shows a real failure: these requests get exactly that. */

interface Shared {
  content: Record<string, { example: Record<string, unknown> }>
}

let app: TestApp
let token: string
let shared: Record<string, Shared>

/** What the model throws at the next text. */
let fault: Error | undefined
const held = Promise.withResolvers<Uint8Array>()
const fetching = Promise.withResolvers<void>()

beforeAll(async () => {
  const embedder = fakeEmbedder()
  app = testApp({
    embedder: {
      ...embedder,
      embedText: async (...words: Parameters<typeof embedder.embedText>) => {
        if (fault) throw fault
        return embedder.embedText(...words)
      },
    },
    fetcher: {
      fetch: async () => {
        fetching.resolve()
        return held.promise
      },
    },
  })
  token = await app.signIn()
  const { body } = await app.call('GET', '/openapi.json')
  shared = (body['components'] as { responses: typeof shared }).responses
})
afterAll(() => app.close())

/** An answer without the id of its request, which is never the same. */
const withoutId = (body: Record<string, unknown>): string =>
  JSON.stringify(body, (key, value) => (key === 'request_id' ? undefined : value))

function expectExample(name: string, status: number, { body, ...answer }: Answer, type = 'application/json') {
  const example = shared[name]?.content[type]?.example ?? {}
  expect([answer.status, withoutId(body)]).toEqual([status, withoutId(withoutHelp(example))])
}

const search = (body: unknown, headers = {}) =>
  app.call('POST', '/v1/search/text', {
    token,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })

test('400 BadRequest', async () => {
  expectExample('BadRequest', 400, await search('{"query": "red mug"'))
})

test('401 Unauthorized, also as problem details', async () => {
  expectExample('Unauthorized', 401, await app.call('GET', '/v1/products'))
  const type = 'application/problem+json'
  expectExample(
    'Unauthorized',
    401,
    await app.call('GET', '/v1/products', { headers: { accept: type } }),
    type,
  )
})

test('402 PaymentRequired and 429 TooManyRequests, on the plan free', async () => {
  const free = await app.signIn('free', 'free')
  const path = '/v1/products'
  app.db.prepare("UPDATE stores SET product_count = 50 WHERE slug = 'free'").run()
  const body = { product_id: 'one-more', image_url: 'https://img.test/a.jpg' }
  expectExample('PaymentRequired', 402, await app.call('POST', path, { token: free, body }))
  for (let n = 0; n < 9; n++) await app.call('GET', path, { token: free })
  expectExample('TooManyRequests', 429, await app.call('GET', path, { token: free }))
})

test('403 Forbidden', async () => {
  const made = await app.call('POST', '/v1/security/api-keys', {
    token,
    body: { name: 'reader', scopes: { products: 'read' } },
  })
  const key = String(made.body['key'])
  expectExample('Forbidden', 403, await app.call('POST', '/v1/products/demo', { token: key }))
})

test('404 NotFound', async () => {
  expectExample('NotFound', 404, await app.call('GET', '/v1/products/none', { token }))
})

test('409 Conflict', async () => {
  const send = () =>
    app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'slow', image_url: 'https://img.test/slow.jpg' },
      headers: { 'idempotency-key': 'once' },
    })
  const first = send()
  await fetching.promise
  expectExample('Conflict', 409, await send())
  held.resolve(pictureBytes(1))
  expect((await first).status).toBe(201)
})

test('413 ContentTooLarge', async () => {
  expectExample('ContentTooLarge', 413, await search({ query: 'x'.repeat(1024 * 1024) }))
})

test('415 UnsupportedMediaType', async () => {
  expectExample('UnsupportedMediaType', 415, await search('query=mug', { 'content-type': 'text/plain' }))
})

test('422 UnprocessableContent', async () => {
  expectExample('UnprocessableContent', 422, await search({ query: 'red mug', limit: 500 }))
})

test('500 InternalServerError and 503 ServiceUnavailable', async () => {
  fault = new Error('a bug')
  expectExample('InternalServerError', 500, await search({ query: 'something new' }))
  fault = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  expectExample('ServiceUnavailable', 503, await search({ query: 'something newer' }))
})
