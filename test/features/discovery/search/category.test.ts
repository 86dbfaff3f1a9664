import { describe, expect, test } from 'bun:test'
import { fold } from '../../../../src/core/text.ts'
import { createColumns } from '../../../../src/features/catalogue/product-index/columns.ts'
import { createScratch } from '../../../../src/features/catalogue/product-index/words/scratch.ts'
import { createWordIndex } from '../../../../src/features/catalogue/product-index/words/words.ts'
import {
  findNamedCategory,
  findSpared,
  namedCategoryLeg,
} from '../../../../src/features/discovery/search/legs/category.ts'

/** One product a slot, with these categories. */
function columnsOf(...categories: string[]) {
  const columns = createColumns()
  for (const [slot, category] of categories.entries()) {
    columns.set(slot, {
      product: slot + 1,
      productId: `p${slot}`,
      document: slot + 1,
      isFirst: true,
      metadata: { category },
    })
  }
  return columns
}

const named = (text: string, ...categories: string[]) => {
  const columns = columnsOf(...categories)
  return findNamedCategory(text, columns)
}
describe('the category that a text names (contract 3.6)', () => {
  test.each([
    ['red mug', 'Mugs'],
    ['RED MUGS', 'Mugs'],
    ['a table lamp, please', 'Table lamps'],
    ['a table', 'Tables'],
    ['lamp for the table', 'Table lamps'],
    ['ball dresses', 'Dress'],
    ['t-shirt white', 'T-Shirts'],
    ['cafe machine', 'Café'],
    ['mugshot', ''],
    ['something else', ''],
    ['', ''],
    ['!!!', ''],
  ])('%j names %j', (text, category) => {
    expect(named(text, 'Mugs', 'Tables', 'Table lamps', 'Dress', 'T-Shirts', 'Café')).toBe(category)
  })

  test.each([
    ['wine glass', 'Glasses'],
    ['glass wine', 'Wine'],
    ['glasses for wine', 'Glasses'],
    ['a wine glass with a table', 'Glasses'],
    ['Tables de verre', 'Tables'],
    ['a glass table', 'Tables'],
    // Nothing else is named.
    ['something for the table', 'Tables'],
    ['for wine', 'Wine'],
  ])('of names as long the head of a phrase counts: %j names %j', (text, category) => {
    for (const categories of [
      ['Wine', 'Glasses', 'Tables', 'Verre'],
      ['Verre', 'Tables', 'Glasses', 'Wine'],
    ])
      expect(named(text, ...categories)).toBe(category)
  })

  test('a category whose last product is gone is no longer named', () => {
    const columns = columnsOf('Mugs', 'Lamps')
    columns.clear(0)
    expect(findNamedCategory('mug', columns)).toBe('')
    columns.set(1, { product: 2, productId: 'b', document: 2, isFirst: true, metadata: { category: 'Mugs' } })
    expect(findNamedCategory('mug', columns)).toBe('Mugs')
    expect(findNamedCategory('lamp', columns)).toBe('')
  })

  test('a category without a letter or a digit is never named', () => {
    expect(named('anything', '!!!', '—')).toBe('')
  })
})

test('a text may name a level above categories, which steers to all that is below it', () => {
  const columns = createColumns()
  const below = { category: 'Hoodies', category_path: ['Clothing', 'Clothing > Hoodies'] }
  for (const [slot, metadata] of [below, { category: 'Mugs' }, { category: 'clothing' }].entries())
    columns.set(slot, {
      product: slot + 1,
      productId: `p${slot}`,
      document: slot + 1,
      isFirst: true,
      metadata,
    })
  expect(fold(findNamedCategory('warm clothing', columns))).toBe('clothing')
  expect(findNamedCategory('hoodie', columns)).toBe('Hoodies')
  const { at } = namedCategoryLeg({ columns }, 'Clothing', 2)
  expect([0, 1, 2].map(at)).toEqual([0, -2, 0])
})

test.each([['Beds'], ['Furniture']])('spared products lose nothing outside "%s"', (name) => {
  const columns = createColumns()
  const beds = { category: 'Beds', category_path: ['Furniture', 'Furniture > Beds'] }
  for (const [slot, metadata] of [beds, { category: 'Pets' }, { category: 'Pets' }].entries())
    columns.set(slot, {
      product: slot + 1,
      productId: `p${slot}`,
      document: slot + 1,
      isFirst: true,
      metadata,
    })
  const { at } = namedCategoryLeg({ columns }, name, 2, new Set([2]))
  expect([0, 1, 2].map(at)).toEqual([0, 0, -2])
})

test('products with all words of a query are spared where it says more than the category and colours', () => {
  const words = createWordIndex(createScratch())
  words.put(1, { productId: 'a', name: 'Red dog bed' })
  const spared = (text: string) => [...findSpared({ words }, text, 'Beds', new Set(['red']))]
  expect(spared('dog bed')).toEqual([1])
  expect(spared('dog beds')).toEqual([1])
  expect(spared('bed')).toEqual([])
  expect(spared('red bed')).toEqual([])
  expect(spared('cat bed')).toEqual([])
})
