import { expect, test } from 'bun:test'
import pino from 'pino'
import { version } from '../../src/version.ts'
import { testApp } from '../support/app.ts'

/** A program whose log lines can be read. */
function logging() {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  return { app: testApp({ log }), lines }
}

/** Elysia writes the line after the answer has left. */
const written = () => new Promise((resolve) => setImmediate(resolve))

test('every answer carries X-Request-Id, X-Service-Version and nosniff', async () => {
  const { app } = logging()
  for (const path of ['/health', '/nowhere', '/v1/products', '/docs', '/errors', '/openapi.json']) {
    const { headers } = await app.call('GET', path)
    expect([path, headers.get('x-request-id')]).toEqual([path, expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(headers.get('x-service-version')).toBe(version)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  await app.close()
})

test.each([
  ['abc-123_X.y:z', true],
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
  ['with space', false],
  ['{"json":1}', false],
  ['<script>', false],
])('X-Request-Id "%s" of a proxy is kept: %p', async (given, isKept) => {
  const { app } = logging()
  const { headers } = await app.call('GET', '/health', { headers: { 'x-request-id': given } })
  expect(headers.get('x-request-id') === given).toBe(isKept)
  await app.close()
})

test('one line a request: method, path, status and request id, and neither query, body nor token', async () => {
  const { app, lines } = logging()
  const token = await app.signIn()
  await written()
  lines.length = 0
  await app.call('GET', '/v1/products?q=private-words', { token, headers: { 'x-request-id': 'r-1' } })
  await app.call('POST', '/v1/search/text', { token, body: { query: 'private-words', limit: 0 } })
  await app.call('GET', '/nowhere')
  // Load balancers ask it every second.
  await app.call('GET', '/health')
  await written()
  expect(lines.map(({ method, path, status }) => [method, path, status])).toEqual([
    ['GET', '/v1/products', 200],
    ['POST', '/v1/search/text', 422],
    ['GET', '/nowhere', 404],
  ])
  expect(lines[0]).toMatchObject({ request_id: 'r-1', duration_ms: 0 })
  expect(JSON.stringify(lines)).not.toContain('private-words')
  expect(JSON.stringify(lines)).not.toContain(token)
  await app.close()
})
