import { expect, test } from 'bun:test'
import { buildAddress } from '../../src/browser/portal/api/build-address.ts'

const PATH = '/v1/products/{product_id}/similar'

test.each(['a/b', '../jobs', '?x=1#y', '%2e%2e', "it's", '$&$1', '{limit}', 'ä 😀', '...'])(
  'a name stays one part of the path: %j',
  (product_id) => {
    const url = new URL(buildAddress(PATH, { product_id }, {}), 'https://search.test')
    expect(url.pathname.split('/').map(decodeURIComponent)).toEqual([
      ...['', 'v1', 'products', product_id, 'similar'],
    ])
    expect([url.search, url.hash]).toEqual(['', ''])
  },
)

// A browser reads them as steps: the call would reach the list of all products, or what stands above it.
test.each(['.', '..', ''])('the name %j is asked of nobody', (product_id) => {
  expect(() => buildAddress(PATH, { product_id }, {})).toThrow(
    expect.objectContaining({ code: 'not_found', status: 404 }),
  )
})

test('a query holds what is given, and keeps what means something to it', () => {
  const query = { q: 'a&b=c', limit: 20, none: undefined, empty: '', no: false }
  expect(buildAddress('/v1/products', {}, query)).toBe('/v1/products?q=a%26b%3Dc&limit=20&no=false')
})
