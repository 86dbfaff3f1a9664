import { expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'

/** What Elysia writes into a route's handler when it thinks that a hook needs it. */
const COSTLY = {
  cookies: 'parseCookie(',
  'all headers': 'request.headers.toJSON()',
  'the server': 'getServer()',
}

/** Routes whose own handler hands its context on: pages, and those with an Idempotency-Key. */
const HANDING_ON = [
  'GET /verify',
  'GET /oauth/password/reset',
  'POST /oauth/password/reset',
  'POST /v1/products',
  'POST /v1/search/webhooks',
  'POST /v1/billing/checkout',
]

test.each(Object.entries(COSTLY))('no request is searched for %s that nobody reads', async (_what, code) => {
  const app = testApp()
  const found = app.http.routes
    // With a body, Elysia looks for its type in an object of all headers.
    .filter(({ method }) => method === 'GET' || code !== COSTLY['all headers'])
    .filter((route) => route.compile().toString().includes(code))
    .map(({ method, path }) => `${method} ${path}`)
  expect(found.filter((name) => !HANDING_ON.includes(name))).toEqual([])
  await app.close()
})
