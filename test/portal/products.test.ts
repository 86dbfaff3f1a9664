import { expect, test } from 'bun:test'
import { fits } from '../../src/browser/portal/pages/products/fits.ts'

const ALL = { q: '', category: '', brand: '' }
const MUG = { name: 'Red Mug', brand: 'Acme', category: 'Mugs' }

test.each([
  ['nothing is asked', ALL, MUG, true],
  ['a word is in its name', { ...ALL, q: ' mug ' }, MUG, true],
  ['all words are in name, brand or id', { ...ALL, q: 'acme red sku-7' }, MUG, true],
  ['one word is in none of them', { ...ALL, q: 'red sofa' }, MUG, false],
  ['it has the category and the brand', { ...ALL, category: 'Mugs', brand: 'Acme' }, MUG, true],
  ['it has another category', { ...ALL, category: 'Sofas' }, MUG, false],
  ['the store does not have it, and its id is asked for', { ...ALL, q: 'SKU-7' }, {}, true],
  ['the store does not have it, and a brand is asked for', { ...ALL, brand: 'Acme' }, {}, false],
  ['its name is no text', { ...ALL, q: 'object' }, { name: { de: 'Becher' } }, false],
])('a product in the list of failures: %s', (_, asked, metadata, isShown) => {
  expect(fits(asked, 'sku-7', metadata)).toBe(isShown)
})
