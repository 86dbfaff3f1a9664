import { afterAll, describe, expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'

/** One for all tests, which change nothing in it. */
const app = testApp()
afterAll(() => app.close())

/** What the page of an invitation sends: the token of its link is the credential. */
const OPEN = ['/v1/team/invites/look', '/v1/team/invites/accept']

/** Every route that asks for a credential, with something in the place of ids. */
const PROTECTED = (app.http.routes as { method: string; path: string }[])
  .filter(({ path }) => path.startsWith('/v1/') && !path.startsWith('/v1/node/') && !OPEN.includes(path))
  .map(({ method, path }) => [method, path.replaceAll(/:\w+/g, 'sku-1')] as const)

const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
]

describe('every signed-in route (contract 4.2)', () => {
  test.each(PROTECTED)('%s %s: 401 unauthorized without a token', async (method, path) => {
    const answer = await app.call(method, path)
    expect(refusal(answer)).toEqual([401, 'unauthorized'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="lookalike"')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test.each(PROTECTED.filter(([method]) => method !== 'GET' && method !== 'DELETE'))(
    '%s %s: 401 comes before the body is read, whatever it holds',
    async (method, path) => {
      const bodies = [
        { body: '{', headers: { 'content-type': 'application/json' } },
        { body: '{}', headers: { 'content-type': 'application/json' } },
        { body: 'x', headers: { 'content-type': 'text/plain' } },
        { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=b' } },
        { body: '{}', headers: { 'content-type': 'application/json', 'content-length': '999999999' } },
      ]
      for (const request of bodies)
        expect(refusal(await app.call(method, path, request))).toEqual([401, 'unauthorized'])

      let pulls = 0
      const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 })
      const headers = { 'content-type': 'application/json' }
      const response = await app.http.handle(
        new Request(`http://lookalike.test${path}`, { method, headers, body }),
      )
      expect([response.status, pulls]).toEqual([401, 0])
    },
  )
})
