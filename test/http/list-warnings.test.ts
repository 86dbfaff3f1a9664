import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'

let app: TestApp
let token: string

beforeAll(async () => {
  app = testApp()
  token = await app.signIn('one')
})
afterAll(() => app.close())

const get = (path: string) => app.call('GET', path, { token })

test.each<[path: string, warnings: string[]]>([
  ['/v1/products?page=2', ["the unknown parameter 'page' was ignored; did you mean 'cursor'?"]],
  ['/v1/products?per_page=5', ["the unknown parameter 'per_page' was ignored; did you mean 'limit'?"]],
  [
    '/v1/jobs?Offset=20&limt=3',
    [
      "the unknown parameter 'Offset' was ignored; did you mean 'cursor'?",
      "the unknown parameter 'limt' was ignored; did you mean 'limit'?",
    ],
  ],
  ['/v1/security/audit?zzzzzz=1&zzzzzz=2', ["the unknown parameter 'zzzzzz' was ignored"]],
  ['/v1/products?%0d%0aSet-Cookie%3a=1', ["the unknown parameter '%0D%0ASet-Cookie%3A' was ignored"]],
])('%s warns in the page and in the header (contract 1.7)', async (path, warnings) => {
  const answer = await get(path)
  expect([answer.status, answer.body['warnings']]).toEqual([200, warnings])
  expect(answer.headers.get('x-warnings')).toBe(warnings.join(', '))
})

test.each(['/v1/products', '/v1/products?limit=5', '/v1/jobs?limit=3'])(
  '%s warns of nothing',
  async (path) => {
    const answer = await get(path)
    expect([answer.status, 'warnings' in answer.body, answer.headers.get('x-warnings')]).toEqual([
      200,
      false,
      null,
    ])
  },
)

test('a bare array and a list without a cursor warn in the header alone', async () => {
  const hooks = await get('/v1/search/webhooks?page=2')
  expect(hooks.body as unknown).toEqual([])
  expect(hooks.headers.get('x-warnings')).toBe(
    "the unknown parameter 'page' was ignored; this list has no parameters, and is whole",
  )
  const changes = await get('/v1/changes?aftr=2')
  expect(changes.headers.get('x-warnings')).toBe(
    "the unknown parameter 'aftr' was ignored; did you mean 'after'?",
  )
})

test('what is no list stays as it is, and a thousand parameters get ten warnings', async () => {
  expect((await get('/v1/store/settings?page=2')).headers.get('x-warnings')).toBeNull()
  const many = Array.from({ length: 1_000 }, (_, n) => `${'x'.repeat(5)}${n}=1`).join('&')
  expect((await get(`/v1/products?${many}`)).body['warnings']).toHaveLength(10)
})
