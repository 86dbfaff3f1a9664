import { expect, test } from 'bun:test'
import {
  type ClientOptions,
  createClient,
  LookalikeError,
  pages,
  waitForJob,
} from '../../scripts/clients/typescript/index.ts'

const PAIR = { url: 'https://search.test/', clientId: 'id', clientSecret: 'secret' }
const token = (value = 'one', expires_in = 3600) =>
  Response.json({ access_token: value, token_type: 'Bearer', expires_in })
const refuse = (
  status: number,
  error: string,
  more: { details?: object; headers?: Record<string, string> } = {},
) =>
  Response.json(
    { error, message: `It is ${error}`, details: more.details },
    { status, headers: more.headers ?? {} },
  )

/** A service that gives the next answer each time, and the requests that it got. */
function createService(...answers: (Response | Error)[]) {
  const sent: { url: string; init: RequestInit }[] = []
  const fetch: ClientOptions['fetch'] = async (url, init) => {
    sent.push({ url, init })
    const answer = answers.shift()
    if (!answer) throw new Error(`Nobody expects ${url}`)
    if (answer instanceof Error) throw answer
    return answer
  }
  return { sent, fetch, urls: () => sent.map(({ url }) => url.replace('https://search.test', '')) }
}

const headersOf = (init: RequestInit | undefined) => init?.headers as Record<string, string>

test('a call gets a token first, and later calls use it; calls at once ask for one', async () => {
  const service = createService(
    token(),
    Response.json({ a: 1 }),
    Response.json({ a: 2 }),
    Response.json({ a: 3 }),
  )
  const api = createClient({ ...PAIR, fetch: service.fetch })
  const both = await Promise.all([api('GET /v1/store'), api('GET /v1/store')])
  expect(both).toEqual([{ a: 1 }, { a: 2 }] as never)
  await api('GET /v1/store')
  expect(service.urls()).toEqual(['/oauth/token', '/v1/store', '/v1/store', '/v1/store'])
  expect(headersOf(service.sent[3]?.init)['authorization']).toBe('Bearer one')
})

test('path, query, JSON and forms go where they belong', async () => {
  const service = createService(
    ...[1, 2, 3].map(() => Response.json({})),
    new Response(null, { status: 204 }),
  )
  const api = createClient({ url: 'https://search.test', apiKey: 'sk_live_x', fetch: service.fetch })
  await api('GET /v1/products/{product_id}/similar', {
    path: { product_id: 'a b/ü' },
    query: { limit: 3, offset: undefined } as never,
  })
  await api('POST /v1/search/text', { body: { query: 'red mug' }, idempotencyKey: 'k' })
  await api('POST /v1/search', {
    form: { image: new Blob(['x']), limit: 3, filters: { brand: 'a' }, none: undefined },
  })
  expect(await api('DELETE /v1/products/{product_id}', { path: { product_id: 'a' } })).toBeUndefined()
  const [similar, words, form] = service.sent
  expect(similar?.url).toBe('https://search.test/v1/products/a%20b%2F%C3%BC/similar?limit=3')
  expect(words?.init.body).toBe('{"query":"red mug"}')
  expect(headersOf(words?.init)).toEqual({
    authorization: 'Bearer sk_live_x',
    'idempotency-key': 'k',
    'content-type': 'application/json',
  })
  const sent = form?.init.body
  if (!(sent instanceof FormData)) throw new Error('It is no form')
  const entries = [...sent.entries()].map(([name, value]) => [name, typeof value])
  expect(entries).toEqual([
    ['image', 'object'],
    ['limit', 'string'],
    ['filters', 'string'],
  ])
  expect(sent.get('filters')).toBe('{"brand":"a"}')
})

test('an error has the code, the words and the id of the request', async () => {
  const service = createService(
    refuse(404, 'not_found', { details: { x: 1 }, headers: { 'x-request-id': 'r1' } }),
  )
  const api = createClient({ url: 'https://search.test', apiKey: 'k', fetch: service.fetch })
  const error = await api('GET /v1/store').catch((reason) => reason)
  expect(error).toBeInstanceOf(LookalikeError)
  expect(error).toMatchObject({
    status: 404,
    code: 'not_found',
    message: 'It is not_found',
    details: { x: 1 },
    requestId: 'r1',
  })
})

test('a refusal for the moment is sent again after the time that it names, a few times', async () => {
  const busy = () => refuse(429, 'rate_limited', { headers: { 'retry-after': '0' } })
  const service = createService(
    busy(),
    refuse(503, 'overloaded', { headers: { 'retry-after': '0' } }),
    Response.json({ a: 1 }),
  )
  const api = createClient({ url: 'https://search.test', apiKey: 'k', fetch: service.fetch })
  expect(await api('POST /v1/search/text', { body: { query: 'a' } })).toEqual({ a: 1 } as never)
  const always = createService(busy(), busy(), busy())
  const impatient = createClient({ url: 'https://search.test', apiKey: 'k', retries: 2, fetch: always.fetch })
  await expect(impatient('GET /v1/store')).rejects.toMatchObject({ code: 'rate_limited' })
  const late = createService(refuse(429, 'rate_limited', { headers: { 'retry-after': '3600' } }))
  const hurried = createClient({ url: 'https://search.test', apiKey: 'k', fetch: late.fetch })
  await expect(hurried('GET /v1/store')).rejects.toMatchObject({ code: 'rate_limited' })
  expect(late.sent).toHaveLength(1)
})

test('a lost answer is asked for again only where that does no work twice', async () => {
  const lost = new TypeError('fetch failed')
  const read = createService(lost, Response.json({}))
  const options = { url: 'https://search.test', apiKey: 'k' }
  await createClient({ ...options, fetch: read.fetch })('GET /v1/store')
  const write = createService(lost)
  const body = { query: 'a' }
  await expect(
    createClient({ ...options, fetch: write.fetch })('POST /v1/search/text', { body }),
  ).rejects.toBe(lost)
  const keyed = createService(lost, Response.json({}))
  await createClient({ ...options, fetch: keyed.fetch })('POST /v1/search/text', {
    body,
    idempotencyKey: 'k',
  })
  expect(keyed.sent).toHaveLength(2)
})

test('an expired token is renewed once; a wrong one is the end', async () => {
  const service = createService(token(), refuse(401, 'token_expired'), token('two'), Response.json({ a: 1 }))
  const api = createClient({ ...PAIR, fetch: service.fetch })
  expect(await api('GET /v1/store')).toEqual({ a: 1 } as never)
  expect(headersOf(service.sent[3]?.init)['authorization']).toBe('Bearer two')
  const ended = createService(token(), refuse(401, 'token_expired'), token(), refuse(401, 'token_expired'))
  await expect(createClient({ ...PAIR, fetch: ended.fetch })('GET /v1/store')).rejects.toMatchObject({
    code: 'token_expired',
  })
  const soon = createService(token('a', 0), Response.json({}), token('b', 0), Response.json({}))
  const short = createClient({ ...PAIR, fetch: soon.fetch })
  await short('GET /v1/store')
  await short('GET /v1/store')
  expect(soon.urls()).toEqual(['/oauth/token', '/v1/store', '/oauth/token', '/v1/store'])
})

test('a store that has moved is followed with a token of its new node, but not from https to http', async () => {
  const moved = (url: string) => refuse(421, 'store_not_here', { details: { url } })
  const service = createService(
    token(),
    moved('https://other.test/'),
    token('new'),
    Response.json({ a: 1 }),
    Response.json({}),
  )
  const api = createClient({ ...PAIR, fetch: service.fetch })
  expect(await api('GET /v1/store')).toEqual({ a: 1 } as never)
  await api('GET /v1/store')
  expect(service.sent.slice(2).map(({ url }) => url)).toEqual([
    'https://other.test/oauth/token',
    'https://other.test/v1/store',
    'https://other.test/v1/store',
  ])
  const plain = createService(token(), moved('http://other.test'))
  await expect(createClient({ ...PAIR, fetch: plain.fetch })('GET /v1/store')).rejects.toMatchObject({
    code: 'store_not_here',
  })
  const round = createService(...[1, 2, 3, 4].map(() => moved('https://search.test')))
  const lost = createClient({ url: 'https://search.test', apiKey: 'k', fetch: round.fetch })
  await expect(lost('GET /v1/store')).rejects.toMatchObject({ code: 'store_not_here' })
})

test('a list is read page by page, as far as somebody takes it', async () => {
  const page = (ids: number[], next_cursor: string | null) =>
    Response.json({ products: ids.map((id) => ({ id })), count: ids.length, next_cursor })
  const service = createService(page([1, 2], 'c1'), page([3], null), page([1, 2], 'c1'))
  const api = createClient({ url: 'https://search.test', apiKey: 'k', fetch: service.fetch })
  expect(
    await Array.fromAsync(pages(api, 'GET /v1/products', 'products', { query: { limit: 2 } })),
  ).toHaveLength(3)
  for await (const _ of pages(api, 'GET /v1/products', 'products')) break
  expect(service.urls()).toEqual(['/v1/products?limit=2', '/v1/products?limit=2&cursor=c1', '/v1/products'])
})

test('a job is waited for, and a caller may stop', async () => {
  const job = (status: string) => Response.json({ job_id: 'j', status })
  const service = createService(job('processing'), job('completed'), job('processing'))
  const api = createClient({ url: 'https://search.test', apiKey: 'k', fetch: service.fetch })
  expect(await waitForJob(api, 'j')).toMatchObject({ status: 'completed' })
  const stop = AbortSignal.timeout(50)
  await expect(waitForJob(api, 'j', stop)).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('options that cannot work are refused', () => {
  expect(() => createClient({ url: 'search.test', apiKey: 'k' })).toThrow(/url must begin/)
  expect(() => createClient({ url: 'https://search.test' })).toThrow(/clientId/)
  expect(() => createClient({ ...PAIR, apiKey: 'k' })).toThrow(/clientId/)
})
