import { expect, test } from 'bun:test'
import { isTemplate, parseTemplate } from '../../../../src/features/stores/settings/address-template.ts'

function fill(template: string, productId: string, metadata: Record<string, unknown> = {}) {
  const parsed = parseTemplate(template)
  if (!isTemplate(parsed)) throw new Error(parsed.message)
  return parsed.fill(productId, metadata)
}

test.each([
  ['/p/{product_id}', 'a', {}, '/p/a'],
  ['/p/{product_id}', 'a/../b?c#d', {}, '/p/a%2F..%2Fb%3Fc%23d'],
  ['/p/{sku}-{sku}', 'a', { sku: 7 }, '/p/7-7'],
  ['/p/{metadata.sku}', 'a', { sku: 'é' }, '/p/%C3%A9'],
  ['/p/{page.slug}', 'a', { page: { slug: 'mug' } }, '/p/mug'],
  ['/p/{page.slug}', 'a', { 'page.slug': 'own', page: { slug: 'mug' } }, '/p/own'],
  ['/p/{sku}', 'a', { sku: '\ud800' }, '/p/%EF%BF%BD'],
  ['https://shop.example/?id={product_id}#{sku}', '1', { sku: 'x' }, 'https://shop.example/?id=1#x'],
])('%j and the id %j make an address', (template, productId, metadata, address) => {
  expect(fill(template, productId, metadata)).toBe(address)
})

test.each([{}, ...['', '.', '..', null, true, ['a'], { a: 1 }, 'x'.repeat(501)].map((sku) => ({ sku }))])(
  '%j fills no address',
  (metadata) => {
    expect(fill('/p/{sku}', 'a', metadata)).toBeUndefined()
  },
)

test('an address has bounds', () => {
  expect(fill('/{sku}{sku}{sku}', 'a', { sku: 'é'.repeat(500) })).toBeUndefined()
})

test('no value leads to another server', () => {
  for (const sku of ['//evil.example', '\\\\evil.example', '@evil.example', 'javascript:alert(1)', '\nx']) {
    const url = new URL(`https://shop.example${fill('/{sku}', 'a', { sku })}`)
    expect([url.origin, url.pathname.split('/')]).toEqual([
      'https://shop.example',
      ['', encodeURIComponent(sku)],
    ])
  }
})
