import { describe, expect, test } from 'bun:test'
import { createRouteTable } from '../../src/http/route-table.ts'

const table = createRouteTable(() => [
  { method: 'POST', path: '/v1/products' },
  { method: 'GET', path: '/v1/products' },
  { method: 'DELETE', path: '/v1/products/:product_id' },
  { method: 'POST', path: '/v1/products/demo' },
  { method: 'GET', path: '/files/a.b' },
])

test.each([
  ['/v1/products', ['GET', 'HEAD', 'POST']],
  ['/v1/products/', ['GET', 'HEAD', 'POST']],
  ['/v1/products//', []],
  ['//v1/products', []],
  ['/v1/products/sku-1', ['DELETE']],
  ['/v1/products/demo', ['DELETE', 'POST']],
  ['/v1/products/a/b', []],
  ['/v1/products/%2F', ['DELETE']],
  ['/files/a.b', ['GET', 'HEAD']],
  ['/files/aXb', []],
  ['/v1', []],
  ['', []],
])('%s answers %p: a pattern is one segment, a dot is a dot, GET brings HEAD', (path, methods) => {
  expect(table.listMethods(path)).toEqual(methods)
})

describe('a path that is nearly right', () => {
  const near = createRouteTable(() => [
    { method: 'GET', path: '/docs' },
    { method: 'GET', path: '/docs/:file', hooks: { detail: { hide: true } } },
    { method: 'GET', path: '/v1/products' },
    { method: 'POST', path: '/v1/products' },
    { method: 'GET', path: '/v1/products/:product_id' },
    { method: 'GET', path: '/v1/products/export' },
    { method: 'POST', path: '/v1/search' },
    { method: 'POST', path: '/v1/search/text' },
  ])

  test.each([
    ['GET', '/doc', 'GET /docs'],
    ['GET', '/DOCS', 'GET /docs'],
    ['GET', '/v1/product/hat-1', 'GET /v1/products/{product_id}'],
    ['POST', '/v1/product', 'POST /v1/products'],
    ['DELETE', '/v1/product', 'GET /v1/products'],
    ['GET', '/v1/products/exports', 'GET /v1/products/{product_id}'],
    ['POST', '/v1/serach/text', 'POST /v1/search/text'],
    ['POST', '/search', 'POST /v1/search'],
    ['POST', '/api/v1/search', 'POST /v1/search'],
    ['POST', '/v2/search/text/', 'POST /v1/search/text'],
    ['GET', '/v1/docs', 'GET /docs'],
  ])('%s %s means %s', (method, path, meant) => {
    const found = near.findNearest(method, path)
    expect(`${found?.method} ${found?.path}`).toBe(meant)
    // /v1/products answers GET, too.
    expect(found?.isAddress).toBe(/^GET \/[^{]*$|products$/.test(meant))
  })

  test.each([
    '/',
    '',
    '/nope',
    '/v1',
    '/v1/nope',
    '/docs/nothing/at/all',
    `/doc${'s'.repeat(200)}`,
    '/docs/nope',
  ])('%s means nothing', (path) => {
    const found = near.findNearest('GET', path)
    expect(found?.path).toBeUndefined()
  })
})

test('a wrong path that comes again is not compared again, and each method has its own answer', () => {
  const near = createRouteTable(() => [
    { method: 'GET', path: '/v1/products' },
    { method: 'POST', path: '/v1/products' },
  ])
  const first = near.findNearest('GET', '/v1/product')
  expect(first?.method).toBe('GET')
  expect(near.findNearest('GET', '/v1/product')).toBe(first as never)
  expect(near.findNearest('POST', '/v1/product')?.method).toBe('POST')
  expect([near.findNearest('GET', '/zzz'), near.findNearest('GET', '/zzz')]).toEqual([undefined, undefined])
})
