import { expect, test } from 'bun:test'
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
