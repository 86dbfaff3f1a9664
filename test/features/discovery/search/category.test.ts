import { describe, expect, test } from 'bun:test'
import { createColumns } from '../../../../src/features/catalogue/product-index/columns.ts'
import { findNamedCategory, voteForCategory } from '../../../../src/features/discovery/search/category.ts'

/** One product a slot, with these categories. */
function columnsOf(...categories: (string | undefined)[]) {
  const columns = createColumns()
  for (const [slot, category] of categories.entries()) {
    columns.set(slot, { product: slot + 1, document: slot + 1, isFirst: true, metadata: { category } })
  }
  return columns
}

const named = (text: string, ...categories: string[]) => {
  const columns = columnsOf(...categories)
  return columns.categories.getLabel(findNamedCategory(text, columns))
}
const voted = (...categories: (string | undefined)[]) => {
  const columns = columnsOf(...categories)
  return columns.categories.getLabel(voteForCategory([...categories.keys()], columns))
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

  test('a category whose last product is gone is no longer named', () => {
    const columns = columnsOf('Mugs', 'Lamps')
    columns.clear(0)
    expect(findNamedCategory('mug', columns)).toBe(0)
    columns.set(1, { product: 2, document: 2, isFirst: true, metadata: { category: 'Mugs' } })
    expect(columns.categories.getLabel(findNamedCategory('mug', columns))).toBe('Mugs')
    expect(findNamedCategory('lamp', columns)).toBe(0)
  })

  test('a category without a letter or a digit is never named', () => {
    expect(named('anything', '!!!', '—')).toBe('')
  })
})

describe('the category that neighbours vote for (contract 3.6)', () => {
  test('the most frequent one wins when it has two votes and 4 in 10', () => {
    expect(voted('A', 'A', 'B')).toBe('A')
    expect(voted('A', 'A', 'A', 'A', 'B', 'B', 'C', 'D', 'E', 'F')).toBe('A')
    expect(voted('A', 'A', 'A', 'B', 'B', 'C', 'C', 'D', 'E', 'F')).toBe('')
  })

  test('one vote is none, and products without a category have none', () => {
    expect(voted('A')).toBe('')
    expect(voted('A', 'B')).toBe('')
    expect(voted(undefined, undefined, undefined, 'A', 'A')).toBe('A')
    expect(voted(undefined, undefined)).toBe('')
    expect(voted()).toBe('')
  })

  test('only the first ten vote; of equal votes the nearer one wins', () => {
    expect(voted(...Array<string>(10).fill('A'), ...Array<string>(90).fill('B'))).toBe('A')
    expect(voted('B', 'A', 'A', 'B')).toBe('B')
  })

  test('spellings of one category vote together', () => {
    expect(voted('mugs', 'Mügs', ' MUGS', 'Lamps', 'Lamps')).toBe('mugs')
  })
})
