import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { ApiError } from '../../src/core/errors.ts'
import { acknowledgePlugin, isRead } from '../../src/http/acknowledge.ts'
import { testApp } from '../support/app.ts'

/** A program with one write and some reads, whose work `may` and `untilCopied` can change. */
function serve(
  parts: Partial<Parameters<typeof acknowledgePlugin>[0]>,
  sleep: (ms: number) => Promise<unknown> = async () => new Promise(() => {}),
) {
  let done = 0
  const app = new Elysia()
    .onError(({ error, status }) => (error instanceof ApiError ? status(503, error.code) : undefined))
    .use(acknowledgePlugin({ may: () => true, untilCopied: () => undefined, ...parts }, sleep))
    .post('/v1/products', () => ++done)
    .post('/v1/search/feedback', () => ++done)
    .post('/v1/search/text', () => 'found')
    .post('/v1/widget/search/text', () => 'found')
    .post('/oauth/token', () => 'token')
    .get('/v1/products', () => 'list')
  const ask = async (method: string, path: string) => {
    const answer = await app.handle(new Request(`http://localhost${path}`, { method }))
    return `${answer.status} ${await answer.text()}`
  }
  return { ask, countDone: () => done }
}

test('without the right to acknowledge writes are refused before their work; reads go on', async () => {
  const { ask, countDone } = serve({ may: () => false })
  for (const path of ['/v1/products', '/v1/search/feedback'])
    expect(await ask('POST', path)).toBe('503 read_only')
  expect(countDone()).toBe(0)
  for (const path of ['/v1/search/text', '/v1/widget/search/text'])
    expect(await ask('POST', path)).toBe('200 found')
  expect(await ask('POST', '/oauth/token')).toBe('200 token')
  expect(await ask('GET', '/v1/products')).toBe('200 list')
})

test('a right that is lost during the work withholds the answer', async () => {
  let looks = 0
  const { ask, countDone } = serve({ may: () => ++looks === 1 })
  expect(await ask('POST', '/v1/products')).toBe('503 read_only')
  expect(countDone()).toBe(1)
})

test('an answer waits for the copy, and is withheld when that takes too long', async () => {
  const copied = Promise.withResolvers<boolean>()
  const { ask } = serve({ untilCopied: () => copied.promise })
  const answer = ask('POST', '/v1/products')
  expect(await Promise.race([answer, Promise.resolve('waits')])).toBe('waits')
  copied.resolve(true)
  expect(await answer).toBe('200 1')
  const late = serve({ untilCopied: () => new Promise(() => {}) }, async () => {})
  expect(await late.ask('POST', '/v1/products')).toBe('503 read_only')
})

test('an answer that waits for the copy is withheld as soon as the right is lost', async () => {
  let looks = 0
  const { ask } = serve({ may: () => ++looks < 4, untilCopied: () => new Promise(() => {}) }, async () => {})
  expect(await ask('POST', '/v1/products')).toBe('503 read_only')
  expect(looks).toBe(4)
})

test('an answer whose copy came too late to count is withheld', async () => {
  const { ask } = serve({ untilCopied: async () => false })
  expect(await ask('POST', '/v1/products')).toBe('503 read_only')
  expect(await ask('POST', '/v1/search/text')).toBe('200 found')
})

test('of all routes that are not read by their method only searches and tokens are reads', () => {
  const reads = new Set<string>()
  const app = testApp()
  const routes = app.http.routes as readonly { method: string; path: string }[]
  for (const { method, path } of routes)
    if (!['GET', 'HEAD', 'OPTIONS'].includes(method) && isRead(method, path)) reads.add(`${method} ${path}`)
  expect([...reads].sort()).toEqual([
    'POST /oauth/token',
    'POST /v1/search',
    'POST /v1/search/batch',
    'POST /v1/search/crop',
    'POST /v1/search/filtered',
    'POST /v1/search/fusion',
    'POST /v1/search/hybrid',
    'POST /v1/search/multi-image',
    'POST /v1/search/text',
    'POST /v1/search/url',
    'POST /v1/widget/search/suggestions',
    'POST /v1/widget/search/text',
    'POST /v1/widget/search/upload',
    'POST /v1/widget/search/url',
  ])
  app.close()
})
